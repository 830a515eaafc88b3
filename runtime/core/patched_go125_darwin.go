//go:build dupinst_runtime && !go1.26

package core

// dupinstSyscall calls a function of C's. What is passed on the stack there, too, as
// open's third argument is on arm64, is so where there are three.
func dupinstSyscall(f, a1, a2, a3 uintptr) (r, errno uintptr) {
	r, _, errno = syscall_rawSyscall(f, a1, a2, a3)
	return r, errno
}
