package core

import "unsafe"

// Paths that go on in what is called (Shadow Profiling, CGO 2007, §4.2) are made of paths through functions. One that goes
// through all of its function, from its beginning to its return, is part of its caller's, which is part of its own
// caller's, unless one of them goes round a loop meanwhile: a loop in what is called is no part of the caller's path, and
// its rounds are paths of their own. So each path through a function is part of one path alone, the largest that it is in, and
// what is counted are those. Where one has very many parts, what more is called is left out of it, and counted for itself.
//
// A path is known if it is known from its beginning on: what was begun before the window or the sample is not counted, nor
// part of anything, and what goes on behind it is not counted either. A sample of one check has nothing of what is called.
//
// They are nodes, alike ones once: a path through a function behind what it has come by, or of a sequence of such the last one behind
// the rest.

// The nodes' bounds.
const (
	dupinstPartBits  = 20 // their index has as many places again
	dupinstMostParts = 32 // paths in one
)

// What a path has come by in what was called, as the compiler knows it: nothing, or what is not known. Others are nodes. That
// there is no caller whose path it could be part of is 0, as in a goroutine that begins.
const (
	dupinstOutermost = 0
	dupinstNothing   = 1
	dupinstUnknown   = 2
	dupinstFirstPart = 3
)

// What a sequence ends with that is no node.
const (
	dupinstRoundIn = 1 // in the lowest bits of the address of a function's paths: it has gone round a loop
	dupinstLeftOut = 2 // there was more
)

// How a path ends, in the lowest bits of its counter's address.
const (
	dupinstReturns = 1
	dupinstFramed  = 2
)

// A dupinstPart is a node.
type dupinstPart struct {
	what   uintptr // a function's paths, of which it is one, or what a sequence ends with
	path   uint32  // which
	behind uint32  // what comes before
	parts  uint32  // paths that it consists of
	n      uint64  // events
}

type dupinstPartTable struct {
	busy   uint32
	n      uint32 // nodes, from dupinstFirstPart on
	shared uint32 // nodes that a shadow has in common with its parent
	nodes  [1 << dupinstPartBits]dupinstPart
	spread [1 << dupinstPartBits]dupinstSpread
	index  [2 << dupinstPartBits]uint32
}

var dupinstParts uintptr // the table, once there is an event

func dupinstPartsOf() *dupinstPartTable {
	at := dupinstLoad(&dupinstParts)
	if at == 0 {
		made := dupinstAllocate(unsafe.Sizeof(dupinstPartTable{}))
		t := (*dupinstPartTable)(dupinstPtr(made))
		t.n, t.shared = dupinstFirstPart, dupinstFirstPart
		dupinstCas(&dupinstParts, 0, made)
		at = dupinstLoad(&dupinstParts)
	}
	return (*dupinstPartTable)(dupinstPtr(at))
}

// dupinstJoined is the node of a path, or what else it is, behind something, or dupinstUnknown where there is no room.
func (t *dupinstPartTable) dupinstJoined(behind uint32, what, path uintptr) uint32 {
	is := dupinstPart{what: what, path: uint32(path), behind: behind}
	at, found := t.dupinstFind(dupinstMix((uint64(behind)<<32|uint64(path))*0x9e3779b97f4a7c15^uint64(what)), &is)
	if found != 0 {
		return found
	}
	for !dupinstCas32(&t.busy, 0, 1) {
		dupinstYield()
	}
	if at, found = t.dupinstFind(at, &is); found == 0 {
		if t.n == 1<<dupinstPartBits {
			found = dupinstUnknown
			dupinstXadd(&dupinstTotal.dropped, 1)
		} else {
			found = t.n
			is.parts = t.dupinstLength(behind) + 1
			if dupinstIsPart(what) {
				is.parts = t.dupinstLength(behind) + t.nodes[what].parts
			}
			t.nodes[found] = is
			dupinstStore32(&t.index[at&(2<<dupinstPartBits-1)], found)
			dupinstStore32(&t.n, found+1)
		}
	}
	dupinstStore32(&t.busy, 0)
	return found
}

// dupinstFind looks for a node from a place on, and returns the place.
func (t *dupinstPartTable) dupinstFind(from uint64, is *dupinstPart) (at uint64, found uint32) {
	for ; ; from++ {
		n := dupinstLoad32(&t.index[from&(2<<dupinstPartBits-1)])
		if c := &t.nodes[n]; n == 0 || c.behind == is.behind && c.what == is.what && c.path == is.path {
			return from, n
		}
	}
}

// dupinstLength is how many paths there are in something.
func (t *dupinstPartTable) dupinstLength(behind uint32) uint32 {
	if behind < dupinstFirstPart {
		return 0
	}
	return t.nodes[behind].parts
}

// dupinstIsPart tells nodes from addresses and dupinstLeftOut.
func dupinstIsPart(what uintptr) bool { return dupinstFirstPart <= what && what < 1<<dupinstPartBits }

// dupinstNumberMask is of the number of a window or a sample in a word.
const dupinstNumberMask = ^uintptr(0) - (1<<(unsafe.Sizeof(uintptr(0))*4) - 1)

// dupinstFresh gives paths a new number where a sample begins before which checks began none: no path goes on from before.
//
//go:norace
func (p *dupinstG) dupinstFresh() {
	if p.load != 0 {
		p.window = uintptr(dupinstMix(uint64(p.window)+p.id)|1<<63) & dupinstNumberMask
		p.begins = p.window
	}
}

// dupinstOf is what a word stands for, if it is of the window or sample that p is in.
func (p *dupinstG) dupinstOf(word uintptr) uint32 {
	if word&dupinstNumberMask != p.window&dupinstNumberMask {
		return dupinstUnknown
	}
	return uint32(word &^ dupinstNumberMask)
}

// dupinstPathEnds makes a path part of its caller's, or counts it. The path is its counter's address with how it ends; what its
// caller has come by is in sum where the frame has kept it. It is unbroken if all was counted since the window, or the sample, began.
func (p *dupinstG) dupinstPathEnds(paths *dupinstPaths, path uintptr, weight uint64, unbroken bool) {
	t := dupinstPartsOf()
	how := path & (dupinstReturns | dupinstFramed)
	path = paths.dupinstIndex(path &^ how)
	within, outside := uint32(dupinstNothing), p.across
	if how&dupinstFramed != 0 {
		within, outside = p.dupinstOf(p.across), p.sum
	}
	is := uint32(dupinstUnknown)
	if within != dupinstUnknown && unbroken {
		is = t.dupinstJoined(within, uintptr(unsafe.Pointer(paths)), path)
	}
	if how&dupinstReturns == 0 {
		t.dupinstCount(is, weight)
		return
	}
	through := path < paths.through
	before := p.dupinstOf(outside)
	switch {
	case before == dupinstUnknown, is == dupinstUnknown:
		if !through {
			t.dupinstCount(is, weight)
		}
		before = dupinstUnknown
	case before == dupinstOutermost:
		t.dupinstCount(is, weight)
	default:
		what, parts := uintptr(is), t.dupinstLength(is)
		if !through {
			what, parts = uintptr(unsafe.Pointer(paths))|dupinstRoundIn, 1
			t.dupinstCount(is, weight)
		}
		if t.dupinstLength(before)+parts <= dupinstMostParts {
			before = t.dupinstJoined(before, what, 0)
			break
		}
		if through {
			t.dupinstCount(is, weight)
		}
		if before == dupinstNothing || t.nodes[before].what != dupinstLeftOut {
			before = t.dupinstJoined(before, dupinstLeftOut, 0)
		}
	}
	p.across = p.window&dupinstNumberMask | uintptr(before)
}

func (t *dupinstPartTable) dupinstCount(is uint32, weight uint64) {
	if is != dupinstUnknown {
		dupinstXadd(&t.nodes[is].n, weight)
	}
}

// dupinstBatchAcross ends a batch of windows.
func dupinstBatchAcross() {
	at := dupinstLoad(&dupinstParts)
	if at == 0 {
		return
	}
	t := (*dupinstPartTable)(dupinstPtr(at))
	for i := range dupinstLoad32(&t.n) {
		if n := dupinstLoad64(&t.nodes[i].n); n > 0 {
			t.spread[i].dupinstEnd(n)
		}
	}
}

// dupinstPack puts in the nodes that are the shadow's own, in order, what each is and what that is behind, and its counts,
// each a node and how many. The nodes end with a zero.
func (t *dupinstPartTable) dupinstPack(p *dupinstParcel) {
	all := dupinstLoad32(&t.n)
	p.dupinstPut(uint64(t.shared))
	const ends = 8
	packed := t.shared
	for ; packed < all && p.n+2+ends <= p.room; packed++ {
		c := &t.nodes[packed]
		p.dupinstPut(uint64(c.what), uint64(c.behind)<<32|uint64(c.path))
	}
	p.dupinstPut(0)
	for i := uint32(dupinstFirstPart); i < all; i++ {
		switch n := dupinstLoad64(&t.nodes[i].n); {
		case n == 0:
		case i < packed:
			p.dupinstEntry(n, uint64(i))
		default:
			p.lost += n
		}
	}
}

// dupinstUnpack adds what a shadow has counted. The words of its nodes become what they are here.
func (t *dupinstPartTable) dupinstUnpack(p *dupinstParcel) {
	shared := p.dupinstGet()
	first := p.n
	here := func(node uint64) uint64 {
		if node < shared {
			return node
		}
		at := first + uintptr(node-shared)*2
		if at >= p.n {
			return dupinstUnknown
		}
		return *(*uint64)(dupinstPtr(p.words + at*8))
	}
	for what := p.dupinstGet(); what != 0; what = p.dupinstGet() {
		known := true
		if dupinstIsPart(uintptr(what)) {
			what = here(what)
			known = what != dupinstUnknown
		}
		word := p.dupinstGet()
		behind, is := here(word>>32), uint32(dupinstUnknown)
		if known && behind != dupinstUnknown {
			is = t.dupinstJoined(uint32(behind), uintptr(what), uintptr(uint32(word)))
		}
		*(*uint64)(dupinstPtr(p.words + (p.n-2)*8)) = uint64(is)
	}
	for node := p.dupinstGet(); node != 0; node = p.dupinstGet() {
		if is, n := here(node), p.dupinstGet(); is == dupinstUnknown {
			dupinstXadd(&dupinstTotal.dropped, n)
		} else {
			t.dupinstCount(uint32(is), n)
		}
	}
}

// dupinstForget sets counts to zero in a shadow, which goes on with its parent's nodes.
func (t *dupinstPartTable) dupinstForget() {
	t.busy, t.shared = 0, t.n
	for i := range t.n {
		if c := &t.nodes[i]; c.n > 0 {
			c.n = 0
		}
	}
}

// Marks of a path that goes on in what is called, as they are written: sites have a package and a number behind them.
const (
	dupinstMarkSite   = 0
	dupinstMarkOpens  = 1 // a call
	dupinstMarkCloses = 2
	dupinstMarkRounds = 3 // what is called, by one of its sites, has gone round a loop
	dupinstMarkMore   = 4 // more is called
)

// A dupinstMarks goes along a path, and writes its marks or, without a writer, finds out what there are.
type dupinstMarks struct {
	t      *dupinstPartTable
	w      *dupinstWriter
	listed dupinstListed
	n      uint64
	first  uintptr // the counter of the first site
	lacks  bool    // a package that is not listed
}

func (m *dupinstMarks) dupinstMark(mark byte) {
	m.n++
	if m.w != nil {
		m.w.dupinstByte(mark)
	}
}

func (m *dupinstMarks) dupinstSite(mark byte, counter uintptr) {
	if m.first == 0 {
		m.first = counter
	}
	if !m.listed.dupinstHas(counter) {
		m.lacks = true
		return
	}
	m.dupinstMark(mark)
	if m.w != nil {
		m.w.dupinstUvarint(m.listed.ordinal)
		m.w.dupinstUvarint(m.listed.dupinstNumbered(counter))
	}
}

// dupinstPath goes along a path through a function, and along what it has come by.
func (m *dupinstMarks) dupinstPath(node uint32) {
	is := &m.t.nodes[node]
	walk := (*dupinstPaths)(dupinstPtr(is.what)).dupinstWalk(uintptr(is.path))
	for counter := walk.dupinstSite(); counter != 0; counter = walk.dupinstSite() {
		m.dupinstSite(dupinstMarkSite, counter)
	}
	m.dupinstSequence(is.behind)
}

func (m *dupinstMarks) dupinstSequence(node uint32) {
	if node < dupinstFirstPart {
		return
	}
	is := &m.t.nodes[node]
	m.dupinstSequence(is.behind)
	switch what := is.what; {
	case what == dupinstLeftOut:
		m.dupinstMark(dupinstMarkMore)
	case dupinstIsPart(what):
		m.dupinstMark(dupinstMarkOpens)
		m.dupinstPath(uint32(what))
		m.dupinstMark(dupinstMarkCloses)
	default:
		paths := (*dupinstPaths)(dupinstPtr(what &^ dupinstRoundIn))
		for i := range paths.n {
			walk := paths.dupinstWalk(i)
			if counter := walk.dupinstSite(); counter != 0 {
				m.dupinstSite(dupinstMarkRounds, counter)
				return
			}
		}
	}
}

// dupinstWriteAcross writes the paths that were counted, as dupinstWritePaths does. One without any site has no name.
func (w *dupinstWriter) dupinstWriteAcross(head uintptr) {
	at := dupinstLoad(&dupinstParts)
	if at == 0 {
		return
	}
	t := (*dupinstPartTable)(dupinstPtr(at))
	listed := dupinstListed{head: head}
	for i := uint32(dupinstFirstPart); i < dupinstLoad32(&t.n); i++ {
		n := w.dupinstTake(&t.nodes[i].n)
		if n == 0 {
			continue
		}
		marks := dupinstMarks{t: t, listed: listed}
		marks.dupinstPath(i)
		if marks.lacks || marks.first == 0 {
			continue
		}
		listed = marks.listed
		listed.dupinstHas(marks.first)
		w.dupinstEntry(n, &t.spread[i], listed.ordinal, listed.dupinstNumbered(marks.first))
		w.dupinstNamed("", "", 0, dupinstCross)
		w.dupinstUvarint(marks.n)
		marks = dupinstMarks{t: t, w: w, listed: listed}
		marks.dupinstPath(i)
	}
}
