package core

import (
	"testing"

	"github.com/dupinst/dupinst/profile/format"
)

// window has n references noted in one window, which refer to site 1 at its own number and beyond.
func window(number, n uint64, site *dupinstValueSite) {
	dupinstBurstMake()
	dupinstBurstBegin(number)
	if b := (*dupinstBurst)(dupinstPtr(dupinstBurstIn)); b != nil {
		for i := range min(n, dupinstBurstLength) {
			b.references[i] = dupinstReference{address(site), uintptr(number<<16 - i*8), uintptr(number << 1)}
		}
		b.n = uintptr(n) // as if more threads than one had added some
	}
	dupinstBurstEnd()
}

func TestBursts(t *testing.T) {
	settings(t, map[string]string{"DUPINST_INTERVAL": "3"})
	p := pkg()
	dupinstLink(p)
	site := &dupinstValueSite{counter: p.counts + 8}
	t.Cleanup(func() { dupinstRefers, dupinstKeeps = false, 0 })
	read := func(reset bool) []format.Burst {
		t.Helper()
		var b []byte
		DupinstWrite(func(piece []byte) { b = append(b, piece...) }, reset)
		got, err := format.Decode(b)
		if err != nil {
			t.Fatal(err)
		}
		return got.Bursts
	}
	window(1, 5, site)
	if dupinstKeeps != 0 || len(read(false)) > 0 {
		t.Fatal("bursts are kept before there is a reference")
	}
	dupinstRefers = true
	window(1, 3, site)
	window(2, 0, site)
	window(3, dupinstBurstLength+1, site)
	got := read(true)
	if len(got) != 2 || len(got[0].References) != 3 || len(got[1].References) != dupinstBurstLength || got[0].Begun == 0 {
		t.Fatalf("%d bursts: %+v", len(got), got)
	}
	if r := got[0].References[2]; r != (format.Reference{Site: 1, Goroutine: 2, Address: 1<<16 - 16}) {
		t.Errorf("%+v", r)
	}
	if got := read(false); len(got) > 0 {
		t.Errorf("anew there are %d", len(got))
	}

	// What is behind a window that nobody closed is a burst of its own.
	dupinstBurstBegin(1)
	open := (*dupinstBurst)(dupinstPtr(dupinstBurstIn))
	open.references[0], open.n = dupinstReference{site: address(site)}, 1
	window(4, 2, site)
	if got := read(true); len(got) != 2 || len(got[0].References) != 1 || len(got[1].References) != 2 {
		t.Errorf("behind a window that was not closed: %+v", got)
	}

	const windows = 8 * dupinstBursts
	for i := range uint64(windows) {
		window(1+i, 1, site)
	}
	got = read(false)
	if len(got) != dupinstBursts {
		t.Fatalf("%d bursts, want %d", len(got), dupinstBursts)
	}
	mean := 0.0
	for _, b := range got {
		mean += float64(b.References[0].Goroutine>>1) / dupinstBursts
	}
	if off := mean/windows - 0.5; off < -0.05 || off > 0.05 { // some four times the standard deviation
		t.Errorf("the windows that are kept are the %.0f-th of %d in the mean", mean, windows)
	}

	// One that is being written is no window's.
	r := (*dupinstReservoir)(dupinstPtr(dupinstKeeps))
	for i := range r.bursts {
		r.bursts[i].busy = 1
	}
	r.seen = 0
	if dupinstBurstBegin(1); dupinstBurstIn != 0 || len(read(false)) > 0 {
		t.Error("a burst is in use twice")
	}
}
