//go:build dupinst_runtime

package core

import "unsafe"

const dupinstSIGTRAP = 5

// dupinstTrapSignal runs in the signal handler, and reports whether the signal was a trap's.
//
//go:nowritebarrierrec
func dupinstTrapSignal(sig uint32, info *siginfo, ctxt unsafe.Pointer) bool {
	c := &sigctxt{info, ctxt}
	if sig != dupinstSIGTRAP || !dupinstSpring(c.sigpc()-1) {
		return false
	}
	c.set_rip(uint64(c.sigpc() - 1))
	return true
}

// dupinstWritable lets code be written to, and reports whether that can be.
func dupinstWritable() bool {
	const read, write, execute = 1, 2, 4
	if isarchive || islibrary {
		dupinstPrint("dupinst: nothing is counted once in a library: its signals are the program's that it is in\n")
		return false
	}
	for md := &firstmoduledata; md != nil; md = md.next {
		from := md.text &^ (physPageSize - 1)
		to := alignUp(md.etext, physPageSize)
		if _, errno := dupinstCall(dupinstSysMprotect, from, to-from, read|write|execute, 0); errno != 0 {
			dupinstPrint("dupinst: nothing is counted once: the system does not let code be written to\n")
			return false
		}
	}
	return true
}
