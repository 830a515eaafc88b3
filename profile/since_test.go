package profile

import (
	"errors"
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
