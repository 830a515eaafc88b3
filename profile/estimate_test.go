package profile

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dupinst/dupinst/profile/format"
)

// The interval covers the mean of a Poisson count 95 times in 100, give or take.
func TestEstimate(t *testing.T) {
	t.Parallel()
	p := &Profile{Interval: 100, Checks: 10_000, Samples: 100}
	random := rand.New(rand.NewPCG(1, 2))
	for _, mean := range []float64{3, 20, 300} {
		const runs = 20_000
		covered := 0
		for range runs {
			if e := p.Estimate(&Entry{Count: poisson(random, mean)}); e.Low <= 100*mean && 100*mean <= e.High {
				covered++
			}
		}
		if share := float64(covered) / runs; share < 0.93 || share > 0.975 {
			t.Errorf("mean %v: covered %.3f of the times", mean, share)
		}
	}
	if e := p.Estimate(&Entry{}); e.N != 0 || e.Low != 0 || e.High < 300 || e.High > 400 {
		t.Errorf("of nothing: %+v", e)
	}
	exact := &Profile{Variant: "exhaustive"}
	if e := exact.Estimate(&Entry{Count: 7}); e != (Estimate{7, 7, 7}) {
		t.Errorf("exhaustive: %+v", e)
	}
}

// Events that come ten at a time say as much as a tenth of them.
func TestEstimateTogether(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	const each, mean, runs = 10, 20.0, 20_000
	covered := 0
	for range runs {
		p := &Profile{Interval: 100, Checks: 10_000, Samples: 100, Total: 100 * each}
		if e := p.Estimate(&Entry{Count: each * poisson(random, mean)}); e.Low <= 100*each*mean && 100*each*mean <= e.High {
			covered++
		}
	}
	if share := float64(covered) / runs; share < 0.93 || share > 0.975 {
		t.Errorf("covered %.3f of the times", share)
	}
}

// Under a governor samples and counts have weights, and estimates stay what they are:
// here a quarter of the events happen at an interval of 100, the rest at 400.
func TestWeights(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	const dense, sparse, runs = 40.0, 30.0, 20_000
	truth := 100*dense + 400*sparse
	covered, sum := 0, 0.0
	for range runs {
		p := &Profile{Interval: 100, Checks: 100*1000 + 400*750, Samples: 1750, Weights: 3 * 750, Squares: 15 * 750}
		e := p.Estimate(&Entry{Count: poisson(random, dense) + 4*poisson(random, sparse)})
		sum += e.N
		if e.Low <= truth && truth <= e.High {
			covered++
		}
	}
	if mean := sum / runs; math.Abs(mean-truth) > truth/100 {
		t.Errorf("the mean estimate is %.0f, of %.0f", mean, truth)
	}
	if share := float64(covered) / runs; share < 0.93 || share > 0.975 {
		t.Errorf("covered %.3f of the times", share)
	}
	p := &Profile{Samples: 10, Governor: format.Governor{Budget: 5000, Changes: 2, Longest: 8000, Spent: 3e6, Time: 1e9}}
	if got, want := p.Governed(), "governed at 0.5 % of the processor time: 0.3 % were spent in 1s, with 2 changes of the interval, up to 8000"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := new(Profile).Governed(); got != "" {
		t.Errorf("without a governor: %q", got)
	}
}

// A program that is sampled at one interval and then at another leaves two
// profiles; added up, they are estimates of the whole.
func TestCombine(t *testing.T) {
	t.Parallel()
	part := func(interval, checks, samples uint64, counts ...uint64) *Profile {
		p := &Profile{Instrumentation: "x", Variant: "auto", Interval: interval, Checks: checks, Samples: samples}
		for i, n := range counts {
			e := Entry{Key: string(rune('a' + i)), Count: n}
			if n == 0 {
				p.Never = append(p.Never, e)
				continue
			}
			p.Entries, p.Total = append(p.Entries, e), p.Total+n
		}
		return p
	}
	other := &Profile{Instrumentation: "y", Variant: "auto"}
	got := Combine([]*Profile{part(0, 500, 0, 0, 0, 0), part(10, 1000, 100, 4, 0, 0), other, part(100, 30_000, 300, 1, 2, 0)})
	if len(got) != 2 || got[1] != other {
		t.Fatalf("%d profiles", len(got))
	}
	p := got[0]
	if len(p.Entries) != 2 || p.Entries[0].Key != "b" || len(p.Never) != 1 || p.Total != 7 || p.Checks != 31_000 || p.Events() != 340 || len(p.Intervals) != 2 {
		t.Errorf("%+v", p)
	}
	// Of a, 40 give or take 20, and 100 give or take 100.
	e := p.Estimate(&p.Entries[1])
	if p.Entries[1].Key != "a" || e.N != 140 || e.Low < 30 || e.Low > 60 || e.High < 500 || e.High > 560 {
		t.Errorf("%+v", e)
	}
	if one := part(10, 100, 10, 3); Combine([]*Profile{one})[0] != one {
		t.Error("a profile alone is not itself")
	}
}

// poisson draws a Poisson count by multiplying uniform numbers (Knuth).
func poisson(random *rand.Rand, mean float64) uint64 {
	n, p := uint64(0), random.Float64()
	for limit := math.Exp(-mean); p > limit; p *= random.Float64() {
		n++
	}
	return n
}
