package main_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// contexts are the counts of a profile of contexts.
func contexts(t *testing.T, dir string) map[string]uint64 {
	t.Helper()
	m := map[string]uint64{}
	for key, n := range counts(t, dir) {
		if stack, ok := strings.CutPrefix(key, "context "); ok {
			m[stack] = n
		}
	}
	return m
}

// TestContexts holds calling contexts against those that functions find themselves to be in by the
// runtime's own word, in all variants, and lets windows follow.
func TestContexts(t *testing.T) {
	t.Parallel()
	dir, err := filepath.Abs(filepath.Join("..", "..", "testdata", "contexts"))
	if err != nil {
		t.Fatal(err)
	}
	variants := []string{"exhaustive", "auto", window}
	if !testing.Short() {
		variants = append(variants, "full", "partial", "no")
	}
	for _, v := range variants {
		t.Run(v, func(t *testing.T) {
			t.Parallel()
			exe, prof := filepath.Join(t.TempDir(), "prog"), t.TempDir()
			arrange := arranged(compiled(v))
			if v == window {
				arrange = arranged(v)
			}
			goBuild(t, dir, "dupinst", append(arrange, "-instrument=context,calledge,value", "build", "-o", exe, "main.go")...)
			ran := execute(t, exe, prof, "1", "DUPINST_WINDOWS=1000/s")
			if ran.status != 0 || ran.stderr != "" {
				t.Fatalf("%+v", ran)
			}
			want := map[string]uint64{}
			for line := range strings.Lines(ran.stdout) {
				n, stack := uint64(0), ""
				if _, err := fmt.Sscan(line, &n, &stack); err != nil {
					t.Fatalf("%q: %v", line, err)
				}
				want[stack] = n
			}
			got := contexts(t, prof)
			// The bodies of loops over functions, and what finds contexts, do not ask for their own.
			maps.DeleteFunc(got, func(stack string, _ uint64) bool {
				return strings.HasSuffix(stack, "main.main-range1") || strings.Contains(stack, "main.note")
			})
			if v != window {
				diffCounts(t, want, got)
				return
			}
			for _, stack := range slices.Sorted(maps.Keys(got)) {
				if got[stack] > want[stack] {
					t.Errorf("%s: %d of %d", stack, got[stack], want[stack])
				}
			}
		})
	}
}
