//go:build !windows

package core

const (
	dupinstSeparator   = '/'
	dupinstNoDirectory = 2 // ENOENT, of a file in a directory that does not exist
	dupinstEINTR       = 4
)

// dupinstErrorName says what the number of an error stands for that a writer meets; most
// are the same on every Unix.
func dupinstErrorName(e int32) string {
	switch e {
	case dupinstNoDirectory:
		return "no such file or directory"
	case 5:
		return "input/output error"
	case 13:
		return "permission denied"
	case 20:
		return "not a directory"
	case 24:
		return "too many open files"
	case 27:
		return "file too large"
	case 28:
		return "no space left on device"
	case 30:
		return "read-only file system"
	case dupinstEDQUOT:
		return "disk quota exceeded"
	}
	return ""
}
