package core

import "unsafe"

// To note a value or a context takes tens of times as long as to count, and hundreds of times where a table is in no cache or its page not there
// yet: of code that does little else a window would see next to nothing. So what a window notes is logged, and counted when it has closed. And it
// notes each of its first events, of those that come next one in two, at random, for two, then one in four, and so on. Which ones depends on how many
// there were alone: each site has its share. Of loops, whose ends are fewer, each is noted.

const (
	dupinstNotesMost = 1 << 12 // one in so many at least
	dupinstNoteWords = 1 << 17 // that the log has room for
)

// What a probe takes where it only passes, where it notes, and for each frame of a context, in 1024ths of a nanosecond (docs/triggers.md).
const (
	dupinstPassTime  = 1536
	dupinstNoteTime  = 90 << 10
	dupinstFrameTime = 6 << 10
)

var (
	dupinstNotePasses int64  // probes until one notes; the assembly counts it down
	dupinstNoteEvery  uint64 = 1
	dupinstNotesEach  uint64 // that one in so many notes, before one in twice as many does
	dupinstNoteNth    uint64 // that one in so many has noted
	dupinstNoteRandom uint64

	dupinstNoteWanted bool    // there is something to note, and no log
	dupinstNoteLog    uintptr // of dupinstNotes, once there is
)

// A dupinstNotes is the log: site, with its lowest bit set where a context is noted; what it counts; how many words; they.
type dupinstNotes struct {
	busy  uint32 // while it is written to, or counted
	n     uintptr
	words [dupinstNoteWords]uintptr
}

// dupinstNotesMake makes the log when it is first wanted, and its pages.
func dupinstNotesMake() {
	if !dupinstNoteWanted || dupinstNoteLog != 0 {
		return
	}
	const page = 512 // words
	at := dupinstAllocate(unsafe.Sizeof(dupinstNotes{}))
	l := (*dupinstNotes)(dupinstPtr(at))
	for i := 0; i < len(l.words); i += page {
		dupinstStore(&l.words[i], 0)
	}
	dupinstStore(&dupinstNoteLog, at)
}

// dupinstNotesBegin begins a window: so many are noted each that they take a twentieth of its time, about.
func dupinstNotesBegin() {
	const least, most = 16, 512
	dupinstNotesEach = min(max(dupinstWindowLength/(20*dupinstNoteTime>>10), least), most)
	dupinstNotePasses, dupinstNoteEvery, dupinstNoteNth = 0, 1, 0
}

// dupinstStandsFor is how many events this one is noted for. It draws which is next.
func dupinstStandsFor() uint64 {
	if dupinstWindowAlways { // all are noted, by several threads
		return 1
	}
	every := dupinstNoteEvery
	if dupinstNoteNth++; dupinstNoteNth >= dupinstNotesEach && every < dupinstNotesMost {
		dupinstNoteEvery, dupinstNoteNth = 2*every, 0
	}
	dupinstNoteRandom = dupinstMix(dupinstNoteRandom + 0x9e3779b97f4a7c15)
	dupinstNotePasses = 1 + int64(dupinstNoteRandom%(2*dupinstNoteEvery-1))
	return every
}

// dupinstNote notes words of an event in a window, for as many as it stands for: what is noted of a value, or the return addresses of a context.
func (s *dupinstValueSite) dupinstNote(context bool, words []uintptr, weight uint64) {
	took := weight*dupinstPassTime + dupinstNoteTime
	if context {
		took += uint64(len(words)) * dupinstFrameTime
	}
	dupinstXadd(&dupinstNoteTook, took)
	at := dupinstLoad(&dupinstNoteLog)
	if at == 0 {
		dupinstNoteWanted = true
	}
	if at == 0 || !(*dupinstNotes)(dupinstPtr(at)).dupinstAdd(s, context, words, weight) {
		s.dupinstCountNoted(context, words, weight)
	}
}

// dupinstAdd reports false where there is no room, or what there is is being counted.
func (l *dupinstNotes) dupinstAdd(s *dupinstValueSite, context bool, words []uintptr, weight uint64) bool {
	if !dupinstCas32(&l.busy, 0, 1) {
		return false
	}
	n := uintptr(len(words))
	fits := l.n+3+n <= dupinstNoteWords
	if fits {
		site := uintptr(unsafe.Pointer(s))
		if context {
			site |= 1
		}
		l.words[l.n], l.words[l.n+1], l.words[l.n+2] = site, uintptr(weight), n
		copy(l.words[l.n+3:], words)
		l.n += 3 + n
	}
	dupinstStore32(&l.busy, 0)
	return fits
}

// dupinstNotesCount counts what has been logged, unless a thread that adds to it does not come to an end.
func dupinstNotesCount() {
	at := dupinstLoad(&dupinstNoteLog)
	if at == 0 {
		return
	}
	l := (*dupinstNotes)(dupinstPtr(at))
	if !dupinstSeize(&l.busy) {
		return
	}
	for i := uintptr(0); i < l.n; {
		site, weight, n := l.words[i], uint64(l.words[i+1]), l.words[i+2]
		i += 3
		(*dupinstValueSite)(dupinstPtr(site&^1)).dupinstCountNoted(site&1 != 0, l.words[i:i+n], weight)
		i += n
	}
	l.n = 0
	dupinstStore32(&l.busy, 0)
}

func (s *dupinstValueSite) dupinstCountNoted(context bool, words []uintptr, weight uint64) {
	dupinstXadd(&dupinstCleared, weight) // what the counter counts has been reckoned
	if context {
		s.dupinstCountContext(words, weight)
	} else {
		s.dupinstCountRead(uint64(words[0]), weight)
	}
}
