//go:build dupinst_runtime

package core

// System call numbers.
const (
	dupinstSysWrite     = 64
	dupinstSysOpenat    = 56
	dupinstSysMkdirat   = 34
	dupinstSysUnlinkat  = 35
	dupinstSysGetcwd    = 17
	dupinstSysRenameat2 = 276
	dupinstSysUname     = 160
	dupinstSysClock     = 113 // clock_gettime
	dupinstSysPrctl     = 167
	dupinstSysTgkill    = 131
	dupinstSysMadvise   = 233
)
