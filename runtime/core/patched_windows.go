//go:build dupinst_runtime

package core

import "unsafe"

//go:cgo_import_dynamic runtime.dupinstCreateDirectoryW CreateDirectoryW%2 "kernel32.dll"
//go:cgo_import_dynamic runtime.dupinstCreateFileW CreateFileW%7 "kernel32.dll"
//go:cgo_import_dynamic runtime.dupinstDeleteFileW DeleteFileW%1 "kernel32.dll"
//go:cgo_import_dynamic runtime.dupinstGetEnvironmentVariableW GetEnvironmentVariableW%3 "kernel32.dll"
//go:cgo_import_dynamic runtime.dupinstGetFullPathNameW GetFullPathNameW%4 "kernel32.dll"
//go:cgo_import_dynamic runtime.dupinstGetProcessTimes GetProcessTimes%5 "kernel32.dll"
//go:cgo_import_dynamic runtime.dupinstMoveFileExW MoveFileExW%3 "kernel32.dll"

// The loader sets these variables.
var (
	dupinstCreateDirectoryW,
	dupinstCreateFileW,
	dupinstDeleteFileW,
	dupinstGetEnvironmentVariableW,
	dupinstGetFullPathNameW,
	dupinstGetProcessTimes,
	dupinstMoveFileExW stdFunction
)

// A dupinstWide is a zero-terminated path in UTF-16, which is no longer than in UTF-8.
type dupinstWide [len(dupinstPath{}.b)]uint16

// dupinstPath sets w to p.
func (w *dupinstWide) dupinstPath(p *byte) uintptr { return w.dupinstEncode(gostringnocopy(p)) }

// dupinstEncode sets w to s.
func (w *dupinstWide) dupinstEncode(s string) uintptr {
	n := 0
	for _, r := range s {
		if r >= 0x10000 {
			w[n] = uint16(0xd800 + (r-0x10000)>>10)
			r = 0xdc00 + (r-0x10000)&0x3ff
			n++
		}
		w[n] = uint16(r)
		n++
	}
	w[n] = 0
	return uintptr(unsafe.Pointer(w))
}

// dupinstDecode adds w to p.
func (w *dupinstWide) dupinstDecode(p *dupinstPath) {
	var b [5]byte
	for i := 0; w[i] != 0; i++ {
		r := rune(w[i])
		if next := rune(w[i+1]); r>>10 == 0xd800>>10 && next>>10 == 0xdc00>>10 {
			r = (r-0xd800)<<10 + (next - 0xdc00) + 0x10000
			i++
		}
		b[encoderune(b[:], r)] = 0
		p.dupinstAdd(gostringnocopy(&b[0]))
	}
}

// Each function below runs on the system stack, which does not move, and has its error
// before anything else is asked of Windows.

func dupinstClose(fd int32) {
	systemstack(func() { dupinstStdcall(_CloseHandle, uintptr(fd)) })
}

func dupinstUnlink(p *byte) {
	systemstack(func() {
		var w dupinstWide
		dupinstStdcall(dupinstDeleteFileW, w.dupinstPath(p))
	})
}

func dupinstMkdir(p *byte) {
	systemstack(func() {
		var w dupinstWide
		dupinstStdcall(dupinstCreateDirectoryW, w.dupinstPath(p), 0)
	})
}

func dupinstCreate(p *byte) (fd, errno int32) {
	const (
		write    = 0x40000000 // GENERIC_WRITE
		share    = 0x1 | 0x4  // FILE_SHARE_READ, FILE_SHARE_DELETE
		truncate = 2          // CREATE_ALWAYS
		normal   = 0x80       // FILE_ATTRIBUTE_NORMAL
	)
	systemstack(func() {
		var w dupinstWide
		r := dupinstStdcall(dupinstCreateFileW, w.dupinstPath(p), write, share, 0, truncate, normal, 0)
		if fd = int32(r); fd == -1 {
			errno = int32(getlasterror())
		}
	})
	return fd, errno
}

func dupinstWriteFD(fd int32, b unsafe.Pointer, n int32) (written, errno int32) {
	if fd == 2 {
		return write1(2, b, n), 0
	}
	systemstack(func() {
		if dupinstStdcall(_WriteFile, uintptr(fd), uintptr(b), uintptr(n), uintptr(unsafe.Pointer(&written)), 0) == 0 {
			errno = int32(getlasterror())
		}
	})
	return written, errno
}

func dupinstRename(from, to *byte) (errno int32) {
	const replace = 1 // MOVEFILE_REPLACE_EXISTING
	systemstack(func() {
		var w, v dupinstWide
		if dupinstStdcall(dupinstMoveFileExW, w.dupinstPath(from), v.dupinstPath(to), replace) == 0 {
			errno = int32(getlasterror())
		}
	})
	return errno
}

// dupinstAbsolute makes the directory for profiles absolute: the program may
// change its own. It is taken from where Windows keeps the environment: the runtime's
// copy has no characters that are two in UTF-16.
func dupinstAbsolute() {
	systemstack(func() {
		var w, v dupinstWide
		n := dupinstStdcall(dupinstGetEnvironmentVariableW, v.dupinstEncode("DUPINST_DIR"), uintptr(unsafe.Pointer(&w)), uintptr(len(w)))
		if n == 0 || n >= uintptr(len(w)) {
			return // a write will say what is wrong with it
		}
		n = dupinstStdcall(dupinstGetFullPathNameW, uintptr(unsafe.Pointer(&w)), uintptr(len(v)), uintptr(unsafe.Pointer(&v)), 0)
		if 0 < n && n < uintptr(len(v)) {
			v.dupinstDecode(&dupinstStart)
			dupinstDir = dupinstStart.dupinstText()
		}
	})
}

// dupinstCPU is the processor time that the process has used, in nanoseconds.
func dupinstCPU() (ns uint64) {
	const self = ^uintptr(0) // GetCurrentProcess()
	systemstack(func() {
		var created, exited, kernel, user [2]uint32 // of 100 ns, the lower half first
		dupinstStdcall(dupinstGetProcessTimes, self, uintptr(unsafe.Pointer(&created)), uintptr(unsafe.Pointer(&exited)), uintptr(unsafe.Pointer(&kernel)), uintptr(unsafe.Pointer(&user)))
		ns = 100 * (uint64(kernel[1])<<32 + uint64(kernel[0]) + uint64(user[1])<<32 + uint64(user[0]))
	})
	return ns
}

// What these say on Linux is not found out here.

func dupinstNode() string { return gogetenv("COMPUTERNAME") }
func dupinstPID() uint64  { return 0 }
func dupinstWall() uint64 { return 0 }
