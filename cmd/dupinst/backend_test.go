package main_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// differs are the keys that the back ends count differently, by program, with the reason.
var differs = map[string]map[string]string{
	"dragons": {
		"main.first.func1 ":  "the source's leaves functions alone that defer recover()",
		"main.second.func1 ": "likewise",
		"main.unraced ":      "the source's leaves functions alone that are marked go:norace",
	},
	"initialisers": {
		"call errors.New": "the compiler carries out the initialiser, and no program does",
	},
}

// TestBackends holds the back ends' exhaustive profiles against each other: two accounts of
// what a program does that share the list of sites and nothing else.
func TestBackends(t *testing.T) {
	t.Parallel()
	_, names := programs(t)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prof := t.TempDir()
			var count [2]map[string]uint64
			for i, variant := range []string{"exhaustive", compiled("exhaustive")} {
				dir := filepath.Join(prof, variant)
				execute(t, built(t, variant, false, name), dir, "")
				count[i] = counts(t, dir)
			}
			source, compiler, met := but(differs[name], count[0], count[1])
			diffCounts(t, source, compiler)
			if met != len(differs[name]) {
				t.Errorf("%d of the listed differences %v are met", met, differs[name])
			}
		})
	}
}

// but returns the counts of two profiles without those that differ and are listed, by a
// part of the key, and how many that are listed differ.
func but(listed map[string]string, a, b map[string]uint64) (map[string]uint64, map[string]uint64, int) {
	met := map[string]bool{}
	left := func(m map[string]uint64) map[string]uint64 {
		out := map[string]uint64{}
		for k, n := range m {
			if a[k] != b[k] {
				for part := range listed {
					if strings.Contains(k, part) {
						met[part] = true
						k = ""
						break
					}
				}
			}
			if k != "" {
				out[k] = n
			}
		}
		return out
	}
	return left(a), left(b), len(met)
}
