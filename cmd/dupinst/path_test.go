package main_test

import (
	"cmp"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dupinst/dupinst/profile"
)

// brokenOff are functions that end where no path does: by a fault, by a panic of what they call, or with
// the program.
var brokenOff = map[string][]string{
	"bounded":     {"main.falls"},
	"clears":      {"main.faults"},
	"conditions":  {"main.(*t).none", "main.main"},
	"dynamic":     {"main.(*circle).area", "main.nils.", "main.push"},
	"forgets":     {"main.faults"},
	"held":        {"main.(*grid).bounds"},
	"known":       {"main.(*stack).", "main.fail", "main.main.func", "main.try"},
	"laps":        {"main.refused", "main.word"},
	"loops":       {"main.endless", "main.main"},
	"panics":      {"main.crash"},
	"recovered":   {"main.main.func2", "main.try"},
	"trips":       {"main.recovers"},
	"transparent": {"main.(*counter).de", "main.panics"},
}

// probing are functions that look for a type in a cache of the runtime's: a loop, by which paths end, and control comes round
// it or not by what the runtime has drawn: it enters one type of 1,024 that are not there.
var probing = map[string]string{
	"types":      "path main.kinds ",
	"typeswitch": "path main.(*t).count ",
}

// unfollowedLeaves are those that are deferred, or called by what is not instrumented.
var unfollowedLeaves = map[string]map[string]string{
	"trips": {"main.deferred.func1": "deferred", "main.literal.func2": "deferred", "main.discard.Write": "called by fmt"},
}

// TestPaths counts paths, how often loops go round, references and allocations, beside blocks: by both each block is entered as often as it is, programs do the
// same, and with samples at each check, and in one window without an end, both are those of the exhaustive
// build. In short windows there is nothing that was not, or more often than it was.
func TestPaths(t *testing.T) {
	t.Parallel()
	onlyWindows(t)
	dir, names := programs(t)
	bin := t.TempDir()
	all := names
	names = slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !groupFor(slices.Index(all, name), 1) })
	var packages []string
	for _, name := range names {
		packages = append(packages, "./"+name)
	}
	exhaustive, full := compiled("exhaustive"), compiled("full")
	for _, v := range []string{exhaustive, full, window} {
		instrument := "-instrument=path,block,calledge,allocation"
		if v != full {
			instrument += ",trip,reference"
		}
		args := append(arranged(v), instrument, "build", "-o", filepath.Join(bin, v)+"/")
		goBuild(t, dir, "dupinst", append(args, packages...)...)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := execute(t, built(t, plain, false, name), "", "")
			run := func(variant, windows string) map[string]uint64 {
				prof := filepath.Join(t.TempDir(), variant)
				env := []string{"DUPINST_WINDOWS=" + windows, "DUPINST_WINDOW=5us"}
				if windows == "always" {
					env = append(env, severally)
				}
				if got := execute(t, filepath.Join(bin, variant, name), prof, "1", env...); got != want {
					t.Errorf("%s %s:\n%+v\nplain:\n%+v", variant, windows, got, want)
				}
				return counts(t, prof)
			}
			truth := run(exhaustive, "")
			entries, blocks := entriesOf(truth)
			drawn := func(key string, _ uint64) bool { return probing[name] != "" && strings.HasPrefix(key, probing[name]) }
			for _, fn := range slices.Sorted(maps.Keys(blocks)) {
				broken := slices.ContainsFunc(brokenOff[name], func(prefix string) bool { return strings.HasPrefix(fn, prefix) })
				if !broken && !slices.Equal(blocks[fn], entries[fn]) {
					t.Errorf("%s: blocks are entered %d times, by paths %d", fn, blocks[fn], entries[fn])
				}
			}
			checkTrips(t, filepath.Join(dir, name), truth)
			compare := func(truth, got map[string]uint64) {
				want, got, _ := but(differs[name], truth, got)
				want, got, _ = but(blocksDiffer[name], want, got)
				diffCounts(t, want, got)
			}
			if !nondeterministic[name] {
				want := maps.Clone(truth)
				maps.DeleteFunc(want, func(key string, n uint64) bool {
					return loop(key, n) || strings.HasPrefix(key, "reference ") || drawn(key, n)
				})
				got := run(full, "")
				maps.DeleteFunc(got, drawn)
				compare(want, got)
			}
			if !slices.Contains(unfollowed, name) && name != "closures" { // of leaves that are deferred
				want, got, _ := but(unfollowedLeaves[name], truth, run(window, "always"))
				for _, m := range []map[string]uint64{want, got} {
					maps.DeleteFunc(m, drawn)
					if nondeterministic[name] { // a loop's rounds, where the sum of all is not
						maps.DeleteFunc(m, loop)
					}
				}
				compare(want, got)
			}
			seen := run(window, "100000/s")
			maps.DeleteFunc(seen, drawn)
			checkCut(t, truth, seen)
			for k, n := range seen {
				// A place of more values than are kept has the rest as others.
				place, _, _ := strings.Cut(k, " = ")
				others := truth[place+" = "+profile.Others] > 0
				if n > truth[k] && !nondeterministic[name] && !strings.HasSuffix(k, orMore) && !others {
					t.Errorf("%s: %d of %d", k, n, truth[k])
				}
			}
		})
	}
}

// place is a line and a column.
var place = regexp.MustCompile(`^\d+\.\d+$`)

// entriesOf says how often blocks are entered that are, by paths and as they are counted, of each function
// in the order of their places.
func entriesOf(profile map[string]uint64) (entries, blocks map[string][]uint64) {
	byPath, byBlock := map[string]map[string]uint64{}, map[string]map[string]uint64{}
	add := func(m map[string]map[string]uint64, fn, at string, n uint64) {
		if m[fn] == nil {
			m[fn] = map[string]uint64{}
		}
		m[fn][at] += n
	}
	for key, n := range profile {
		instrumentation, key, _ := strings.Cut(key, " ")
		switch instrumentation {
		case "block":
			fn, rest, _ := strings.Cut(key, " /")
			_, from, _ := strings.Cut(rest, ":")
			from, _, _ = strings.Cut(from, ",")
			add(byBlock, fn, from, n)
		case "path", "interpath":
			fn, callers := "", []string(nil)
			for _, word := range strings.Fields(key) {
				switch {
				case word == "(":
					callers = append(callers, fn)
				case word == ")":
					fn, callers = callers[len(callers)-1], callers[:len(callers)-1]
				case word == "...":
				case place.MatchString(word):
					add(byPath, fn, word, n)
				default:
					fn = word
				}
			}
		}
	}
	ordered := func(m map[string]map[string]uint64) map[string][]uint64 {
		out := map[string][]uint64{}
		for fn, at := range m {
			for _, p := range slices.SortedFunc(maps.Keys(at), comparePlaces) {
				out[fn] = append(out[fn], at[p])
			}
		}
		return out
	}
	return ordered(byPath), ordered(byBlock)
}

func comparePlaces(a, b string) int {
	number := func(s string) int {
		line, col, _ := strings.Cut(s, ".")
		n, _ := strconv.Atoi(line)
		m, _ := strconv.Atoi(col)
		return n<<20 | m
	}
	return cmp.Compare(number(a), number(b))
}
