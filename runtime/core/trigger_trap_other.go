//go:build dupinst_runtime && !(linux && amd64)

package core

// No traps are put into code on this system.

func dupinstWritable() bool { return false }
