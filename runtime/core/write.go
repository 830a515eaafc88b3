package core

import "unsafe"

// A dupinstWriter streams a profile through a fixed buffer. Emit is called with
// each full buffer, and its failure sticks. The layout is profile/format's.
type dupinstWriter struct {
	buf  *dupinstBuffer
	n    int
	crc  uint32
	fd   int32
	err  int32 // errno of the first failure
	busy uint32
	// sink, if it is set, gets what would be written to fd. With reset, what is
	// written is taken from the counters.
	sink  func([]byte)
	reset bool
}

type dupinstBuffer [16 << 10]byte

// Constants of the layout; a test holds them against profile/format.
const (
	dupinstMagic = "dupinst\x00profile\x05"
	dupinstNext  = 1 // another package follows
	dupinstEnd   = 0
)

// Kinds of a callee's code.
const (
	dupinstPlain   = 0
	dupinstWrapper = 1 // written by the compiler; the name is the wrapper's own
	dupinstType    = 2 // no code: the type whose method was called
	dupinstKept    = 3 // no code: a value, or a type that is one
	dupinstOthers  = 4 // values that were not kept apart
	dupinstStack   = 5 // no code: a calling context, whose node follows
	dupinstWays    = 6 // no code: a path, whose sites follow
	dupinstCross   = 7 // no code: one that goes on in what is called, whose marks follow
)

func (w *dupinstWriter) dupinstByte(b byte) {
	if w.n == len(w.buf) {
		w.dupinstEmit()
	}
	w.buf[w.n] = b
	w.n++
}

func (w *dupinstWriter) dupinstEmit() {
	w.crc = dupinstChecksum(w.crc, w.buf[:w.n])
	if w.sink != nil {
		w.sink(w.buf[:w.n])
		w.n = 0
		return
	}
	for at := 0; at < w.n && w.err == 0; {
		n, errno := dupinstWriteFD(w.fd, unsafe.Pointer(&w.buf[at]), int32(w.n-at))
		if errno != 0 {
			w.err = errno
		}
		at += int(n)
	}
	w.n = 0
}

func (w *dupinstWriter) dupinstUvarint(v uint64) {
	for v >= 0x80 {
		w.dupinstByte(byte(v) | 0x80)
		v >>= 7
	}
	w.dupinstByte(byte(v))
}

func (w *dupinstWriter) dupinstString(s string) {
	w.dupinstUvarint(uint64(len(s)))
	w.dupinstText(s)
}

func (w *dupinstWriter) dupinstText(s string) {
	for len(s) > 0 {
		if w.n == len(w.buf) {
			w.dupinstEmit()
		}
		n := copy(w.buf[w.n:], s)
		w.n += n
		s = s[n:]
	}
}

// dupinstProfile writes the whole profile: settings and totals; for each linked
// package its meta-data and its counters that are not zero; the callees seen at
// run time; and a CRC-32 of all that.
func (w *dupinstWriter) dupinstProfile() {
	if dupinstWindowed {
		dupinstNotesCount()
	}
	dupinstFold(dupinstWindowed)
	w.dupinstBegin(dupinstMagic)
	w.dupinstString(dupinstBuild())
	w.dupinstOrigin()
	interval := uint64(dupinstInterval)
	if dupinstLoad32(&dupinstPhases) != 0 || dupinstLoad64(&dupinstPhasePeriod) > 0 {
		interval = 1
	}
	w.dupinstUvarint(interval)
	w.dupinstUvarint(uint64(dupinstJitterM))
	w.dupinstUvarint(dupinstSeed)
	budget := dupinstBudget
	if dupinstLoad64(&dupinstShadowRate) > 0 {
		budget = dupinstShadowBudget
	}
	t := dupinstSince()
	for _, v := range [...]uint64{
		t.checks, t.samples, t.dropped, t.weights, t.squares,
		budget, t.changes, dupinstLoad64(&dupinstMost), t.spent, t.time,
	} {
		w.dupinstUvarint(v)
	}
	if dupinstWindowed {
		for _, v := range [...]uint64{dupinstWindowRate, dupinstWindowLength, t.late, t.open, t.busy, t.moved, t.frames, dupinstBatches} {
			w.dupinstUvarint(v)
		}
	}
	if w.reset {
		dupinstBase.dupinstAdvance(&t)
		dupinstBatches = 0
	}
	head := dupinstLoad(&dupinstPackages)
	for p := head; p != 0; {
		pkg := (*DupinstPackage)(dupinstPtr(p))
		w.dupinstUvarint(dupinstNext)
		w.dupinstString(pkg.Meta)
		w.dupinstCounts(pkg)
		p = pkg.next
	}
	w.dupinstUvarint(dupinstEnd)
	nodes := w.dupinstNodes()
	w.dupinstDynamic(head)
	w.dupinstValues(head)
	w.dupinstWriteContexts(head, nodes)
	w.dupinstWritePaths(head)
	w.dupinstWriteAcross(head)
	w.dupinstUvarint(0)
	w.dupinstWriteBursts(head)
	w.dupinstMore(&t)
	w.dupinstFinish()
}

// Marks of what a file may have besides.
const (
	dupinstHasPhases  = 1
	dupinstHasBursts  = 2
	dupinstHasShadows = 3
	dupinstHasClock   = 4
	dupinstHasLabel   = 5
	dupinstHasEarly   = 6
	dupinstHasApart   = 7
	dupinstHasRounds  = 8
)

// dupinstMore writes what few files have.
func (w *dupinstWriter) dupinstMore(t *dupinstTotals) {
	switch phases := dupinstLoad32(&dupinstPhases); {
	case phases == dupinstPhasesLabelled:
		for _, v := range [...]uint64{dupinstHasLabel, t.phases, t.missed, t.phased} {
			w.dupinstUvarint(v)
		}
		w.dupinstString(dupinstLabelText())
	case phases != 0:
		for _, v := range [...]uint64{dupinstHasPhases, t.phases, t.missed, t.phased} {
			w.dupinstUvarint(v)
		}
	}
	if period := dupinstLoad64(&dupinstPhasePeriod); period > 0 {
		for _, v := range [...]uint64{dupinstHasClock, t.phases, t.missed, t.phased, period, uint64(dupinstPhaseLength), t.stood, dupinstLongestStop} {
			w.dupinstUvarint(v)
		}
	}
	if burst := dupinstBurstChecks; burst > 1 { // which may change at any time
		w.dupinstUvarint(dupinstHasBursts)
		w.dupinstUvarint(uint64(burst))
	}
	w.dupinstWriteApart(t)
	if dupinstTrapRound > 0 {
		for _, v := range [...]uint64{dupinstHasRounds, uint64(dupinstTrapRound), t.rounds + 1} { // one is going on
			w.dupinstUvarint(v)
		}
	}
	if dupinstShadowRate > 0 {
		for _, v := range [...]uint64{dupinstHasShadows, dupinstShadowRate, uint64(dupinstShadowLength), t.shadows, t.lost, t.shadowed, t.stood, dupinstLongestStop, dupinstHasEarly, t.early} {
			w.dupinstUvarint(v)
		}
	}
}

// dupinstBegin starts a file.
func (w *dupinstWriter) dupinstBegin(magic string) {
	dupinstChecksumBegin()
	w.n, w.err, w.crc = 0, 0, ^uint32(0)
	w.dupinstText(magic)
}

// dupinstFinish ends a file with its checksum.
func (w *dupinstWriter) dupinstFinish() {
	w.dupinstEmit()
	sum := ^w.crc
	for i := 0; i < 4; i++ {
		w.dupinstByte(byte(sum >> (8 * i)))
	}
	w.dupinstEmit()
}

// dupinstCounts writes pairs of a distance from the last non-zero counter and a
// count, ended by a pair of zeros.
func (w *dupinstWriter) dupinstCounts(pkg *DupinstPackage) {
	last := -1
	for i := 0; i < int(pkg.N); i++ {
		c := (*uint64)(dupinstPtr(pkg.counts + uintptr(i)*8))
		if n := w.dupinstTake(c); n != 0 {
			w.dupinstUvarint(uint64(i - last))
			w.dupinstUvarint(n)
			if dupinstWindowed {
				w.dupinstSpread(dupinstSpreadAt(pkg.spread, uintptr(i)))
			}
			last = i
		}
	}
	w.dupinstUvarint(0)
	w.dupinstUvarint(0)
}

// dupinstTake reads a counter, and sets it to zero if the profile begins anew.
func (w *dupinstWriter) dupinstTake(c *uint64) uint64 {
	if w.reset && dupinstLoad64(c) != 0 {
		return dupinstXchg64(c, 0)
	}
	return dupinstLoad64(c)
}

// dupinstDynamic writes the callees seen at run time, each with the ordinal in
// the file of its site's package.
func (w *dupinstWriter) dupinstDynamic(head uintptr) {
	taken := dupinstSlotsTaken()
	for i := range taken {
		s := dupinstSlotAt(taken, i)
		if s == nil {
			continue
		}
		n := w.dupinstTake(&s.n)
		if n == 0 {
			continue
		}
		site, pc := s.site, s.pc
		if pkg, ordinal := dupinstPackageOf(head, site); pkg != nil {
			w.dupinstEntry(n, dupinstSpreadAt(dupinstTableSpread, uintptr(i)), ordinal, uint64(site-pkg.counts)/8)
			w.dupinstNamed(dupinstName(pc))
		}
	}
}

// dupinstPackageOf returns the package that a counter is of, and its ordinal in
// the list from head on; nil if there is none.
func dupinstPackageOf(head, counter uintptr) (*DupinstPackage, uint64) {
	ordinal := uint64(0)
	for p := head; p != 0; ordinal++ {
		pkg := (*DupinstPackage)(dupinstPtr(p))
		if pkg.counts <= counter && counter < pkg.counts+pkg.N*8 {
			return pkg, ordinal
		}
		p = pkg.next
	}
	return nil, 0
}

// dupinstSpread writes what batches make of a counter, and sets that to zero as dupinstTake does.
func (w *dupinstWriter) dupinstSpread(s *dupinstSpread) {
	w.dupinstUvarint(s.dupinstRoot())
	if w.reset && s != nil {
		*s = dupinstSpread{}
	}
}

// dupinstEntry writes the count of one, whose name is to follow.
func (w *dupinstWriter) dupinstEntry(n uint64, spread *dupinstSpread, ordinal, site uint64) {
	w.dupinstUvarint(n)
	if dupinstWindowed {
		w.dupinstSpread(spread)
	}
	w.dupinstUvarint(ordinal)
	w.dupinstUvarint(site)
}

func (w *dupinstWriter) dupinstNamed(name, file string, line int32, kind byte) {
	w.dupinstString(name)
	w.dupinstString(file)
	w.dupinstUvarint(uint64(uint32(line)))
	w.dupinstByte(kind)
}
