//go:build dupinst_runtime

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

// dupinstSegmented reports whether the segment of the thread, which is about to run a goroutine, is as it is to be. It is
// known of a thread of the system's: one that was C's may run as any of the runtime's, and a new one has its parent's.
//
//go:nosplit
//go:nowritebarrierrec
func dupinstSegmented(mp *m) bool {
	if dupinstLoad(&dupinstIn) != dupinstAlways {
		return dupinstLoad(&dupinstAreas) == 0 || mp.g0.dupinst.segmentOf == mp.procid && mp.g0.dupinst.segment == 0
	}
	return mp.g0.dupinst.segmentOf == mp.procid && mp.g0.dupinst.segment != 0
}

// dupinstSegment sets it. It runs on the system stack.
//
//go:nowritebarrierrec
func dupinstSegment(mp *m) {
	const setGS, archPrctl = 0x1001, 158
	base := uintptr(0)
	if dupinstLoad(&dupinstIn) == dupinstAlways {
		area := dupinstAreaOf(mp.procid)
		base = area + dupinstAreaHead - dupinstAreaFrom
	}
	dupinstCall(archPrctl, setGS, base, 0, 0) // where that is forbidden, it counts where all do
	mp.g0.dupinst.segment, mp.g0.dupinst.segmentOf = base, mp.procid
}

// dupinstAreaOf is the area of a thread. If it has none, it gets that of a thread that has ended, or a new one.
//
//go:nowritebarrierrec
func dupinstAreaOf(thread uint64) uintptr {
	for at := dupinstLoad(&dupinstAreas); at != 0; {
		a := (*dupinstArea)(dupinstPtr(at))
		if dupinstLoad64(&a.thread) == thread {
			return at
		}
		at = a.next
	}
	const noSuchThread = 3 // ESRCH
	for at := dupinstLoad(&dupinstAreas); at != 0; {
		a := (*dupinstArea)(dupinstPtr(at))
		of := dupinstLoad64(&a.thread)
		if _, errno := dupinstCall(dupinstSysTgkill, uintptr(getpid()), uintptr(of), 0, 0); errno == noSuchThread && dupinstCas64(&a.thread, of, thread) {
			return at
		}
		at = a.next
	}
	if dupinstLoad(&dupinstAreaSize) == 0 { // whoever comes here finds the same
		md := &firstmoduledata
		from := min(md.noptrdata, md.data, md.bss, md.noptrbss) &^ (dupinstAreaHead - 1)
		dupinstStore(&dupinstAreaFrom, from)
		dupinstStore(&dupinstAreaSize, max(md.enoptrdata, md.edata, md.ebss, md.enoptrbss)-from)
	}
	at := dupinstAllocate(dupinstAreaHead + 2*dupinstAreaSize)
	a := (*dupinstArea)(dupinstPtr(at))
	a.thread = thread
	for {
		a.next = dupinstLoad(&dupinstAreas)
		if dupinstCas(&dupinstAreas, a.next, at) {
			return at
		}
	}
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
