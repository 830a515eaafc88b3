package core

import (
	"math"
	"runtime"
	"testing"
	"unsafe"

	"github.com/dupinst/dupinst/profile/format"
)

// What a shadow has counted is in its parent's counters when that has received it, of every kind.
func TestShadow(t *testing.T) {
	settings(t, nil)
	p := pkg()
	dupinstLink(p)
	sites := [2]dupinstValueSite{{counter: p.counts + 8, form: dupinstInt64}, {counter: p.counts + 24}}
	address(&sites)
	count := func() {
		dupinstXadd(p.dupinstCounter(0), 5)
		dupinstCallee(p.counts+16, codePointer(runtime.GC), 3)
		for i := range uint64(60) { // more than are kept apart
			sites[0].dupinstCount(uintptr(i), 1+i)
		}
		sites[1].dupinstCountContext([]uintptr{codePointer(runtime.GC) + 1, codePointer(runtime.Gosched) + 1}, 7)
		dupinstXadd(&dupinstTotal.samples, 9)
		dupinstXadd(&dupinstTotal.dropped, 2)
	}
	written := func() *format.Process {
		var b []byte
		DupinstWrite(func(piece []byte) { b = append(b, piece...) }, false)
		got, err := format.Decode(b)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	memory := make([]uint64, dupinstSharedSize/8)
	shared := (*dupinstShared)(unsafe.Pointer(&memory[0]))
	count()
	alone := written()
	shared.spent = 11
	shared.dupinstDeliver()
	dupinstForget()
	if got := written(); len(got.Packages[0].Counts) != 0 || len(got.Callees) != 0 || got.Samples != 0 {
		t.Errorf("a shadow begins with %+v", got)
	}
	shared.dupinstReceive()
	got := written()
	if len(got.Packages[0].Counts) != len(alone.Packages[0].Counts) || len(got.Callees) != len(alone.Callees) || got.Samples != 9 || got.Dropped != 2 || dupinstTotal.shadowed != 11 {
		t.Fatalf("received %+v, of %+v", got, alone)
	}
	for i, c := range alone.Packages[0].Counts {
		if i != 1 && i != 3 && got.Packages[0].Counts[i] != c {
			t.Errorf("counter %+v, of %+v", got.Packages[0].Counts[i], c)
		}
	}
	bare := map[format.Callee]uint64{}
	for _, c := range alone.Callees {
		n := c.N
		c.N = 0
		bare[c] = n
	}
	for _, c := range got.Callees {
		n := c.N
		if c.N = 0; bare[c] != n {
			t.Errorf("%d of %+v, not %d", n, c, bare[c])
		}
	}

	// One that ends before tells nothing, and what finds no room is dropped.
	dupinstForget()
	shared.done = 0
	shared.dupinstReceive()
	if dupinstTotal.lost != 1 || *p.dupinstCounter(0) != 0 {
		t.Errorf("a shadow that told nothing: %+v", dupinstTotal)
	}
	count()
	small := dupinstParcel{words: address(&memory[0]), room: 12}
	small.dupinstPack()
	dupinstForget()
	small.room, small.n = small.n, 0
	small.dupinstUnpack()
	if dupinstTotal.dropped == 0 || *p.dupinstCounter(0) != 5 {
		t.Errorf("a small parcel: %+v, %d", dupinstTotal, *p.dupinstCounter(0))
	}
	dupinstPackages, dupinstTops, dupinstContexts = 0, 0, 0
	dupinstTable, dupinstTaken = [1 << dupinstSlotBits]dupinstSlot{}, 0
}

// TestSparing has no shadow made where a heap is about to be collected, but where it is all the time, and where that does not come.
func TestSparing(t *testing.T) {
	const ms, mb = 1_000_000, 1 << 20
	var s dupinstSparing
	for _, c := range []struct {
		what                  string
		now, since            int64 // in ms
		live, marked, trigger uint64
		want                  bool
	}{
		{"after a collection", 1000, 10, 101 * mb, 100 * mb, 200 * mb, false},
		{"in the middle", 2000, 1000, 150 * mb, 100 * mb, 200 * mb, false},
		{"before one", 2980, 1980, 199 * mb, 100 * mb, 200 * mb, true},
		{"just before", 3000, 2000, 200 * mb, 100 * mb, 200 * mb, true},
		{"it does not come", 3100, 2100, 200 * mb, 100 * mb, 200 * mb, false},
		{"and does not come", 4000, 3000, 200 * mb, 100 * mb, 200 * mb, false},
		{"while there is one", 4100, 3100, 201 * mb, 100 * mb, 200 * mb, false},
		{"after the next", 4200, 10, 100 * mb, 100 * mb, 200 * mb, false},
		{"before the next", 6180, 1980, 199 * mb, 100 * mb, 200 * mb, true},
		{"collected all the time", 6500, 200, 199 * mb, 100 * mb, 200 * mb, false},
		{"less than what was marked", 8000, 1000, 99 * mb, 100 * mb, 200 * mb, false},
	} {
		if got := s.dupinstExpects(c.now*ms, c.since*ms, c.live, c.marked, c.trigger, 20*ms); got != c.want {
			t.Errorf("%s: %t", c.what, got)
		}
	}
}

// Shadows cost what they may, whatever that is of a processor's time and whatever each costs, and less only where there are not so many moments.
func TestPacing(t *testing.T) {
	const second = 1_000_000_000
	for _, c := range []struct {
		what       string
		processors float64
		cost       uint64 // of one, in ns
		want       float64
	}{
		{"a processor", 1, second / 25, 0.01},
		{"a hundredth of one", 0.01, second / 25, 0.01},
		{"sixteen", 16, second / 25, 0.01},
		{"cheap ones", 1, second / 500, 0.01},
		{"dear ones", 1, second / 2, 0.01},
		{"at each moment", 16, second / 500, 0.00125},
	} {
		const moments = 1_000_000 // ten a second
		p, spent := dupinstPace(second/100, 0), uint64(0)
		for i := range uint64(moments) {
			cpu := uint64(float64(i) * c.processors * second / 10)
			if p.dupinstMay(dupinstMix(i), 10_000, cpu) {
				spent += c.cost
				p.dupinstAdd(c.cost)
			}
		}
		share := float64(spent) / (moments / 10 * c.processors * second)
		deviation := 4 * math.Sqrt(c.want*moments/10*c.processors*second*float64(c.cost)) / (moments / 10 * c.processors * second)
		if math.Abs(share-c.want) > deviation+0.02*c.want {
			t.Errorf("%s: %.5f, want %.5f", c.what, share, c.want)
		}
	}
	p := dupinstPace(second/100, 0)
	if !p.dupinstMay(^uint64(0), 0, 1) {
		t.Error("none, where they may cost anything")
	}
}

// Shadows are of dense code as often as it runs, though probes make them last ten times as long there.
func TestMoments(t *testing.T) {
	const ms = 1_000_000
	var m dupinstMoments
	var shadows [2]int
	until, dense := int64(0), 0
	for now, n := int64(0), uint64(0); n < 200_000; n++ {
		now = m.dupinstNext(now, dupinstMix(2*n), 10, 10*ms)
		for until < now {
			until += int64(dupinstMix(2*n+1+uint64(until)) % (600 * ms))
			dense = 1 - dense
		}
		life := int64(12 * ms)
		if dense == 1 {
			life = 120 * ms
		}
		shadows[dense]++
		m.dupinstEnded(now, life)
		now += life
	}
	if ratio := float64(shadows[1]) / float64(shadows[0]); math.Abs(ratio-1) > 0.06 {
		t.Errorf("dense code has %.2f times as many shadows as sparse", ratio)
	}
}

// A goroutine that does not return from a system call in time is waited for again in its next one.
func TestAwaited(t *testing.T) {
	var p dupinstG
	for i, c := range []struct {
		call       uint64
		late, want bool
	}{{1, false, true}, {1, true, true}, {1, false, false}, {1, true, false}, {2, false, true}, {2, true, true}, {2, false, false}} {
		if got := p.dupinstAwaited(c.call, c.late); got != c.want {
			t.Errorf("%d: %t", i, got)
		}
	}
}

// A shadow ends when all of it waits, and when it has run thirty times as long as it was to last, and not while it is not let run.
func TestLife(t *testing.T) {
	const length, look = 10_000_000, 100_000
	for _, test := range []struct {
		name    string
		running int32
		cpu     int64 // in each look
		samples uint64
		want    int64 // looks
	}{
		{"waits", 0, 0, 0, length / look},
		{"waits at times", 0, look / 20, 1, 20 * (dupinstSlowest - 1) * length / look},
		{"runs", 1, look, 0, (dupinstSlowest - 1) * length / look},
		{"runs in two", 2, 2 * look, 1, (dupinstSlowest - 1) * length / look},
		{"is let run half of the time", 1, look / 2, 1, 2 * (dupinstSlowest - 1) * length / look},
		{"is not let run", 1, 0, 0, 100_000},
	} {
		life, looks, samples := dupinstLife{lasted: length}, int64(1), uint64(0)
		for looks < 100_000 && life.dupinstGoesOn(look, test.cpu, test.running, samples, 1000, length) {
			looks++
			samples += test.samples
		}
		if looks != test.want {
			t.Errorf("%s: it ended after %d looks, want %d", test.name, looks, test.want)
		}
	}
	for life, looks := (dupinstLife{lasted: length}), 0; looks < 1000; looks++ {
		if !life.dupinstGoesOn(look, 0, 0, 0, 0, length) {
			t.Fatalf("it ended after %d looks, before it was known how far it was to come", looks)
		}
		if none := life; none.dupinstGoesOn(look, look, 1, 0, 1, length) {
			t.Fatal("it goes on where the program has come to no check")
		}
	}
}
