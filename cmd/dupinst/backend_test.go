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
			met := map[string]bool{}
			for _, c := range count {
				for k := range c {
					for part := range differs[name] {
						if count[0][k] != count[1][k] && strings.Contains(k, part) {
							met[part] = true
							delete(count[0], k)
							delete(count[1], k)
						}
					}
				}
			}
			diffCounts(t, count[0], count[1])
			if len(met) != len(differs[name]) {
				t.Errorf("differences are %v, and listed are %v", met, differs[name])
			}
		})
	}
}
