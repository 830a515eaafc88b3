//go:build dupinst_runtime

package core

import (
	"internal/abi"
	"unsafe"
)

// dupinstProbeTimes has nothing to set: none was measured on real hardware.
//
//go:nowritebarrierrec
func dupinstProbeTimes() {}

// Threads that count at once add to the same counters here (window_area.go).

//go:nosplit
//go:nowritebarrierrec
func dupinstSegmented(*m) bool { return true }

//go:nowritebarrierrec
func dupinstSegment(*m) {}

// dupinstReturnSlot is where a frame's return address stands: at its lowest address or, in a
// leaf without a frame that was interrupted as if it called, where that was pushed.
//
//go:nowritebarrierrec
func dupinstReturnSlot(frame *stkframe) uintptr {
	if frame.sp == frame.fp {
		return frame.sp - 16
	}
	return frame.sp
}

// dupinstMoveLink moves a return address that is in the link register: that of the innermost
// function, while it has no frame.
//
//go:nowritebarrierrec
func dupinstMoveLink(c *sigctxt, u *unwinder) {
	lr := u.frame.lr
	if u.frame.sp != u.frame.fp || lr == 0 || lr != c.siglr() {
		return
	}
	if to := dupinstReturn(u.frame.fn, lr); to != lr {
		c.set_lr(uint64(to))
		dupinstXadd(&dupinstTotal.frames, 1)
	}
}

// dupinstFaults reports whether f is what a fault is made to call, and has no number of its own: none is.
//
//go:nowritebarrierrec
func dupinstFaults(funcInfo) bool { return false }

// dupinstBehindCheck is where f goes on that has passed its stack check, or 0: f is in assembly,
// and the check jumps to where the link register is moved for a call that returns to back. No
// argument is in a register then.
//
//go:nowritebarrierrec
func dupinstBehindCheck(f funcInfo, back uintptr) uintptr {
	if f.flag&abi.FuncFlagAsm == 0 {
		return 0
	}
	const most = 48 // bytes, before the check
	target := back - 8
	for at := f.entry(); at < f.entry()+most && at < target; at += 4 {
		code := *(*uint32)(unsafe.Pointer(at))
		const lower, mask = 0x54000009, 0xff00001f // B.LS
		if code&mask == lower && at+uintptr(int32(code<<8)>>13)<<2 == target {
			return at + 4
		}
	}
	return 0
}
