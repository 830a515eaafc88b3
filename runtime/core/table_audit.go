//go:build dupinst_runtime

package core

import (
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// An audit build counts, for each function, what the framework does: exactly,
// and at a cost that nothing else has to pay. The counters are sites like any
// other, five in a row for each function.
const (
	dupinstEntries = iota
	dupinstBackedges
	dupinstChecked
	dupinstTransfers // checks that led to duplicated code
	dupinstSampled   // nanoseconds from a transfer to the next check or the end
)

// A DupinstActivation is one run of a function.
type DupinstActivation struct {
	pkg   *DupinstPackage
	first int    // of the function's counters
	since int64  // when the sample that it is in began; 0: none
	frame uint64 // see dupinstFrame
}

// DupinstEnter begins an activation of the function whose counters start at
// first.
//
//go:noinline
func DupinstEnter(p *DupinstPackage, first int) DupinstActivation {
	a := DupinstActivation{pkg: p, first: first}
	if dupinstTracing != 0 {
		a.frame = dupinstFrame()
	}
	a.dupinstCount(dupinstEntries)
	return a
}

func (a *DupinstActivation) dupinstCount(what int) {
	if a.pkg.linked == 0 {
		dupinstLink(a.pkg)
	}
	c := a.pkg.dupinstCounter(a.first + what)
	dupinstXadd(c, 1)
	if dupinstTracing != 0 {
		dupinstTrace(c, a.frame)
	}
}

// DupinstCheck is a check of a's function.
//
//go:noinline
func (a *DupinstActivation) DupinstCheck() bool {
	a.dupinstEnd()
	a.dupinstCount(dupinstChecked)
	if !DupinstCheck() {
		return false
	}
	a.dupinstCount(dupinstTransfers)
	a.since = nanotime()
	return true
}

// DupinstBackedge counts a backedge, whether it has a check or not.
//
//go:noinline
func (a *DupinstActivation) DupinstBackedge() { a.dupinstCount(dupinstBackedges) }

// DupinstIdle counts a backedge that does not end a sample: a trace lacks it.
//
//go:noinline
func (a *DupinstActivation) DupinstIdle() {
	dupinstXadd(a.pkg.dupinstCounter(a.first+dupinstBackedges), 1)
}

// DupinstLeave ends an activation.
//
//go:noinline
func (a *DupinstActivation) DupinstLeave() { a.dupinstEnd() }

func (a *DupinstActivation) dupinstEnd() {
	if a.since != 0 {
		dupinstXadd(a.pkg.dupinstCounter(a.first+dupinstSampled), uint64(nanotime()-a.since))
		a.since = 0
	}
}

// DupinstInitialEntry counts the entry of a package's initialiser, which has no
// activation.
//
//go:noinline
func DupinstInitialEntry(p *DupinstPackage, first int) bool {
	a := DupinstEnter(p, first)
	return a.pkg != nil
}

// DupinstInitialCheck is a check of a package's initialiser.
//
//go:noinline
func DupinstInitialCheck(p *DupinstPackage, first int) bool {
	a := DupinstActivation{pkg: p, first: first}
	if dupinstTracing != 0 {
		a.frame = dupinstFrame()
	}
	d := a.DupinstCheck()
	a.since = 0
	return d
}

// DupinstFuncAudited is DupinstFuncProbe in an audit build.
func DupinstFuncAudited[F any](a *DupinstActivation, p *DupinstPackage, i int, f F) F {
	if a.DupinstCheck() {
		dupinstFunc(p, i, *(*unsafe.Pointer)(unsafe.Pointer(&f)))
	}
	return f
}

// DupinstIfaceAudited is DupinstIfaceProbe in an audit build.
func DupinstIfaceAudited[T any](a *DupinstActivation, p *DupinstPackage, i, k int, x T) T {
	if a.DupinstCheck() {
		dupinstIface(p, i, k, *(*dupinstInterface)(unsafe.Pointer(&x)))
	}
	return x
}

// DupinstInitialEachAudited is DupinstInitialEach in an audit build.
func DupinstInitialEachAudited(p *DupinstPackage, first, i, n int) bool {
	DupinstInitialEntry(p, first)
	for end := i + n; i < end; i++ {
		if DupinstInitialCheck(p, first) {
			DupinstCount(p, i<<8|1)
		}
	}
	return true
}

// A trace is the sequence of all events, with the goroutine and the frame of
// each: what a simulation of the framework needs. It is kept in memory and
// written at the end.
type dupinstEvent struct {
	counter uintptr
	id      uint64 // of the goroutine, in the tree of go statements
	frame   uint64
}

var (
	dupinstTracing uint32
	dupinstEvents  [1 << 21]dupinstEvent
	dupinstTraced  uint64 // events so far, more than there is room for, maybe
)

// dupinstTrace enters an event at a counter.
func dupinstTrace(counter *uint64, frame uint64) {
	i := atomic.Xadd64(&dupinstTraced, 1) - 1
	if i < uint64(len(dupinstEvents)) {
		dupinstEvents[i] = dupinstEvent{uintptr(unsafe.Pointer(counter)), getg().m.curg.dupinst.id, frame}
	}
}

// dupinstFrame identifies the frame of the instrumented function that runs: its
// distance from the base of the stack, which stays when the stack moves. The probe of
// a loop's condition that belongs on a jump out of a range-over-func loop within is
// taken for one of that loop's body, though the function around it counts it.
//
//go:noinline
func dupinstFrame() uint64 {
	gp := getg()
	frame := uint64(0)
	pc, sp := sys.GetCallerPC(), sys.GetCallerSP()
	systemstack(func() {
		var u unwinder
		for u.initAt(pc, sp, 0, gp, unwindSilentErrors); u.valid(); u.next() {
			if !dupinstOwn(gostringnocopy(&u.frame.fn.datap.funcnametab[u.frame.fn.nameOff])) {
				frame = uint64(gp.stack.hi - u.frame.fp)
				return
			}
		}
	})
	return frame
}

// dupinstOwn reports whether a function of that name is dupinst's.
func dupinstOwn(name string) bool {
	for _, prefix := range [...]string{"runtime.dupinst", "runtime.Dupinst", "runtime.(*Dupinst"} {
		if len(name) > len(prefix) && name[:len(prefix)] == prefix {
			return true
		}
	}
	return false
}

// dupinstTraceSites enters an event at each of the n sites from the i-th on.
func dupinstTraceSites(p *DupinstPackage, i, n int) {
	frame := dupinstFrame()
	for end := i + n; i < end; i++ {
		dupinstTrace(p.dupinstCounter(i), frame)
	}
}

// dupinstAuditInit reads the setting that only an audit build has.
func dupinstAuditInit() {
	if dupinstAudited && gogetenv("DUPINST_TRACE") == "1" {
		dupinstTracing = 1
	}
}

// dupinstSaveRest writes the trace.
func dupinstSaveRest() {
	if dupinstAudited && dupinstTracing != 0 {
		dupinstTracing = 0
		dupinstSaveAs(1, dupinstUnique, ".trace", dupinstWriteTrace)
	}
}

// dupinstWriteTrace writes the trace, in the layout of profile/format's Trace.
func dupinstWriteTrace(w *dupinstWriter) {
	w.dupinstBegin("dupinst\x00trace\x01")
	w.dupinstString(dupinstBuild())
	n := min(dupinstLoad64(&dupinstTraced), uint64(len(dupinstEvents)))
	w.dupinstUvarint(dupinstLoad64(&dupinstTraced) - n)
	head := dupinstLoad(&dupinstPackages)
	for p := head; p != 0; {
		pkg := (*DupinstPackage)(dupinstPtr(p))
		w.dupinstUvarint(dupinstNext)
		w.dupinstString(pkg.Meta)
		p = pkg.next
	}
	w.dupinstUvarint(dupinstEnd)
	for i := range dupinstEvents[:n] {
		e := &dupinstEvents[i]
		if pkg, ordinal := dupinstPackageOf(head, e.counter); pkg != nil {
			w.dupinstUvarint(ordinal + 1)
			w.dupinstUvarint(uint64(e.counter-pkg.counts) / 8)
			w.dupinstUvarint(e.id)
			w.dupinstUvarint(e.frame)
		}
	}
	w.dupinstUvarint(dupinstEnd)
	w.dupinstFinish()
}
