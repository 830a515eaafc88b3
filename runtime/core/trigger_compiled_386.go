//go:build dupinst_runtime

package core

// dupinstCaller is of the compiler's back end, which 386 has not.
func dupinstCaller(*dupinstG) (pc, sp, lr uintptr) { return 0, 0, 0 }
