package format

// Marks of what a file may have besides.
const (
	hasPhases  = 1
	hasBursts  = 2
	hasShadows = 3
	hasClock   = 4
	hasLabel   = 5
	hasEarly   = 6
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
