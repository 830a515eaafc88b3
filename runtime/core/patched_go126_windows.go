//go:build dupinst_runtime && go1.26

package core

// dupinstStdcall calls a function of the system's.
func dupinstStdcall(f stdFunction, args ...uintptr) uintptr { return stdcall(f, args...) }
