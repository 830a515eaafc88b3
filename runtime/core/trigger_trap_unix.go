//go:build dupinst_runtime && unix && !(linux && amd64)

package core

import "unsafe"

func dupinstTrapSignal(uint32, *siginfo, unsafe.Pointer) bool { return false }
