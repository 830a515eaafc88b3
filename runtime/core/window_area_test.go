package core

import (
	"testing"
	"unsafe"
)

// TestGather adds what threads have counted in areas of their own, each event once.
func TestGather(t *testing.T) {
	settings(t, nil)
	p := pkg()
	dupinstLink(p)
	counters[0], counters[3] = 100, 0
	dupinstAreaFrom, dupinstAreaSize = p.counts, p.N*8
	defer func() { dupinstAreas, dupinstAreaFrom, dupinstAreaSize = 0, 0, 0 }()
	areas := [2][]uint64{}
	for i := range areas {
		at := dupinstAllocate(dupinstAreaHead + 2*dupinstAreaSize)
		(*dupinstArea)(dupinstPtr(at)).next = dupinstAreas
		dupinstAreas = at
		areas[i] = unsafe.Slice((*uint64)(dupinstPtr(at+dupinstAreaHead)), p.N)
	}
	areas[0][0], areas[1][0], areas[1][3] = 5, 7, 1
	dupinstGather()
	dupinstGather()
	areas[0][0]++
	dupinstGather()
	if counters[0] != 100+5+7+1 || counters[3] != 1 {
		t.Errorf("%v", counters)
	}
	dupinstGatherFrom(dupinstAreas, p.counts+8, p.N) // ends behind them
	if counters[3] != 1 {
		t.Errorf("%d of counters that are not all in an area", counters[3])
	}

	var g dupinstG
	for _, c := range []struct {
		segment      uintptr
		of, thread   uint64
		area, noArea bool
	}{
		{0, 0, 1, false, false}, // a new thread has its parent's
		{0, 1, 1, false, true},
		{64, 1, 1, true, false},
		{64, 1, 2, false, false}, // C's
	} {
		g.segment, g.segmentOf = c.segment, c.of
		if area, no := g.dupinstSegmentIs(true, c.thread), g.dupinstSegmentIs(false, c.thread); area != c.area || no != c.noArea {
			t.Errorf("%+v: %t, %t", c, area, no)
		}
	}
}
