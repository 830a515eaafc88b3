package core

// Phases: what a goroutine does in one, and the goroutines that it starts meanwhile do, is counted
// whole, and nothing else is. Instant Profiling (CGO 2013) has phases of all threads, which begin by the clock (trigger_clock.go);
// these begin where the program says so, and so may be of what it knows: one request, or one that takes long.
//
// A phase is a number, which its goroutines have, and which stands in a slot as long as it lasts:
// there is nothing to tell them. A goroutine in a phase has a check that is spent as its next one, always,
// so that it goes from sample to sample.

// dupinstMostPhases may run at a time.
const dupinstMostPhases = 64

// dupinstAwaits marks the number of a phase that has not begun yet: whoever is in it looks again after dupinstLook checks.
const (
	dupinstAwaits = 1 << 63
	dupinstLook   = 1024
)

// A dupinstPhaseSlot is where a phase's number stands.
type dupinstPhaseSlot struct {
	runs  uint64 // the number, or 0
	taken uint32
	uses  uint64 // how often it was taken
	begun int64  // when the phase began
}

// Phases by the clock: on average one in so many nanoseconds, 0 for none, and how long each is.
var (
	dupinstPhasePeriod uint64
	dupinstPhaseLength int64
)

// dupinstGlance is after how many checks a goroutine looks whether all of it is counted, where that may begin at any moment.
const dupinstGlance = 1 << 14

// What dupinstPhases says of which phases are counted.
const (
	dupinstPhasesNamed    = 1 // the program's own
	dupinstPhasesLabelled = 2 // goroutines are in one as long as they have a label (trigger_label.go)
)

var (
	dupinstPhases     uint32
	dupinstPhaseSlots [dupinstMostPhases]dupinstPhaseSlot
)

func dupinstPhaseSlotOf(phase uint64) *dupinstPhaseSlot {
	return &dupinstPhaseSlots[phase%dupinstMostPhases]
}

// DupinstSetPhases has phases counted from now on, or no more: those that run have ended then.
func DupinstSetPhases(on bool) {
	if on {
		dupinstStore32(&dupinstPhases, dupinstPhasesNamed)
		return
	}
	dupinstCas32(&dupinstPhases, dupinstPhasesNamed, 0) // those by a label are not this function's
	for i := range dupinstPhaseSlots {
		dupinstPhaseSlots[i].dupinstOver(dupinstLoad64(&dupinstPhaseSlots[i].runs))
	}
}

// DupinstPhasing reports whether phases are counted, and whether they can be.
func DupinstPhasing() (are, can bool) {
	return dupinstLoad32(&dupinstPhases) == dupinstPhasesNamed, dupinstPhasable
}

// DupinstPhases are those since the profile was begun: how many began, how many did not, for there were too
// many, and the nanoseconds that they lasted, but for those that run.
func DupinstPhases() (begun, missed, lasted uint64) {
	t := dupinstSince()
	return t.phases, t.missed, t.phased
}

// DupinstPhase begins a phase of the current goroutine or, if it awaits its begin, prepares one that
// DupinstPhaseBegin begins. It returns the phase, and the one that the goroutine was in, for DupinstPhaseEnd: 0
// where phases are not counted, where the goroutine is in one that runs, and where too many do.
func DupinstPhase(awaits bool) (phase, outer uint64) {
	if dupinstLoad32(&dupinstPhases) != dupinstPhasesNamed {
		return 0, 0
	}
	p := dupinstSelf()
	outer = p.phase
	if outer != 0 && dupinstLoad64(&dupinstPhaseSlotOf(outer).runs) == outer {
		return 0, 0
	}
	for i := range dupinstPhaseSlots {
		s := &dupinstPhaseSlots[i]
		if !dupinstCas32(&s.taken, 0, 1) {
			continue
		}
		s.uses++
		phase = s.uses*dupinstMostPhases + uint64(i)
		if awaits {
			dupinstStore64(&s.runs, phase|dupinstAwaits)
			p.dupinstEnterPhase(phase, dupinstLook)
			return phase, outer
		}
		p.dupinstEnterPhase(phase, 0)
		p.weight = dupinstEventWeight
		s.dupinstRun(phase, 0)
		return phase, outer
	}
	dupinstXadd(&dupinstTotal.missed, 1)
	return 0, 0
}

// DupinstPhaseBegin begins a phase that awaits it and has not ended, nor ends meanwhile.
func DupinstPhaseBegin(phase uint64) {
	dupinstPhaseSlotOf(phase).dupinstRun(phase, phase|dupinstAwaits)
}

// DupinstPhaseEnd ends a phase of the current goroutine's.
func DupinstPhaseEnd(phase, outer uint64) {
	s := dupinstPhaseSlotOf(phase)
	s.dupinstOver(phase)
	dupinstStore64(&s.runs, 0) // one that awaited its begin
	dupinstStore32(&s.taken, 0)
	rest := dupinstRest
	if outer != 0 {
		rest = dupinstLook
	}
	dupinstSelf().dupinstEnterPhase(outer, rest)
}

// dupinstRun has the phase run, for which the slot has was, unless phases are switched off meanwhile: either that
// sees the phase, or this that they are.
func (s *dupinstPhaseSlot) dupinstRun(phase, was uint64) {
	s.begun = dupinstClock()
	if !dupinstCas64(&s.runs, was, phase) {
		return
	}
	dupinstXadd(&dupinstTotal.phases, 1)
	if dupinstLoad32(&dupinstPhases) == 0 {
		s.dupinstOver(phase)
	}
}

// dupinstLasts reports whether a phase runs or awaits its begin.
func dupinstLasts(phase uint64) bool {
	if phase == dupinstByLabel {
		return dupinstLoad32(&dupinstPhases) == dupinstPhasesLabelled
	}
	return dupinstLoad64(&dupinstPhaseSlotOf(phase).runs)&^dupinstAwaits == phase
}

// dupinstOver ends the phase if it runs. What goroutines are in it notice at their next check.
func (s *dupinstPhaseSlot) dupinstOver(phase uint64) {
	if phase != 0 && phase&dupinstAwaits == 0 && dupinstCas64(&s.runs, phase, 0) {
		dupinstXadd(&dupinstTotal.phased, uint64(max(dupinstClock()-s.begun, 0)))
	}
}

// dupinstEnterPhase makes a phase the goroutine's, which looks at it after some checks.
//
//go:norace
func (p *dupinstG) dupinstEnterPhase(phase uint64, checks int64) {
	dupinstXadd(&dupinstTotal.checks, p.dupinstRun())
	p.phase, p.load, p.ctr, p.weight, p.more, p.next, p.lasts = phase, checks, checks, 0, 0, 0, 0
}

// dupinstInPhase begins the next sample of a goroutine in a phase that runs, or has it look again where that
// awaits its begin. It reports false where the phase has ended.
//
//go:norace
func (p *dupinstG) dupinstInPhase() bool {
	switch runs := dupinstLoad64(&dupinstPhaseSlotOf(p.phase).runs); {
	case runs == p.phase, p.phase == dupinstByLabel && dupinstLasts(p.phase):
		dupinstXadd(&dupinstTotal.samples, 1)
		p.dupinstEnterPhase(p.phase, 0)
		p.weight = dupinstEventWeight
	case runs == p.phase|dupinstAwaits:
		p.dupinstEnterPhase(p.phase, dupinstLook)
	default:
		p.phase = 0
		return false
	}
	return true
}
