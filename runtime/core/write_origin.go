package core

// Which process this is (profile/format, Origin), as far as it is known; dupinstIdentify finds it out
// when the program begins.
var (
	dupinstProgram, dupinstModule, dupinstHost, dupinstRelease, dupinstLabels string
	dupinstProcess, dupinstStarted                                            uint64
	// dupinstID is the go command's build ID, which the linker is told (package gobuild).
	dupinstID string
)

func (w *dupinstWriter) dupinstOrigin() {
	for _, s := range [...]string{dupinstProgram, dupinstID, dupinstModule, dupinstHost, dupinstRelease, dupinstVersion, dupinstLabels} {
		w.dupinstString(s)
	}
	for _, v := range [...]uint64{dupinstProcess, dupinstStarted, dupinstWall(), 1} {
		w.dupinstUvarint(v)
	}
}

// dupinstHead are the lines of a program's build information before those of what it depends on.
func dupinstHead(info string) string {
	for i := 0; i+5 < len(info); i++ {
		if info[i] == '\n' && (info[i+1:i+5] == "dep\t" || info[i+1:i+6] == "build") {
			return info[:i+1]
		}
	}
	return info
}

// dupinstLabelled reads labels as name=value, comma-separated.
func dupinstLabelled(s string) bool {
	for begin, i, named := 0, 0, false; ; i++ {
		switch {
		case i == len(s) || s[i] == ',':
			if !named {
				return false
			}
			if i == len(s) {
				return true
			}
			begin, named = i+1, false
		case s[i] == '=' && !named:
			if named = i > begin; !named {
				return false
			}
		}
	}
}
