package core

import "unsafe"

// Traps that are laid again after each round (DUPINST_AGAIN) count in how many rounds a block was entered. So that what is
// entered in every round comes to cost nothing, it is left out of the next round when it has been, then of three, seven and
// at last fifteen, and stands for those, too, when it is come to in the one after them; when it is not, it has traps in each
// round again.

const dupinstLongestRest = 16 // rounds, of which one has traps

// dupinstTrapRound is how many nanoseconds a round lasts; 0: traps are not laid again.
var dupinstTrapRound int64

// dupinstAnew is 1 from when a profile was begun anew until the round's end.
var dupinstAnew uint32

// A dupinstSite is what a counter and all traps that count in it have in common. Sites stand in a table of the same size
// as the traps', found by the counter.
type dupinstSite struct {
	counter uintptr
	known   uint64 // what it had counted when the round began
	stands  uint8  // rounds that this one stands for
	rests   uint8  // rounds until there are traps, this one among them
	entered bool   // in this round
}

func (t *dupinstTrapTable) dupinstSiteAt(i uintptr) *dupinstSite {
	return (*dupinstSite)(dupinstPtr(t.sites + i&t.mask*unsafe.Sizeof(dupinstSite{})))
}

// dupinstSiteOf is the place of a counter's site, which is made if there is none.
func (t *dupinstTrapTable) dupinstSiteOf(counter uintptr) uint32 {
	i := uintptr(dupinstMix(uint64(counter))) & t.mask
	for t.dupinstSiteAt(i).counter != 0 && t.dupinstSiteAt(i).counter != counter {
		i = (i + 1) & t.mask
	}
	t.dupinstSiteAt(i).counter = counter
	return uint32(i)
}

// dupinstEndRound counts what was entered in a round, and lays traps for the next one. anew: the profile was begun in it.
func (t *dupinstTrapTable) dupinstEndRound(anew bool) {
	for i := uintptr(0); i <= t.mask; i++ {
		if at := t.dupinstAt(i); at.pc != 0 && *(*byte)(dupinstPtr(at.pc)) != dupinstBreakpoint {
			t.dupinstSiteAt(uintptr(at.site)).entered = true
		}
	}
	for i := uintptr(0); i <= t.mask; i++ {
		if s := t.dupinstSiteAt(i); s.counter != 0 {
			s.dupinstEndRound(anew)
		}
	}
	for i := uintptr(0); i <= t.mask; i++ {
		if at := t.dupinstAt(i); at.pc != 0 && t.dupinstSiteAt(uintptr(at.site)).rests == 0 {
			*(*byte)(dupinstPtr(at.pc)) = dupinstBreakpoint
		}
	}
}

func (s *dupinstSite) dupinstEndRound(anew bool) {
	counter := (*uint64)(dupinstPtr(s.counter))
	switch {
	case anew || s.stands == 0:
		s.stands, s.rests = 1, 0
	case s.rests > 0:
		s.rests--
	case s.entered:
		// The first time ever the trap itself has counted. A profile that begins anew meanwhile is not to begin with this.
		if s.known > 0 {
			dupinstCas64(counter, s.known, s.known+uint64(s.stands))
		}
		s.stands = min(2*s.stands, dupinstLongestRest)
		s.rests = s.stands - 1
	default:
		s.stands = 1
	}
	s.known, s.entered = dupinstLoad64(counter), false
}

// dupinstNextRound ends a round.
func dupinstNextRound() {
	if t := (*dupinstTrapTable)(dupinstPtr(dupinstLoad(&dupinstTrapsTable))); t != nil {
		anew := dupinstCas32(&dupinstAnew, 1, 0)
		t.dupinstEndRound(anew)
		dupinstXadd(&dupinstTotal.rounds, 1)
	}
}
