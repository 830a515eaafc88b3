//go:build dupinst_runtime && (amd64 || arm64)

package core

import (
	"internal/abi"
	"internal/runtime/atomic"
	"unsafe"
)

// Windows: a thread of the runtime's leads another into copies, by a signal. At an instruction
// and at its twin in the copy the machine's state is the same, so that the handler may set the
// program counter, and return addresses on the stack, to twins; and the stack check, which
// every function has, leads calls into copies while the goroutine's guard is a poison. To close
// a window nothing has to be interrupted: it is a word, and what it has made of the goroutine
// that runs is two more. A window is a processor's, whatever threads and goroutines run on it.
// There is one at a time.

// dupinstPoison is the guard of a goroutine in a window: as other poisons it is above every
// stack (compiler/pass/obj, entrance.go, has it, too).
const dupinstPoison = ^uintptr(1746 - 1)

// What the slow path of a stack check knows of g by offset.
const _ = -(unsafe.Offsetof(g{}.dupinst) + unsafe.Offsetof(dupinstG{}.guard) ^ 136)

// dupinstTwinTable gives the distance from an instruction to its twin; that of one whose
// lowest bits are dupinstBehind is of what is behind it, that of one with dupinstPad is from
// where what pads the instruction begins (compiler/pass/obj).
const (
	dupinstTwinTable = 7
	dupinstPad       = 6
	dupinstBehind    = 7
)

// dupinstIn is the p that is in a window, or 0: whatever runs on it, and comes to run on it, is
// counted. With dupinstAsked, its thread has been asked to begin and has not yet.
var dupinstIn uintptr

const dupinstAsked = 1

const dupinstByThread = -6 // SI_TKILL, as a signal's code

// dupinstStray reports whether a signal is a window's that came too late: the thread is on its
// way to C, or in it. To handle it as one of C's the runtime would wait for a thread of its own,
// forever if this one has the last processor; it ignores those of its own for preemption, but
// not where that is off.
//
//go:nosplit
//go:nowritebarrierrec
func dupinstStray(sig uintptr, c *sigctxt) bool {
	return dupinstWindowed && sig == sigPreempt && c.info.si_code == dupinstByThread
}

// dupinstWindowSignal runs in the signal handler. It takes no lock and allocates nothing.
//
//go:nowritebarrierrec
func dupinstWindowSignal(sig uint32, info *siginfo, ctxt unsafe.Pointer, gp *g) bool {
	if sig != sigPreempt || info.si_code != dupinstByThread || gp == nil {
		return false
	}
	mp := getg().m
	in := uintptr(mp.p)
	if in == 0 || !dupinstCas(&dupinstIn, in|dupinstAsked, in) {
		return false
	}
	dupinstEnter(&sigctxt{info, ctxt}, gp, mp)
	return mp.signalPending.Load() == 0
}

var dupinstWindowNumber uint64 // how often a window has led something into copies

// dupinstOutside is of no window: their numbers have the highest bit, and of what none has led there is 0.
const dupinstOutside = 1 << 62

// dupinstEnter leads what this thread runs into copies. The window may close meanwhile.
//
//go:nowritebarrierrec
func dupinstEnter(c *sigctxt, gp *g, mp *m) {
	cur := mp.curg
	if cur == nil || readgstatus(cur)&^_Gscan != _Grunning || cur.m != mp {
		return // it begins with the goroutine that runs next
	}
	dupinstNumber(cur)
	dupinstGuard(cur)
	pc, sp, lr := c.sigpc(), c.sigsp(), c.siglr()
	var u unwinder
	switch {
	case mp.ncgo > 0 && cur.syscallpc != 0 && cur.syscallsp != 0:
		u.initAt(cur.syscallpc, cur.syscallsp, 0, cur, unwindSilentErrors)
	case mp.vdsoSP != 0:
		u.initAt(mp.vdsoPC, mp.vdsoSP, 0, gp, unwindSilentErrors|unwindJumpStack)
	default:
		u.initAt(pc, sp, lr, gp, unwindSilentErrors|unwindTrap|unwindJumpStack)
	}
	if u.valid() && gp == cur && u.frame.pc == pc {
		dupinstMoveLink(c, &u)
	}
	for n := 0; u.valid() && n < 1000; n++ {
		dupinstMoveReturn(&u, cur)
		u.next()
	}
	dupinstLedSince(dupinstTold)
	if gp != cur {
		return
	}
	if to := dupinstTwin(findfunc(pc), pc); to != pc {
		c.setsigpc(uint64(to))
		dupinstMoved()
	}
}

// dupinstMoveReturn moves the return address of a frame, and reports whether that has a twin.
//
//go:nowritebarrierrec
func dupinstMoveReturn(u *unwinder, cur *g) bool {
	lr := u.frame.lr
	slot := dupinstReturnSlot(&u.frame)
	if lr == 0 || slot < cur.stack.lo || slot >= cur.stack.hi || *(*uintptr)(unsafe.Pointer(slot)) != lr {
		return false
	}
	to := dupinstReturn(u.frame.fn, lr)
	if to == lr {
		return false
	}
	*(*uintptr)(unsafe.Pointer(slot)) = to
	dupinstXadd(&dupinstTotal.frames, 1)
	return true
}

// dupinstReturn is the twin of where a function returns to, or that. Where it faulted, that is no call.
//
//go:nowritebarrierrec
func dupinstReturn(from funcInfo, lr uintptr) uintptr {
	switch f, id := findfunc(lr), from.funcID; {
	case id == abi.FuncID_asyncPreempt:
		return dupinstTwin(f, lr) // it was pushed as if that called
	case id == abi.FuncID_sigpanic, id == abi.FuncID_debugCallV2, dupinstFaults(from):
	default:
		if v, _ := dupinstTwinEntry(f, lr-1); v > 0 { // of the call
			return lr + uintptr(v>>3)
		}
	}
	return lr
}

// dupinstTwin is the twin of the instruction at pc, in f, or pc.
//
//go:nowritebarrierrec
func dupinstTwin(f funcInfo, pc uintptr) uintptr {
	v, since := dupinstTwinEntry(f, pc)
	switch d, longer := uintptr(v>>3), uintptr(v&7); {
	case v <= 0 || longer == dupinstBehind:
		return pc
	case longer == dupinstPad:
		return since + d
	default:
		return pc + d - longer
	}
}

// dupinstTwinEntry is what the table has for pc, in f, and since which address.
//
//go:nowritebarrierrec
func dupinstTwinEntry(f funcInfo, pc uintptr) (int32, uintptr) {
	if !f.valid() || dupinstTwinTable >= f.npcdata {
		return 0, 0
	}
	return pcvalue(f, pcdatastart(f, dupinstTwinTable), pc, false)
}

// dupinstEntrance is where a call of pc goes that is to be followed.
//
//go:nowritebarrierrec
func dupinstEntrance(pc uintptr) uintptr {
	f := findfunc(pc)
	if !f.valid() || f.entry() != pc {
		return pc
	}
	return dupinstTwin(f, pc)
}

const dupinstMagic3 = 0x9216d5d98979fb1b

// dupinstSlots lets calls in copies lead to copies of functions without a stack check.
//
//go:nowritebarrierrec
func dupinstSlots() {
	for md := &firstmoduledata; md != nil; md = md.next {
		for at := (md.noptrdata + 7) &^ 7; at+24 <= md.enoptrdata; at += 8 {
			slot := (*[3]uintptr)(unsafe.Pointer(at))
			if slot[1] != dupinstMagic0 || slot[2] != dupinstMagic3 {
				continue
			}
			dupinstStore(&slot[0], dupinstEntrance(slot[0]))
		}
	}
}

// dupinstGuard makes gp, whose guard has been set or which is about to run, what the window
// says. It may open or close at any moment of it.
//
//go:nosplit
//go:nowritebarrierrec
func dupinstGuard(gp *g) {
	if !dupinstWindowed {
		return
	}
	mp := getg().m
	if mp.curg != gp {
		return
	}
	normal := gp.stack.lo + stackGuard
	if dupinstInWindow(mp) {
		gp.dupinst.guard = normal
		gp.dupinst.weight = dupinstWindowLanes()
		gp.dupinst.begins = gp.dupinst.window
		atomic.Casuintptr(&gp.stackguard0, normal, dupinstPoison)
		if dupinstInWindow(mp) {
			return
		}
	}
	gp.dupinst.led = 0 // should it come back, it is led anew
	gp.dupinst.weight = 0
	gp.dupinst.begins = dupinstOutside
	if gp.stackguard0 == dupinstPoison { // who runs seldom is, and this is for each that is scheduled
		atomic.Casuintptr(&gp.stackguard0, dupinstPoison, normal)
	}
}

// dupinstAlways stands for all processors in dupinstIn: everything runs in one window.
const dupinstAlways = ^uintptr(0)

//go:nosplit
func dupinstInWindow(mp *m) bool {
	in := dupinstLoad(&dupinstIn)
	return in != 0 && (in == uintptr(mp.p) || in == dupinstAlways)
}

// dupinstRoom reports whether the function whose stack check has failed has room for its frame:
// the window closed between its check and its slow path, or it knows nothing of windows, as one
// in assembly, which then goes on behind its check. To grow the stack each time would make it
// as large as a stack may be.
//
//go:nowritebarrierrec
func dupinstRoom(gp *g, guard uintptr) bool {
	if !dupinstWindowed || guard >= stackPoisonMin && guard != dupinstPoison {
		return false
	}
	f := findfunc(gp.sched.pc)
	if !f.valid() || gp.sched.sp < gp.stack.lo+stackGuard+uintptr(funcMaxSPDelta(f)) {
		return false
	}
	if behind := dupinstBehindCheck(f, gp.sched.pc); behind != 0 {
		gp.sched.pc = behind
	} else {
		atomic.Casuintptr(&gp.stackguard0, dupinstPoison, gp.stack.lo+stackGuard)
	}
	return true
}

// How the thread that opens windows sleeps.
const (
	dupinstAwake   = iota
	dupinstNapping // until the next are due
	dupinstDozing  // until something runs
	dupinstOff     // until windows are switched on
)

var (
	dupinstSleeps uint32
	dupinstRises  note
	dupinstLuck   uint64 // random, guarded by sched.lock
	dupinstBegan  int64  // when dupinstStir opened a window
	dupinstUntil  int64  // when that is to close
)

// dupinstSleepAs sleeps, at most for some nanoseconds where it naps, and reports whether that is
// how it ended.
//
//go:nowritebarrierrec
func dupinstSleepAs(how uint32, ns uint64) bool {
	noteclear(&dupinstRises)
	dupinstStore32(&dupinstSleeps, how)
	if how != dupinstNapping {
		still := sched.npidle.Load() == gomaxprocs
		if how == dupinstOff {
			still = dupinstInterval == 0
		}
		if still || !dupinstCas32(&dupinstSleeps, how, dupinstAwake) {
			notesleep(&dupinstRises)
		}
		return false
	}
	if notetsleep(&dupinstRises, int64(ns)) {
		return false
	}
	if dupinstCas32(&dupinstSleeps, how, dupinstAwake) {
		return true
	}
	notesleep(&dupinstRises) // it is being woken
	return false
}

var (
	dupinstOpens   bool // windows may begin
	dupinstWatched bool // the thread that opens them has been started
)

// dupinstWindowInit lets windows begin, now or whenever they are switched on, and has what
// they are now take effect.
func dupinstWindowInit() {
	if dupinstWindowAlways && !dupinstOpens {
		dupinstSlots()
	}
	if !dupinstOpens {
		lock(&sched.lock)
		dupinstElapse(sched.npidle.Load(), nanotime()) // no processor may be idle soon
		unlock(&sched.lock)
	}
	dupinstOpens = true
	if dupinstWindowRate > 0 && !dupinstWatched {
		dupinstWatched = true
		systemstack(func() { newm(dupinstWatch, nil, -1) })
	}
	dupinstWindowSwitch()
}

// dupinstWindowSwitch is called when windows may have been switched on or off. What is in one
// without an end counts until it is scheduled again.
func dupinstWindowSwitch() {
	if !dupinstWindowAlways {
		dupinstCas(&dupinstIn, dupinstAlways, 0)
	}
	switch {
	case !dupinstOpens:
	case dupinstInterval == 0:
		dupinstStore(&dupinstIn, 0)
		for dupinstLoad32(&dupinstShutting) != 0 {
			osyield()
		}
	case dupinstWindowAlways:
		dupinstStore(&dupinstIn, dupinstAlways)
		systemstack(func() {
			mp := getg().m
			if !dupinstSegmented(mp) {
				dupinstSegment(mp)
			}
			if cur := mp.curg; cur != nil {
				dupinstGuard(cur)
			}
		})
	case dupinstCas32(&dupinstSleeps, dupinstOff, dupinstAwake):
		notewakeup(&dupinstRises)
	}
}

// A batch (window_spread.go) is of so many windows, and nanoseconds, at least; but for those that end
// where a profile is written.
const (
	dupinstBatchWindows = 16
	dupinstBatchTime    = 500_000_000
)

// dupinstWatch is that thread. Each processor that runs has windows that begin at the same random
// moments (window_strata.go): they are opened one after the other, since one thread at a time counts.
//
//go:nowritebarrierrec
func dupinstWatch() {
	dupinstApart()
	const timerSlack, prctl = 29, dupinstSysPrctl
	dupinstCall(prctl, timerSlack, 1, 0, 0) // a sleep is not prolonged
	dupinstSlots()
	dupinstPopulate()
	dupinstProbeTimes()
	folded := nanotime()
	random := dupinstMix(uint64(folded) ^ dupinstSeed)
	strata := dupinstStrata{}
	for {
		dupinstBurstMake()
		dupinstNotesMake()
		if dupinstInterval == 0 {
			dupinstSleepAs(dupinstOff, 0)
			continue
		}
		random = dupinstMix(random + 0x9e3779b97f4a7c15)
		now := nanotime()
		next := strata.dupinstDue(now, int64(1_000_000_000/dupinstRates()), random)
		due := dupinstSleepAs(dupinstNapping, uint64(next-now))
		if due && sched.npidle.Load() == gomaxprocs {
			due = dupinstSleepAs(dupinstDozing, 0)
		}
		if due && dupinstInterval > 0 {
			dupinstRound(random)
		} else if in := dupinstLoad(&dupinstIn) &^ dupinstAsked; in != 0 {
			pp := (*p)(dupinstPtr(in))
			dupinstShut(pp, dupinstBegan, dupinstUntil)
		}
		if now := nanotime(); now-folded >= dupinstBatchTime && dupinstLoad64(&dupinstTotal.samples)-dupinstBatched >= dupinstBatchWindows {
			dupinstFold(true)
			folded = now
		}
	}
}

// dupinstPopulate has pages of code and of counters mapped, so that what windows come to first
// is not slower there than what they come to later.
//
//go:nowritebarrierrec
func dupinstPopulate() {
	const populateRead = 22 // MADV_POPULATE_READ, refused before Linux 5.14
	for md := &firstmoduledata; md != nil; md = md.next {
		from := md.text &^ (physPageSize - 1)
		dupinstCall(dupinstSysMadvise, from, md.etext-from, populateRead, 0)
	}
	dupinstFind()
	for at := dupinstLoad(&dupinstPackages); at != 0; {
		pkg := (*DupinstPackage)(dupinstPtr(at))
		for i := uintptr(0); i < pkg.N; i += 64 {
			dupinstXadd((*uint64)(dupinstPtr(pkg.counts+i*8)), 0)
		}
		at = pkg.next
	}
	for at := dupinstGrouped; at != 0; {
		g := (*dupinstGroups)(dupinstPtr(at))
		dupinstXadd((*uint64)(dupinstPtr(g.counters)), 0)
		at = g.next
	}
}

// dupinstRound opens a window on each processor that is not idle, and begins with any.
//
//go:nowritebarrierrec
func dupinstRound(random uint64) {
	n := uint64(gomaxprocs)
	for i := range n {
		lock(&allpLock)
		var pp *p
		if at := (random + i) % n; at < uint64(len(allp)) {
			pp = allp[at]
		}
		unlock(&allpLock)
		if pp != nil && pp.status != _Pidle && pp.status != _Pgcstop {
			dupinstWindow(pp, random+i)
		}
	}
}

// dupinstWindow opens a window on a processor, and closes it. One in a system call is in it,
// too: it may return.
//
//go:nowritebarrierrec
func dupinstWindow(pp *p, random uint64) {
	class, length := dupinstWindowClass(dupinstMix(random))
	dupinstStore32(&dupinstWindowOf, class)
	dupinstBurstBegin(random)
	opened := nanotime()
	in := dupinstOpen(pp)
	mp := dupinstRunning(pp)
	if mp != nil && dupinstCas(&dupinstIn, in, in|dupinstAsked) {
		dupinstTell(mp.procid)
	}
	dupinstShut(pp, opened, opened+int64(length))
}

// dupinstOpen sets the processor that is in a window, unless they are switched off meanwhile:
// either it sees that, or dupinstWindowSwitch what it has set.
//
//go:nowritebarrierrec
func dupinstOpen(pp *p) uintptr {
	in := uintptr(unsafe.Pointer(pp))
	dupinstWindows++
	dupinstRested, dupinstIdled = 0, 0
	dupinstLedTookBefore = dupinstLoad64(&dupinstLedTook)
	dupinstNotesBegin()
	dupinstStore(&dupinstIn, in)
	if atomic.Loadint64(&dupinstInterval) == 0 {
		dupinstCas(&dupinstIn, in, 0)
	}
	return in
}

// dupinstStay sleeps until then and, since a window is a stretch of the program's own time, as
// much longer as probes have taken, and leading into copies. It returns how much that is.
//
//go:nowritebarrierrec
func dupinstStay(opened, until int64) int64 {
	length := until - opened
	known := dupinstProbesBegin(length)
	dupinstNap(until - nanotime())
	for {
		took := int64(dupinstLoad64(&dupinstLedTook) - dupinstLedTookBefore)
		if known {
			took += dupinstProbesTook()
		}
		took = min(took, 4*length)
		left := until + took - nanotime()
		if left < length/32 {
			return took
		}
		dupinstNap(left)
	}
}

// dupinstShut closes the window that opened on pp when it is due, unless they
// have been switched off meanwhile: then it belongs to no profile.
//
//go:nowritebarrierrec
func dupinstShut(pp *p, opened, until int64) {
	took := dupinstStay(opened, until)
	dupinstStore32(&dupinstShutting, 1)
	dupinstCount(pp, opened+took)
	dupinstStore32(&dupinstShutting, 0)
	dupinstNotesCount()
}

// dupinstShutting is 1 while a window is counted that has ended, so that none is counted once
// they have been switched off.
var dupinstShutting uint32

// dupinstCount is dupinstShut for a window that is due, begun then but for the time that probes
// took.
//
//go:nowritebarrierrec
func dupinstCount(pp *p, begun int64) {
	in := atomic.Xchguintptr(&dupinstIn, 0)
	dupinstBurstEnd()
	now := nanotime()
	open := uint64(max(now-begun-dupinstIdleIn(now), 0))
	of := dupinstWindowTotals()
	if in&dupinstAsked != 0 {
		// The system had something else run: nothing could be counted, in no more of the thread's time.
		dupinstXadd(&dupinstTotal.late, 1)
		dupinstXadd(&of.late, 1)
		dupinstXadd(&dupinstTotal.open, open)
		dupinstXadd(&of.open, open)
		return
	}
	if mp := dupinstRunning(pp); mp != nil {
		// While the thread is the processor's, it exists.
		if cur := mp.curg; cur != nil && dupinstLoad((*uintptr)(&pp.m)) == uintptr(unsafe.Pointer(mp)) {
			cur.dupinst.weight = 0
			cur.dupinst.begins = dupinstOutside
			atomic.Casuintptr(&cur.stackguard0, dupinstPoison, cur.stack.lo+stackGuard)
		}
	}
	if in == 0 {
		return
	}
	dupinstXadd(&dupinstTotal.samples, 1)
	dupinstXadd(&of.samples, 1)
	dupinstXadd(&dupinstTotal.open, open)
	dupinstXadd(&of.open, open)
}

// dupinstRunning is the thread that runs code on pp, or nil.
//
//go:nowritebarrierrec
func dupinstRunning(pp *p) *m {
	mp := muintptr(dupinstLoad((*uintptr)(&pp.m))).ptr()
	if mp == nil || mp.procid == 0 {
		return nil
	}
	if cur := mp.curg; cur != nil && readgstatus(cur)&^_Gscan == _Gsyscall {
		return nil
	}
	return mp
}

// dupinstTell sends the signal. Where the thread has ended, the window is late.
//
//go:nowritebarrierrec
func dupinstTell(tid uint64) {
	dupinstTold = nanotime()
	dupinstCall(dupinstSysTgkill, uintptr(getpid()), uintptr(tid), sigPreempt, 0)
}
