package core

import "unsafe"

// This file is what instrumented code calls. Where the goroutines' states are shared
// (portable.go), the race detector is told not to look: nothing depends on it that a
// lost update would make wrong.

// The type of mode bits, and what is set in them.
type DupinstBool = bool

const DupinstTrue = true

//go:noinline
func DupinstSample() { dupinstTrigger(dupinstSelf()) }

// DupinstCheck is DupinstDue with its DupinstSample, as one expression.
func DupinstCheck() bool { return DupinstDue() && dupinstBegins() }

//go:noinline
func dupinstBegins() bool {
	DupinstSample()
	return true
}

// DupinstCount counts one event at each of n sites in a row, at being the first
// one's index<<8 | n: one constant less to load at each probe.
//
//go:noinline
//go:norace
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
	g := dupinstSelf()
	start := g.dupinstCounting()
	for end := i + n; i < end; i++ {
		dupinstXadd(p.dupinstCounter(i), 1+g.more)
	}
	g.dupinstTook(start)
}

// DupinstCounted is DupinstCount as an operand of a condition. The compiler
// inlines it and sees that the result is always 1.
func DupinstCounted(p *DupinstPackage, at int) uint64 {
	DupinstCount(p, at)
	return 1
}

// DupinstProbe is DupinstCount with a check for each of the n sites, where
// DupinstSpends(n) says that one of them is spent. It takes them one by one.
//
//go:noinline
//go:norace
func DupinstProbe(p *DupinstPackage, at int) {
	g := dupinstSelf()
	i, n := at>>8, at&0xff
	if g.ctr < 0 { // or the stack has grown into another slot since (portable.go), and this one is not spent
		g.ctr += int64(n)
	}
	for end := i + n; i < end; i++ {
		if DupinstCheck() {
			DupinstCount(p, i<<8|1)
		}
	}
}

// DupinstProbed is to DupinstProbe what DupinstCounted is to DupinstCount.
func DupinstProbed(p *DupinstPackage, at int) uint64 {
	DupinstProbe(p, at)
	return 1
}

// DupinstProbeIf is DupinstProbed guarded by what DupinstSpends reported.
func DupinstProbeIf(spent bool, p *DupinstPackage, at int) uint64 {
	if spent {
		DupinstProbe(p, at)
	}
	return 1
}

// dupinstCounter returns the counter of the i-th site.
func (p *DupinstPackage) dupinstCounter(i int) *uint64 {
	return (*uint64)(unsafe.Add(unsafe.Pointer(p.First), uintptr(i)*8))
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
	dupinstIface(p, i, k, *(*dupinstInterface)(unsafe.Pointer(&x)))
	return x
}

// DupinstIfaceIf is DupinstIface guarded by the mode bit d.
func DupinstIfaceIf[T any](p *DupinstPackage, i, k int, x T, d bool) T {
	if d {
		dupinstIface(p, i, k, *(*dupinstInterface)(unsafe.Pointer(&x)))
	}
	return x
}

// DupinstIfaceLate is to DupinstIface what DupinstFuncLate is to DupinstFunc.
func DupinstIfaceLate[X, T any](p *DupinstPackage, i, k int, x X, v T) T {
	dupinstIface(p, i, k, *(*dupinstInterface)(unsafe.Pointer(&x)))
	return v
}

// DupinstIfaceLateIf is DupinstIfaceLate guarded by the mode bit d.
func DupinstIfaceLateIf[X, T any](p *DupinstPackage, i, k int, x X, v T, d bool) T {
	if d {
		dupinstIface(p, i, k, *(*dupinstInterface)(unsafe.Pointer(&x)))
	}
	return v
}

//go:noinline
func dupinstFuncProbe(p *DupinstPackage, i int, f unsafe.Pointer) {
	DupinstSample()
	dupinstFunc(p, i, f)
}

//go:noinline
func dupinstIfaceProbe(p *DupinstPackage, at uint64, x dupinstInterface) {
	DupinstSample()
	dupinstIface(p, int(at>>32), int(uint32(at)), x)
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
	p.dupinstCalled(i, *(*uintptr)(f))
}

// dupinstCalled counts a call of the function at pc from the i-th site.
//
//go:norace
func (p *DupinstPackage) dupinstCalled(i int, pc uintptr) {
	g := dupinstSelf()
	start := g.dupinstCounting()
	dupinstCallee(uintptr(unsafe.Pointer(p.dupinstCounter(i))), pc, 1+g.more)
	g.dupinstTook(start)
}

//go:noinline
func dupinstIface(p *DupinstPackage, i, k int, x dupinstInterface) {
	if x.tab == nil {
		return // the call panics
	}
	if dupinstPaused {
		return
	}
	DupinstCount(p, i<<8|1)
	pc := *(*uintptr)(unsafe.Add(unsafe.Pointer(&x.tab.methods), uintptr(k)*unsafe.Sizeof(uintptr(0))))
	if dupinstUnreachable(pc) {
		// The compiler found the call to be static, and the linker dropped the
		// method from the table. The type says which it is.
		pc = uintptr(unsafe.Pointer(x.tab.dynamic))
	}
	p.dupinstCalled(i, pc)
}

// A dupinstInterface is an interface value with methods, as the runtime has it
// (internal/abi, ITab).
type dupinstInterface struct {
	tab *struct {
		static, dynamic unsafe.Pointer // types
		hash            uint32
		methods         uintptr // the first one's code; the others follow
	}
	data unsafe.Pointer
}
