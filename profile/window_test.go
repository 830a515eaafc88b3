package profile

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dupinst/dupinst/profile/format"
)

// windowed is what a process leaves whose one key was counted so often in each batch.
func windowed(batches []uint64) *format.Process {
	meta := format.Meta{Package: "p", Sites: []format.Site{{Instrumentation: 1, Parts: []string{"p.T.x"}}}}
	p := &format.Process{
		Build:   format.Build{Variant: "auto", Instrumentations: build.Instrumentations, Backend: "compiler", Trigger: format.WindowTrigger},
		Samples: 64 * uint64(len(batches)), Windows: format.Windows{Open: 1, Busy: 100, Batches: uint64(len(batches))},
	}
	n, squares := uint64(0), 0.0
	for _, b := range batches {
		n += b
		squares += float64(b) * float64(b)
	}
	p.Packages = []format.Package{{Meta: meta.Encode(), Counts: []format.Count{{N: n, Root: uint64(math.Round(math.Sqrt(squares)))}}}}
	return p
}

// The confidence interval of what windows count holds the truth as often as it says, though
// what one batch counts are not independent events but as many of one kind in turn.
func TestWindowEstimate(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	const trials, each, hot = 2000, 40, 1000
	within := 0
	for range trials {
		batches := make([]uint64, each)
		for i := range batches {
			if random.IntN(3) == 0 {
				batches[i] = hot
			}
		}
		profiles, err := Build([]*format.Process{windowed(batches)})
		if err != nil {
			t.Fatal(err)
		}
		p := profiles[len(profiles)-1]
		if p.Scale() != 100 || p.Instrumentation != "fieldaccess" {
			t.Fatalf("%s stands for %g", p.Instrumentation, p.Scale())
		}
		if e := p.Estimate(&p.Entries[0]); e.Low <= 100*each*hot/3. && 100*each*hot/3. <= e.High {
			within++
		}
	}
	if share := float64(within) / trials; share < 0.92 || share > 0.98 {
		t.Errorf("%.3f of the intervals hold the truth, where 0.95 are to", share)
	}
}

// Merged windows say what they say apart.
func TestWindowMerge(t *testing.T) {
	t.Parallel()
	a, b := windowed([]uint64{5, 0, 7, 0, 100}), windowed([]uint64{6, 1, 0, 60, 3})
	apart, err := Build([]*format.Process{a, b})
	if err != nil {
		t.Fatal(err)
	}
	merged, err := Build(Merge([]*format.Process{a, b}))
	if err != nil {
		t.Fatal(err)
	}
	p, q := apart[len(apart)-1], merged[len(merged)-1]
	x, y := p.Estimate(&p.Entries[0]), q.Estimate(&q.Entries[0])
	if x.N != y.N || math.Abs(x.Low/y.Low-1) > 0.1 || math.Abs(x.High/y.High-1) > 0.1 {
		t.Errorf("apart %+v, merged %+v", x, y)
	}
}

// Windows that were open for another share of the time are another profile's; as one, they
// say what they say apart.
func TestWindowShares(t *testing.T) {
	t.Parallel()
	a, b := windowed([]uint64{5, 0, 7, 0, 100}), windowed([]uint64{6, 1, 0, 60, 3})
	a.Windows.Rate, a.Windows.Length, a.Windows.Open = 10, 1e6, 10
	b.Windows.Rate, b.Windows.Length, b.Windows.Open = 50, 1e6, 50
	if n := len(Merge([]*format.Process{a, b})); n != 2 {
		t.Errorf("merged, there are %d of two", n)
	}
	apart, err := Build([]*format.Process{a, b})
	if err != nil {
		t.Fatal(err)
	}
	var fields []*Profile
	for _, p := range apart {
		if p.Instrumentation == "fieldaccess" {
			fields = append(fields, p)
		}
	}
	one := Combine(fields)
	if len(fields) != 2 || len(one) != 1 {
		t.Fatalf("%d profiles, combined %d", len(fields), len(one))
	}
	want := fields[0].Estimate(&fields[0].Entries[0]).N + fields[1].Estimate(&fields[1].Entries[0]).N
	if got := one[0].Estimate(&one[0].Entries[0]).N; got != want || one[0].Began() == "" {
		t.Errorf("combined %g, %q; apart %g", got, one[0].Began(), want)
	}
}

// What one window without an end counts is all there was.
func TestEndless(t *testing.T) {
	t.Parallel()
	p := windowed([]uint64{5, 0, 7})
	p.Samples, p.Windows = 0, format.Windows{Length: 1e6, Busy: 1e9}
	built, err := Build([]*format.Process{p})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range built {
		if p.Total == 0 {
			if p.Endless() || !p.Unsampled() {
				t.Errorf("%s: what has no count was in such a window", p.Instrumentation)
			}
			continue
		}
		n := float64(p.Entries[0].Count)
		if got := p.Estimate(&p.Entries[0]); got != (Estimate{n, n, n}) || p.Unsampled() || p.Began() != "one window without an end" {
			t.Errorf("%s: %+v of %g, %q", p.Instrumentation, got, n, p.Began())
		}
	}
}
