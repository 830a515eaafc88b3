//go:build dupinst_runtime

package core

import (
	"internal/abi"
	"unsafe"
)

// dupinstProbeTimes sets what depends on the processor of what probes take. Which models of AMD's family 25 are of Zen 4
// is from Linux (arch/x86/kernel/cpu/amd.c).
//
//go:nowritebarrierrec
func dupinstProbeTimes() {
	const zen3, zen5 = 25, 26
	family, model := processorVersionInfo>>8&15, processorVersionInfo>>4&15|processorVersionInfo>>12&0xf0
	if family == 15 {
		family += processorVersionInfo >> 20 & 255
	}
	switch {
	case isIntel:
		dupinstSeeTime, dupinstPathTime = 0, 2*dupinstProbeTime
	case family >= zen5:
		dupinstProbeTime = 256
		dupinstSeeTime, dupinstPathTime = 2*dupinstProbeTime, 4*dupinstProbeTime
	case family == zen3 && (model>>4 == 1 || 6 <= model>>4 && model>>4 <= 10): // Zen 4
		dupinstProbeTime, dupinstEnterTime = 328, 1024
		dupinstSeeTime, dupinstPathTime = 1536, 5*dupinstProbeTime
	}
}

// dupinstReturnSlot is where a frame's return address stands.
//
//go:nowritebarrierrec
func dupinstReturnSlot(frame *stkframe) uintptr { return frame.fp - 8 }

// dupinstMoveLink moves a return address that is in a register.
//
//go:nowritebarrierrec
func dupinstMoveLink(*sigctxt, *unwinder) {}

// dupinstFaults reports whether f is what a fault is made to call, and has no number of its own. Where a window's signal has
// come with the fault's, it begins in that.
//
//go:nowritebarrierrec
func dupinstFaults(f funcInfo) bool { return f.entry() == abi.FuncPCABI0(sigpanic0) }

// dupinstBehindCheck is where f goes on that has passed its stack check, or 0: f is in assembly,
// and the check jumps to a call that returns to back. No argument is in a register then.
//
//go:nowritebarrierrec
func dupinstBehindCheck(f funcInfo, back uintptr) uintptr {
	if f.flag&abi.FuncFlagAsm == 0 {
		return 0
	}
	const call, most = 5, 48 // bytes: of the call, before the check
	target := back - call
	for at := f.entry(); at < f.entry()+most && at < target; at++ {
		code := (*[10]byte)(unsafe.Pointer(at))
		// CMPQ SP, 16(R14) or CMPQ R12, 16(R14), which is g
		if code[0] != 0x49 && code[0] != 0x4d || code[1] != 0x3b || code[2] != 0x66 || code[3] != 16 {
			continue
		}
		switch {
		case code[4] == 0x76 && at+6+uintptr(int8(code[5])) == target:
			return at + 6
		case code[4] == 0x0f && code[5] == 0x86 && at+10+uintptr(*(*int32)(unsafe.Pointer(at + 6))) == target:
			return at + 10
		}
	}
	return 0
}
