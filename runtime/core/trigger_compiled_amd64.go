//go:build dupinst_runtime

package core

// dupinstCaller is where a routine was called, as an unwinder begins.
func dupinstCaller(p *dupinstG) (pc, sp, lr uintptr) {
	sp = p.scratch[2]
	return *(*uintptr)(dupinstPtr(sp)), sp + 8, 0
}
