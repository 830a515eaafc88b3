//go:build dupinst_runtime

package core

import (
	"internal/abi"
	"internal/runtime/atomic"
	"unsafe"
)

// This file is what core needs of the Go runtime, and patched_*.go what it needs of the
// operating system. They exist only inside the runtime's own package.

// dupinstSelf is the current goroutine's state. The compiler inlines it into the
// program.
func dupinstSelf() *dupinstG { return &getg().dupinst }

// DupinstDue is the check on function entries and backedges: it reports whether
// control goes to the duplicated code, which then must begin with DupinstSample
// before the next check. The compiler inlines it, into its largest functions, too,
// for it costs so little (TestInlined).
//
//go:norace
func DupinstDue() bool {
	getg().dupinst.ctr--
	return getg().dupinst.ctr < 0
}

// DupinstSpends is DupinstDue for n checks at once.
//
//go:norace
func DupinstSpends(n int64) bool {
	getg().dupinst.ctr -= n
	return getg().dupinst.ctr < 0
}

// DupinstFuncProbe is DupinstFunc behind a check of its own, which is taken once f is
// known: to find it may panic. The check is spelled out, for a call of DupinstDue would
// make this too dear to inline.
//
//go:norace
func DupinstFuncProbe[F any](p *DupinstPackage, i int, f F) F {
	if getg().dupinst.ctr--; getg().dupinst.ctr < 0 {
		dupinstFuncProbe(p, i, *(*unsafe.Pointer)(unsafe.Pointer(&f)))
	}
	return f
}

// DupinstIfaceProbe is DupinstIface behind such a check; at is the site's index<<32 |
// the method's: one argument less for the inliner to count.
//
//go:norace
func DupinstIfaceProbe[T any](p *DupinstPackage, at uint64, x T) T {
	if getg().dupinst.ctr--; getg().dupinst.ctr < 0 {
		dupinstIfaceProbe(p, at, *(*dupinstInterface)(unsafe.Pointer(&x)))
	}
	return x
}

// dupinstDie is dupinstFlush where a signal ends the process. The runtime raises
// the signal once more to die of it, and what handles that may still run as the
// goroutine that was interrupted, on a stack that is not the goroutine's.
//
//go:nosplit
func dupinstDie() {
	g := getg()
	if g == nil {
		return
	}
	if sp := uintptr(unsafe.Pointer(&g)); g.stack.lo <= sp && sp < g.stack.hi {
		dupinstFlush()
	}
}

func dupinstXadd(p *uint64, d uint64)              { atomic.Xadd64(p, int64(d)) }
func dupinstXchg64(p *uint64, v uint64) uint64     { return atomic.Xchg64(p, v) }
func dupinstLoad64(p *uint64) uint64               { return atomic.Load64(p) }
func dupinstStore64(p *uint64, v uint64)           { atomic.Store64(p, v) }
func dupinstLoad32(p *uint32) uint32               { return atomic.Load(p) }
func dupinstStore32(p *uint32, v uint32)           { atomic.Store(p, v) }
func dupinstLoad(p *uintptr) uintptr               { return atomic.Loaduintptr(p) }
func dupinstStore(p *uintptr, v uintptr)           { atomic.Storeuintptr(p, v) }
func dupinstCas(p *uintptr, old, new uintptr) bool { return atomic.Casuintptr(p, old, new) }
func dupinstCas64(p *uint64, old, new uint64) bool { return atomic.Cas64(p, old, new) }
func dupinstCas32(p *uint32, old, new uint32) bool { return atomic.Cas(p, old, new) }

// dupinstBegin has nothing to begin: dupinstInit did.
func dupinstBegin() {}

// dupinstAlike: all packages were instrumented by one build.
func dupinstAlike(*DupinstPackage) bool { return true }

// dupinstUnreachable reports whether pc is what the linker puts in a type's table for
// a method that it dropped.
func dupinstUnreachable(pc uintptr) bool { return pc == abi.FuncPCABIInternal(unreachableMethod) }

// dupinstAllocate allocates what is never freed, and holds no pointers.
func dupinstAllocate(size uintptr) uintptr {
	return uintptr(persistentalloc(size, 8, &memstats.other_sys))
}

// dupinstPtr turns the address of static data into a pointer.
func dupinstPtr(p uintptr) unsafe.Pointer { return unsafe.Pointer(p) }

// dupinstName describes the function at pc: symbol, file, first line, and kind.
// Where pc is the address of a type, it gives the type and its package's path.
// A wrapper into which the compiler inlined its method is that method.
func dupinstName(pc uintptr) (name, file string, line int32, kind byte) {
	f := findfunc(pc)
	if !f.valid() {
		if r := (*dupinstRecord)(dupinstPtr(pc)); r.magic == dupinstMagic2 {
			return r.name, r.file, int32(r.line), dupinstPlain
		}
		t := (*_type)(dupinstPtr(pc))
		return toRType(t).string(), dupinstPkgPath(t), 0, dupinstType
	}
	file, _ = funcline1(f, pc, false)
	if f.funcID != abi.FuncIDWrapper {
		return funcname(f), file, f.startLine, dupinstPlain
	}
	if tree := (*inlinedCall)(funcdata(f, abi.FUNCDATA_InlTree)); tree != nil {
		return f.datap.funcName(tree.nameOff), "", tree.startLine, dupinstPlain
	}
	return funcname(f), file, f.startLine, dupinstWrapper
}

// dupinstPkgPath is the import path of t's package, or of its element's.
func dupinstPkgPath(t *_type) string {
	if t.Kind_ == abi.Pointer {
		t = (*ptrtype)(unsafe.Pointer(t)).Elem
	}
	return toRType(t).pkgpath()
}

// dupinstPending is the number of checks not yet folded into dupinstTotal.
func dupinstPending() uint64 {
	n := uint64(0)
	ptr, length := atomicAllG()
	for i := uintptr(0); i < length; i++ {
		p := &atomicAllGIndex(ptr, i).dupinst
		n += p.dupinstRun()
	}
	return n
}

func dupinstPrint(s string) {
	if len(s) > 0 {
		write1(2, unsafe.Pointer(unsafe.StringData(s)), int32(len(s)))
	}
}

func dupinstSleep(us uint32) { usleep(us) }

func dupinstYield() { osyield() }

// dupinstNap sleeps for some nanoseconds.
//
//go:nowritebarrierrec
func dupinstNap(ns int64) {
	if ns >= 1000 {
		usleep(uint32(min(ns/1000, 1<<30)))
	}
}

// dupinstWakeAll makes all goroutines that never look again do so.
func dupinstWakeAll() {
	w := stopTheWorldGC(stwUnknown)
	forEachG(func(gp *g) {
		p := &gp.dupinst
		if p.ctr > dupinstNever/2 {
			dupinstXadd(&dupinstTotal.checks, p.dupinstRun())
			p.ctr, p.load = dupinstWake, dupinstWake
		}
	})
	startTheWorldGC(w)
}

// dupinstBorn runs in newproc1, once it is known what newg starts at.
func dupinstBorn(newg, parent *g) {
	if isSystemGoroutine(newg, false) {
		dupinstBirth(&newg.dupinst, nil)
		return
	}
	dupinstBirth(&newg.dupinst, &parent.dupinst)
}

// dupinstRelabelled runs where a goroutine sets its own labels, which are runtime/pprof's: a *labelMap, of which what a
// dupinstLabelSet has is the whole from Go 1.24 to 1.27. They are not looked at unless a label is asked for.
func dupinstRelabelled(labels unsafe.Pointer) {
	getg().dupinst.dupinstRelabel((*dupinstLabelSet)(labels))
}

// dupinstInit runs at the start of the main goroutine, before any of the
// program's own code: it reads the settings and starts the periodic writer.
func dupinstInit() {
	dupinstConfigure(gogetenv)
	dupinstMisspelt(environ())
	dupinstIdentify()
	getg().dupinst.dupinstFirst()
	dupinstAuditInit()
	if dupinstBudget > 0 && (dupinstInterval > 0 || dupinstSignal > 0) {
		dupinstGoverned()
	}
	if dupinstWindowed && (dupinstInterval > 0 || dupinstSignal > 0) {
		dupinstWindowInit()
	}
	if dupinstByTimer {
		systemstack(func() { newm(dupinstAlarm, nil, -1) })
	}
	if dupinstTrapping && dupinstInterval > 0 {
		dupinstLay()
		if dupinstTrapRound > 0 {
			systemstack(func() { newm(dupinstRelay, nil, -1) })
		}
	}
	if dupinstShadowRate > 0 {
		dupinstShadowInit()
	}
	if dupinstPhasePeriod > 0 {
		dupinstClockInit()
	}
	if len(dupinstDir) == 0 {
		return
	}
	dupinstAbsolute()
	dupinstUnique = uint64(nanotime())<<16 ^ dupinstMix(rand())
	if dupinstPeriod > 0 || dupinstSignal > 0 {
		systemstack(func() { newm(dupinstPeriodic, nil, -1) })
	}
}

func dupinstIdentify() {
	if len(argslice) > 0 {
		dupinstProgram = argslice[0]
	}
	if len(modinfo) > 32 { // between two marks of 16 bytes
		dupinstModule = dupinstHead(modinfo[16 : len(modinfo)-16])
	}
	dupinstRelease, dupinstHost, dupinstProcess, dupinstStarted = buildVersion, dupinstNode(), dupinstPID(), dupinstWall()
}

var dupinstStart dupinstPath // backs dupinstDir, once that is absolute

func (p *dupinstPath) dupinstText() string { return unsafe.String(&p.b[0], p.n) }

// dupinstApart makes a new thread one of the runtime's own.
func dupinstApart() {
	lock(&sched.lock)
	sched.nmsys++
	checkdead()
	unlock(&sched.lock)
}

// dupinstPeriodic writes a profile every dupinstPeriod nanoseconds, and acts upon
// signals. Like sysmon
// it is a thread without a P, not a goroutine: it counts neither for
// NumGoroutine nor for the deadlock detector, and needs no scheduler.
//
//go:nowritebarrierrec
func dupinstPeriodic() {
	dupinstApart()
	step := int64(1_000_000_000)
	if dupinstSignal > 0 {
		step = 50_000_000
	}
	for {
		for end := nanotime() + dupinstPeriod; dupinstPeriod == 0 || nanotime() < end; {
			left := step
			if dupinstPeriod > 0 {
				left = min(end-nanotime(), step)
			}
			usleep(uint32(left/1000 + 1))
			dupinstSwitch()
		}
		dupinstTick()
	}
}

// dupinstRelay is a thread that ends a round every dupinstTrapRound nanoseconds.
//
//go:nowritebarrierrec
func dupinstRelay() {
	dupinstApart()
	for {
		for left := dupinstTrapRound; left > 0; left -= 1_000_000_000_000 {
			usleep(uint32(min(left, 1_000_000_000_000) / 1000))
		}
		dupinstNextRound()
	}
}

// dupinstAlarm is a thread that has the next check of each goroutine that runs begin a sample,
// every dupinstTimer nanoseconds: the timer trigger of Arnold and Ryder (PLDI 2001, §4.6), for
// comparison with it. The check that comes after a long time without one is the likeliest.
//
//go:nowritebarrierrec
func dupinstAlarm() {
	dupinstApart()
	for {
		usleep(uint32(dupinstTimer / 1000))
		if dupinstInterval == 0 {
			continue
		}
		lock(&allpLock)
		for _, pp := range allp {
			mp := muintptr(dupinstLoad((*uintptr)(&pp.m))).ptr()
			if mp == nil {
				continue
			}
			// While the thread is the processor's, it exists.
			gp := mp.curg
			if gp != nil && dupinstLoad((*uintptr)(&pp.m)) == uintptr(unsafe.Pointer(mp)) && gp.dupinst.ctr > dupinstNever/2 {
				atomic.Xaddint64(&gp.dupinst.ctr, -dupinstNever)
			}
		}
		unlock(&allpLock)
	}
}

var dupinstGoverns uint32 // set once the governor's thread has been started

// dupinstGoverned starts the governor's thread, if there is none yet.
func dupinstGoverned() {
	if dupinstCas32(&dupinstGoverns, 0, 1) {
		systemstack(func() { newm(dupinstGovern, nil, -1) })
	}
}

// dupinstGovern is that thread. It looks often at first, for a sample may cost most
// before the first look.
//
//go:nowritebarrierrec
func dupinstGovern() {
	dupinstApart()
	v := &dupinstGoverning
	dupinstCalibrate()
	for look := 0; ; look++ {
		usleep([2]uint32{10_000, 50_000}[min(look/10, 1)])
		v.dupinstPace()
		v.dupinstAdjust(dupinstCPU())
	}
}

var dupinstGoverning dupinstGovernor

// dupinstClock is a clock, in nanoseconds; dupinstTicks the processor's.
func dupinstClock() int64  { return nanotime() }
func dupinstTicks() uint64 { return uint64(cputicks()) }
