package core

import "unsafe"

// Paths through functions are counted by their numbers, as the compiler's pass has numbered them
// (compiler/pass/dupinst, path.go): what sites a number came by is looked up when a profile is written.

// dupinstPaths are those of a function. Behind them stand nodes: the number of their sites, the addresses
// of those sites' counters, the number of ways, and of each what it adds to a path's number, in the upper
// half of a word, and in the lower the place of the node that it leads to, in words from here, or 0 where
// the path ends. The first leads to those that paths begin at.
type dupinstPaths struct {
	magic0, magic5 uint64
	n, counters    uintptr
	through        uintptr // the first so many begin where the function does
	spread, next   uintptr
}

var (
	dupinstPathed uintptr // the first

	// dupinstEnded is how many paths windows have counted.
	dupinstEnded uint64
)

func (p *dupinstPaths) dupinstLink() {
	p.next = dupinstPathed
	dupinstPathed = uintptr(unsafe.Pointer(p))
}

// dupinstIndex is the path of a counter.
func (p *dupinstPaths) dupinstIndex(counter uintptr) uintptr { return (counter - p.counters) / 8 }

// dupinstCounter is that of a path.
func (p *dupinstPaths) dupinstCounter(path uintptr) *uint64 {
	return (*uint64)(dupinstPtr(p.counters + path*8))
}

// dupinstBatchPaths ends a batch of windows for paths. Most are never taken, and cost no memory.
func dupinstBatchPaths() {
	for at := dupinstPathed; at != 0; {
		p := (*dupinstPaths)(dupinstPtr(at))
		for i := uintptr(0); i < p.n; i++ {
			n := dupinstLoad64(p.dupinstCounter(i))
			if n == 0 {
				continue
			}
			if p.spread == 0 {
				dupinstStore(&p.spread, dupinstAllocate(p.n*unsafe.Sizeof(dupinstSpread{})))
			}
			dupinstSpreadAt(p.spread, i).dupinstEnd(n)
		}
		at = p.next
	}
}

// dupinstWritePaths writes the paths that were counted, as dupinstDynamic writes callees, each with its
// sites. A path without any has no name, and is none of the source's.
func (w *dupinstWriter) dupinstWritePaths(head uintptr) {
	listed := dupinstListed{head: head}
	for at := dupinstPathed; at != 0; {
		p := (*dupinstPaths)(dupinstPtr(at))
		for i := uintptr(0); i < p.n; i++ {
			if n := w.dupinstTake(p.dupinstCounter(i)); n != 0 {
				w.dupinstWritePath(&listed, p, i, n)
			}
		}
		at = p.next
	}
}

// A dupinstListed finds counters' packages in the list from head on. Most are of the same one as the last. It has addresses, and no
// pointers, for which a thread that is none of the runtime's would need a write barrier.
type dupinstListed struct {
	head        uintptr
	counts, end uintptr // the last package's counters
	ordinal     uint64
}

func (l *dupinstListed) dupinstHas(counter uintptr) bool {
	if counter < l.counts || l.end <= counter {
		pkg, ordinal := dupinstPackageOf(l.head, counter)
		if pkg == nil {
			return false
		}
		l.counts, l.end, l.ordinal = pkg.counts, pkg.counts+pkg.N*8, ordinal
	}
	return true
}

// dupinstNumbered is the site of a counter that it has.
func (l *dupinstListed) dupinstNumbered(counter uintptr) uint64 {
	return uint64(counter-l.counts) / 8
}

// dupinstWritePath writes one, unless it comes by a package that has been linked since the list was begun.
func (w *dupinstWriter) dupinstWritePath(listed *dupinstListed, p *dupinstPaths, path uintptr, n uint64) {
	sites := uint64(0)
	for walk := p.dupinstWalk(path); ; sites++ {
		counter := walk.dupinstSite()
		if counter == 0 {
			break
		}
		if !listed.dupinstHas(counter) {
			return
		}
	}
	if sites == 0 {
		return
	}
	walk := p.dupinstWalk(path)
	for i := range sites {
		counter := walk.dupinstSite()
		listed.dupinstHas(counter)
		site := listed.dupinstNumbered(counter)
		if i == 0 {
			w.dupinstEntry(n, dupinstSpreadAt(p.spread, path), listed.ordinal, site)
			w.dupinstNamed("", "", 0, dupinstWays)
			w.dupinstUvarint(sites)
		}
		w.dupinstUvarint(listed.ordinal)
		w.dupinstUvarint(site)
	}
}

// A dupinstPathWalk goes along a path.
type dupinstPathWalk struct {
	paths, path uintptr // the record, and what is left of the number
	at, site    uintptr // the node, and the index of the next of its sites
}

func (p *dupinstPaths) dupinstWalk(path uintptr) dupinstPathWalk {
	paths := uintptr(unsafe.Pointer(p))
	return dupinstPathWalk{paths: paths, path: path, at: paths + unsafe.Sizeof(*p)}
}

// dupinstSite is the counter of the next site that the path comes by, or 0 at its end.
func (w *dupinstPathWalk) dupinstSite() uintptr {
	word := func(i uintptr) uintptr { return *(*uintptr)(dupinstPtr(w.at + i*8)) }
	for w.at != 0 {
		sites := word(0)
		if w.site < sites {
			w.site++
			return word(w.site)
		}
		ways := word(sites + 1)
		if ways == 0 {
			w.at = 0
			break
		}
		way := sites + 1 + ways
		for uint64(word(way))>>32 > uint64(w.path) {
			way--
		}
		to := uint64(word(way))
		w.path -= uintptr(to >> 32)
		w.site, w.at = 0, 0
		if next := uintptr(uint32(to)); next != 0 {
			w.at = w.paths + next*8
		}
	}
	return 0
}
