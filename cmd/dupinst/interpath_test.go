package main_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// calledOutside are programs with leaves that what is not instrumented calls, which windows do not follow: paths lack them.
var calledOutside = []string{"closures", "generics", "trips"}

// outrun are goroutines that the program may end before.
var outrun = map[string][]string{"dynamic": {"main.spawn.func1"}, "known": {"main.main.func6", "main.started"}}

// TestInterpaths counts paths that go on in what is called, beside blocks: by both each block is entered as often as it is, but where
// a panic or the program's end breaks paths off; and with samples at each check, and in one window without an end, they are
// those of the exhaustive build. In short windows, and in samples that lie apart, there is none that was not.
func TestInterpaths(t *testing.T) {
	t.Parallel()
	onlyWindows(t)
	dir, all := programs(t)
	bin := t.TempDir()
	names := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !groupFor(slices.Index(all, name), 2) })
	var packages []string
	for _, name := range names {
		packages = append(packages, "./"+name)
	}
	exhaustive, full := compiled("exhaustive"), compiled("full")
	for _, v := range []string{exhaustive, full, window} {
		args := append(arranged(v), "-instrument=interpath,block", "build", "-o", filepath.Join(bin, v)+"/")
		goBuild(t, dir, "dupinst", append(args, packages...)...)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := execute(t, built(t, plain, false, name), "", "")
			run := func(variant, interval, windows string) map[string]uint64 {
				prof := filepath.Join(t.TempDir(), "prof")
				env := []string{"DUPINST_WINDOWS=" + windows, "DUPINST_WINDOW=50us"}
				if windows == "always" {
					env = append(env, severally)
				}
				if got := execute(t, filepath.Join(bin, variant, name), prof, interval, env...); got != want {
					t.Errorf("%s %s %s:\n%+v\nplain:\n%+v", variant, interval, windows, got, want)
				}
				got := counts(t, prof)
				maps.DeleteFunc(got, func(key string, _ uint64) bool {
					return probing[name] != "" && strings.Contains(key, strings.TrimPrefix(probing[name], "path ")) ||
						slices.ContainsFunc(outrun[name], func(fn string) bool { return strings.HasPrefix(key, "interpath "+fn+" ") })
				})
				return got
			}
			truth := run(exhaustive, "1", "")
			entries, blocks := entriesOf(truth)
			for _, fn := range slices.Sorted(maps.Keys(blocks)) {
				if probing[name] == "" && (brokenOff[name] == nil && !slices.Equal(blocks[fn], entries[fn]) || !within(entries[fn], blocks[fn])) {
					t.Errorf("%s: blocks are entered %d times, by paths %d", fn, blocks[fn], entries[fn])
				}
			}
			compare := func(truth, got map[string]uint64) {
				want, got, _ := but(blocksDiffer[name], truth, got)
				diffCounts(t, want, got)
			}
			if !nondeterministic[name] {
				compare(truth, run(full, "1", ""))
			}
			sampled := []map[string]uint64{run(full, "7", "")}
			if !slices.Contains(unfollowed, name) && !slices.Contains(calledOutside, name) {
				if got := run(window, "1", "always"); !nondeterministic[name] {
					compare(truth, got)
				}
				sampled = append(sampled, run(window, "1", "10000/s"))
			}
			for _, seen := range sampled {
				for k, n := range seen {
					if strings.HasPrefix(k, "interpath") && n > truth[k] && !nondeterministic[name] {
						t.Errorf("%s: %d of %d", k, n, truth[k])
					}
				}
			}
		})
	}
}

// within reports whether each number is no more than the other in its place, where none is lacking.
func within(numbers, others []uint64) bool {
	for i, n := range numbers {
		if len(numbers) == len(others) && n > others[i] {
			return false
		}
	}
	return true
}
