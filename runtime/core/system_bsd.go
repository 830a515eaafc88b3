//go:build !linux && !windows

package core

// These are the numbers of the BSDs, of which macOS is one.
const (
	dupinstEDQUOT  = 69
	dupinstSIGUSR1 = 30
	dupinstSIGUSR2 = 31
)
