package edge

import (
	"math"
	"testing"

	"github.com/dupinst/dupinst/profile"
)

// branching is a result of one branch of two ways for each pair of counts.
func branching(counts ...[2]float64) *Result {
	r := &Result{}
	for i, n := range counts {
		b := Branch{Line: i, Count: n[0] + n[1], Ways: []Way{{To: "line 1", Count: n[0]}, {To: "else", Count: n[1]}}}
		for j := range b.Ways {
			if b.Count > 0 {
				b.Ways[j].Share = b.Ways[j].Count / b.Count
			}
		}
		r.Branches = append(r.Branches, b)
	}
	return r
}

func TestAccuracy(t *testing.T) {
	t.Parallel()
	truth := branching([2]float64{30, 10}, [2]float64{0, 60})
	for _, c := range []struct {
		name               string
		sampled            *Result
		overlap, agreement float64
	}{
		{"the same, scaled", branching([2]float64{3, 1}, [2]float64{0, 6}), 100, 100},
		{"the first the other way around", branching([2]float64{1, 3}, [2]float64{0, 6}), 80, 80},
		{"the second too often", branching([2]float64{3, 1}, [2]float64{0, 12}), 40*10/16.0 + 60, 100},
		{"the second unknown", branching([2]float64{3, 1}), 40, 40 + 30},
		{"nothing", &Result{}, 0, 60},
	} {
		if got := Overlap(truth, c.sampled); math.Abs(got-c.overlap) > 1e-9 {
			t.Errorf("%s: overlap %v, want %v", c.name, got, c.overlap)
		}
		if got := Agreement(truth, c.sampled); math.Abs(got-c.agreement) > 1e-9 {
			t.Errorf("%s: ways agree by %v, want %v", c.name, got, c.agreement)
		}
	}
}

// How much is made of one block beside another does not depend on how many events a sample has.
func TestMeasured(t *testing.T) {
	t.Parallel()
	for _, together := range []uint64{1, 10} {
		p := &profile.Profile{Variant: "auto", Interval: 100, Checks: 10_000, Samples: 100, Total: 100 * together}
		of := func(count uint64) float64 { return measured(p, &profile.Entry{Count: count}).cost }
		if none, one, four := of(0), of(1), of(4); math.Abs(none/one-1) > 1e-9 || math.Abs(one/four-2) > 1e-9 {
			t.Errorf("%d events a sample: a difference from none costs %v times one from one, and that %v times one from four", together, none/one, one/four)
		}
	}
}
