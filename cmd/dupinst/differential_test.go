package main_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dupinst/dupinst/profile"
)

// programs returns the directory of the test programs, one for each hazard that
// package transform names, and their names.
func programs(t *testing.T) (dir string, names []string) {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "..", "testdata", "programs"))
	if err != nil {
		t.Fatal(err)
	}
	mains, err := filepath.Glob(filepath.Join(dir, "*", "main.go"))
	if err != nil || len(mains) == 0 {
		t.Fatal("no test programs:", err)
	}
	for _, m := range mains {
		names = append(names, filepath.Base(filepath.Dir(m)))
	}
	return dir, names
}

// building is the environment of builds: compilers trade memory for time.
func building() []string { return append(os.Environ(), "GOGC=800") }

// goBuild runs a go or dupinst build in dir.
func goBuild(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, building()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

// plain, as a variant, is how the go command builds.
const plain = "plain"

// groups is how many parts the test programs are built in, each when one of its
// programs is first asked for.
const groups = 4

// builds are the builds so far, by variant, audit and group.
var builds sync.Map

// compiled is a variant in the compiler's back end, where others are in the source's.
func compiled(variant string) string { return "compiler-" + variant }

// arranged are the flags of a variant.
func arranged(variant string) []string {
	if variant == window {
		return []string{"-backend=compiler", "-trigger=window"}
	}
	name, compiled := strings.CutPrefix(variant, compiled(""))
	if name, elide, ok := strings.Cut(name, ":"); ok {
		return []string{"-backend=compiler", "-variant=" + name, "-elide=" + elide}
	}
	return []string{"-backend=" + map[bool]string{true: "compiler", false: "source"}[compiled], "-variant=" + name}
}

// backends run a test in the source's back end and in the compiler's, which names its
// variants.
func backends(t *testing.T, test func(t *testing.T, in func(variant string) string)) {
	for name, in := range map[string]func(string) string{"source": func(v string) string { return v }, "compiler": compiled} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, in)
		})
	}
}

// built returns the file of a test program as instrumented under a variant.
func built(t *testing.T, variant string, audit bool, name string) string {
	t.Helper()
	dir, names := programs(t)
	group := slices.Index(names, name) % groups
	key := fmt.Sprintf("%s-%t-%d", variant, audit, group)
	build, _ := builds.LoadOrStore(key, sync.OnceValue(func() error {
		args := append(arranged(variant), fmt.Sprintf("-audit=%t", audit), "build", "-ldflags=-w", "-o", filepath.Join(bin, key)+"/")
		if variant == plain {
			args = args[slices.Index(args, "build"):]
		}
		for i, name := range names {
			if i%groups == group {
				args = append(args, "./"+name)
			}
		}
		cmd := exec.Command(map[bool]string{true: "go", false: "dupinst"}[variant == plain], args...)
		cmd.Dir, cmd.Env = dir, building()
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w\n%s", cmd, err, out)
		}
		return nil
	}))
	if err := build.(func() error)(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(bin, key, name)
}

// A result is what a program did.
type result struct {
	stdout, stderr string
	status         int
}

// execute runs a program with a profile in dir, if that is not "".
func execute(t *testing.T, program, dir, interval string, env ...string) result {
	t.Helper()
	return executeCommand(t, []string{program}, dir, interval, env...)
}

// executeCommand runs a program with arguments.
func executeCommand(t *testing.T, command []string, dir, interval string, env ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = append(append(os.Environ(), "DUPINST_DIR="+dir, "DUPINST_INTERVAL="+interval), env...)
	cmd.WaitDelay = 30 * time.Second // for what it leaves behind, with its output open
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// counts reads the counts of a profile by instrumentation and key.
func counts(t *testing.T, dir string) map[string]uint64 {
	t.Helper()
	profiles, err := profile.ReadProfiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]uint64{}
	for _, p := range profiles {
		if p.Dropped > 0 {
			t.Errorf("%s: %d events dropped", p.Instrumentation, p.Dropped)
		}
		for _, e := range p.Entries {
			m[p.Instrumentation+" "+e.Key] = e.Count
		}
	}
	return m
}

func diffCounts(t *testing.T, want, got map[string]uint64) {
	t.Helper()
	for k, n := range want {
		if got[k] != n {
			t.Errorf("%s: %d, want %d", k, got[k], n)
		}
	}
	for k, n := range got {
		if want[k] == 0 {
			t.Errorf("%s: %d, want none", k, n)
		}
	}
}

// sampled are the variants that sample.
var sampled = []string{"auto", "full", "partial", "no"}

// variantsFor are the variants that the i-th of many programs is tried with:
// all or, with -short, one of them in turn, by the group that it is built in.
func variantsFor(i int) []string {
	if testing.Short() {
		return sampled[i%groups%len(sampled):][:1]
	}
	return sampled
}

// groupFor reports whether the i-th of many programs is tried by a test that, with
// -short, tries one in as many as there are groups.
func groupFor(i, group int) bool { return !testing.Short() || i%groups == group }

// TestPrograms runs each program plain, exhaustive, and sampled at several
// intervals, with -short under auto and in the compiler one other variant: it must do the same, and at interval 1 its profile must be the
// exhaustive one.
func TestPrograms(t *testing.T) {
	t.Parallel()
	_, names := programs(t)
	for i, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			backends(t, func(t *testing.T, in func(string) string) {
				prof := t.TempDir()
				want := execute(t, built(t, plain, false, name), "", "")
				run := func(variant string, interval int) string {
					dir := filepath.Join(prof, variant+strconv.Itoa(interval))
					if got := execute(t, built(t, in(variant), false, name), dir, strconv.Itoa(interval)); got != want {
						t.Errorf("%s at interval %d:\n%+v\nplain:\n%+v", variant, interval, got, want)
					}
					return dir
				}
				truth := counts(t, run("exhaustive", 0))
				if len(truth) == 0 {
					t.Error("the exhaustive profile is empty")
				}
				variants := sampled
				switch {
				case testing.Short() && in("auto") == "auto": // in the source
					variants = []string{"auto"}
				case testing.Short():
					variants = []string{"auto", sampled[1+i%groups%(len(sampled)-1)]}
				}
				for _, v := range variants {
					diffCounts(t, truth, counts(t, run(v, 1)))
					for _, interval := range []int{2, 3, 7, 1000, 0} {
						for k, n := range counts(t, run(v, interval)) {
							if n > truth[k] {
								t.Errorf("%s at interval %d: %s: %d of %d events", v, interval, k, n, truth[k])
							}
						}
					}
				}
			})
		})
	}
}

// TestRemedies has auto do without the checks of one kind at a time, and of none: programs do what
// they do plain, count everything at interval 1, and are sampled where a simulation says so.
func TestRemedies(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it builds all programs six times; with -short TestPrograms has all remedies at once")
	}
	_, names := programs(t)
	for _, name := range names {
		for _, elide := range []string{"none", "bounded", "entries"} {
			t.Run(name+"/"+elide, func(t *testing.T) {
				t.Parallel()
				variant := compiled("auto:" + elide)
				prof := t.TempDir()
				want := execute(t, built(t, plain, false, name), "", "")
				execute(t, built(t, compiled("exhaustive"), false, name), filepath.Join(prof, "truth"), "")
				truth := counts(t, filepath.Join(prof, "truth"))
				for _, interval := range []string{"1", "7"} {
					dir := filepath.Join(prof, interval)
					if got := execute(t, built(t, variant, false, name), dir, interval); got != want {
						t.Errorf("at interval %s:\n%+v\nplain:\n%+v", interval, got, want)
					}
				}
				diffCounts(t, truth, counts(t, filepath.Join(prof, "1")))
				for k, n := range counts(t, filepath.Join(prof, "7")) {
					if n > truth[k] {
						t.Errorf("at interval 7: %s: %d of %d events", k, n, truth[k])
					}
				}
				if !nondeterministic[name] && !clearsApart(name, variant) {
					holdsSimulation(t, built(t, variant, true, name), built(t, variant, false, name))
				}
			})
		}
	}
}

// TestChecksAlone runs the builds that Table 2 takes entry and backedge checks
// from: they must do what the plain programs do, and execute the checks of
// Full-Duplication between them.
func TestChecksAlone(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it builds the standard library twice; package transform compares what is emitted")
	}
	_, names := programs(t)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prof := t.TempDir()
			want := execute(t, built(t, plain, false, name), "", "")
			checks := map[string]uint64{}
			for _, v := range []string{"full", "entries", "backedges"} {
				for _, interval := range []string{"1", "0"} {
					dir := filepath.Join(prof, v+interval)
					if got := execute(t, built(t, v, false, name), dir, interval); got != want {
						t.Errorf("%s at interval %s:\n%+v\nplain:\n%+v", v, interval, got, want)
					}
					profiles, err := profile.ReadProfiles(dir)
					if err != nil || len(profiles) == 0 {
						t.Fatal("no profile:", err)
					}
					checks[v] = profiles[0].Checks
				}
			}
			if got := checks["entries"] + checks["backedges"]; got != checks["full"] {
				t.Errorf("%d checks on entries and %d on backedges; full has %d", checks["entries"], checks["backedges"], checks["full"])
			}
		})
	}
}

// TestProportion samples at many seeds and adds up: each key must be sampled in
// proportion to its true count.
func TestProportion(t *testing.T) {
	t.Parallel()
	backends(t, func(t *testing.T, in func(string) string) {
		dir, _ := programs(t)
		bin := t.TempDir()
		for _, v := range append(sampled, "exhaustive") {
			goBuild(t, dir, "dupinst", append(arranged(in(v)), "build", "-o", filepath.Join(bin, v), "./jumps")...)
		}
		prof := t.TempDir()
		execute(t, filepath.Join(bin, "exhaustive"), filepath.Join(prof, "truth"), "1")
		truth := counts(t, filepath.Join(prof, "truth"))
		const interval = 5
		runs := 200
		if testing.Short() {
			runs = 70
		}
		for _, v := range sampled {
			sum := map[string]uint64{}
			for seed := range runs {
				dir := filepath.Join(prof, v+strconv.Itoa(seed))
				execute(t, filepath.Join(bin, v), dir, strconv.Itoa(interval), fmt.Sprintf("DUPINST_SEED=%d", seed), "DUPINST_JITTER=0.8")
				for k, n := range counts(t, dir) {
					sum[k] += n
				}
			}
			for k, n := range truth {
				want := float64(n) * float64(runs) / interval
				// Events of one sample are not independent, so the bound is generous; a
				// piece of code that is never sampled, or always, is far outside.
				if got := float64(sum[k]); want > 100 && (got < 0.8*want || got > 1.25*want) {
					t.Errorf("%s: %s: sampled %.0f times, %.0f expected", v, k, got, want)
				}
			}
		}
	})
}

// TestRace builds two concurrent programs with the race detector: neither they
// nor what is added to them may race.
func TestRace(t *testing.T) {
	t.Parallel()
	backends(t, func(t *testing.T, in func(string) string) {
		dir, _ := programs(t)
		bin := t.TempDir()
		goBuild(t, dir, "go", "build", "-race", "-toolexec", "dupinst "+strings.Join(arranged(in("auto")), " "), "-o", bin+"/", "./concurrent", "./dynamic")
		for _, name := range []string{"concurrent", "dynamic"} {
			for _, interval := range []string{"1", "7"} {
				prof := filepath.Join(bin, name+interval)
				if got := execute(t, filepath.Join(bin, name), prof, interval); got.status != 0 || got.stderr != "" {
					t.Errorf("%s at interval %s: status %d\n%s", name, interval, got.status, got.stderr)
				}
				if len(counts(t, prof)) == 0 {
					t.Errorf("%s at interval %s: the profile is empty", name, interval)
				}
			}
		}
	})
}
