package format

// Marks of what a file may have besides.
const (
	hasPhases  = 1
	hasBursts  = 2
	hasShadows = 3
)

// Phases are those of a program that counted what happened in them, all of it, and nothing else. The interval is 1 then.
type Phases struct {
	Counted bool
	Begun   uint64
	Missed  uint64 // that did not begin, for too many ran
	Time    uint64 // nanoseconds that they lasted, together
}

func (p *Phases) numbers() []*uint64 { return []*uint64{&p.Begun, &p.Missed, &p.Time} }

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
}

func (s *Shadows) numbers() []*uint64 {
	return []*uint64{&s.Rate, &s.Length, &s.Begun, &s.Lost, &s.Spent, &s.Stood, &s.Longest}
}
