package profile

import "math"

// Scale is how many events one that was counted stands for. A sample covers the
// code from one check to the next, and one check in so many begins one; the
// quotient of both totals is that number as it came out, phases, jitter and
// goroutines that ended early included. It is 1 where every event was counted.
func (p *Profile) Scale() float64 {
	if p.Interval <= 1 || p.Samples == 0 {
		return 1
	}
	return float64(p.Checks) / float64(p.Samples)
}

// An Estimate is of how often something happened, with its 95 % confidence
// interval.
type Estimate struct {
	N, Low, High float64
}

// Estimate returns what a count of n says of the true one. The interval is the
// score interval of a Poisson count: samples are taken as independent, which
// events within one sample are not, so that it is too narrow for a key that is
// counted many times in each.
func (p *Profile) Estimate(n uint64) Estimate {
	scale, x := p.Scale(), float64(n)
	if scale == 1 {
		return Estimate{x, x, x}
	}
	const z = 1.959964 // of the normal distribution's middle 95 %
	center, half := x+z*z/2, z*math.Sqrt(x+z*z/4)
	return Estimate{x * scale, max(0, center-half) * scale, (center + half) * scale}
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
