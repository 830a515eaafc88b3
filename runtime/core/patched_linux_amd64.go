//go:build dupinst_runtime

package core

// System call numbers.
const (
	dupinstSysWrite     = 1
	dupinstSysOpenat    = 257
	dupinstSysMkdirat   = 258
	dupinstSysUnlinkat  = 263
	dupinstSysGetcwd    = 79
	dupinstSysRenameat2 = 316
	dupinstSysUname     = 63
	dupinstSysClock     = 228 // clock_gettime
	dupinstSysPrctl     = 157
	dupinstSysTgkill    = 234
	dupinstSysMadvise   = 28
	dupinstSysMprotect  = 10
)
