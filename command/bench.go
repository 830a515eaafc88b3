package command

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dupinst/dupinst/gobuild"
	"github.com/dupinst/dupinst/instrumentations"
	"github.com/dupinst/dupinst/instrumentations/all"
	"github.com/dupinst/dupinst/instrumentations/own"
	"github.com/dupinst/dupinst/measure"
	"github.com/dupinst/dupinst/profile"
	"github.com/dupinst/dupinst/runtime"
	"github.com/dupinst/dupinst/transform"
)

func benchCommand(in *invocation) (int, error) {
	fs, parse := in.flags("bench", `bench [flags] [--] PACKAGE [args]

Builds a main package plainly, with the go command's coverage, with exhaustive
instrumentation and under each variant, runs the builds in turn, and says what
each costs and how accurate its profile is. The program must do the same, and
print the same, in each run. -pkgs, -instrument, -backend and -elide, before bench, are for all
builds. One that was interrupted goes on where it was if it is begun again in the same way.`)
	runs := fs.Int("n", 11, "measured `rounds`")
	intervals := fs.String("intervals", "100,1000,10000", "sample `intervals`, comma-separated")
	variants := fs.String("variants", "auto,full,no", "`variants`, comma-separated, or none")
	windows := fs.String("windows", "", "also `windows`, without checks, comma-separated: as 500/s, or 500/s:1ms with their length, or default")
	list := fs.String("instrument", strings.Join(instrumentations.Names(in.config.Instrumentations), ","), "`instrumentations`, comma-separated")
	test := fs.Bool("test", false, "run the benchmarks of PACKAGE, 100 iterations of each if args do not say (-test.benchtime=20x)")
	beside := fs.Bool("beside", true, "also measure the go command's coverage and a CPU profile, for comparison")
	accuracy := fs.Bool("accuracy", true, "also measure exhaustive builds, and compare profiles with theirs")
	quick := fs.Bool("quick", false, "a first figure: -n 6 -variants auto -intervals 1000 -beside=false -accuracy=false, but for those that are given")
	out := fs.String("o", "bench.out", "`directory` for tables (text, CSV, JSON, HTML), builds and profiles")
	if err := parse(); err != nil {
		return misuse, err
	}
	if *quick {
		given := map[string]bool{}
		fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
		for name, value := range map[string]string{"n": "6", "variants": "auto", "intervals": "1000", "beside": "false", "accuracy": "false"} {
			if !given[name] {
				if err := fs.Set(name, value); err != nil {
					return failed, fmt.Errorf("bench: -quick: %w", err)
				}
			}
		}
	}
	if fs.NArg() == 0 {
		return misuse, usagef("bench: a package is needed")
	}
	if err := checkBuilds(in.config); err != nil {
		return misuse, err
	}
	p := &measure.Plan{
		Dupinst: in.config.Self[0], Package: fs.Arg(0), Args: fs.Args()[1:], Test: *test, Runs: *runs, Beside: *beside, Accuracy: *accuracy,
		Flags:            []string{"-backend=" + string(in.config.Backend), "-elide=" + cmp.Or(strings.Join(in.config.Elide, ","), "none")},
		Instrumentations: strings.Split(*list, ","), Packages: strings.Join(in.config.Packages, ","), Dir: *out,
	}
	if err := checkPlan(p, in.config, *variants, *intervals, *windows); err != nil {
		return misuse, err
	}
	bar := &progress{w: in.stderr, start: time.Now()}
	if f, ok := in.stderr.(*os.File); ok {
		info, err := f.Stat()
		bar.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	p.Progress = bar.step
	r, err := measure.Run(in.ctx, p)
	bar.end()
	if err != nil {
		return failed, err
	}
	for name, write := range map[string]func(io.Writer) error{"tables.txt": r.Text, "results.csv": r.CSV, "results.json": r.JSON, "report.html": r.HTML} {
		if err := profile.WriteFile(filepath.Join(*out, name), write); err != nil {
			return failed, err
		}
	}
	return 0, r.Text(in.stdout)
}

// checkBuilds refuses flags before bench that are not for all builds.
func checkBuilds(c *gobuild.Config) error {
	switch {
	case c.Trigger != gobuild.Counter && c.Trigger != gobuild.Window:
		return usagef("bench: compares sample intervals, which are the counter's; build with -trigger=%s and run that", c.Trigger)
	case c.Trigger != gobuild.Counter:
		return usagef("bench: compares triggers; say -windows=default behind bench")
	case c.Variant != transform.Auto:
		return usagef("bench: compares variants; say -variants=%s behind bench", c.Variant)
	case c.Apart:
		return usagef("bench: compares sample intervals of all instrumentations; build with -apart and run that")
	case c.Audit:
		return usagef("bench: would measure what -audit costs")
	}
	return nil
}

// checkPlan completes a plan, or refuses what cannot be measured.
func checkPlan(p *measure.Plan, c *gobuild.Config, variants, intervals, windows string) error {
	if p.Runs < 6 {
		return usagef("bench: -n must be 6 at least: fewer rounds have no 95%% confidence interval")
	}
	if variants != "none" {
		p.Variants = strings.Split(variants, ",")
	}
	for _, v := range p.Variants {
		if !slices.Contains(transform.Variants(), transform.Variant(v)) || v == string(transform.Exhaustive) {
			return usagef("bench: -variants: %q is no variant to compare; there are auto, full, partial and no", v)
		}
	}
	table := all.Table()
	for _, in := range c.Instrumentations {
		if !slices.ContainsFunc(table, func(known *instrumentations.Instrumentation) bool { return known.Format.Name == in.Format.Name }) {
			table = append(table, in)
		}
	}
	for _, name := range p.Instrumentations {
		if own.IsPackage(name) {
			return usagef("bench: -instrument: %s is a package; name it before bench", name)
		}
	}
	if _, err := instrumentations.Select(table, strings.Join(p.Instrumentations, ",")); err != nil {
		return usagef("bench: -instrument: %v", err)
	}
	if windows != "" {
		for _, text := range strings.Split(windows, ",") {
			w, err := parseWindows(text)
			if err != nil {
				return usagef("bench: -windows: %v", err)
			}
			p.Windows = append(p.Windows, w)
		}
	}
	for _, text := range strings.Split(intervals, ",") {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 1 {
			return usagef("bench: -intervals: %q is no number of checks", text)
		}
		if !slices.Contains(p.Intervals, n) {
			p.Intervals = append(p.Intervals, n)
		}
	}
	return nil
}

// parseWindows reads windows, as 500/s, 500/s:1ms or default.
func parseWindows(text string) (w measure.Windows, err error) {
	if text == "default" {
		return w, nil
	}
	rate, length, some := strings.Cut(text, ":")
	n, err := strconv.ParseUint(strings.TrimSuffix(rate, "/s"), 10, 32)
	if err != nil || n == 0 || n > runtime.MaxWindows || !strings.HasSuffix(rate, "/s") {
		return w, fmt.Errorf("%q is no number of windows a second, as 500/s; there are %d at most", rate, runtime.MaxWindows)
	}
	d, err := time.ParseDuration(length)
	if some && (err != nil || d < runtime.MinWindow || d > runtime.MaxWindow || d%time.Microsecond != 0) {
		return w, fmt.Errorf("%q is no length of a window, as 1ms; they are of %v to %v", length, runtime.MinWindow, runtime.MaxWindow)
	}
	if w.Rate = rate; some {
		w.Length = fmt.Sprintf("%dus", d.Microseconds())
	}
	return w, nil
}

// A progress shows how far an experiment is.
type progress struct {
	w        io.Writer
	start    time.Time
	terminal bool
	last     time.Time
}

// step shows a bar on a terminal, else a line now and then.
func (p *progress) step(what string, done, all int) {
	left := ""
	if done > 0 {
		rest := time.Since(p.start) / time.Duration(done) * time.Duration(all-done)
		left = ", about " + rest.Round(time.Second).String() + " left"
	}
	const width = 30
	full := width * done / max(all, 1)
	switch {
	case p.terminal:
		fmt.Fprintf(p.w, "\r\x1b[K[%s%s] %d/%d %s%s", strings.Repeat("#", full), strings.Repeat("-", width-full), done, all, what, left)
	case time.Since(p.last) > 20*time.Second:
		fmt.Fprintf(p.w, "dupinst: %d/%d %s%s\n", done, all, what, left)
		p.last = time.Now()
	}
}

func (p *progress) end() {
	if p.terminal {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
