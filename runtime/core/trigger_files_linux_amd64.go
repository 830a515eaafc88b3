//go:build dupinst_runtime && linux && amd64

package core

import (
	"internal/runtime/atomic"
	"unsafe"
)

// A shadow may read what it can read without being noticed. A regular file or a directory that was open when it was forked it opens again, for
// reading alone, so that it has a position of its own, which is the one that the program had come to; and others it opens, where
// they are regular ones or directories of file systems that only the kernel knows of, and where the program does not watch files (inotify). What it writes
// is said to have been written, and goes nowhere; to read from what it has written to ends it, as does to open anything else. To read from
// a connection would block, so that the goroutine is parked for good, and so would to write to one: who writes must not go on and on where nobody
// can read.

// System calls, and what they are given.
const (
	dupinstSysFstat      = 5
	dupinstSysLseek      = 8
	dupinstSysFcntl      = 72
	dupinstSysFstatfs    = 138
	dupinstSysGetdents   = 217
	dupinstSysReadlinkat = 267
	dupinstSysDup3       = 292
	dupinstSysPrlimit    = 302

	dupinstDupCloseOnExec = 1030 // F_DUPFD_CLOEXEC
	dupinstFlagsOf        = 3    // F_GETFL

	dupinstForWriting  = 0x1 // O_WRONLY
	dupinstAccess      = 0x3 // O_ACCMODE
	dupinstDirectory   = 0x10000
	dupinstNoFollow    = 0x20000
	dupinstUntouched   = 0x40000  // O_NOATIME
	dupinstCloseOnExec = 0x80000  // O_CLOEXEC
	dupinstPathAlone   = 0x200000 // O_PATH

	dupinstEPERM = 1
	dupinstELOOP = 40
)

// dupinstKey is the last argument of the system calls that the shadow's own code makes, which its filter lets pass. None of them has as many.
const dupinstKey = 0x9e3779b97f4a7c15

// dupinstAsk makes a system call of the shadow's own, and gives what the system has given: a result, or an error as its negative. It may be in a signal handler.
func dupinstAsk(call, a1, a2, a3, a4, a5 uintptr) uintptr {
	r, _, errno := dupinstSyscall6(call, a1, a2, a3, a4, a5, dupinstKey)
	if errno != 0 {
		return -errno
	}
	return r
}

func dupinstFailed(r uintptr) bool { return r > ^uintptr(4095) }

// What a descriptor is to a shadow.
const (
	dupinstConnection = iota // or a pipe, or nothing
	dupinstClosed            // a file, or a terminal, that is not open
	dupinstThere             // a file that is there, and cannot be read
	dupinstReadable
)

// A dupinstFile is what is known of a descriptor.
type dupinstFile struct {
	dupinstInode
	is uint8
}

type dupinstInode struct{ device, number uint64 }

// dupinstMostFiles is how many of the program's descriptors are told apart; what has a higher number is taken for a connection.
const dupinstMostFiles = 4096

var dupinstFiles [dupinstMostFiles]dupinstFile

// Those that a shadow opens have numbers from dupinstOwnFrom on, that none of the program's has.
var (
	dupinstOwnFrom  uintptr
	dupinstOwnFiles [256]dupinstFile
	dupinstMayOpen  bool // it may open files
)

// dupinstFileOf is what is known of a descriptor.
func dupinstFileOf(fd uint64) *dupinstFile {
	if own := fd - uint64(dupinstOwnFrom); dupinstMayOpen && own < uint64(len(dupinstOwnFiles)) {
		return &dupinstOwnFiles[own]
	}
	if fd < dupinstMostFiles {
		return &dupinstFiles[fd]
	}
	return &dupinstNoFile
}

var dupinstNoFile dupinstFile

// dupinstOpenFiles are files that are open when a shadow is forked, as many as there is room for, those of low numbers first.
var dupinstOpenFiles struct {
	n     uintptr
	files [16]struct {
		dupinstInode
		kind     int
		fd       uintptr
		position uintptr
		flags    uintptr // that it was opened with
		told     bool    // the system has told both
	}
	pid uintptr // whose they are
}

// A dupinstStat is a struct stat, as far as it is needed.
type dupinstStat struct {
	dupinstInode
	_    uint64 // links
	mode uint32
	_    [20]byte
	size uintptr // bytes
	_    [88]byte
}

const (
	dupinstIsPipe      = 0o010000
	dupinstIsDirectory = 0o040000
	dupinstIsRegular   = 0o100000
	dupinstIsLink      = 0o120000
	dupinstIsSocket    = 0o140000
)

// dupinstAsked is what a descriptor is, or -1 if it is none.
func (s *dupinstStat) dupinstAsked(fd uintptr) int {
	if dupinstFailed(dupinstAsk(dupinstSysFstat, fd, uintptr(unsafe.Pointer(s)), 0, 0, 0)) {
		return -1
	}
	return int(s.mode & 0o170000)
}

// A dupinstFileList has the numbers of some descriptors, the lowest ones.
type dupinstFileList struct {
	list  int32
	at, n uintptr
	all   bool // there are no others
	buf   [2048]byte
}

// dupinstBegin asks for them.
func (l *dupinstFileList) dupinstBegin() {
	var name = [...]byte{'/', 'p', 'r', 'o', 'c', '/', 's', 'e', 'l', 'f', '/', 'f', 'd', 0}
	l.list, l.at, l.n, l.all = open(&name[0], dupinstDirectory|dupinstCloseOnExec, 0), 0, 0, false
	if l.list < 0 {
		return
	}
	if n := l.dupinstAsk(0); !dupinstFailed(n) {
		l.n = n
		l.all = uintptr(len(l.buf))-n >= dupinstEntrySize && l.dupinstAsk(n) == 0
	}
	closefd(l.list)
}

const dupinstEntrySize = 32 // of a descriptor's struct linux_dirent64, at most

// dupinstAsk has the system fill the list from there on.
func (l *dupinstFileList) dupinstAsk(from uintptr) uintptr {
	return dupinstAsk(dupinstSysGetdents, uintptr(l.list), uintptr(unsafe.Pointer(&l.buf[from])), uintptr(len(l.buf))-from, 0, 0)
}

// dupinstNext is the next number.
func (l *dupinstFileList) dupinstNext() (fd uintptr, ok bool) {
	for l.at < l.n {
		entry := unsafe.Pointer(&l.buf[l.at]) // a struct linux_dirent64
		l.at += uintptr(*(*uint16)(unsafe.Add(entry, 16)))
		name := (*[16]byte)(unsafe.Add(entry, 19))
		if name[0] == '.' {
			continue
		}
		fd = 0
		for i := 0; name[i] != 0; i++ {
			fd = fd*10 + uintptr(name[i]-'0')
		}
		if fd != uintptr(l.list) {
			return fd, true
		}
	}
	return 0, false
}

var (
	dupinstListing  dupinstFileList
	dupinstFileStat dupinstStat
)

// dupinstNoteOpen notes which files are open, and how far they have been read, when the world is stopped.
func dupinstNoteOpen() {
	o := &dupinstOpenFiles
	o.n, o.pid = 0, uintptr(getpid())
	l := &dupinstListing
	l.dupinstBegin()
	for fd, ok := l.dupinstNext(); ok && o.n < uintptr(len(o.files)); fd, ok = l.dupinstNext() {
		if kind := dupinstFileStat.dupinstAsked(fd); kind == dupinstIsRegular || kind == dupinstIsDirectory {
			f := &o.files[o.n]
			f.fd, f.kind, f.dupinstInode = fd, kind, dupinstFileStat.dupinstInode
			f.position, f.flags, f.told = dupinstFileInfo(fd)
			o.n++
		}
	}
}

var dupinstInfoText [64]byte // pos:	123, flags:	0100000

// dupinstFileInfo is how far a file has been read, and the flags that it was opened with. To ask by lseek would wait for who reads.
func dupinstFileInfo(of uintptr) (position, flags uintptr, ok bool) {
	var name dupinstPath
	name.dupinstOfFile(0, "/fdinfo/", of)
	fd := open(&name.b[0], dupinstCloseOnExec, 0)
	if fd < 0 {
		return 0, 0, false
	}
	text := &dupinstInfoText
	n := read(fd, unsafe.Pointer(text), int32(len(text)))
	closefd(fd)
	at := int32(0)
	number := func(base uintptr) (v uintptr) {
		for at < n && (text[at] < '0' || text[at] > '9') {
			at++
		}
		ok = at < n
		for ; at < n && text[at] >= '0' && text[at] <= '9'; at++ {
			v = v*base + uintptr(text[at]-'0')
		}
		return v
	}
	position = number(10)
	flags = number(8)
	return position, flags, ok
}

// dupinstOfFile makes it the path of what the system says of a process's descriptor. Process 0 is the one that asks.
func (p *dupinstPath) dupinstOfFile(pid uintptr, what string, fd uintptr) uintptr {
	p.n = 0
	p.dupinstAdd("/proc/")
	if pid == 0 {
		p.dupinstAdd("self")
	} else {
		p.dupinstDecimal(pid)
	}
	p.dupinstAdd(what)
	p.dupinstDecimal(fd)
	return uintptr(unsafe.Pointer(&p.b))
}

func (p *dupinstPath) dupinstDecimal(n uintptr) {
	if n > 9 {
		p.dupinstDecimal(n / 10)
	}
	const digits = "0123456789"
	p.dupinstAdd(digits[n%10 : n%10+1])
}

// dupinstOpenForWriting reports whether a file of that number is.
func dupinstOpenForWriting(number uint64) bool {
	for i := range dupinstOpenFiles.n {
		if f := &dupinstOpenFiles.files[i]; f.number == number && (f.flags&dupinstAccess != 0 || !f.told) {
			return true
		}
	}
	return false
}

// dupinstKeepFiles has the shadow keep nothing that its parent has open but what it opens again. It reports false where the system cannot. So far they
// have one table of descriptors: were it a copy, what the parent closes now would be open for as long as that is there.
func dupinstKeepFiles() bool {
	const unshare = 2 // CLOSE_RANGE_UNSHARE
	dupinstMayOpen = true
	if l := &dupinstListing; l.all {
		l.at = 0
		for fd, ok := l.dupinstNext(); ok; fd, ok = l.dupinstNext() {
			if fd < dupinstMostFiles {
				dupinstNoteFile(fd)
			}
		}
	} else {
		for fd := range uintptr(dupinstMostFiles) {
			dupinstNoteFile(fd)
		}
	}
	var limit [2]uint64
	dupinstAsk(dupinstSysPrlimit, 0, 7, 0, uintptr(unsafe.Pointer(&limit)), 0) // RLIMIT_NOFILE
	const most = uint64(len(dupinstOwnFiles))
	if limit[0] < 2*most {
		dupinstMayOpen = false
	} else {
		dupinstOwnFrom = uintptr(min(limit[0], 1<<14) - 2*most)
	}
	for fd := dupinstOwnFrom; dupinstMayOpen && fd < dupinstOwnFrom+uintptr(most); fd++ {
		dupinstMayOpen = dupinstFileStat.dupinstAsked(fd) < 0
	}
	if dupinstFailed(dupinstAsk(dupinstSysCloseRange, 0, 1<<32-1, unshare, 0, 0)) {
		return false
	}
	for i := range dupinstOpenFiles.n {
		dupinstReopen(i)
	}
	return true
}

// dupinstNoteFile notes what a descriptor of the program's is.
func dupinstNoteFile(fd uintptr) {
	s := &dupinstFileStat
	is := s.dupinstAsked(fd)
	if is == 0 { // nothing that has a name: events, timers, watches
		var to [16]byte
		var name dupinstPath
		n := dupinstAsk(dupinstSysReadlinkat, dupinstAtCWD, name.dupinstOfFile(0, "/fd/", fd), uintptr(unsafe.Pointer(&to)), uintptr(len(to)), 0)
		if kind := to[len("anon_inode:")]; dupinstFailed(n) || kind == 'i' || kind == '[' && to[len("anon_inode:[")] == 'f' { // inotify, [fanotify]
			dupinstMayOpen = false
		}
	}
	if is >= 0 && is != dupinstIsSocket && is != dupinstIsPipe {
		dupinstFiles[fd] = dupinstFile{s.dupinstInode, dupinstClosed}
	}
}

// dupinstReopen has the shadow have a file that was open, as far as it may.
func dupinstReopen(i uintptr) {
	o := &dupinstOpenFiles.files[i]
	if o.fd >= dupinstMostFiles || !o.told {
		return
	}
	var name dupinstPath
	path := dupinstAsk(dupinstSysOpenat, dupinstAtCWD, name.dupinstOfFile(dupinstOpenFiles.pid, "/fd/", o.fd), dupinstPathAlone|dupinstCloseOnExec, 0, 0)
	if dupinstFailed(path) {
		return
	}
	fd, is := path, uint8(dupinstThere)
	s := &dupinstFileStat
	if s.dupinstAsked(path) != o.kind || s.dupinstInode != o.dupinstInode { // it is another by now
		closefd(int32(path))
		return
	}
	if dupinstMayOpen && o.flags&dupinstAccess != dupinstForWriting && o.flags&dupinstPathAlone == 0 && dupinstQuiet(path) {
		flags := uintptr(0)
		if o.kind == dupinstIsDirectory {
			flags = dupinstDirectory
		}
		if again := dupinstAgain(path, flags); !dupinstFailed(again) && !dupinstFailed(dupinstAsk(dupinstSysLseek, again, o.position, 0, 0, 0)) {
			closefd(int32(path))
			fd, is = again, dupinstReadable
		}
	}
	if fd != o.fd {
		if dupinstFailed(dupinstAsk(dupinstSysDup3, fd, o.fd, dupinstCloseOnExec, 0, 0)) {
			return
		}
		closefd(int32(fd))
	}
	dupinstFiles[o.fd] = dupinstFile{o.dupinstInode, is}
}

// dupinstAgain opens what a descriptor is of, for reading. Where it can, that is no access.
func dupinstAgain(fd, flags uintptr) uintptr {
	var name dupinstPath
	path := name.dupinstOfFile(0, "/fd/", fd)
	flags |= dupinstCloseOnExec
	again := dupinstAsk(dupinstSysOpenat, dupinstAtCWD, path, flags|dupinstUntouched, 0, 0)
	if -again == dupinstEPERM { // it is another user's
		again = dupinstAsk(dupinstSysOpenat, dupinstAtCWD, path, flags, 0, 0)
	}
	return again
}

// dupinstQuietSystems are file systems of which nobody but the kernel hears what is read: ext4, XFS, Btrfs, tmpfs, overlayfs, ZFS, F2FS, bcachefs, SquashFS, EROFS, ramfs.
var dupinstQuietSystems = [...]uint32{0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e, 0x73717368, 0xe0f5e1e2, 0x858458f6}

// dupinstQuiet reports whether a file is on one of them.
func dupinstQuiet(fd uintptr) bool {
	var stat [15]uint64 // a struct statfs, whose first word is the kind of file system
	if dupinstFailed(dupinstAsk(dupinstSysFstatfs, fd, uintptr(unsafe.Pointer(&stat)), 0, 0, 0)) {
		return false
	}
	for _, system := range dupinstQuietSystems {
		if stat[0] == uint64(system) {
			return true
		}
	}
	return false
}

// dupinstWritten are files that the shadow is said to have written to.
var dupinstWritten struct {
	n     uint32 // as many as have been, some perhaps several times
	files [64]dupinstInode
}

// dupinstWrote notes that one is.
func dupinstWrote(fd uint64) {
	f := dupinstFileOf(fd)
	if f.is == dupinstConnection || dupinstHasWritten(f) {
		return
	}
	w := &dupinstWritten
	if i := atomic.Xadd(&w.n, 1) - 1; i < uint32(len(w.files)) {
		w.files[i] = f.dupinstInode
	}
}

// dupinstHasWritten reports whether one is, and true of all when there are too many.
func dupinstHasWritten(f *dupinstFile) bool {
	w := &dupinstWritten
	n := atomic.Load(&w.n)
	if n > uint32(len(w.files)) {
		return true
	}
	for _, inode := range w.files[:n] {
		if inode == f.dupinstInode {
			return true
		}
	}
	return false
}

// dupinstShadowSignal runs in the signal handler, and reports whether the signal was for a system call that the filter has caught. It answers that in the
// system's place, or ends the shadow, as it does where memory is touched that was taken away.
func dupinstShadowSignal(sig uint32, c *sigctxt) bool {
	const taken = 2 // SEGV_ACCERR
	if sig == _SIGSEGV && c.sigcode() == taken {
		dupinstVanish()
	}
	if sig != _SIGSYS {
		return false
	}
	dupinstAnswer(c)
	return true
}

// dupinstAnswer answers a system call. It and all that it calls run in the signal handler.
func dupinstAnswer(c *sigctxt) {
	const (
		read, write, fstat, lseek, pread, pwrite, readv, writev = 0, 1, 5, 8, 17, 18, 19, 20
		sendto, recvfrom, ftruncate, getdents64, fallocate      = 44, 45, 77, 217, 285
		openat, newfstatat, readlinkat, faccessat, faccessat2   = 257, 262, 267, 269, 439
		again                                                   = 11
		standardError                                           = 2
	)
	f := dupinstFileOf(c.rdi())
	answer := uint64(0)
	switch c.rax() {
	case write, writev, pwrite, sendto:
		if f.is == dupinstConnection && c.rdi() > standardError {
			answer = ^uint64(again - 1) // its negative
			break
		}
		dupinstWrote(c.rdi())
		answer = c.rdx() // all of it
		switch c.rax() {
		case pwrite:
			dupinstWroteAt(f, uintptr(c.rsi()), uintptr(c.rdx()), uintptr(c.r10()))
		case writev:
			answer = 0
			for i := range uintptr(c.rdx()) {
				answer += *(*uint64)(dupinstPtr(uintptr(c.rsi()) + i*16 + 8))
			}
			fallthrough
		default: // where, is not known
			dupinstChanged(f, 0)
		}
	case ftruncate:
		dupinstWrote(c.rdi())
		dupinstChanged(f, uintptr(c.rsi()))
	case fallocate:
		dupinstWrote(c.rdi())
		dupinstChanged(f, 0)
	case dupinstSysMmap:
		answer = dupinstMapFor(c)
	case recvfrom:
		answer = ^uint64(again - 1)
	case read, readv:
		if f.is == dupinstConnection {
			answer = ^uint64(again - 1)
			break
		}
		fallthrough
	case pread, lseek, getdents64:
		if f.is != dupinstReadable || dupinstHasWritten(f) {
			dupinstVanish()
		}
		answer = dupinstAskFor(c)
	case fstat:
		written := dupinstHasWritten(f)
		size := dupinstSizeOf(f)
		if f.is < dupinstThere || written && size == 0 {
			dupinstVanish()
		}
		answer = dupinstAskFor(c)
		if written && answer == 0 {
			(*dupinstStat)(dupinstPtr(uintptr(c.rsi()))).size = size
		}
	case openat:
		if !dupinstMayName(c) {
			dupinstVanish()
		}
		answer = uint64(dupinstOpenFor(c))
	case newfstatat, readlinkat, faccessat, faccessat2:
		if !dupinstMayName(c) {
			dupinstVanish()
		}
		answer = dupinstAskFor(c)
	default:
		dupinstVanish()
	}
	c.regs().rax = answer
}

// dupinstAskFor makes the system call that was caught.
func dupinstAskFor(c *sigctxt) uint64 {
	return uint64(dupinstAsk(uintptr(c.rax()), uintptr(c.rdi()), uintptr(c.rsi()), uintptr(c.rdx()), uintptr(c.r10()), uintptr(c.r8())))
}

// dupinstMayName reports whether a path means the same to the shadow: one that begins at the root, in the working directory, or in a directory that it has opened.
func dupinstMayName(c *sigctxt) bool {
	return int32(c.rdi()) == -100 || *(*byte)(dupinstPtr(uintptr(c.rsi()))) == '/' || dupinstFileOf(c.rdi()).is == dupinstReadable
}

// dupinstOpenFor opens a file for the program in a shadow, and gives its descriptor, or an error that the program would have been given. What it is, is
// looked at before it is opened: to open a pipe or a device may be seen.
func dupinstOpenFor(c *sigctxt) uintptr {
	const (
		large, nonblock   = 0x8000, 0x800
		noFile, noAccess  = 2, 13
		notIn, notAllowed = 20, dupinstEPERM
	)
	flags := uintptr(c.rdx())
	if !dupinstMayOpen || flags&^(large|nonblock|dupinstDirectory|dupinstNoFollow|dupinstUntouched|dupinstCloseOnExec) != 0 {
		dupinstVanish()
	}
	path := dupinstAsk(dupinstSysOpenat, uintptr(c.rdi()), uintptr(c.rsi()), flags&(dupinstDirectory|dupinstNoFollow)|dupinstPathAlone|dupinstCloseOnExec, 0, 0)
	if dupinstFailed(path) {
		switch -path {
		case noFile, noAccess, notIn, dupinstELOOP:
			return path
		}
		dupinstVanish() // as it has too many files open, and not the program
	}
	var s dupinstStat
	is := s.dupinstAsked(path)
	if is == dupinstIsLink {
		closefd(int32(path))
		return ^uintptr(dupinstELOOP - 1)
	}
	f := dupinstFile{s.dupinstInode, dupinstReadable}
	if is != dupinstIsRegular && is != dupinstIsDirectory || !dupinstQuiet(path) || dupinstHasWritten(&f) {
		dupinstVanish()
	}
	fd := dupinstAgain(path, flags&^dupinstNoFollow)
	closefd(int32(path))
	if -fd == noAccess || -fd == notAllowed {
		return fd
	}
	own := dupinstAsk(dupinstSysFcntl, fd, dupinstDupCloseOnExec, dupinstOwnFrom, 0, 0)
	closefd(int32(fd))
	if own-dupinstOwnFrom >= uintptr(len(dupinstOwnFiles)) { // also an error
		dupinstVanish()
	}
	dupinstOwnFiles[own-dupinstOwnFrom] = f
	return own
}
