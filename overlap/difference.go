package overlap

import (
	"cmp"
	"math"
	"slices"

	"github.com/dupinst/dupinst/profile"
)

// A Comparison is of two profiles of one instrumentation, neither of which is the truth: before
// and after a change, say.
type Comparison struct {
	Instrumentation string  `json:"instrumentation"`
	Overlap         float64 `json:"overlap"`  // per cent
	Expected        float64 `json:"expected"` // per cent, of two samples of one program, each as large
	Significant     int     `json:"significant"`
	// Differences are of all keys of either, the most significant first.
	Differences []Difference `json:"differences"`
}

// A Difference is of one key's shares, after less before, 0 to 1.
type Difference struct {
	Key    string        `json:"key"`
	Before profile.Share `json:"before"`
	After  profile.Share `json:"after"`
	N      float64       `json:"difference"`
	Low    float64       `json:"low"` // its 95 % confidence interval
	High   float64       `json:"high"`
	Z      float64       `json:"z"` // standard deviations from none, at most Certain
	P      float64       `json:"p"` // how probable as large a one is where there is none
	// Significant is true of those that stay if one in twenty of them may be by chance.
	Significant bool `json:"significant"`
}

// Certain is Z of a difference of two profiles that are exact.
const Certain = 1000

// discoveries is the share of false ones among those that are called significant.
const discoveries = 0.05

// Differ compares two profiles. A difference's interval is Newcombe's of two proportions (Method
// 10, Statistics in Medicine 17, 1998), made of Wilson's of each; its significance that of the test
// with a pooled proportion; those of many keys together are told by Benjamini and Hochberg's
// procedure (J. R. Statist. Soc. B 57(1), 1995).
func Differ(before, after *profile.Profile) Comparison {
	before, after = beside(before, after)
	c := Comparison{Instrumentation: before.Instrumentation, Overlap: Percentage(before, after), Differences: []Difference{}}
	index := map[string]int{}
	never, notYet := after.Absent(), before.Absent()
	for i, s := range before.Shares() {
		index[before.Entries[i].Key] = len(c.Differences)
		c.Differences = append(c.Differences, Difference{Key: before.Entries[i].Key, Before: s, After: never})
	}
	for i, s := range after.Shares() {
		at, ok := index[after.Entries[i].Key]
		if !ok {
			at = len(c.Differences)
			c.Differences = append(c.Differences, Difference{Key: after.Entries[i].Key, Before: notYet})
		}
		c.Differences[at].After = s
	}
	n, m := before.Independent(), after.Independent()
	chance := 0.0 // mean of the sum of absolute differences where there are none
	for i := range c.Differences {
		d := &c.Differences[i]
		deviation := d.test(n, m)
		chance += math.Sqrt(2/math.Pi) * deviation
	}
	c.Expected = 100 * max(0, 1-chance/2)
	slices.SortStableFunc(c.Differences, func(x, y Difference) int {
		return cmp.Or(cmp.Compare(math.Abs(y.Z), math.Abs(x.Z)), cmp.Compare(math.Abs(y.N), math.Abs(x.N)), cmp.Compare(x.Key, y.Key))
	})
	for i, d := range c.Differences {
		if d.P <= discoveries*float64(i+1)/float64(len(c.Differences)) {
			c.Significant = i + 1
		}
	}
	for i := range c.Differences[:c.Significant] {
		c.Differences[i].Significant = true
	}
	return c
}

// test fills in d, given how many independent events each side is of, and returns the standard
// deviation of the difference where there is none.
func (d *Difference) test(n, m float64) float64 {
	a, b := d.Before, d.After
	d.N = b.N - a.N
	d.Low = d.N - math.Hypot(b.N-b.Low, a.High-a.N)
	d.High = d.N + math.Hypot(b.High-b.N, a.N-a.Low)
	pooled := (a.N + b.N) / 2
	switch {
	case n == 0 || m == 0:
		d.P = 1
		return 0
	case math.IsInf(n, 1) && !math.IsInf(m, 1):
		pooled = a.N
	case math.IsInf(m, 1) && !math.IsInf(n, 1):
		pooled = b.N
	case !math.IsInf(n, 1):
		pooled = (n*a.N + m*b.N) / (n + m)
	}
	deviation := math.Sqrt(pooled * (1 - pooled) * (1/n + 1/m))
	switch {
	case d.N == 0:
		d.P = 1
	default:
		d.Z = max(-Certain, min(Certain, d.N/deviation))
		d.P = math.Erfc(math.Abs(d.Z) / math.Sqrt2)
	}
	return deviation
}
