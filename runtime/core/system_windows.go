package core

const (
	dupinstSeparator   = '\\'
	dupinstNoDirectory = 3 // ERROR_PATH_NOT_FOUND

	// There are no such signals.
	dupinstSIGUSR1 = 0
	dupinstSIGUSR2 = 0
)

// dupinstErrorName says what the number of an error stands for that a writer meets.
func dupinstErrorName(e int32) string {
	switch e {
	case 2:
		return "no such file"
	case dupinstNoDirectory:
		return "no such directory"
	case 4:
		return "too many open files"
	case 5:
		return "access denied"
	case 19:
		return "write-protected"
	case 32:
		return "in use by another process"
	case 39, 112:
		return "no space left on device"
	case 123:
		return "not a valid name"
	case 206:
		return "its name is too long"
	case 267:
		return "not a directory"
	}
	return ""
}
