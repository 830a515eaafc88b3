package overlap

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dupinst/dupinst/profile"
)

// drawn is a sampled profile of n events, of which key i has the i-th weight.
func drawn(r *rand.Rand, n int, weights []float64) *profile.Profile {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	p := &profile.Profile{Instrumentation: "calledge", Variant: "auto", Interval: 10, Checks: uint64(10 * n), Samples: uint64(n), Total: uint64(n)}
	counts := make([]uint64, len(weights))
	for range n {
		x := r.Float64() * sum
		i := 0
		for x > weights[i] && i < len(weights)-1 {
			x -= weights[i]
			i++
		}
		counts[i]++
	}
	for i, c := range counts {
		if c > 0 {
			p.Entries = append(p.Entries, profile.Entry{Key: fmt.Sprint(i), Count: c})
		}
	}
	return p
}

// Two samples of one program differ by chance alone: intervals of differences have 0 in them
// nineteen times in twenty, hardly any is called significant, and they overlap as is expected.
func TestDifferAlike(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	weights := make([]float64, 40)
	for i := range weights {
		weights[i] = 1 / float64(i+1)
	}
	const rounds = 300
	covered, all, found, overlap, expected := 0, 0, 0, 0.0, 0.0
	for range rounds {
		c := Differ(drawn(r, 3000, weights), drawn(r, 1000, weights))
		for _, d := range c.Differences {
			all++
			if d.Low <= 0 && 0 <= d.High {
				covered++
			}
		}
		if c.Significant > 0 {
			found++
		}
		overlap, expected = overlap+c.Overlap/rounds, expected+c.Expected/rounds
	}
	if share := float64(covered) / float64(all); share < 0.94 || share > 0.975 {
		t.Errorf("%.3f of the intervals have 0 in them", share)
	}
	if found > rounds/12 {
		t.Errorf("a difference was significant in %d of %d rounds", found, rounds)
	}
	if math.Abs(overlap-expected) > 0.5 {
		t.Errorf("they overlap by %.2f %%, and %.2f is expected", overlap, expected)
	}
}

// What did change is found, comes first, and has its true size in its interval nineteen times
// in twenty.
func TestDifferChanged(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	before, after := []float64{50, 30, 15, 5}, []float64{50, 30, 15, 5, 8}
	const truth = 8.0 / 108
	covered, first := 0, 0
	for range 300 {
		c := Differ(drawn(r, 5000, before), drawn(r, 5000, after))
		if d := c.Differences[0]; d.Key == "4" && d.Significant && d.Before.N == 0 && d.Before.High > 0 {
			first++
			if d.Low <= truth && truth <= d.High {
				covered++
			}
		}
	}
	if first < 299 || covered < 270 {
		t.Errorf("it was first %d times of 300, and its size within the interval %d times", first, covered)
	}
}

// Of exact profiles each difference is certain; of none that counted anything, nothing is.
func TestDifferExact(t *testing.T) {
	t.Parallel()
	p := &profile.Profile{Variant: "exhaustive", Total: 4, Entries: []profile.Entry{{Key: "a", Count: 3}, {Key: "b", Count: 1}}}
	q := &profile.Profile{Variant: "exhaustive", Total: 4, Entries: []profile.Entry{{Key: "a", Count: 1}, {Key: "c", Count: 3}}}
	c := Differ(p, q)
	if c.Overlap != 25 || c.Expected != 100 || c.Significant != 3 || c.Differences[0].Key != "c" || c.Differences[0].Z != Certain || c.Differences[0].Low != 0.75 {
		t.Errorf("%+v", c)
	}
	if c := Differ(p, p); c.Significant != 0 || c.Overlap != 100 {
		t.Errorf("the same: %+v", c)
	}
	if c := Differ(p, &profile.Profile{Variant: "auto", Interval: 10, Checks: 5}); c.Significant != 0 {
		t.Errorf("with one that is empty: %+v", c)
	}
}
