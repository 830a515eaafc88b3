package profile

import (
	"math"
	"math/rand/v2"
	"testing"
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
			if e := p.Estimate(poisson(random, mean)); e.Low <= 100*mean && 100*mean <= e.High {
				covered++
			}
		}
		if share := float64(covered) / runs; share < 0.93 || share > 0.975 {
			t.Errorf("mean %v: covered %.3f of the times", mean, share)
		}
	}
	if e := p.Estimate(0); e.N != 0 || e.Low != 0 || e.High < 300 || e.High > 400 {
		t.Errorf("of nothing: %+v", e)
	}
	exact := &Profile{Variant: "exhaustive"}
	if e := exact.Estimate(7); e != (Estimate{7, 7, 7}) {
		t.Errorf("exhaustive: %+v", e)
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
