package profile

import (
	"errors"
	"slices"
	"testing"

	"github.com/dupinst/dupinst/profile/format"
)

func TestSince(t *testing.T) {
	t.Parallel()
	before, after := process(9, 5), process(9, 12)
	after.Checks += 100
	after.Callees[0].N += 2
	after.Callees = append(after.Callees, format.Callee{N: 4, Site: 2, Symbol: "q.C.M"})
	got, err := Since(before, after)
	if err != nil {
		t.Fatal(err)
	}
	profiles, err := Build([]*format.Process{got})
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]uint64{}
	for _, p := range profiles {
		for _, e := range p.Entries {
			counts[e.Key] = e.Count
		}
	}
	if profiles[0].Checks != 100 || len(counts) != 4 || counts["p.f:1 p.g"] != 7 || counts["p.T.x"] != 14 || counts["p.f:2 q.A.M"] != 2 || counts["p.f:2 q.C.M"] != 4 {
		t.Errorf("%d checks, %v", profiles[0].Checks, counts)
	}
	for _, later := range []*format.Process{process(8, 12), process(9, 4)} {
		if _, err := Since(before, later); !errors.Is(err, ErrChanged) {
			t.Errorf("begun anew: %v", err)
		}
	}
}

// TestTrapRounds has profiles by rounds: the one that went on between two snapshots is of both, and those of another length are others.
func TestTrapRounds(t *testing.T) {
	t.Parallel()
	rounds := func(n uint64, length uint64, begun uint64) *format.Process {
		p := process(9, n)
		p.Rounds = format.TrapRounds{Length: length, Begun: begun}
		return p
	}
	if got, err := Since(rounds(5, 1e9, 3), rounds(12, 1e9, 5)); err != nil || got.Rounds.Begun != 3 {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := Since(rounds(5, 1e9, 3), rounds(12, 2e9, 5)); !errors.Is(err, ErrChanged) {
		t.Errorf("longer rounds: %v", err)
	}
	if merged := Merge([]*format.Process{rounds(5, 1e9, 3), rounds(5, 0, 0), rounds(7, 1e9, 4)}); len(merged) != 2 || merged[0].Rounds.Begun != 7 {
		t.Errorf("merged: %d profiles", len(merged))
	}
	profiles, err := Build([]*format.Process{rounds(5, 1e9, 3), rounds(5, 0, 0)})
	if err != nil {
		t.Fatal(err)
	}
	if combined := Combine(profiles); len(combined) != len(profiles) {
		t.Errorf("%d of %d profiles are combined", len(combined), len(profiles))
	}
}

// Profiles of shadows that were more or less often, or longer, each stand for as much as they say.
func TestShadowRates(t *testing.T) {
	t.Parallel()
	shadowed := func(rate, checks, samples uint64) *format.Process {
		p := process(9, 5)
		p.Interval, p.Checks, p.Samples = 0, checks, samples
		p.Shadows = format.Shadows{Counted: true, Rate: rate, Length: 1e7, Begun: 3}
		return p
	}
	rare, often := shadowed(5, 1000, 10), shadowed(50, 1000, 100)
	if _, err := Since(rare, often); !errors.Is(err, ErrChanged) {
		t.Errorf("another rate: %v", err)
	}
	if merged := Merge([]*format.Process{rare, often, rare}); len(merged) != 2 || merged[0].Shadows.Begun != 6 || merged[1].Shadows.Begun != 3 {
		t.Errorf("merged: %d profiles", len(merged))
	}
	profiles, err := Build([]*format.Process{rare, often})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range Combine(profiles) {
		if want := float64(p.Total) / 2 * (100 + 10); p.Events() != want || p.Shadows.Begun != 6 {
			t.Errorf("%s: %g events, want %g; %+v", p.Instrumentation, p.Events(), want, p.Shadows)
		}
	}
}

// What a value had counted that was not kept apart since has been added to the others: it is none of what
// was counted between.
func TestSinceValues(t *testing.T) {
	t.Parallel()
	value := func(v string, n uint64) format.Callee {
		return format.Callee{N: n, Site: 2, Symbol: v, Kind: format.KindValue}
	}
	others := func(n uint64) format.Callee { return format.Callee{N: n, Site: 2, Kind: format.KindOthers} }
	for _, c := range []struct {
		name                string
		before, after, want []format.Callee
	}{
		{"kept", []format.Callee{value("1", 5)}, []format.Callee{value("1", 7), value("2", 1)}, []format.Callee{value("1", 2), value("2", 1)}},
		{"left", []format.Callee{value("1", 5), others(10)}, []format.Callee{value("2", 3), others(17)}, []format.Callee{value("2", 3), others(2)}},
		{"came again", []format.Callee{value("1", 5), others(10)}, []format.Callee{value("1", 3), others(15)}, []format.Callee{value("1", 3)}},
		{"left first", []format.Callee{value("1", 5)}, []format.Callee{others(9)}, []format.Callee{others(4)}},
	} {
		before, after := process(1, 1), process(1, 1)
		before.Callees, after.Callees = c.before, c.after
		got, err := Since(before, after)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !slices.Equal(got.Callees, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got.Callees, c.want)
		}
	}
}
