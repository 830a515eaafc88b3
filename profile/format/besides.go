package format

import "encoding/binary"

// Marks of what a file may have besides.
const (
	hasPhases  = 1
	hasBursts  = 2
	hasShadows = 3
	hasClock   = 4
	hasLabel   = 5
	hasEarly   = 6
	hasApart   = 7
	hasRounds  = 8
)

// Phases are those of a program that counted what happened in them, all of it, and nothing else. The interval is 1 then.
type Phases struct {
	Counted bool
	Begun   uint64
	Missed  uint64 // that did not begin, for too many ran
	Time    uint64 // nanoseconds that they lasted, together
	// Of phases by the clock, which are of all goroutines: nanoseconds from one to the next on average, 0 of others; how long
	// each is; and how long the program stood still as they began, together and at most.
	Period, Length, Stood, Longest uint64
	Label                          string // of phases by a label of goroutines, that, as key=value
}

func (p *Phases) numbers() []*uint64 {
	numbers := []*uint64{&p.Begun, &p.Missed, &p.Time, &p.Period, &p.Length, &p.Stood, &p.Longest}
	if p.Period == 0 {
		return numbers[:3]
	}
	return numbers
}

// phases reads them; period is not 0 for those by the clock.
func (d *decoder) phases(p *Phases, period uint64) {
	*p = Phases{Counted: true, Period: period}
	for _, v := range p.numbers() {
		*v = d.uvarint()
	}
}

// Shadows are those of a program that had forks of itself count. The checks are its own, the samples theirs.
type Shadows struct {
	Counted bool
	Rate    uint64 // a second
	Length  uint64 // nanoseconds
	Begun   uint64
	Lost    uint64 // that told nothing, or could not be made
	Spent   uint64 // nanoseconds of processor time that they had
	Stood   uint64 // nanoseconds that the program stood still for them, together
	Longest uint64 // and the longest
	Early   uint64 // that ended before their time, for what they were about to do
}

func (s *Shadows) numbers() []*uint64 {
	return []*uint64{&s.Rate, &s.Length, &s.Begun, &s.Lost, &s.Spent, &s.Stood, &s.Longest}
}

// TrapRounds are those of a program whose traps were laid again after each: its counts are of rounds in which blocks were entered.
type TrapRounds struct {
	Length uint64 // nanoseconds; 0: there was one, without an end
	Begun  uint64
}

// An Apart is how one instrumentation was sampled of a program that sampled not all alike.
type Apart struct {
	Often   uint64 // checks between samples, or windows a second; 0: it was not sampled
	Lasts   uint64 // checks that a sample lasted, or nanoseconds that a window was to be open
	Samples uint64 // or windows
	// Of windows, as for all of them: nanoseconds that they were open, program counters that were moved, and those that did
	// not open.
	Open, Moved, Late uint64
}

func (a *Apart) numbers() []*uint64 {
	return []*uint64{&a.Often, &a.Lasts, &a.Samples, &a.Open, &a.Moved, &a.Late}
}

// apart reads how each instrumentation was sampled.
func (d *decoder) apart(p *Process) {
	n := d.uvarint()
	if n != uint64(len(p.Build.Instrumentations)) {
		d.fail("others sampled apart than the build has instrumentations")
		return
	}
	p.Apart = make([]Apart, n)
	for i := range p.Apart {
		for _, v := range p.Apart[i].numbers() {
			*v = d.uvarint()
		}
	}
}

// appendBesides appends what few files have.
func (p *Process) appendBesides(b []byte) []byte {
	if p.Phases.Counted {
		mark := byte(hasPhases)
		switch {
		case p.Phases.Period > 0:
			mark = hasClock
		case p.Phases.Label != "":
			mark = hasLabel
		}
		b = append(b, mark)
		for _, v := range p.Phases.numbers() {
			b = binary.AppendUvarint(b, *v)
		}
		if mark == hasLabel {
			b = appendString(b, p.Phases.Label)
		}
	}
	if p.Burst > 1 {
		b = append(b, hasBursts)
		b = binary.AppendUvarint(b, p.Burst)
	}
	if len(p.Apart) > 0 {
		b = append(b, hasApart)
		b = binary.AppendUvarint(b, uint64(len(p.Apart)))
		for i := range p.Apart {
			for _, v := range p.Apart[i].numbers() {
				b = binary.AppendUvarint(b, *v)
			}
		}
	}
	if p.Rounds.Length > 0 {
		b = append(b, hasRounds)
		b = binary.AppendUvarint(b, p.Rounds.Length)
		b = binary.AppendUvarint(b, p.Rounds.Begun)
	}
	if p.Shadows.Counted {
		b = append(b, hasShadows)
		for _, v := range p.Shadows.numbers() {
			b = binary.AppendUvarint(b, *v)
		}
		b = append(b, hasEarly)
		b = binary.AppendUvarint(b, p.Shadows.Early)
	}
	return b
}

// besides decodes it, up to the end.
func (d *decoder) besides(p *Process) {
	for len(d.rest) > 0 && d.err == nil {
		switch d.byte() {
		case hasPhases:
			d.phases(&p.Phases, 0)
		case hasLabel:
			d.phases(&p.Phases, 0)
			if p.Phases.Label = d.string(); p.Phases.Label == "" {
				d.fail("phases by a label without one")
			}
		case hasClock:
			d.phases(&p.Phases, 1)
			if p.Phases.Period == 0 {
				d.fail("phases by the clock without a period")
			}
		case hasBursts:
			if p.Burst = d.uvarint(); p.Burst < 2 {
				d.fail("a burst of less than two checks")
			}
		case hasShadows:
			p.Shadows.Counted = true
			for _, v := range p.Shadows.numbers() {
				*v = d.uvarint()
			}
		case hasApart:
			d.apart(p)
		case hasRounds:
			if p.Rounds.Length, p.Rounds.Begun = d.uvarint(), d.uvarint(); p.Rounds.Length == 0 || p.Rounds.Begun == 0 {
				d.fail("rounds of no length, or none")
			}
		case hasEarly:
			if p.Shadows.Early = d.uvarint(); !p.Shadows.Counted {
				d.fail("shadows that ended early, and none")
			}
		default:
			d.fail("something that this dupinst does not know")
		}
	}
}
