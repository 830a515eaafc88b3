//go:build dupinst_runtime

package core

// System call numbers.
const (
	dupinstSysWrite     = 4
	dupinstSysOpenat    = 295
	dupinstSysMkdirat   = 296
	dupinstSysUnlinkat  = 301
	dupinstSysGetcwd    = 183
	dupinstSysRenameat2 = 353
	dupinstSysUname     = 122
	dupinstSysClock     = 265 // clock_gettime
)
