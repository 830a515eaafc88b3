//go:build dupinst_runtime

package core

// dupinstSegmented reports whether the segment of the thread, which is about to run a goroutine, is as it is to be.
//
//go:nosplit
//go:nowritebarrierrec
func dupinstSegmented(mp *m) bool {
	always := dupinstLoad(&dupinstIn) == dupinstAlways
	return !always && dupinstLoad(&dupinstAreas) == 0 || mp.g0.dupinst.dupinstSegmentIs(always, mp.procid)
}

// dupinstSegment sets it. It runs on the system stack.
//
//go:nowritebarrierrec
func dupinstSegment(mp *m) {
	const setGS, archPrctl = 0x1001, 158
	base := uintptr(0)
	if dupinstLoad(&dupinstIn) == dupinstAlways {
		if area := dupinstAreaOf(mp.procid); area != 0 {
			base = area + dupinstAreaHead - dupinstAreaFrom
		}
	}
	dupinstCall(archPrctl, setGS, base, 0, 0) // where that is forbidden, it counts where all do
	mp.g0.dupinst.segment, mp.g0.dupinst.segmentOf = base, mp.procid
}

// dupinstAreaOf is the area of a thread. If it has none, it gets that of a thread that has ended, or a new one, if there is
// memory. That is none of the runtime's own, for which the collector would have to make room.
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
		to := max(md.enoptrdata, md.edata, md.ebss, md.enoptrbss)
		dupinstStore(&dupinstAreaSize, (to-from+dupinstAreaHead-1)&^(dupinstAreaHead-1))
	}
	const untouched = 0x4000 // MAP_NORESERVE
	at, _, errno := dupinstSyscall6(dupinstSysMmap, 0, dupinstAreaHead+2*dupinstAreaSize, _PROT_READ|_PROT_WRITE, _MAP_ANON|_MAP_PRIVATE|untouched, ^uintptr(0), 0)
	if errno != 0 {
		return 0
	}
	a := (*dupinstArea)(dupinstPtr(at))
	a.thread = thread
	for {
		a.next = dupinstLoad(&dupinstAreas)
		if dupinstCas(&dupinstAreas, a.next, at) {
			return at
		}
	}
}
