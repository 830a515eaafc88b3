//go:build dupinst_runtime && linux && amd64

package core

import "unsafe"

// Memory that others have, too, and that may change, is not a shadow's: to touch it ends it. A file that the program has in memory to read it, and writes to by system calls,
// as databases do, it has a copy of, which is made while the world is stopped, where it is small and in the system's memory. What it writes
// to the file then goes into that.

// System calls, and what they are given.
const (
	dupinstSysMmap    = 9
	dupinstSysMremap  = 25
	dupinstSysPreadv2 = 327

	dupinstMoveTo  = 0x1 | 0x2 // MREMAP_MAYMOVE|MREMAP_FIXED
	dupinstNoWait  = 0x8       // RWF_NOWAIT
	dupinstForBoth = 0x2       // O_RDWR
	dupinstAppend  = 0x400     // O_APPEND

	dupinstNoReserve = 0x4000 // MAP_NORESERVE
)

// dupinstCopiesSize is how much is copied at most, which takes some milliseconds.
const dupinstCopiesSize = 16 << 20

// A dupinstMapping is memory that a process has, as the list of what is mapped where says.
type dupinstMapping struct {
	from, to         uintptr
	writable, shared bool
	offset           uintptr // in the file
	dupinstInode
}

// A dupinstCopy is one of what a file has in some memory. What follows it there is past the file's end: a shadow has zeroes, up to where it writes.
type dupinstCopy struct {
	dupinstMapping
	at, n uintptr // where it is, and its size, in whole pages
	size  uintptr // of the file, in bytes; 0 when it is no longer known
}

// dupinstCopies are those that a shadow is to have, in memory that the process and it both have: no page of it is copied when either writes to it. There is
// one shadow at a time.
var dupinstCopies struct {
	memory uintptr
	used   uintptr
	n      uintptr
	copies [8]dupinstCopy
}

// dupinstCopyMapped makes them, when the world is stopped and it is known which files are open.
func dupinstCopyMapped() {
	c := &dupinstCopies
	c.n, c.used = 0, 0
	written := false
	for i := range dupinstOpenFiles.n {
		_, of := dupinstOpenForBoth(dupinstOpenFiles.files[i].dupinstInode)
		written = written || of
	}
	m := &dupinstMaps
	if !written || !m.dupinstBegin() {
		return
	}
	for mapping, ok := m.dupinstNext(); ok; mapping, ok = m.dupinstNext() {
		if fd, written := dupinstOpenForBoth(mapping.dupinstInode); written && mapping.shared && !mapping.writable {
			dupinstCopyFrom(fd, mapping)
		}
	}
	m.dupinstEnd()
}

// dupinstOpenForBoth finds a file's descriptor by which it may be read and written. What is written to a file that is open to append goes to its end, whatever is asked for.
func dupinstOpenForBoth(inode dupinstInode) (fd uintptr, ok bool) {
	for i := range dupinstOpenFiles.n {
		f := &dupinstOpenFiles.files[i]
		if f.kind != dupinstIsRegular || f.dupinstInode != inode {
			continue
		}
		if !f.told || f.flags&dupinstAppend != 0 {
			return 0, false
		}
		if f.flags&dupinstAccess == dupinstForBoth {
			fd, ok = f.fd, true
		}
	}
	return fd, ok
}

// dupinstCopyFrom copies what is mapped of a file, unless there is no room, or some would be read from a disk.
func dupinstCopyFrom(fd uintptr, mapping dupinstMapping) {
	c := &dupinstCopies
	s, size := &dupinstFileStat, uintptr(0)
	if s.dupinstAsked(fd) >= 0 && s.size > mapping.offset {
		size = min(s.size-mapping.offset, mapping.to-mapping.from)
	}
	n := alignUp(size, physPageSize)
	if size == 0 || c.used+n > dupinstCopiesSize || c.n == uintptr(len(c.copies)) || !dupinstQuiet(fd) {
		return
	}
	if c.memory == 0 {
		at, _, errno := dupinstSyscall6(dupinstSysMmap, 0, dupinstCopiesSize, _PROT_READ|_PROT_WRITE, dupinstMapShared|dupinstMapAnonymous, ^uintptr(0), 0)
		if errno != 0 {
			return
		}
		c.memory = at
	}
	at := c.memory + c.used
	part := [2]uintptr{at, size} // a struct iovec
	r, _, errno := dupinstSyscall6(dupinstSysPreadv2, fd, uintptr(unsafe.Pointer(&part)), 1, mapping.offset, 0, dupinstNoWait)
	if errno != 0 || r != size {
		return
	}
	memclrNoHeapPointers(dupinstPtr(at+size), n-size)
	c.copies[c.n] = dupinstCopy{mapping, at, n, s.size}
	c.n++
	c.used += n
}

// dupinstUnshare has a shadow have its copies, and takes away what else may change: a file that is open for writing, and what the program itself may write to. What it tells by it
// keeps.
func dupinstUnshare() bool {
	m := &dupinstMaps
	if !m.dupinstBegin() {
		return false
	}
	for mapping, ok := m.dupinstNext(); ok; mapping, ok = m.dupinstNext() {
		own := mapping.from == dupinstSharedWith || mapping.from == dupinstCopies.memory
		if mapping.shared && !own && (mapping.writable || dupinstOpenForWriting(mapping.number)) && !dupinstProtect(mapping.from, mapping.to, _PROT_NONE) {
			return false
		}
	}
	m.dupinstEnd()
	for i := range dupinstCopies.n {
		c := &dupinstCopies.copies[i]
		at := dupinstAsk(dupinstSysMremap, c.at, 0, c.n, dupinstMoveTo, c.from) // it stays where it was, too
		if dupinstFailed(at) || !dupinstProtect(c.from, c.from+c.n, _PROT_READ) {
			return false
		}
		if end := c.from + c.n; end < c.to {
			const kind = _MAP_ANON | _MAP_PRIVATE | _MAP_FIXED | dupinstNoReserve
			if _, _, errno := dupinstSyscall6(dupinstSysMmap, end, c.to-end, _PROT_READ|_PROT_WRITE, kind, ^uintptr(0), 0); errno != 0 {
				c.to = end
			}
		}
	}
	return true
}

// dupinstProtect has memory be used but so. It may be in a signal handler.
func dupinstProtect(from, to uintptr, as uintptr) bool {
	_, _, errno := dupinstSyscall6(dupinstSysMprotect, from, to-from, as, 0, 0, 0)
	return errno == 0
}

// dupinstWroteAt has what is said to have been written to a file, at an offset, be in its copy. It may be in a signal handler.
func dupinstWroteAt(f *dupinstFile, from, n, offset uintptr) {
	for i := range dupinstCopies.n {
		c := &dupinstCopies.copies[i]
		if c.dupinstInode == f.dupinstInode {
			end := c.offset + c.n
			dupinstMoveInto(c.at, c.offset, end, from, offset, n)
			dupinstMoveInto(c.from+c.n, end, c.offset+c.to-c.from, from, offset, n)
			c.dupinstHas(offset + n)
		}
	}
}

// dupinstMoveInto moves as much of n bytes that a file has from an offset on as is in a part of the file, which memory has.
func dupinstMoveInto(memory, first, end, from, offset, n uintptr) {
	a, b := max(offset, first), min(offset+n, end)
	if a < b {
		memmove(dupinstPtr(memory+a-first), dupinstPtr(from+a-offset), b-a)
	}
}

// dupinstHas has the file be no shorter, where its size is known.
func (c *dupinstCopy) dupinstHas(size uintptr) {
	for {
		old := dupinstLoad(&c.size)
		if old == 0 || old >= size || dupinstCas(&c.size, old, size) {
			return
		}
	}
}

// dupinstChanged takes a file's copy away, as that is not known any more, but for a new size where it is longer than what is mapped. It may be in a signal handler.
func dupinstChanged(f *dupinstFile, size uintptr) {
	for i := range dupinstCopies.n {
		c := &dupinstCopies.copies[i]
		if c.dupinstInode != f.dupinstInode {
			continue
		}
		if size >= max(c.offset+c.to-c.from, dupinstLoad(&c.size)) {
			c.dupinstHas(size)
			continue
		}
		dupinstStore(&c.size, 0)
		if !dupinstProtect(c.from, c.to, _PROT_NONE) {
			dupinstVanish()
		}
	}
}

// dupinstSizeOf is the size of a file that has been written to, or 0 if that is not known.
func dupinstSizeOf(f *dupinstFile) uintptr {
	for i := range dupinstCopies.n {
		if c := &dupinstCopies.copies[i]; c.dupinstInode == f.dupinstInode {
			return dupinstLoad(&c.size)
		}
	}
	return 0
}

// dupinstMapFor gives the program in a shadow a file's memory, to read it, where that does not change: as memory of the shadow's own. It may be in a signal handler.
func dupinstMapFor(c *sigctxt) uint64 {
	f := dupinstFileOf(c.r8())
	if f.is != dupinstReadable || c.rdx()&_PROT_WRITE != 0 || dupinstHasWritten(f) || dupinstOpenForWriting(f.number) {
		dupinstVanish()
	}
	const kinds = 0xf // MAP_TYPE
	flags := uintptr(c.r10())&^kinds | _MAP_PRIVATE
	at, _, errno := dupinstSyscall6(dupinstSysMmap, uintptr(c.rdi()), uintptr(c.rsi()), uintptr(c.rdx()), flags, uintptr(c.r8()), uintptr(c.r9()))
	if errno != 0 {
		return uint64(-errno)
	}
	return uint64(at)
}

// A dupinstMapsReader reads the list of what is mapped where.
type dupinstMapsReader struct {
	fd    int32
	at, n int32
	last  byte // that was read
	buf   [4096]byte
}

var dupinstMaps dupinstMapsReader

// dupinstBegin opens the list of the process that asks.
func (m *dupinstMapsReader) dupinstBegin() bool {
	var name = [...]byte{'/', 'p', 'r', 'o', 'c', '/', 's', 'e', 'l', 'f', '/', 'm', 'a', 'p', 's', 0}
	m.fd, m.at, m.n, m.last = open(&name[0], dupinstCloseOnExec, 0), 0, 0, 0
	return m.fd >= 0
}

func (m *dupinstMapsReader) dupinstEnd() { closefd(m.fd) }

// dupinstNext reads a line.
func (m *dupinstMapsReader) dupinstNext() (mapping dupinstMapping, ok bool) {
	mapping.from, ok = m.dupinstHexadecimal('-')
	if !ok {
		return mapping, false
	}
	mapping.to, _ = m.dupinstHexadecimal(' ')
	m.dupinstByte() // r
	mapping.writable = m.dupinstByte() == 'w'
	m.dupinstByte() // x
	mapping.shared = m.dupinstByte() == 's'
	m.dupinstByte()
	mapping.offset, _ = m.dupinstHexadecimal(' ')
	major, _ := m.dupinstHexadecimal(':')
	minor, _ := m.dupinstHexadecimal(' ')
	mapping.device = uint64(minor&0xff | major<<8 | minor&^0xff<<12) // as struct stat has it
	mapping.number = m.dupinstDecimal()
	for m.last != '\n' && m.last != 0 {
		m.dupinstByte()
	}
	return mapping, true
}

// dupinstByte is the next byte, 0 at the end.
func (m *dupinstMapsReader) dupinstByte() byte {
	if m.at == m.n {
		m.at, m.n = 0, max(0, read(m.fd, unsafe.Pointer(&m.buf), int32(len(m.buf))))
		if m.n == 0 {
			m.last = 0
			return 0
		}
	}
	m.at++
	m.last = m.buf[m.at-1]
	return m.last
}

func (m *dupinstMapsReader) dupinstDecimal() (n uint64) {
	for c := m.dupinstByte(); c >= '0' && c <= '9'; c = m.dupinstByte() {
		n = n*10 + uint64(c-'0')
	}
	return n
}

// dupinstHexadecimal reads a number up to a byte. It reports false at the end.
func (m *dupinstMapsReader) dupinstHexadecimal(end byte) (n uintptr, ok bool) {
	for {
		c := m.dupinstByte()
		switch {
		case c == 0:
			return 0, false
		case c == end:
			return n, true
		case c >= 'a':
			n = n<<4 | uintptr(c-'a'+10)
		default:
			n = n<<4 | uintptr(c-'0')
		}
	}
}
