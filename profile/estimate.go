package profile

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/dupinst/dupinst/profile/format"
)

// Scale is how many events one that was counted stands for. A sample covers the
// code from one check to the next, and one check in so many begins one; the
// quotient of the checks and the samples, each with its weight, is that number as it
// came out, phases, jitter and goroutines that ended early included. Of windows it is the
// quotient of the processor time and the time that they were open. It is 1 where every event was counted, and
// the mean in a combined profile.
func (p *Profile) Scale() float64 {
	switch {
	case p.Intervals != nil:
		return p.Events() / float64(max(p.Total, 1))
	case p.Trigger == format.WindowTrigger && p.Windows.Open > 0:
		return float64(p.Windows.Busy) / float64(p.Windows.Open)
	case (p.Shadows.Counted || p.Phases.Period > 0) && p.Samples > 0:
		return float64(p.Checks) / float64(p.Samples)
	case p.Interval == 0 || p.Interval == 1 && p.Trigger == "" && p.Weights == 0 || p.Samples == 0:
		return 1
	}
	return float64(p.Checks) / float64(p.Samples+p.Weights)
}

// Unsampled reports whether no sample was taken, so that nothing could be counted; an
// exhaustive build has none.
func (p *Profile) Unsampled() bool {
	return p.Variant != "exhaustive" && p.Samples == 0 && !p.Endless()
}

// Endless reports whether all was counted in one window without an end.
func (p *Profile) Endless() bool {
	return p.Trigger == format.WindowTrigger && p.Windows.Rate == 0 && p.Windows.Open == 0 && p.Total > 0
}

// Once reports whether each event was counted the first time alone.
func (p *Profile) Once() bool { return p.Variant == "once" }

// An Estimate is of how often something happened, with its 95 % confidence
// interval.
type Estimate struct {
	N, Low, High float64
}

// Estimate returns what e's count says of the true one. The interval is the score
// interval of a Poisson count, scaled, with e's moments.
func (p *Profile) Estimate(e *Entry) Estimate {
	n, variance := p.Moments(e)
	var x, scale float64 // a Poisson count, scaled, with these moments
	switch {
	case variance > 0:
		x, scale = n*n/variance, variance/n
	case n > 0 || p.Scale() == 1:
		return Estimate{n, n, n}
	default:
		scale = p.Scale()
	}
	const z = 1.959964 // of the normal distribution's middle 95 %
	center, half := x+z*z/2, z*math.Sqrt(x+z*z/4)
	return Estimate{n, max(0, center-half) * scale, (center + half) * scale}
}

// Moments are an entry's estimate and its variance: that of a Poisson count, scaled, of which
// Together say as much as one. Of windows' counts the spread is known.
func (p *Profile) Moments(e *Entry) (n, variance float64) {
	if p.Intervals != nil {
		return e.n, e.variance
	}
	scale := p.Scale()
	n = float64(e.Count) * scale
	if p.Trigger == format.WindowTrigger && !p.Endless() {
		return n, e.spread * scale * scale
	}
	if scale == 1 {
		return n, 0
	}
	return n, n * scale * p.Weight() * p.Together()
}

// Weight is how many counts an event has on average that was counted: 1 without a
// governor. Each counts for itself in an estimate, but as many of one event say no
// more than one of it.
func (p *Profile) Weight() float64 {
	return float64(max(1, p.Samples+p.Squares)) / float64(max(1, p.Samples+p.Weights))
}

// Governed says what the governor did, "" if there was none.
func (p *Profile) Governed() string {
	g := p.Governor
	if g.Budget == 0 {
		return ""
	}
	if p.Shadows.Counted {
		return fmt.Sprintf("governed at %s of the processor time: shadows had %s of %s",
			percent(float64(g.Budget)/1e6), percent(float64(g.Spent)/float64(max(1, g.Time))), time.Duration(g.Time).Round(time.Millisecond))
	}
	return fmt.Sprintf("governed at %s of the processor time: %s were spent in %s, with %d changes of the interval, up to %d",
		percent(float64(g.Budget)/1e6), percent(float64(g.Spent)/float64(max(1, g.Time))), time.Duration(g.Time).Round(time.Millisecond), g.Changes, g.Longest)
}

// Began says how samples did, or what is counted of rounds; "" where checks were counted, but for phases.
func (p *Profile) Began() string {
	w, f := p.Windows, p.Phases
	if r := p.Rounds; r.Length > 0 {
		return fmt.Sprintf("in how many of %d rounds of %v each happened", r.Begun, time.Duration(r.Length))
	}
	if f.Counted {
		more := ""
		if f.Missed > 0 {
			more = fmt.Sprintf("; %d more were not counted, for too many ran", f.Missed)
		}
		if f.Period > 0 {
			more = fmt.Sprintf("; the program stood still for %v before each, %v at most", mean(f.Stood, f.Begun), time.Duration(f.Longest).Round(time.Microsecond))
		}
		of := ""
		if f.Label != "" {
			of = " by the label " + f.Label
		}
		return fmt.Sprintf("%d phases%s, of %v together%s", f.Begun, of, time.Duration(f.Time).Round(time.Microsecond), more)
	}
	if s := p.Shadows; s.Counted {
		told := s.Begun - min(s.Lost, s.Begun)
		return fmt.Sprintf("%d shadows, which had %v of processor time, %d of which ended early; %d more told nothing; the program stood still for %v each, %v at most",
			told, time.Duration(s.Spent).Round(time.Millisecond), s.Early, s.Lost, mean(s.Stood, s.Begun), time.Duration(s.Longest).Round(time.Microsecond))
	}
	switch p.Trigger {
	case format.TimerTrigger:
		return fmt.Sprintf("every %v", time.Duration(p.Interval))
	case format.WindowTrigger:
		if p.Endless() {
			return "one window without an end"
		}
	default:
		return ""
	}
	return fmt.Sprintf("%d windows of %s, open for %s of the processor time; %d began where there was no copy, %d more found no thread in time",
		p.Samples, time.Duration(w.Length), percent(float64(w.Open)/float64(max(1, w.Busy))), p.Samples-min(w.Moved, p.Samples), w.Late)
}

// mean is that of n times, in nanoseconds.
func mean(sum, n uint64) time.Duration {
	return (time.Duration(sum) / time.Duration(max(1, n))).Round(time.Microsecond)
}

func percent(share float64) string { return fmt.Sprintf("%.3g %%", 100*share) }

// Events is the estimate of how many events there were.
func (p *Profile) Events() (n float64) {
	for i := range p.Entries {
		m, _ := p.Moments(&p.Entries[i])
		n += m
	}
	return n
}

// Combine adds up the profiles of one instrumentation and variant that differ in
// their intervals, or the rate or length of their windows or shadows, as a program leaves where that
// was changed while it ran. Each is proportional to the truth in a factor of its own, so
// that not counts are added but what they stand for: that leaves estimates unbiased.
func Combine(profiles []*Profile) []*Profile {
	var out []*Profile
	for _, p := range profiles {
		i := slices.IndexFunc(out, func(q *Profile) bool {
			return q.Program == p.Program && q.Instrumentation == p.Instrumentation && q.Variant == p.Variant && q.Backend == p.Backend && q.Trigger == p.Trigger && q.Phases.Counted == p.Phases.Counted && (q.Phases.Period > 0) == (p.Phases.Period > 0) && q.Phases.Label == p.Phases.Label && q.Shadows.Counted == p.Shadows.Counted && (q.Rounds.Length > 0) == (p.Rounds.Length > 0)
		})
		switch {
		case i < 0:
			out = append(out, p)
		case p.Interval == 0 && p.Total == 0: // no samples were taken
		case out[i].Interval == 0 && out[i].Intervals == nil && out[i].Total == 0:
			out[i] = p
		default:
			out[i] = sum(out[i], p)
		}
	}
	return out
}

func sum(a, b *Profile) *Profile {
	s := &Profile{
		Program: a.Program, Origins: append(slices.Clone(a.Origins), b.Origins...),
		Instrumentation: a.Instrumentation, Variant: a.Variant, Backend: a.Backend, Functions: a.Functions,
		Checks: a.Checks + b.Checks, Samples: a.Samples + b.Samples, Total: a.Total + b.Total, Dropped: a.Dropped + b.Dropped,
		Weights: a.Weights + b.Weights, Squares: a.Squares + b.Squares, Governor: both(a.Governor, b.Governor),
		Trigger: a.Trigger, Windows: bothWindows(a.Windows, b.Windows), Phases: bothPhases(a.Phases, b.Phases), Burst: max(a.Burst, b.Burst), Shadows: bothShadows(a.Shadows, b.Shadows), Rounds: bothRounds(a.Rounds, b.Rounds),
	}
	index := map[string]int{}
	for _, p := range []*Profile{a, b} {
		if p.Intervals != nil {
			s.Intervals = append(s.Intervals, p.Intervals...)
		} else {
			s.Intervals = append(s.Intervals, p.Interval)
		}
		for i := range p.Entries {
			e := p.Entries[i]
			n, variance := p.Moments(&e)
			at, ok := index[e.Key]
			if !ok {
				at = len(s.Entries)
				index[e.Key] = at
				s.Entries = append(s.Entries, Entry{Key: e.Key, Parts: e.Parts})
			}
			into := &s.Entries[at]
			into.Count, into.n, into.variance = into.Count+e.Count, into.n+n, into.variance+variance
		}
	}
	never := map[string]bool{}
	for _, p := range []*Profile{a, b} {
		for _, e := range p.Never {
			if _, counted := index[e.Key]; !counted && !never[e.Key] {
				never[e.Key] = true
				s.Never = append(s.Never, e)
			}
		}
	}
	slices.SortFunc(s.Entries, func(x, y Entry) int { return cmp.Or(cmp.Compare(y.n, x.n), cmp.Compare(x.Key, y.Key)) })
	slices.SortFunc(s.Never, func(x, y Entry) int { return cmp.Compare(x.Key, y.Key) })
	return s
}

// Part returns the value of the key's part of that name, "" if it has none.
func (e *Entry) Part(name string) string {
	for _, p := range e.Parts {
		if p.Name == name {
			return p.Value
		}
	}
	return ""
}
