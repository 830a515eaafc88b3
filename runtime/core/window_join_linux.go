//go:build dupinst_runtime && (amd64 || arm64)

package core

import "unsafe"

// A goroutine that comes to run on a processor in a window is led into copies as one that ran there when it opened: else
// what it does in the frames that it has, as a loop that takes work does, would never be counted, for
// calls alone lead to copies.

// dupinstWindows is how many windows have been opened; a goroutine that one has led has its number.
var dupinstWindows uint64

// dupinstNumber makes what is led the last that was, so that what sums of paths are in its frames is of no window. What they are in
// those that are led now is told by the number, which no address has; and by its bits from the 32nd on, whether
// paths are counted in this window.
//
//go:nosplit
//go:nowritebarrierrec
func dupinstNumber(gp *g) {
	dupinstWindowNumber++
	gp.dupinst.led = dupinstWindows
	gp.dupinst.window = uintptr((dupinstMix(dupinstWindowNumber)|1<<63)&^(1<<40-1) | dupinstLaneBits(dupinstWindowLanes())<<32)
}

// dupinstLedTook is how long it has taken to lead goroutines into copies, in nanoseconds: as long as ten or a hundred calls,
// by how deep they are and what the cache has of the tables of their functions, and some 20 us until a signal for it has come. Their own time goes on behind it.
var dupinstLedTook, dupinstLedTookBefore uint64

// dupinstTold is when that signal was sent.
var dupinstTold int64

//go:nosplit
//go:nowritebarrierrec
func dupinstLedSince(began int64) { dupinstXadd(&dupinstLedTook, uint64(nanotime()-began)) }

// dupinstMovedIn is the last window that has begun where there is a copy.
var dupinstMovedIn uint64

// dupinstMoved tells that the window that is open has led something there.
//
//go:nowritebarrierrec
func dupinstMoved() {
	if dupinstMovedIn != dupinstWindows {
		dupinstMovedIn = dupinstWindows
		dupinstXadd(&dupinstTotal.moved, 1)
		dupinstXadd(&dupinstWindowTotals().moved, 1)
	}
}

// dupinstStays reports whether the processor of a thread is in a window that has not led gp yet.
//
//go:nosplit
//go:nowritebarrierrec
func dupinstStays(gp *g, mp *m) bool {
	return dupinstLoad(&dupinstIn) == uintptr(mp.p) && mp.p != 0 && gp.dupinst.led != dupinstWindows
}

// dupinstJoin is dupinstGuard for a goroutine that is about to run where it has stopped.
//
//go:nowritebarrierrec
func dupinstJoin(gp *g) {
	if dupinstWindowed && dupinstStays(gp, getg().m) {
		began := nanotime()
		dupinstNumber(gp)
		if gp.sched.pc == gp.startpc { // it has not run yet
			gp.dupinst.across = gp.dupinst.window
		}
		var u unwinder
		u.initAt(gp.sched.pc, gp.sched.sp, gp.sched.lr, gp, unwindSilentErrors)
		for n := 0; u.valid() && n < 1000; n++ {
			if dupinstMoveReturn(&u, gp) {
				dupinstMoved()
			}
			u.next()
		}
		dupinstLedSince(began)
	}
	if dupinstWindowed && !dupinstSegmented(getg().m) {
		dupinstSegment(getg().m)
	}
	dupinstGuard(gp)
}

// dupinstBack is dupinstGuard for one that comes back from a system call, on its own stack: a signal leads it, as any
// that runs.
//
//go:nosplit
//go:nowritebarrierrec
func dupinstBack(gp *g) {
	mp := getg().m
	if dupinstWindowed && !dupinstSegmented(mp) {
		systemstack(func() { dupinstSegment(mp) })
	}
	dupinstGuard(gp)
	if !dupinstWindowed {
		return
	}
	in := uintptr(unsafe.Pointer(mp.p.ptr()))
	if dupinstStays(gp, mp) && dupinstCas(&dupinstIn, in, in|dupinstAsked) {
		systemstack(func() { dupinstTell(mp.procid) })
	}
}
