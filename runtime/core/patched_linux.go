//go:build dupinst_runtime

package core

import "unsafe"

func dupinstClose(fd int32) { closefd(fd) }

const dupinstAtCWD = ^uintptr(99) // AT_FDCWD

// dupinstCall makes a system call, again while it is interrupted.
func dupinstCall(num, a1, a2, a3, a4 uintptr) (uintptr, int32) {
	for {
		r, _, errno := dupinstSyscall6(num, a1, a2, a3, a4, 0, 0)
		if errno != dupinstEINTR {
			return r, int32(errno)
		}
	}
}

func dupinstUnlink(p *byte) {
	dupinstCall(dupinstSysUnlinkat, dupinstAtCWD, uintptr(unsafe.Pointer(p)), 0, 0)
}

func dupinstMkdir(p *byte) {
	dupinstCall(dupinstSysMkdirat, dupinstAtCWD, uintptr(unsafe.Pointer(p)), 0o777, 0)
}

func dupinstCreate(p *byte) (fd, errno int32) {
	const flags = 0x1 | 0x40 | 0x200 | 0x80000 // O_WRONLY|O_CREAT|O_TRUNC|O_CLOEXEC
	r, errno := dupinstCall(dupinstSysOpenat, dupinstAtCWD, uintptr(unsafe.Pointer(p)), flags, 0o666)
	return int32(r), errno
}

func dupinstWriteFD(fd int32, b unsafe.Pointer, n int32) (int32, int32) {
	r, errno := dupinstCall(dupinstSysWrite, uintptr(fd), uintptr(b), uintptr(n), 0)
	if errno != 0 {
		return 0, errno
	}
	return int32(r), 0
}

func dupinstRename(from, to *byte) int32 {
	_, errno := dupinstCall(dupinstSysRenameat2, dupinstAtCWD, uintptr(unsafe.Pointer(from)), dupinstAtCWD, uintptr(unsafe.Pointer(to)))
	return errno
}

// dupinstGetwd puts the working directory into b, and returns its length, 0 if there is
// none.
func dupinstGetwd(b *byte, size uintptr) int {
	n, errno := dupinstCall(dupinstSysGetcwd, uintptr(unsafe.Pointer(b)), size, 0, 0)
	if errno != 0 {
		return 0
	}
	return int(n) - 1
}

// dupinstCPU is the processor time that the process has used, in nanoseconds.
func dupinstCPU() uint64 {
	const processTime = 2 // CLOCK_PROCESS_CPUTIME_ID
	var t [2]uintptr      // a struct timespec
	dupinstCall(dupinstSysClock, processTime, uintptr(unsafe.Pointer(&t)), 0, 0)
	return uint64(t[0])*1_000_000_000 + uint64(t[1])
}

// dupinstUname are a struct utsname.
var dupinstUname [6][65]byte

// dupinstNode is the host's name.
func dupinstNode() string {
	if _, errno := dupinstCall(dupinstSysUname, uintptr(unsafe.Pointer(&dupinstUname)), 0, 0, 0); errno != 0 {
		return ""
	}
	return gostringnocopy(&dupinstUname[1][0])
}

func dupinstPID() uint64 { return uint64(getpid()) }

// dupinstWall is the time in nanoseconds since 1970.
func dupinstWall() uint64 {
	const realTime = 0 // CLOCK_REALTIME
	var t [2]uintptr   // a struct timespec
	dupinstCall(dupinstSysClock, realTime, uintptr(unsafe.Pointer(&t)), 0, 0)
	return uint64(t[0])*1_000_000_000 + uint64(t[1])
}
