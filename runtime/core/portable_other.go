//go:build !dupinst_runtime && !unix

package core

// dupinstCPU is the time that has passed: a budget is one of a single processor's.
func dupinstCPU() uint64 { return uint64(dupinstClock()) }
