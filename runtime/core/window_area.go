package core

import "unsafe"

// In a window without an end several threads count at once. None of them adds atomically, and none waits for what
// another has written: each has an area of its own, as long as the program's variables, and at the same distance from
// all of them. An instruction that counts has the prefix of a segment (compiler/pass/dupinst, emitamd64.go) which Linux has no
// use for on amd64, and whose base, 0 elsewhere, is that distance there. Before counters are read, what areas
// have counted is added to them.

// A dupinstArea is what begins its memory. Its counters follow, and what they were when they were last added.
type dupinstArea struct {
	next   uintptr
	thread uint64 // that has it
}

const dupinstAreaHead = 64 // bytes; a cache line

var (
	dupinstAreas    uintptr // the first
	dupinstAreaFrom uintptr // the first variable that they have, and
	dupinstAreaSize uintptr // bytes from there on
)

// dupinstSegmentIs reports whether the segment is known to be that of an area, or of none, on a thread of the system's, of which p is the
// runtime's own stack: one that was C's may run as any of the runtime's, and a new one has its parent's.
//
//go:nosplit
func (p *dupinstG) dupinstSegmentIs(ofArea bool, thread uint64) bool {
	return p.segmentOf == thread && (p.segment != 0) == ofArea
}

// dupinstGather adds what threads have counted in areas to the counters.
func dupinstGather() {
	for at := dupinstLoad(&dupinstAreas); at != 0; {
		for p := dupinstLoad(&dupinstPackages); p != 0; {
			pkg := (*DupinstPackage)(dupinstPtr(p))
			dupinstGatherFrom(at, pkg.counts, pkg.N)
			p = pkg.next
		}
		for p := dupinstGrouped; p != 0; {
			g := (*dupinstGroups)(dupinstPtr(p))
			dupinstGatherFrom(at, g.counters, g.n)
			p = g.next
		}
		for p := dupinstPathed; p != 0; {
			paths := (*dupinstPaths)(dupinstPtr(p))
			dupinstGatherFrom(at, paths.counters, paths.n)
			p = paths.next
		}
		taken := dupinstSlotsTaken()
		for i := range taken {
			if s := dupinstSlotAt(taken, i); s != nil {
				dupinstGatherFrom(at, uintptr(unsafe.Pointer(&s.n)), 1)
			}
		}
		at = (*dupinstArea)(dupinstPtr(at)).next
	}
}

// dupinstGatherFrom adds what an area has of n counters. Those of a plugin are in none.
func dupinstGatherFrom(area, counters, n uintptr) {
	if counters < dupinstAreaFrom || counters+n*8 > dupinstAreaFrom+dupinstAreaSize {
		return
	}
	for i := uintptr(0); i < n*8; i += 8 {
		at := area + dupinstAreaHead + counters - dupinstAreaFrom + i
		if now := dupinstLoad64((*uint64)(dupinstPtr(at))); now != 0 {
			added := (*uint64)(dupinstPtr(at + dupinstAreaSize))
			if now != *added {
				dupinstXadd((*uint64)(dupinstPtr(counters+i)), now-*added)
				*added = now
			}
		}
	}
}
