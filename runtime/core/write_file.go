package core

import "unsafe"

// Where profiles go, from DUPINST_DIR and DUPINST_PERIOD.
var (
	dupinstDir    string // none: nothing is ever written
	dupinstPeriod int64  // nanoseconds between two writes while running; 0: none
)

// The two writers: one for the thread that writes periodically, one for
// whoever ends the process, who may have interrupted the first for good. What is large
// of them has no pointers: the collector paces itself by how much of the program's
// variables it may have to scan.
var (
	dupinstWriters = [2]dupinstWriter{{buf: &dupinstBuffers[0]}, {buf: &dupinstBuffers[1]}}
	dupinstBuffers [2]dupinstBuffer
	dupinstPlaces  [2]struct{ name, temp dupinstPath }
)

var (
	dupinstUnique   uint64 // makes this process's file name its own
	dupinstFinal    uint32 // set once the last write has begun
	dupinstReported uint32 // set once a failure has been printed
)

// A dupinstPath is a zero-terminated path of bounded length.
type dupinstPath struct {
	b [1024]byte
	n int
}

func (p *dupinstPath) dupinstAdd(s string) {
	for i := 0; i < len(s) && p.n < len(p.b)-1; i++ {
		p.b[p.n] = s[i]
		p.n++
	}
	p.b[p.n] = 0
}

func (p *dupinstPath) dupinstHex(v uint64) {
	const digits = "0123456789abcdef"
	var b [16]byte
	for i := range b {
		b[15-i] = digits[v&15]
		v >>= 4
	}
	for _, c := range b {
		if p.n < len(p.b)-1 {
			p.b[p.n] = c
			p.n++
		}
	}
	p.b[p.n] = 0
}

// dupinstSave writes the profile. which is 0 for the periodic writer, 1 for the
// last write.
func dupinstSave(which int) {
	dupinstSaveAs(which, dupinstUnique, ".dupinst", (*dupinstWriter).dupinstProfile)
}

// dupinstSaveEnded writes a profile that ends, and takes it out of the counters. The
// process has another name from then on, so that no later write replaces it.
func dupinstSaveEnded() {
	w := &dupinstWriters[0]
	dupinstStore32(&w.busy, 1)
	if dupinstLoad32(&dupinstFinal) == 0 {
		ended := dupinstUnique
		dupinstUnique = dupinstMix(ended)
		w.reset = true
		dupinstSaveAs(0, ended, ".dupinst", (*dupinstWriter).dupinstProfile)
		w.reset = false
	}
	dupinstStore32(&w.busy, 0)
}

// dupinstSaveAs writes a file of the name that unique makes, with extension ext: first
// a temporary one, which it then renames, so that a reader sees the whole of
// one state or of the one before.
func dupinstSaveAs(which int, unique uint64, ext string, write func(*dupinstWriter)) {
	w := &dupinstWriters[which]
	name, temp := &dupinstPlaces[which].name, &dupinstPlaces[which].temp
	name.n = 0
	name.dupinstAdd(dupinstDir)
	name.dupinstAdd("/")
	name.dupinstHex(unique)
	*temp = *name
	name.dupinstAdd(ext)
	temp.dupinstAdd([2]string{".tmp0", ".tmp1"}[which])
	if temp.n >= len(temp.b)-1 {
		dupinstReport("its path is too long", 0)
		return
	}
	fd, errno := dupinstCreate(&temp.b[0])
	if errno == dupinstNoDirectory {
		dupinstMkdirAll(temp)
		fd, errno = dupinstCreate(&temp.b[0])
	}
	if errno != 0 {
		dupinstReport("creating the file", errno)
		return
	}
	w.fd = fd
	write(w)
	dupinstClose(fd)
	if w.err != 0 {
		dupinstUnlink(&temp.b[0])
		dupinstReport("writing the file", w.err)
		return
	}
	if which == 0 && !w.reset && dupinstLoad32(&dupinstFinal) != 0 {
		dupinstUnlink(&temp.b[0]) // never over a later state
		return
	}
	if errno := dupinstRename(&temp.b[0], &name.b[0]); errno != 0 {
		dupinstUnlink(&temp.b[0])
		dupinstReport("renaming the file", errno)
	}
}

// dupinstMkdirAll makes the directories above the file that p names. What it
// cannot make shows when the file is created.
func dupinstMkdirAll(p *dupinstPath) {
	for i := 1; i < p.n; i++ {
		if c := p.b[i]; c == '/' || c == dupinstSeparator {
			p.b[i] = 0
			dupinstMkdir(&p.b[0])
			p.b[i] = c
		}
	}
}

// dupinstFlush writes the process's last profile, once. It is called before
// every way out of the process, also from signal handlers and fatal errors.
func dupinstFlush() {
	if dupinstLoad32(&dupinstInShadow) != 0 {
		dupinstVanish()
	}
	if len(dupinstDir) == 0 || !dupinstCas32(&dupinstFinal, 0, 1) {
		return
	}
	// A periodic write under way on another thread is left time to end.
	for i := 0; i < 100 && dupinstLoad32(&dupinstWriters[0].busy) != 0; i++ {
		dupinstSleep(1000)
	}
	dupinstSave(1)
	dupinstSaveRest()
}

// dupinstTick is one periodic write.
func dupinstTick() {
	dupinstStore32(&dupinstWriters[0].busy, 1)
	if dupinstLoad32(&dupinstFinal) == 0 {
		dupinstSave(0)
	}
	dupinstStore32(&dupinstWriters[0].busy, 0)
}

// dupinstReport prints one line, once a process, and leaves it at that: the
// program's own end must not depend on its profile.
func dupinstReport(doing string, errno int32) {
	if !dupinstCas32(&dupinstReported, 0, 1) {
		return
	}
	dupinstPrint("dupinst: cannot write a profile to ")
	dupinstPrint(dupinstDir)
	dupinstPrint(": ")
	dupinstPrint(doing)
	if errno != 0 {
		dupinstPrint(": ")
		dupinstPrint(dupinstErrno(errno))
	}
	dupinstPrint("\n")
}

func dupinstErrno(e int32) string {
	if e == -1 {
		return "no reason was given"
	}
	if s := dupinstErrorName(e); s != "" {
		return s
	}
	var b [12]byte
	i := len(b)
	for n := uint32(e); ; n /= 10 {
		i--
		b[i] = byte('0' + n%10)
		if n < 10 {
			break
		}
	}
	dupinstPrint("error number ")
	dupinstWriteFD(2, unsafe.Pointer(&b[i]), int32(len(b)-i))
	return ""
}
