//go:build dupinst_runtime && (amd64 || arm64)

package core

import "unsafe"

// What windows cover is the time in which processors are not idle: all that is counted happens in it, and each
// moment of it is as likely as any other to be in a window. How much there was, together, is what a count stands for a part of, and so what
// a window has been open for is the time in it in which its processor was not idle. A service that
// works for microseconds at a time has windows of which most is idle.

var (
	// Guarded by sched.lock: nanoseconds of that, of all processors, until then.
	dupinstBusyTime  uint64
	dupinstBusyUntil uint64
	// Of the processor in the window that is open: when it became idle, or 0, and how long it has been before.
	dupinstRested int64
	dupinstIdled  int64
	// When a processor became idle last; those whose numbers are further apart than that share it.
	dupinstIdleSince [dupinstIdleMost]int64
)

const dupinstIdleMost = 512

// dupinstElapse adds the time until now, in which so many processors were idle. The caller holds sched.lock.
//
//go:nowritebarrierrec
func dupinstElapse(idle int32, now int64) {
	if dupinstBusyUntil != 0 {
		dupinstStore64(&dupinstBusyTime, dupinstBusyTime+uint64(max(gomaxprocs-idle, 0))*uint64(max(now-int64(dupinstBusyUntil), 0)))
	}
	dupinstStore64(&dupinstBusyUntil, uint64(now))
}

// dupinstBusy is that time until now. It takes no lock, for a process may be ending that holds it.
//
//go:nowritebarrierrec
func dupinstBusy() (ns uint64) {
	for range 100 {
		before := dupinstLoad64(&dupinstBusyTime)
		until, idle := dupinstLoad64(&dupinstBusyUntil), sched.npidle.Load()
		ns = before
		if until != 0 {
			ns += uint64(max(gomaxprocs-idle, 0)) * uint64(max(nanotime()-int64(until), 0))
		}
		if dupinstLoad64(&dupinstBusyTime) == before {
			break
		}
	}
	return ns
}

// dupinstRests is told that pp has become idle. The caller holds sched.lock.
//
//go:nowritebarrierrec
func dupinstRests(pp *p, now int64) {
	if !dupinstWindowed {
		return
	}
	dupinstElapse(sched.npidle.Load()-1, now)
	dupinstIdleSince[uint32(pp.id)%dupinstIdleMost] = now
	if dupinstLoad(&dupinstIn)&^dupinstAsked == uintptr(unsafe.Pointer(pp)) {
		dupinstRested = now
	}
}

// dupinstResumes is told that pp is idle no longer, likewise.
//
//go:nowritebarrierrec
func dupinstResumes(pp *p, now int64) {
	dupinstElapse(sched.npidle.Load()+1, now)
	if since := dupinstRested; since != 0 && dupinstLoad(&dupinstIn)&^dupinstAsked == uintptr(unsafe.Pointer(pp)) {
		dupinstIdled += now - since
		dupinstRested = 0
	}
}

// dupinstIdleIn is how long the processor was idle in the window that has just closed.
//
//go:nowritebarrierrec
func dupinstIdleIn(now int64) int64 {
	if since := dupinstRested; since != 0 {
		return dupinstIdled + now - since
	}
	return dupinstIdled
}

// dupinstStir is told that pp, no longer idle, is about to run something. Had there been windows
// while it was idle, one would be open now that began then, if no longer ago than a window is long: so that
// one is opened, with what remains of it. Those that began before it was idle, and would be open still, were. The caller holds sched.lock.
//
//go:nowritebarrierrec
func dupinstStir(pp *p, now int64) {
	if !dupinstWindowed || pp == nil {
		return
	}
	dupinstResumes(pp, now)
	sleeps := dupinstLoad32(&dupinstSleeps)
	if sleeps == dupinstAwake || sleeps == dupinstOff || dupinstInterval == 0 {
		return
	}
	dupinstLuck = dupinstMix(dupinstLuck + 0x9e3779b97f4a7c15)
	const second = 1_000_000_000
	class, length := dupinstWindowClass(dupinstMix(dupinstLuck))
	ago := dupinstLuck % second / dupinstRates() // at that rate one began
	opens := ago < min(length, uint64(now-dupinstIdleSince[uint32(pp.id)%dupinstIdleMost]))
	if !opens && sleeps == dupinstNapping || !dupinstCas32(&dupinstSleeps, sleeps, dupinstAwake) {
		return
	}
	if opens {
		dupinstStore32(&dupinstWindowOf, class)
		dupinstBurstBegin(dupinstLuck)
		dupinstBegan = nanotime()
		dupinstUntil = dupinstBegan + int64(length-ago)
		dupinstOpen(pp)
	}
	notewakeup(&dupinstRises)
}
