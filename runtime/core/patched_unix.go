//go:build dupinst_runtime && unix

package core

import (
	"internal/runtime/atomic"
	"unsafe"
)

// dupinstAbsolute makes the directory for profiles absolute: the program may
// change its own.
func dupinstAbsolute() {
	p := &dupinstStart
	if dupinstDir[0] == '/' {
		return
	}
	if p.n = dupinstGetwd(&p.b[0], uintptr(len(p.b))); p.n == 0 {
		return // it is gone; a write will say so
	}
	p.dupinstAdd("/")
	p.dupinstAdd(dupinstDir)
	dupinstDir = p.dupinstText()
}

// dupinstSignalled runs in the handler of every signal, and reports whether it was one of a
// window's or a trap's, and no other.
func dupinstSignalled(sig uint32, info *siginfo, ctxt unsafe.Pointer, gp *g) bool {
	if sig == dupinstSignal && dupinstSignal != 0 {
		atomic.Xadd(&dupinstSignals, 1)
	}
	if dupinstShadowable && dupinstLoad32(&dupinstInShadow) != 0 && dupinstShadowSignal(sig, &sigctxt{info, ctxt}) {
		return true
	}
	return dupinstWindowed && dupinstWindowSignal(sig, info, ctxt, gp) || dupinstTrapping && dupinstTrapSignal(sig, info, ctxt)
}
