package profile

import (
	"math"

	"github.com/dupinst/dupinst/profile/format"
)

// A Share is what part of all events a key has, 0 to 1, with its 95 % confidence interval.
type Share struct {
	N    float64 `json:"share"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Shares are those of p's entries in all of its events, those that Select has left out among
// them. An entry's count and the others' are taken as independent, so that a share's variance is
// ((1-s)² v + s² r) / n², where v is the variance of the entry's estimate, r that of the others'
// together and n all events; the interval is Wilson's for a proportion with that variance.
func (p *Profile) Shares() []Share {
	all, variance := p.sums()
	out := make([]Share, len(p.Entries))
	for i := range p.Entries {
		n, v := p.Moments(&p.Entries[i])
		s := n / max(all, 1)
		spread := ((1-s)*(1-s)*v + s*s*max(0, variance-v)) / max(all*all, 1)
		if spread == 0 {
			out[i] = Share{s, s, s}
			continue
		}
		out[i] = share(s, s*(1-s)/spread)
	}
	return out
}

// Absent is the share of a key that was not counted.
func (p *Profile) Absent() Share { return share(0, p.Independent()) }

// Independent is how many events, drawn independently, would say as much as p does of shares:
// none where nothing was counted, and infinitely many where everything was.
func (p *Profile) Independent() float64 {
	all, variance := p.sums()
	if all == 0 {
		if p.Unsampled() {
			return 0
		}
		return math.Inf(1)
	}
	return all * all / variance
}

// sums are the estimate of all events, and its variance.
func (p *Profile) sums() (all, variance float64) {
	all, variance = p.rest, p.restVariance
	for i := range p.Entries {
		n, v := p.Moments(&p.Entries[i])
		all, variance = all+n, variance+v
	}
	return all, variance
}

// Together is how many events a sample has on average: of all that a burst has, a shadow, or a phase by
// the clock. They are what happens in one place, and say as much together as one that is independent of
// the others. Of windows, whose counts' spread is known, it is no matter.
func (p *Profile) Together() float64 {
	if p.Trigger == format.WindowTrigger || p.Samples == 0 {
		return 1
	}
	if s := p.Shadows; s.Counted {
		return max(1, float64(p.Total)/float64(max(1, s.Begun-min(s.Lost, s.Begun))))
	}
	if p.Phases.Period > 0 {
		return max(1, float64(p.Total)/float64(max(1, p.Phases.Begun)))
	}
	return max(1, float64(p.Total)/float64(p.Samples+p.Weights)) * float64(max(1, p.Burst))
}

// share is a proportion s of n independent events with Wilson's interval.
func share(s, n float64) Share {
	const z = 1.959964 // of the normal distribution's middle 95 %
	switch {
	case math.IsInf(n, 1):
		return Share{s, s, s}
	case n == 0:
		return Share{s, 0, 1}
	}
	center, half := s+z*z/(2*n), z*math.Sqrt(s*(1-s)/n+z*z/(4*n*n))
	return Share{s, max(0, (center-half)/(1+z*z/n)), min(1, (center+half)/(1+z*z/n))}
}
