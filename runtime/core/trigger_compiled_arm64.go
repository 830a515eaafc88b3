//go:build dupinst_runtime

package core

// dupinstCaller is where a routine was called, as an unwinder begins. The link register was
// kept on the system stack.
func dupinstCaller(p *dupinstG) (pc, sp, lr uintptr) {
	kept := (getg().m.g0.sched.sp - 496) &^ 15
	return p.back, p.scratch[2], *(*uintptr)(dupinstPtr(kept + dupinstKeptLink))
}

const dupinstKeptLink = 216 // where R30 is kept (trigger_sample_arm64.s)
