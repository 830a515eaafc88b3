//go:build dupinst_runtime && unix && !(linux && (amd64 || arm64))

package core

import "unsafe"

func dupinstWindowSignal(uint32, *siginfo, unsafe.Pointer, *g) bool { return false }

//go:nosplit
func dupinstStray(uintptr, *sigctxt) bool { return false }
