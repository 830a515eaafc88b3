//go:build dupinst_runtime

package core

import (
	"internal/abi"
	"internal/runtime/atomic"
	linux "internal/runtime/syscall/linux"
	"unsafe"
)

// This file is core's other half: what it needs of the Go runtime, and what
// instrumented code calls. It exists only inside the runtime's own package.

// The type of mode bits, and what is set in them.
type DupinstBool = bool

const DupinstTrue = true

// DupinstCheck is the check on function entries and backedges: it reports
// whether control goes to the duplicated code. The compiler inlines it.
func DupinstCheck() bool {
	p := &getg().dupinst
	p.ctr--
	if p.ctr >= 0 {
		return false
	}
	DupinstSample()
	return true
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

// DupinstLoad and DupinstStore read and set the goroutine's counter, for a loop
// that has it in a local variable. The compiler inlines them.
func DupinstLoad() int64 { return getg().dupinst.ctr }

func DupinstStore(ctr int64) { getg().dupinst.ctr = ctr }

// DupinstStrip is how many iterations a strip may have, of n that remain.
func DupinstStrip(n int64) int { return int(min(n, dupinstLongest)) }

const dupinstLongest = 1 << 30

// DupinstFar is the largest index to which the length of a strip can be added.
const DupinstFar = int(^uint(0)>>1) - dupinstLongest

// The type of counters, whatever the program calls int64.
type DupinstInt64 = int64

// DupinstSpent begins a sample where that variable is spent, and returns the
// count for the next one.
//
//go:noinline
func DupinstSpent(ctr int64) int64 {
	p := &getg().dupinst
	p.ctr = ctr
	dupinstTrigger(p)
	return p.ctr
}

// DupinstDue is the part of DupinstCheck that is not rare. Where duplicated code
// follows right away, it begins with DupinstSample, and no way leads from there to
// checking code, which so finds all its values in registers.
func DupinstDue() bool {
	p := &getg().dupinst
	p.ctr--
	return p.ctr < 0
}

//go:noinline
func DupinstSample() { dupinstTrigger(&getg().dupinst) }

// DupinstCount counts one event at each of n sites in a row, at being the first
// one's index<<8 | n: one constant less to load at each probe.
//
//go:noinline
func DupinstCount(p *DupinstPackage, at int) {
	if p.linked == 0 {
		dupinstLink(p)
	}
	if dupinstPaused {
		return
	}
	i, n := at>>8, at&0xff
	if dupinstAudited && dupinstTracing != 0 {
		dupinstTraceSites(p, i, n)
	}
	for end := i + n; i < end; i++ {
		atomic.Xadd64(p.dupinstCounter(i), 1)
	}
}

// DupinstCounted is DupinstCount as an operand of a condition. The compiler
// inlines it and sees that the result is always 1.
func DupinstCounted(p *DupinstPackage, at int) uint64 {
	DupinstCount(p, at)
	return 1
}

// DupinstProbe is DupinstCount with a check for each of the n sites. The checks
// are one subtraction as long as none of them is spent. The compiler inlines it.
func DupinstProbe(p *DupinstPackage, at int) {
	g := &getg().dupinst
	g.ctr -= int64(at & 0xff)
	if g.ctr < 0 {
		dupinstProbe(p, at)
	}
}

// DupinstProbed is to DupinstProbe what DupinstCounted is to DupinstCount.
func DupinstProbed(p *DupinstPackage, at int) uint64 {
	DupinstProbe(p, at)
	return 1
}

// dupinstProbe takes DupinstProbe's checks one by one.
//
//go:noinline
func dupinstProbe(p *DupinstPackage, at int) {
	g := &getg().dupinst
	i, n := at>>8, at&0xff
	g.ctr += int64(n)
	for end := i + n; i < end; i++ {
		if DupinstCheck() {
			DupinstCount(p, i<<8|1)
		}
	}
}

// dupinstCounter returns the counter of the i-th site.
func (p *DupinstPackage) dupinstCounter(i int) *uint64 {
	return (*uint64)(add(unsafe.Pointer(p.First), uintptr(i)*8))
}

// DupinstCountIf is DupinstCounted guarded by the mode bit d.
func DupinstCountIf(d bool, p *DupinstPackage, at int) uint64 {
	if d {
		DupinstCount(p, at)
	}
	return 1
}

// DupinstInitial counts what a package's initialiser evaluates unconditionally,
// if its check d says so. It is d, the mode bit for the rest.
func DupinstInitial(d bool, p *DupinstPackage, i, n int) bool {
	for end := i + n; d && i < end; i++ {
		DupinstCount(p, i<<8|1)
	}
	return d
}

// DupinstInitialEach is DupinstInitial with a check for each site.
func DupinstInitialEach(p *DupinstPackage, i, n int) bool {
	for end := i + n; i < end; i++ {
		if DupinstCheck() {
			DupinstCount(p, i<<8|1)
		}
	}
	return true
}

// DupinstAlways is the check of the exhaustive variant.
func DupinstAlways() bool { return true }

// DupinstValue is v; its first argument is there to be evaluated before.
func DupinstValue[T any](_ uint64, v T) T { return v }

// DupinstFunc is f, a function value about to be called at the i-th site.
func DupinstFunc[F any](p *DupinstPackage, i int, f F) F {
	dupinstFunc(p, i, *(*unsafe.Pointer)(unsafe.Pointer(&f)))
	return f
}

// DupinstFuncIf is DupinstFunc guarded by the mode bit d.
func DupinstFuncIf[F any](p *DupinstPackage, i int, f F, d bool) F {
	if d {
		dupinstFunc(p, i, *(*unsafe.Pointer)(unsafe.Pointer(&f)))
	}
	return f
}

// DupinstFuncLate is v, the last argument with a call in it of a call of f at
// the i-th site: f is read after v is computed, as it is in the plain program.
func DupinstFuncLate[F, T any](p *DupinstPackage, i int, f F, v T) T {
	dupinstFunc(p, i, *(*unsafe.Pointer)(unsafe.Pointer(&f)))
	return v
}

// DupinstFuncLateIf is DupinstFuncLate guarded by the mode bit d.
func DupinstFuncLateIf[F, T any](p *DupinstPackage, i int, f F, v T, d bool) T {
	if d {
		dupinstFunc(p, i, *(*unsafe.Pointer)(unsafe.Pointer(&f)))
	}
	return v
}

// DupinstIface is x, an interface value whose k-th method (in the runtime's
// order) is about to be called at the i-th site.
func DupinstIface[T any](p *DupinstPackage, i, k int, x T) T {
	dupinstIface(p, i, k, *(*iface)(unsafe.Pointer(&x)))
	return x
}

// DupinstIfaceIf is DupinstIface guarded by the mode bit d.
func DupinstIfaceIf[T any](p *DupinstPackage, i, k int, x T, d bool) T {
	if d {
		dupinstIface(p, i, k, *(*iface)(unsafe.Pointer(&x)))
	}
	return x
}

// DupinstIfaceLate is to DupinstIface what DupinstFuncLate is to DupinstFunc.
func DupinstIfaceLate[X, T any](p *DupinstPackage, i, k int, x X, v T) T {
	dupinstIface(p, i, k, *(*iface)(unsafe.Pointer(&x)))
	return v
}

// DupinstIfaceLateIf is DupinstIfaceLate guarded by the mode bit d.
func DupinstIfaceLateIf[X, T any](p *DupinstPackage, i, k int, x X, v T, d bool) T {
	if d {
		dupinstIface(p, i, k, *(*iface)(unsafe.Pointer(&x)))
	}
	return v
}

// DupinstFuncProbe is DupinstFunc behind a check of its own.
func DupinstFuncProbe[F any](p *DupinstPackage, i int, f F) F {
	g := &getg().dupinst
	g.ctr--
	if g.ctr < 0 {
		dupinstFuncProbe(p, i, *(*unsafe.Pointer)(unsafe.Pointer(&f)))
	}
	return f
}

// DupinstIfaceProbe is DupinstIface behind a check of its own.
func DupinstIfaceProbe[T any](p *DupinstPackage, i, k int, x T) T {
	g := &getg().dupinst
	g.ctr--
	if g.ctr < 0 {
		dupinstIfaceProbe(p, i, k, *(*iface)(unsafe.Pointer(&x)))
	}
	return x
}

//go:noinline
func dupinstFuncProbe(p *DupinstPackage, i int, f unsafe.Pointer) {
	DupinstSample()
	dupinstFunc(p, i, f)
}

//go:noinline
func dupinstIfaceProbe(p *DupinstPackage, i, k int, x iface) {
	DupinstSample()
	dupinstIface(p, i, k, x)
}

//go:noinline
func dupinstFunc(p *DupinstPackage, i int, f unsafe.Pointer) {
	if f == nil {
		return // the call panics
	}
	if dupinstPaused {
		return
	}
	DupinstCount(p, i<<8|1)
	dupinstCallee(uintptr(unsafe.Pointer(p.dupinstCounter(i))), *(*uintptr)(f))
}

//go:noinline
func dupinstIface(p *DupinstPackage, i, k int, x iface) {
	if x.tab == nil {
		return // the call panics
	}
	if dupinstPaused {
		return
	}
	DupinstCount(p, i<<8|1)
	pc := *(*uintptr)(add(unsafe.Pointer(&x.tab.Fun[0]), uintptr(k)*unsafe.Sizeof(uintptr(0))))
	if pc == abi.FuncPCABIInternal(unreachableMethod) {
		// The compiler found the call to be static, and the linker dropped the
		// method from the table. The type says which it is.
		pc = uintptr(unsafe.Pointer(x.tab.Type))
	}
	dupinstCallee(uintptr(unsafe.Pointer(p.dupinstCounter(i))), pc)
}

func dupinstXadd(p *uint64, d uint64)              { atomic.Xadd64(p, int64(d)) }
func dupinstXchg64(p *uint64, v uint64) uint64     { return atomic.Xchg64(p, v) }
func dupinstLoad64(p *uint64) uint64               { return atomic.Load64(p) }
func dupinstLoad32(p *uint32) uint32               { return atomic.Load(p) }
func dupinstStore32(p *uint32, v uint32)           { atomic.Store(p, v) }
func dupinstLoad(p *uintptr) uintptr               { return atomic.Loaduintptr(p) }
func dupinstStore(p *uintptr, v uintptr)           { atomic.Storeuintptr(p, v) }
func dupinstCas(p *uintptr, old, new uintptr) bool { return atomic.Casuintptr(p, old, new) }
func dupinstCas32(p *uint32, old, new uint32) bool { return atomic.Cas(p, old, new) }

// dupinstPtr turns the address of static data into a pointer.
func dupinstPtr(p uintptr) unsafe.Pointer { return unsafe.Pointer(p) }

// dupinstName describes the function at pc: symbol, file, first line, and kind.
// Where pc is the address of a type, it gives the type and its package's path.
// A wrapper into which the compiler inlined its method is that method.
func dupinstName(pc uintptr) (name, file string, line int32, kind byte) {
	f := findfunc(pc)
	if !f.valid() {
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

// dupinstPending is the number of checks not yet folded into dupinstChecks.
func dupinstPending() uint64 {
	n := int64(0)
	ptr, length := atomicAllG()
	for i := uintptr(0); i < length; i++ {
		p := &atomicAllGIndex(ptr, i).dupinst
		n += p.load - p.ctr
	}
	return uint64(n)
}

func dupinstPrint(s string) {
	if len(s) > 0 {
		write1(2, unsafe.Pointer(unsafe.StringData(s)), int32(len(s)))
	}
}

func dupinstSleep(us uint32) { usleep(us) }
func dupinstClose(fd int32)  { closefd(fd) }

const dupinstAtCWD = ^uintptr(99) // AT_FDCWD

// dupinstCall makes a system call, again while it is interrupted.
func dupinstCall(num, a1, a2, a3, a4 uintptr) (uintptr, int32) {
	for {
		r, _, errno := linux.Syscall6(num, a1, a2, a3, a4, 0, 0)
		if errno != dupinstEINTR {
			return r, int32(errno)
		}
	}
}

func dupinstUnlink(p *byte) {
	dupinstCall(dupinstSysUnlinkat, dupinstAtCWD, uintptr(unsafe.Pointer(p)), 0, 0)
}

func dupinstMkdir(p *byte) {
	dupinstCall(dupinstSysMkdirat, dupinstAtCWD, uintptr(unsafe.Pointer(p)), 0o777, 0)
}

func dupinstCreate(p *byte) (fd, errno int32) {
	const flags = 0x1 | 0x40 | 0x200 | 0x80000 // O_WRONLY|O_CREAT|O_TRUNC|O_CLOEXEC
	r, errno := dupinstCall(dupinstSysOpenat, dupinstAtCWD, uintptr(unsafe.Pointer(p)), flags, 0o666)
	return int32(r), errno
}

func dupinstWriteFD(fd int32, b unsafe.Pointer, n int32) (int32, int32) {
	r, errno := dupinstCall(dupinstSysWrite, uintptr(fd), uintptr(b), uintptr(n), 0)
	if errno != 0 {
		return 0, errno
	}
	return int32(r), 0
}

func dupinstRename(from, to *byte) int32 {
	_, errno := dupinstCall(dupinstSysRenameat2, dupinstAtCWD, uintptr(unsafe.Pointer(from)), dupinstAtCWD, uintptr(unsafe.Pointer(to)))
	return errno
}

// dupinstWakeAll makes all goroutines that never look again do so.
func dupinstWakeAll() {
	w := stopTheWorldGC(stwUnknown)
	forEachG(func(gp *g) {
		p := &gp.dupinst
		if p.ctr > dupinstNever/2 {
			dupinstXadd(&dupinstChecks, uint64(p.load-p.ctr))
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

// dupinstInit runs at the start of the main goroutine, before any of the
// program's own code: it reads the settings and starts the periodic writer.
func dupinstInit() {
	dupinstConfigure(gogetenv)
	getg().dupinst.dupinstPhase()
	dupinstAuditInit()
	if len(dupinstDir) == 0 {
		return
	}
	dupinstAbsolute()
	dupinstUnique = uint64(nanotime())<<16 ^ dupinstMix(rand())
	if dupinstPeriod > 0 {
		systemstack(func() { newm(dupinstPeriodic, nil, -1) })
	}
}

var dupinstStart dupinstPath // backs dupinstDir

// dupinstAbsolute makes the directory for profiles absolute: the program may
// change its own.
func dupinstAbsolute() {
	p := &dupinstStart
	if dupinstDir[0] == '/' {
		return
	}
	n, errno := dupinstCall(dupinstSysGetcwd, uintptr(unsafe.Pointer(&p.b[0])), unsafe.Sizeof(p.b), 0, 0)
	if errno != 0 || n == 0 {
		return // it is gone; a write will say so
	}
	p.n = int(n) - 1
	p.dupinstAdd("/")
	p.dupinstAdd(dupinstDir)
	dupinstDir = unsafe.String(&p.b[0], p.n)
}

// dupinstPeriodic writes a profile every dupinstPeriod nanoseconds. Like sysmon
// it is a thread without a P, not a goroutine: it counts neither for
// NumGoroutine nor for the deadlock detector, and needs no scheduler.
//
//go:nowritebarrierrec
func dupinstPeriodic() {
	lock(&sched.lock)
	sched.nmsys++
	checkdead()
	unlock(&sched.lock)
	for {
		for end := nanotime() + dupinstPeriod; nanotime() < end; {
			usleep(uint32(min(end-nanotime(), 1_000_000_000)/1000 + 1))
		}
		dupinstTick()
	}
}
