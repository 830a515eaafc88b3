package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dupinst/dupinst/conformance/random"
	"github.com/dupinst/dupinst/profile"
	"github.com/dupinst/dupinst/profile/format"
	"github.com/dupinst/dupinst/simulate"
)

// nondeterministic are the test programs whose goroutines race for work.
var nondeterministic = map[string]bool{"concurrent": true}

// readTrace reads the one trace in a directory.
func readTrace(t *testing.T, dir string) *format.Trace {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.trace"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%d traces in %s (%v)", len(files), dir, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	tr, err := format.DecodeTrace(data)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// recorded reads what the one process with a profile in a directory recorded.
func recorded(t *testing.T, dir string) map[simulate.Key]uint64 {
	t.Helper()
	processes, err := profile.Read(dir)
	if err != nil || len(processes) != 1 {
		t.Fatalf("%d profiles in %s (%v)", len(processes), dir, err)
	}
	got, err := simulate.Recorded(processes[0])
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// forgets reports whether a program faults behind a check whose count is still in a register,
// and is lost (docs/limits.md): no trace tells.
func forgets(name, variant string) bool {
	return name == "forgets" && variant == compiled("no")
}

// looksUp reports whether a program asks of a type whether it has an interface's methods: the compiler
// writes a loop that looks in a cache, which the runtime fills at random, and under Full-Duplication its
// backedges have checks (docs/limits.md).
func looksUp(name, variant string) bool {
	return (name == "types" || name == "typeswitch") && variant == compiled("full")
}

// clearsApart reports whether a program has loops that are one operation but in an audit, where they stay loops, with checks
// (docs/limits.md) unless those are left out as the loops are bounded.
func clearsApart(name, variant string) bool {
	bounded := variant == compiled("auto") || variant == compiled("auto:bounded")
	return name == "clears" && strings.HasPrefix(variant, compiled("")) && !bounded
}

// TestSimulate holds every variant's sampled profiles against what a simulation
// of the framework predicts from the trace of all events: count for count, at
// several intervals and seeds. With -short, each program in one variant, and in the
// compiler's back end half of them.
func TestSimulate(t *testing.T) {
	t.Parallel()
	_, names := programs(t)
	n := 0
	for i, name := range names {
		if nondeterministic[name] {
			continue
		}
		n++
		for _, v := range variantsFor(i) {
			t.Run(name+"/"+v, func(t *testing.T) {
				t.Parallel()
				backends(t, func(t *testing.T, in func(string) string) {
					if testing.Short() && in(v) != v && v != "full" && v != "partial" {
						t.Skip("in the short suite the compiler's audits are built under full and partial alone")
					}
					if forgets(name, in(v)) {
						t.Skip("it forgets a check at a fault")
					}
					if looksUp(name, in(v)) {
						t.Skip("how many checks it executes is chance")
					}
					if clearsApart(name, in(v)) {
						t.Skip("its audit executes more checks")
					}
					holdsSimulation(t, built(t, in(v), true, name), built(t, in(v), false, name))
				})
			})
		}
	}
	if n < 40 {
		t.Errorf("only %d programs", n)
	}
}

// TestSimulateRandom is TestSimulate of random programs.
func TestSimulateRandom(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		for _, v := range variantsFor(int(seed)) {
			t.Run(fmt.Sprintf("%d/%s", seed, v), func(t *testing.T) {
				t.Parallel()
				src, err := random.Program(seed, 40)
				if err != nil {
					t.Fatal(err)
				}
				dir := t.TempDir()
				for name, text := range map[string]string{"main.go": string(src), "go.mod": "module programs\n\ngo 1.24\n"} {
					if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
						t.Fatal(err)
					}
				}
				for i, backend := range []string{"source", "compiler"} {
					if testing.Short() && int(seed)%2 != i {
						continue
					}
					goBuild(t, dir, "dupinst", "-backend="+backend, "-variant="+v, "-audit", "build", "-o", "audit")
					goBuild(t, dir, "dupinst", "-backend="+backend, "-variant="+v, "build", "-o", "sampled")
					holdsSimulation(t, filepath.Join(dir, "audit"), filepath.Join(dir, "sampled"))
				}
			})
		}
	}
}

// holdsSimulation holds what program records against what a simulation predicts
// from the trace of its audit build.
func holdsSimulation(t *testing.T, audit, program string) {
	t.Helper()
	prof := t.TempDir()
	execute(t, audit, filepath.Join(prof, "trace"), "1", "DUPINST_TRACE=1")
	trace := readTrace(t, filepath.Join(prof, "trace"))
	events := 0
	for _, interval := range []int{1, 2, 3, 10, 1000} {
		for seed := range 2 {
			s := simulate.Settings{Interval: uint64(interval), Jitter: 0.5, Seed: uint64(seed)}
			want, err := simulate.Predict(trace, s)
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(prof, fmt.Sprint(interval, seed))
			execute(t, program, dir, strconv.Itoa(interval), "DUPINST_JITTER=0.5", fmt.Sprintf("DUPINST_SEED=%d", seed))
			got := recorded(t, dir)
			for k, n := range want {
				events += int(n)
				if got[k] != n {
					t.Errorf("interval %d, seed %d: %s: %d, simulated %d", interval, seed, k, got[k], n)
				}
			}
			for k, n := range got {
				if want[k] == 0 {
					t.Errorf("interval %d, seed %d: %s: %d, simulated none", interval, seed, k, n)
				}
			}
		}
	}
	if events == 0 {
		t.Error("no events")
	}
}

// audited reads the counts of an audit by function and event.
func audited(t *testing.T, dir string) map[string]map[string]uint64 {
	t.Helper()
	profiles, err := profile.ReadProfiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	functions := map[string]map[string]uint64{}
	for _, p := range profiles {
		for _, e := range p.Entries {
			if p.Instrumentation != "audit" {
				continue
			}
			f, event := e.Parts[0].Value, e.Parts[1].Value
			if functions[f] == nil {
				functions[f] = map[string]uint64{}
			}
			functions[f][event] = e.Count
		}
	}
	return functions
}

// TestAudit holds Property 1 (Arnold and Ryder, PLDI 2001, §2) on every program:
// checks are no more than entries and backedges. Full-Duplication has a check on
// each of these, and Partial-Duplication executes no more of them than it, in
// any function. An audit changes nothing that the program does.
func TestAudit(t *testing.T) {
	t.Parallel()
	_, names := programs(t)
	for i, name := range names {
		if !groupFor(i, 1) && !groupFor(i, 2) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			backends(t, func(t *testing.T, in func(string) string) { holdsProperty(t, name, in) })
		})
	}
}

// holdsProperty holds Property 1 on a program.
func holdsProperty(t *testing.T, name string, in func(variant string) string) {
	prof := t.TempDir()
	want := execute(t, built(t, plain, false, name), "", "")
	run := func(variant, interval string) map[string]map[string]uint64 {
		dir := filepath.Join(prof, variant+interval)
		if got := execute(t, built(t, in(variant), true, name), dir, interval); got != want {
			t.Errorf("%s, audited, at interval %s:\n%+v\nplain:\n%+v", variant, interval, got, want)
		}
		return audited(t, dir)
	}
	for _, interval := range []string{"1", "7"} {
		full, partial := run("full", interval), run("partial", interval)
		if len(full) == 0 {
			t.Error("no functions")
		}
		for f, n := range full {
			if n["check"] != n["entry"]+n["backedge"] {
				t.Errorf("full: %s: %d checks, %d entries and %d backedges", f, n["check"], n["entry"], n["backedge"])
			}
			p := partial[f]
			if p["entry"] != n["entry"] && !nondeterministic[name] {
				t.Errorf("%s: %d entries in full, %d in partial", f, n["entry"], p["entry"])
			}
			if p["check"] > p["entry"]+p["backedge"] {
				t.Errorf("partial: %s: %d checks, %d entries and %d backedges", f, p["check"], p["entry"], p["backedge"])
			}
			if p["check"] > n["check"] && !nondeterministic[name] {
				t.Errorf("%s: %d checks in full, %d in partial", f, n["check"], p["check"])
			}
		}
	}
}
