//go:build dupinst_runtime

package core

import "unsafe"

// Functions of the system's library, as variables: for these and for functions without a
// body the linker makes the address of a symbol that is imported a load from the table of
// what is, but the compiler has such functions only where an assembler's file defines them.

//go:cgo_import_dynamic libc_open open "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic libc_unlink unlink "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic libc_mkdir mkdir "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic libc_rename rename "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic libc_getcwd getcwd "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic libc_clock_gettime clock_gettime "/usr/lib/libSystem.B.dylib"

//go:linkname dupinstLibOpen libc_open
//go:linkname dupinstLibUnlink libc_unlink
//go:linkname dupinstLibMkdir libc_mkdir
//go:linkname dupinstLibRename libc_rename
//go:linkname dupinstLibGetcwd libc_getcwd
//go:linkname dupinstLibClock libc_clock_gettime
var dupinstLibOpen, dupinstLibUnlink, dupinstLibMkdir, dupinstLibRename, dupinstLibGetcwd, dupinstLibClock byte

// dupinstCall calls a function of the system's library, again while it is interrupted.
func dupinstCall(f, a1, a2, a3 uintptr) (int32, int32) {
	for {
		switch r, errno := dupinstSyscall(f, a1, a2, a3); {
		case int32(r) != -1:
			return int32(r), 0
		case errno != dupinstEINTR:
			return -1, int32(errno)
		}
	}
}

func dupinstClose(fd int32) { closefd(fd) }

func dupinstUnlink(p *byte) {
	dupinstCall(uintptr(unsafe.Pointer(&dupinstLibUnlink)), uintptr(unsafe.Pointer(p)), 0, 0)
}

func dupinstMkdir(p *byte) {
	dupinstCall(uintptr(unsafe.Pointer(&dupinstLibMkdir)), uintptr(unsafe.Pointer(p)), 0o777, 0)
}

func dupinstCreate(p *byte) (fd, errno int32) {
	const flags = 0x1 | 0x200 | 0x400 | 0x1000000 // O_WRONLY|O_CREAT|O_TRUNC|O_CLOEXEC
	return dupinstCall(uintptr(unsafe.Pointer(&dupinstLibOpen)), uintptr(unsafe.Pointer(p)), flags, 0o666)
}

func dupinstWriteFD(fd int32, b unsafe.Pointer, n int32) (int32, int32) {
	for {
		switch r := write1(uintptr(fd), b, n); {
		case r >= 0:
			return r, 0
		case r != -dupinstEINTR:
			return 0, -r
		}
	}
}

func dupinstRename(from, to *byte) int32 {
	_, errno := dupinstCall(uintptr(unsafe.Pointer(&dupinstLibRename)), uintptr(unsafe.Pointer(from)), uintptr(unsafe.Pointer(to)), 0)
	return errno
}

// dupinstGetwd puts the working directory into b, and returns its length, 0 if there is
// none.
func dupinstGetwd(b *byte, size uintptr) int {
	if r, _ := dupinstSyscall(uintptr(unsafe.Pointer(&dupinstLibGetcwd)), uintptr(unsafe.Pointer(b)), size, 0); r == 0 {
		return 0
	}
	return findnull(b)
}

// dupinstCPU is the processor time that the process has used, in nanoseconds.
func dupinstCPU() uint64 {
	const processTime = 12 // CLOCK_PROCESS_CPUTIME_ID
	var t [2]int64         // a struct timespec
	dupinstCall(uintptr(unsafe.Pointer(&dupinstLibClock)), processTime, uintptr(unsafe.Pointer(&t)), 0)
	return uint64(t[0])*1_000_000_000 + uint64(t[1])
}

// What these say on Linux is not found out here.

func dupinstNode() string { return "" }
func dupinstPID() uint64  { return 0 }
func dupinstWall() uint64 { return 0 }
