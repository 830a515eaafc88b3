// Triggers compares what begins samples, on the programs of the bench module with everything
// instrumented: checks that count, a timer that the next check sees (Arnold and Ryder, PLDI
// 2001, §4.6), windows, and runtime/pprof's CPU profile, which needs no instrumentation.
//
// The builds run in turn. Each round links them anew, with their functions in an order of its own, for where code lies
// can decide more of the time than what is measured (Mytkowicz, Diwan, Hauswirth and Sweeney, Producing Wrong Data
// Without Doing Anything Obviously Wrong, ASPLOS 2009). The first table has processor time as ratios to the plain build's,
// medians over rounds; the others the overlap of call edges, and of field accesses, of all
// rounds with the exhaustive profile. "Equal" is counters with an interval at which there are
// about as many samples as with the timer. A CPU profile's call edges are pairs of functions on
// its stacks.
//
// -only has those alone measured whose names match, as "counter|windows".
//
// usage: go run ./demo/triggers [-n ROUNDS] [-only REGEXP] [-o DIR] [WORKLOAD…]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/dupinst/dupinst/measure"
	"github.com/dupinst/dupinst/overlap"
	"github.com/dupinst/dupinst/profile"
)

func main() {
	n := flag.Int("n", 9, "`rounds`")
	only := flag.String("only", "", "measure what has a name that this `regexp` matches")
	dir := flag.String("o", "triggers.out", "`directory` for builds and profiles")
	flag.Parse()
	workloads := flag.Args()
	if len(workloads) == 0 {
		workloads = []string{"compress", "sat", "buntdb", "gotypes", "mp3", "raytracer", "yacc", "ssa", "tpcb", "chat"}
	}
	if err := run(context.Background(), *dir, *n, *only, workloads); err != nil {
		fmt.Fprintln(os.Stderr, "triggers:", err)
		os.Exit(1)
	}
}

// A series is one build under one setting.
type series struct {
	name, build string
	settings    []string
	unprofiled  bool // it writes no profile
}

var all = []series{
	{"plain", "plain", nil, true},
	{"counter, off", "counter", nil, true},
	{"counter, 1000", "counter", []string{"DUPINST_INTERVAL=1000"}, false},
	{"timer, 10 ms", "timer", nil, false},
	{"equal", "counter", nil, false}, // its interval is known when the timer has run
	{"CPU profile", "cpu", nil, true},
	{"windows, off", "window", nil, true},
	{"windows, 25/s of 1 ms", "window", nil, false},
	{"windows, 1 %", "window", []string{"DUPINST_OVERHEAD=1%"}, false},
	{"windows, always", "window", []string{"DUPINST_WINDOWS=always"}, false},
}

// chosen are plain, those whose names match, and the timer for what is to be equal to it.
func chosen(names string) ([]series, error) {
	match, err := regexp.Compile(names)
	if err != nil {
		return nil, fmt.Errorf("-only: %w", err)
	}
	var out []series
	for _, s := range all {
		if s.name == "plain" || match.MatchString(s.name) || s.name == "timer, 10 ms" && match.MatchString("equal") {
			out = append(out, s)
		}
	}
	if len(out) < 2 {
		return nil, fmt.Errorf("-only: no name of what is measured matches %s", names)
	}
	return out, nil
}

// compared says whether a series' profiles are held against the exhaustive one.
func (s series) compared() bool {
	return s.name == "CPU profile" || !s.unprofiled && s.name != "windows, always"
}

func run(ctx context.Context, dir string, n int, only string, workloads []string) error {
	measured, err := chosen(only)
	if err != nil {
		return err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	tool := filepath.Join(dir, "dupinst")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", tool, "./cmd/dupinst").CombinedOutput(); err != nil {
		return fmt.Errorf("go build ./cmd/dupinst: %w\n%s", err, out)
	}
	time, calls, fields := table{title: "time"}, table{title: "calls"}, table{title: "fields"}
	for _, s := range measured[1:] {
		time.columns = append(time.columns, s.name)
		if s.compared() {
			calls.columns, fields.columns = append(calls.columns, s.name), append(fields.columns, s.name)
		}
	}
	for _, name := range workloads {
		w := &workload{ctx: ctx, name: name, dir: filepath.Join(dir, name), tool: tool, series: measured, ratios: map[string][]float64{}}
		if err := w.measure(n, &time, &calls, &fields); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, t := range []table{time, calls, fields} {
		t.print()
	}
	return nil
}

// A table has a row for each workload, and their means.
type table struct {
	title   string
	columns []string
	rows    [][]float64
	names   []string
}

func (t *table) add(name string, row []float64) {
	t.names, t.rows = append(t.names, name), append(t.rows, row)
	fmt.Fprintf(os.Stderr, "%s, %s:%s\n", name, t.title, t.cells(row))
}

func (t *table) cells(row []float64) string {
	out := ""
	for _, v := range row {
		switch {
		case v < 0:
			out += " |"
		case t.title == "time":
			out += fmt.Sprintf(" %+.1f %% |", 100*(v-1))
		default:
			out += fmt.Sprintf(" %.1f |", v)
		}
	}
	return out
}

func (t *table) print() {
	fmt.Printf("\n| %s | %s |\n|%s\n", t.title, strings.Join(t.columns, " | "), strings.Repeat("---|", len(t.columns)+1))
	mean := make([]float64, len(t.columns))
	for i, row := range t.rows {
		fmt.Printf("| %s |%s\n", t.names[i], t.cells(row))
		for k, v := range row {
			mean[k] += v / float64(len(t.rows))
		}
	}
	fmt.Printf("| **mean** |%s\n", t.cells(mean))
}

// A workload is one of the bench module's programs.
type workload struct {
	ctx             context.Context
	name, dir, tool string
	series          []series
	ratios          map[string][]float64 // of series, by name
}

func (w *workload) file(name string) string { return filepath.Join(w.dir, name) }

// profiles is the directory for those of a series.
func (w *workload) profiles(s string) string { return w.file(s + ".profile") }

func (w *workload) command(name string, args ...string) error {
	cmd := exec.CommandContext(w.ctx, name, args...)
	cmd.Dir = "bench"
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", cmd, err, out)
	}
	return nil
}

// prepare empties the workload's directory, and returns the overlay with which it writes a CPU profile.
func (w *workload) prepare() (string, error) {
	if err := os.RemoveAll(w.dir); err != nil {
		return "", err
	}
	if err := os.MkdirAll(w.dir, 0o777); err != nil {
		return "", err
	}
	return measure.Timed(w.ctx, "./"+w.name, "bench", w.dir)
}

// link makes the builds of some series, with functions in an order that the round draws.
func (w *workload) link(overlay string, series []series, round int) error {
	commands := map[string][]string{
		"plain":      {"go", "build"},
		"cpu":        {"go", "build", "-overlay", overlay},
		"counter":    {w.tool, "-pkgs=all", "build"},
		"timer":      {w.tool, "-pkgs=all", "-trigger=timer", "build"},
		"window":     {w.tool, "-pkgs=all", "-trigger=window", "build"},
		"exhaustive": {w.tool, "-pkgs=all", "-variant=exhaustive", "build"},
	}
	layout := fmt.Sprintf("-ldflags=-randlayout=%d", round+1) // 0 leaves them as they are
	for _, s := range series {
		if command := commands[s.build]; command != nil {
			if err := w.command(command[0], append(command[1:], layout, "-o", w.file(s.build), "./"+w.name)...); err != nil {
				return err
			}
			delete(commands, s.build)
		}
	}
	return nil
}

// once runs a build, and returns the processor time that it took, in seconds.
func (w *workload) once(build string, settings ...string) (float64, error) {
	cmd := exec.CommandContext(w.ctx, w.file(build))
	cmd.Dir, cmd.Env = filepath.Join("bench", w.name), append(os.Environ(), settings...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%s: %w\n%s", build, err, out)
	}
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), nil
}

func (w *workload) measure(n int, time, calls, fields *table) error {
	overlay, err := w.prepare()
	if err != nil {
		return err
	}
	if err := w.link(overlay, []series{{build: "exhaustive"}}, 0); err != nil {
		return err
	}
	if _, err := w.once("exhaustive", "DUPINST_DIR="+w.profiles("exhaustive")); err != nil {
		return err
	}
	interval := ""
	for round := range n + 1 {
		if err := w.link(overlay, w.series, round); err != nil {
			return err
		}
		var plain float64
		for _, s := range w.series {
			settings := append([]string{"DUPINST_DIR="}, s.settings...)
			if s.build == "cpu" {
				settings = append(settings, fmt.Sprintf("DUPINST_CPUPROFILE=%s.%d", w.file("cpuprofile"), round))
			}
			if !s.unprofiled {
				settings = append(settings, "DUPINST_DIR="+w.profiles(s.name))
			}
			if s.name == "equal" {
				settings = append(settings, "DUPINST_INTERVAL="+interval)
			}
			seconds, err := w.once(s.build, settings...)
			if err != nil {
				return err
			}
			if s.name == "plain" {
				plain = seconds
			}
			if round > 0 { // the first one warms up
				w.ratios[s.name] = append(w.ratios[s.name], seconds/plain)
			}
			if s.name == "timer, 10 ms" && round == 0 {
				if interval, err = w.interval(s.name); err != nil {
					return err
				}
			}
		}
	}
	var row []float64
	for _, s := range w.series[1:] {
		row = append(row, measure.Summary(w.ratios[s.name]).Median)
	}
	time.add(w.name, row)
	return w.overlaps(n, calls, fields)
}

// interval is what leaves about as many samples as a series has.
func (w *workload) interval(s string) (string, error) {
	profiles, err := profile.ReadProfiles(w.profiles(s))
	if err != nil {
		return "", err
	}
	return fmt.Sprint(max(1, profiles[0].Checks/max(1, profiles[0].Samples))), nil
}

func (w *workload) overlaps(n int, calls, fields *table) error {
	truth, err := profile.ReadProfiles(w.profiles("exhaustive"))
	if err != nil {
		return err
	}
	for _, t := range []struct {
		in  string
		out *table
	}{{"calledge", calls}, {"fieldaccess", fields}} {
		var row []float64
		for _, s := range w.series {
			if !s.compared() {
				continue
			}
			v, err := w.overlap(named(truth, t.in), s.name, n)
			if err != nil {
				return err
			}
			row = append(row, v)
		}
		t.out.add(w.name, row)
	}
	return nil
}

// overlap is that of a series; -1 where a CPU profile has nothing of the kind.
func (w *workload) overlap(truth *profile.Profile, s string, n int) (float64, error) {
	if s == "CPU profile" {
		if truth.Instrumentation != "calledge" {
			return -1, nil
		}
		var files []string
		for round := range n + 1 {
			files = append(files, fmt.Sprintf("%s.%d", w.file("cpuprofile"), round))
		}
		r, _, err := measure.CompareCPU(truth, files)
		return r.Overlap, err
	}
	sampled, err := profile.ReadProfiles(w.profiles(s))
	if err != nil {
		return 0, err
	}
	return overlap.Compare(truth, named(sampled, truth.Instrumentation)).Overlap, nil
}

func named(profiles []*profile.Profile, instrumentation string) *profile.Profile {
	for _, p := range profiles {
		if p.Instrumentation == instrumentation {
			return p
		}
	}
	return &profile.Profile{Instrumentation: instrumentation}
}
