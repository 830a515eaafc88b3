package overlap

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dupinst/dupinst/profile"
)

func of(counts ...uint64) *profile.Profile {
	p := &profile.Profile{Instrumentation: "x"}
	for i, n := range counts {
		if n > 0 {
			p.Entries = append(p.Entries, profile.Entry{Key: fmt.Sprint(i), Count: n})
			p.Total += n
		}
	}
	return p
}

func TestPercentage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b *profile.Profile
		want float64
	}{
		{of(1, 2, 3), of(10, 20, 30), 100},
		{of(1, 0), of(0, 1), 0},
		{of(1, 1), of(1, 0), 50},
		{of(3, 1), of(1, 3), 50},
		{of(), of(), 100},
		{of(1), of(), 0},
	} {
		if got := Percentage(c.a, c.b); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v %v: %f, want %f", c.a.Entries, c.b.Entries, got, c.want)
		}
		if got := Percentage(c.b, c.a); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v %v: not symmetric: %f", c.a.Entries, c.b.Entries, got)
		}
	}
}

// TestExpected draws samples and compares their mean overlap with the formula.
func TestExpected(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	truth := make([]uint64, 60)
	for i := range truth {
		truth[i] = uint64(1 + 10000/(i*i+1))
	}
	p := of(truth...)
	for _, n := range []int{1, 10, 100, 3000} {
		sum := 0.0
		const trials = 1500
		for range trials {
			drawn := make([]uint64, len(truth))
			for range n {
				at := r.Uint64N(p.Total)
				for i, c := range truth {
					if at < c {
						drawn[i]++
						break
					}
					at -= c
				}
			}
			sum += Percentage(p, of(drawn...))
		}
		if mean, want := sum/trials, Expected(p, uint64(n)); math.Abs(mean-want) > 0.6 {
			t.Errorf("%d samples: mean overlap %.2f, formula %.2f", n, mean, want)
		}
	}
	if got := Expected(of(5), 3); math.Abs(got-100) > 1e-9 {
		t.Errorf("one key: %f", got)
	}
}

// Of what is hot: the keys that make nine tenths, and the hottest twentieth of them.
func TestHot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		truth, sampled    *profile.Profile
		relative, matched float64
	}{
		{of(60, 30, 6, 4), of(600, 300, 60, 40), 100, 100},
		{of(60, 30, 6, 4), of(60, 30, 0, 10), 100, 100}, // what is cold does not count
		{of(60, 30, 6, 4), of(30, 60, 6, 4), 200.0 / 3, 0},
		{of(60, 30, 6, 4), of(0, 0, 0, 1), 0, 0},
		{of(), of(), 100, 100},
		{of(60, 40), of(), 0, 0},
		{of(50, 50), of(100, 0), 50, 100},
	} {
		if got := Relative(c.truth, c.sampled); math.Abs(got-c.relative) > 1e-9 {
			t.Errorf("%v %v: relative %f, want %f", c.truth.Entries, c.sampled.Entries, got, c.relative)
		}
		if got := Matched(c.truth, c.sampled); math.Abs(got-c.matched) > 1e-9 {
			t.Errorf("%v %v: matched %f, want %f", c.truth.Entries, c.sampled.Entries, got, c.matched)
		}
	}
	many, some := make([]uint64, 100), make([]uint64, 100)
	for i := range many {
		many[i], some[i] = uint64(200-i), uint64(200-i)
	}
	some[0], some[50] = 1, 500 // five of a hundred are hot: one is lost
	if got, want := Matched(of(many...), of(some...)), 100*float64(199+198+197+196)/(200+199+198+197+196); math.Abs(got-want) > 1e-9 {
		t.Errorf("matched %f, want %f", got, want)
	}
}

// valued is a profile of values by site and value.
func valued(counts map[[2]string]uint64) *profile.Profile {
	p := &profile.Profile{Instrumentation: "value", Dynamic: "value", Variant: "exhaustive"}
	for at, n := range counts {
		p.Entries = append(p.Entries, profile.Entry{Key: at[0] + at[1], Count: n, Called: "?", Parts: []profile.Part{{Name: "site", Value: at[0]}, {Name: "value", Value: at[1]}}})
		p.Total += n
	}
	return p
}

// The difference in invariance is that of the truth's most frequent value, at sites that both have.
func TestInvariance(t *testing.T) {
	t.Parallel()
	truth := valued(map[[2]string]uint64{{"a", "1"}: 60, {"a", "2"}: 40, {"b", "1"}: 300, {"c", "9"}: 600})
	for _, c := range []struct {
		name    string
		sampled *profile.Profile
		want    float64
		ok      bool
	}{
		{"itself", truth, 0, true},
		{"no site in common", valued(map[[2]string]uint64{{"d", "1"}: 1}), 0, false},
		{"others too often", valued(map[[2]string]uint64{{"a", "1"}: 4, {"a", "2"}: 6, {"b", "1"}: 1}), 20 * 100. / 400, true},
		{"never", valued(map[[2]string]uint64{{"a", "2"}: 6, {"b", "1"}: 1}), 60 * 100. / 400, true},
	} {
		got, ok := Invariance(truth, c.sampled)
		if ok != c.ok || math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %f %t, want %f %t", c.name, got, ok, c.want, c.ok)
		}
	}
}

// What a table of frequent values keeps by chance is not held against a sampled profile: to see as much of a site whose
// values never come again as the truth did is to have it right.
func TestOthers(t *testing.T) {
	t.Parallel()
	truth := valued(map[[2]string]uint64{{"a", "1"}: 50, {"a", "2"}: 25, {"a", profile.Others}: 25})
	for _, c := range []struct {
		name    string
		sampled map[[2]string]uint64
		want    float64
	}{
		{"values that the truth has not kept", map[[2]string]uint64{{"a", "1"}: 2, {"a", "2"}: 1, {"a", "3"}: 1}, 100},
		{"too many of them", map[[2]string]uint64{{"a", "1"}: 2, {"a", "3"}: 2}, 75},
		{"a value that the sample has not kept", map[[2]string]uint64{{"a", "1"}: 2, {"a", profile.Others}: 2}, 100},
		{"one that it would have kept", map[[2]string]uint64{{"a", "1"}: 3, {"a", "3"}: 1}, 75},
		{"another site's", map[[2]string]uint64{{"a", "1"}: 2, {"a", "2"}: 1, {"b", "3"}: 1}, 75},
	} {
		sampled := valued(c.sampled)
		if got := Compare(truth, sampled).Overlap; math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %f, want %f", c.name, got, c.want)
		}
		if got := Differ(truth, sampled).Overlap; math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: compared: %f, want %f", c.name, got, c.want)
		}
	}
}
