//go:build dupinst_runtime && !go1.26

package core

// dupinstStdcall calls a function of the system's.
func dupinstStdcall(f stdFunction, a ...uintptr) uintptr {
	switch len(a) {
	case 1:
		return stdcall1(f, a[0])
	case 2:
		return stdcall2(f, a[0], a[1])
	case 3:
		return stdcall3(f, a[0], a[1], a[2])
	case 4:
		return stdcall4(f, a[0], a[1], a[2], a[3])
	case 5:
		return stdcall5(f, a[0], a[1], a[2], a[3], a[4])
	}
	return stdcall7(f, a[0], a[1], a[2], a[3], a[4], a[5], a[6])
}
