package core

import (
	"math/rand/v2"
	"sync"
	"testing"
)

// valued is a site of values in a package that is linked.
func valued(t *testing.T, form uintptr) (*dupinstValueSite, *uint64) {
	t.Helper()
	settings(t, nil)
	counter := new(uint64)
	s := &dupinstValueSite{counter: address(counter), form: form}
	address(s)
	return s, counter
}

func (s *dupinstValueSite) table() *dupinstTop { return (*dupinstTop)(dupinstPtr(s.top)) }

// sum is what a table's values and the others add up to.
func (t *dupinstTop) sum() uint64 {
	n := t.others
	for _, v := range t.values[:t.n] {
		n += v.n
	}
	return n
}

// What is noted of a word depends on the form, whatever stands in the bits beyond its width.
func TestForms(t *testing.T) {
	word := func(n int64) uintptr { return uintptr(n) } // its lower half where that is a word
	length, code := uint64(7), uintptr(0x1234)
	tab := [2]uintptr{1, 0x5678}
	for _, c := range []struct {
		form, word uintptr
		want       uint64
	}{
		{dupinstInt8, 0xabcd_ff, ^uint64(0)},
		{dupinstInt16, 0xab_8000, ^uint64(0x7fff)},
		{dupinstInt32, word(0xf_ffff_fffe), ^uint64(1)},
		{dupinstInt64, word(-3), ^uint64(2)},
		{dupinstUint8, 0xabcd_ff, 255},
		{dupinstBoolean, 0xabcd_01, 1},
		{dupinstUint16, 0xab_8000, 0x8000},
		{dupinstUint32, word(0xf_ffff_fffe), 0xffff_fffe},
		{dupinstUint64, word(-3), ^uint64(2)},
		{dupinstNil, 0, 0},
		{dupinstNil, 0x1000, 1},
		{dupinstMap, 0, 0},
		{dupinstMap, address(&length), 7},
		{dupinstCode, address(&code), 0x1234},
		{dupinstMethods, 0, 0},
		{dupinstMethods, address(&tab), 0x5678},
		{dupinstAny, 0x5678, 0x5678},
	} {
		s := &dupinstValueSite{form: c.form}
		if got := s.dupinstRead(c.word); got != c.want {
			t.Errorf("form %d of %#x: %#x, want %#x", c.form, c.word, got, c.want)
		}
	}
}

// A few values are counted exactly, and stand in order.
func TestTopValues(t *testing.T) {
	s, counter := valued(t, dupinstInt64)
	for i := range 10_000 {
		s.dupinstCount(uintptr(i%100/(i%7+1)%20), 3)
	}
	top := s.table()
	if *counter != 30_000 || top.sum() != 30_000 || top.others != 0 || top.n != 20 {
		t.Errorf("%d events, %d in %d values and %d others", *counter, top.sum(), top.n, top.others)
	}
	for i := range top.n - 1 {
		if top.values[i].n < top.values[i+1].n {
			t.Errorf("value %d was counted %d times, the one behind it %d", i, top.values[i].n, top.values[i+1].n)
		}
	}
}

// A value that becomes frequent late gets into a table that was full of others, and nothing is lost.
func TestTopValuesLate(t *testing.T) {
	s, counter := valued(t, dupinstInt64)
	r := rand.New(rand.NewPCG(1, 2))
	for range 50_000 {
		s.dupinstCount(uintptr(1000+r.IntN(5000)), 1)
	}
	for range 50_000 {
		v := uintptr(7)
		if r.IntN(2) == 0 {
			v = uintptr(1000 + r.IntN(5000))
		}
		s.dupinstCount(v, 1)
	}
	top := s.table()
	if top.values[0].value != 7 || top.values[0].n < 24_000 || top.sum() != *counter || *counter != 100_000 {
		t.Errorf("first is %d, counted %d times; %d of %d events", top.values[0].value, top.values[0].n, top.sum(), *counter)
	}
}

// A value that has a tenth of the events of late is kept, though half a table of others had more than it has from one time to the next that the lower half is emptied.
func TestTopValuesSteady(t *testing.T) {
	s, counter := valued(t, dupinstInt64)
	for i := range 20_000 {
		s.dupinstCount(uintptr(i%dupinstTopValues), 1)
	}
	for i := range 20_000 {
		v := uintptr(1000 + i)
		if i%10 == 0 {
			v = 777
		}
		s.dupinstCount(v, 1)
	}
	top := s.table()
	if top.values[0].value != 777 || top.values[0].n != 2000 || top.sum() != *counter {
		t.Errorf("first is %d, counted %d times; %d of %d events", top.values[0].value, top.values[0].n, top.sum(), *counter)
	}
}

// Threads that note values of one site at once lose none.
func TestTopValuesAtOnce(t *testing.T) {
	s, counter := valued(t, dupinstUint8)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 50_000 {
				s.dupinstCount(uintptr(i%5), 1)
			}
		})
	}
	all.Wait()
	top := s.table()
	if *counter != 200_000 || top.n != 5 {
		t.Fatalf("%d events, %d values", *counter, top.n)
	}
	for _, v := range top.values[:5] {
		if v.n != 40_000 {
			t.Errorf("value %d: %d", v.value, v.n)
		}
	}
}
