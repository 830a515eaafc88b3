//go:build dupinst_runtime && go1.26

package core

import linux "internal/runtime/syscall/linux"

func dupinstSyscall6(num, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2, errno uintptr) {
	return linux.Syscall6(num, a1, a2, a3, a4, a5, a6)
}

// dupinstNoneIdle forgets the threads that wait for work, each, for it knows of itself whether it is among them.
func dupinstNoneIdle() {
	for sched.midle.pop() != nil {
	}
}
