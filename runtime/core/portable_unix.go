//go:build !dupinst_runtime && unix

package core

import "syscall"

// dupinstCPU is the processor time that the process has used, in nanoseconds.
func dupinstCPU() uint64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return uint64(u.Utime.Nano() + u.Stime.Nano())
}
