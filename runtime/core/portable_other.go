//go:build !dupinst_runtime && !unix

package core

// dupinstCPU is the time, of which one processor can use no more.
func dupinstCPU() uint64 { return uint64(dupinstClock()) }
