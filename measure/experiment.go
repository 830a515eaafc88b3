// Package measure owns experiments: a program built in many ways, its builds run
// in turn, and what that says of the cost of profiling and of the accuracy of
// profiles, in the tables of Arnold and Ryder (PLDI 2001, §4).
//
// Machines are noisy, so nothing is said of a run alone. In each round every
// build runs once; a build's overhead is the median, over the rounds, of the
// ratio of its processor time, user and system, to the plain build's in the same
// round, with a 95 % confidence interval that assumes nothing of the distribution
// (golang.org/x/perf/benchmath). Processor time counts what threads of the Go
// runtime do beside the program, and leaves out what others run on the machine.
package measure

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/perf/benchmath"
)

// A Plan says what to measure.
type Plan struct {
	Dupinst          string // the command
	Package          string // a main package or, if Test is set, one with benchmarks
	Test             bool
	Args             []string // of the program
	Runs             int      // measured rounds, after one that warms up
	Flags            []string // of dupinst, for all builds
	Variants         []string
	Instrumentations []string
	Intervals        []int64
	Windows          []Windows // none: no build that has them
	Beside           bool      // also measure the go command's coverage and a CPU profile
	Accuracy         bool      // also measure exhaustive builds, and compare profiles with theirs
	Packages         string    // to instrument; "" is the main module
	Dir              string    // for builds and profiles, made if missing
	// Progress is told before each step: what it is, how many there were, and how
	// many there are.
	Progress func(step string, done, all int)
}

// Windows are so many a second, as DUPINST_WINDOWS has it, of a length, as DUPINST_WINDOW does. What is "" is as
// it is if nothing is set.
type Windows struct {
	Rate   string `json:"rate,omitempty"`
	Length string `json:"length,omitempty"`
}

func (w Windows) String() string {
	switch {
	case w.Rate == "":
		return "by default"
	case w.Length == "":
		return w.Rate
	}
	return w.Rate + " of " + w.Length
}

// environment is what sets them.
func (w Windows) environment() (env []string) {
	if w.Rate != "" {
		env = append(env, "DUPINST_WINDOWS="+w.Rate)
	}
	if w.Length != "" {
		env = append(env, "DUPINST_WINDOW="+w.Length)
	}
	return env
}

// A Result is what an experiment found. Times are in seconds of processor time,
// sizes in bytes.
type Result struct {
	Package  string    `json:"package"`
	Args     []string  `json:"args"`
	Packages string    `json:"packages"` // instrumented
	Runs     int       `json:"runs"`
	Time     time.Time `json:"time"`
	Machine  string    `json:"machine"`
	// Instrumentations are the plan's.
	Instrumentations []string  `json:"instrumentations"`
	Builds           []*Build  `json:"builds"`
	Series           []*Series `json:"series"`
	// Hottest are the true call edges with the largest shares, for a figure.
	Hottest []Edge `json:"hottest"`
}

// A Build is one way in which the program is built.
type Build struct {
	Name       string  `json:"name"`
	Variant    string  `json:"variant,omitempty"`    // of dupinst
	Instrument string  `json:"instrument,omitempty"` // comma-separated
	Text       uint64  `json:"text"`                 // machine code
	Seconds    float64 `json:"seconds"`              // to build the main module's packages, elapsed
	flags      []string
	trigger    string // of dupinst, if not the counter
	file       string
}

// A Series is a build's runs in one setting.
type Series struct {
	Build    string    `json:"build"`
	Interval int64     `json:"interval,omitempty"` // 0: no samples, or windows
	Windows  *Windows  `json:"windows,omitempty"`  // nil: none
	Times    []float64 `json:"times"`
	Ratio    Ratio     `json:"ratio"` // to the plain build
	// Of the last run's profile:
	Checks   uint64    `json:"checks,omitempty"`
	Samples  uint64    `json:"samples,omitempty"`
	Overlaps []Overlap `json:"overlaps,omitempty"`
	build    *Build
	env      []string
	profile  string // directory or file
}

// sampled reports whether samples are taken.
func (s *Series) sampled() bool { return s.Interval > 0 || s.Windows != nil }

// name is the build's, with how often samples are taken.
func (s *Series) name() string {
	switch {
	case s.Windows != nil:
		return fmt.Sprintf("%s %v", s.Build, s.Windows)
	case s.Interval > 0:
		return fmt.Sprintf("%s at %d", s.Build, s.Interval)
	}
	return s.Build
}

// An Overlap is how well a profile agrees with the exhaustive one, in per cent.
type Overlap struct {
	Instrumentation string  `json:"instrumentation"`
	Overlap         float64 `json:"overlap"`
	Expected        float64 `json:"expected"` // of independent random samples, as many
	Events          uint64  `json:"events"`
}

// A Ratio is a median with its 95 % confidence interval.
type Ratio struct {
	Median float64 `json:"median"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
}

// An Edge is a call edge with its share, in per cent, in the true profile and in
// the sampled one.
type Edge struct {
	Key     string  `json:"key"`
	True    float64 `json:"true"`
	Sampled float64 `json:"sampled"`
}

// Both names all of the plan's instrumentations at once.
const Both = "both"

// Run carries out a plan. Where one like it was interrupted in its directory, it goes on behind
// the rounds that were done.
func Run(ctx context.Context, p *Plan) (*Result, error) {
	listed, err := command(ctx, "", "go", "list", "-f", "{{.ImportPath}}\n{{.Dir}}", p.Package)
	if err != nil {
		return nil, fmt.Errorf("cannot measure %s: %w", p.Package, err)
	}
	path, at, _ := strings.Cut(listed, "\n")
	if strings.Contains(at, "\n") {
		return nil, fmt.Errorf("cannot measure %s: it is several packages", p.Package)
	}
	if path == "command-line-arguments" {
		path = p.Package
	}
	if err := os.MkdirAll(p.Dir, 0o777); err != nil {
		return nil, fmt.Errorf("cannot make the directory for results: %w", err)
	}
	dir, err := filepath.Abs(p.Dir)
	if err != nil {
		return nil, err
	}
	e := &experiment{Plan: p, ctx: ctx, dir: dir, result: &Result{
		Package: path, Args: p.Args, Packages: p.Packages, Runs: p.Runs, Time: time.Now(), Machine: machine(),
		Instrumentations: p.Instrumentations,
	}}
	if p.Test {
		e.packageDir = at
	}
	e.plan()
	if err := e.resume(); err != nil {
		return nil, err
	}
	for _, b := range e.result.Builds {
		if err := e.build(b); err != nil {
			return nil, err
		}
	}
	if err := e.rounds(); err != nil {
		return nil, err
	}
	e.summarize()
	if err := e.accuracy(); err != nil {
		return nil, err
	}
	return e.result, e.finished()
}

type experiment struct {
	*Plan
	unfinished
	ctx         context.Context
	dir         string // Plan.Dir, absolute
	result      *Result
	packageDir  string // where a test binary runs, as under go test; "" is here
	done, steps int
}

// step tells what is done next.
func (e *experiment) step(format string, args ...any) {
	if e.Progress != nil {
		e.Progress(fmt.Sprintf(format, args...), e.done, e.steps)
	}
	e.done++
}

// plan lists builds and series.
func (e *experiment) plan() {
	add := func(b *Build, intervals ...int64) {
		b.file = filepath.Join(e.dir, "bin", b.Name)
		e.result.Builds = append(e.result.Builds, b)
		for _, i := range intervals {
			s := &Series{Build: b.Name, Interval: i, build: b}
			e.result.Series = append(e.result.Series, s)
			if b.Variant != "" && (i > 0 || b.Variant == exhaustive) {
				s.profile = filepath.Join(e.dir, "profiles", fmt.Sprintf("%s-%d", b.Name, i))
				s.env = []string{"DUPINST_DIR=" + s.profile, fmt.Sprintf("DUPINST_INTERVAL=%d", max(i, 1))}
			}
		}
	}
	add(&Build{Name: plain}, 0)
	if e.Beside {
		coverpkg := "-coverpkg=" + e.Packages
		if e.Packages == "" {
			coverpkg = "-coverpkg=./..."
		}
		add(&Build{Name: "cover-count", flags: []string{"-cover", "-covermode=count", coverpkg}}, 0)
		add(&Build{Name: "cover-atomic", flags: []string{"-cover", "-covermode=atomic", coverpkg}}, 0)
		add(&Build{Name: timer}, 0)
	}
	if e.Accuracy {
		for _, in := range append(e.Instrumentations, Both) {
			add(&Build{Name: exhaustive + "-" + in, Variant: exhaustive, Instrument: in}, 0)
		}
	}
	for _, v := range e.Variants {
		if v == "full" {
			for _, checks := range bare {
				add(&Build{Name: checks, Variant: checks, Instrument: Both}, 0)
			}
		}
		if v == "no" {
			for _, in := range e.Instrumentations {
				add(&Build{Name: v + "-" + in, Variant: v, Instrument: in}, 0)
			}
		}
		add(&Build{Name: v, Variant: v, Instrument: Both}, append([]int64{0}, e.Intervals...)...)
	}
	if len(e.Windows) > 0 {
		add(&Build{Name: window, Variant: "auto", Instrument: Both, trigger: window}, 0)
		b := e.result.Builds[len(e.result.Builds)-1]
		for i := range e.Windows {
			s := &Series{Build: b.Name, Windows: &e.Windows[i], build: b, profile: filepath.Join(e.dir, "profiles", fmt.Sprintf("%s-%d", b.Name, i))}
			s.env = append(e.Windows[i].environment(), "DUPINST_DIR="+s.profile)
			e.result.Series = append(e.result.Series, s)
		}
	}
	e.steps = 2*len(e.result.Builds) + (e.Runs+1)*len(e.result.Series)
}

// bare are Full-Duplication's checks without anything behind them.
var bare = []string{"entries", "backedges"}

// The builds that are not dupinst's variants.
const (
	plain      = "plain"
	exhaustive = "exhaustive"
	window     = "window"     // dupinst's trigger: no checks
	timer      = "cpuprofile" // with runtime/pprof's CPU profile, at its default rate
)

// Summary is the median of values, with its interval.
func Summary(values []float64) Ratio {
	s := benchmath.AssumeNothing.Summary(benchmath.NewSample(values, &benchmath.DefaultThresholds), 0.95)
	return Ratio{s.Center, s.Lo, s.Hi}
}

// Overhead is the ratio as a percentage above 1, with its interval, and a ~ where that has no
// overhead in it: the noise is wider than the effect.
func (r Ratio) Overhead() string {
	noise := ""
	if r.Low < 1 && 1 < r.High {
		noise = " ~"
	}
	return fmt.Sprintf("%+.1f%% (%+.1f to %+.1f)%s", 100*(r.Median-1), 100*(r.Low-1), 100*(r.High-1), noise)
}

// noisy is what is said of ~.
const noisy = "~: the interval has 0 in it, so that these rounds do not tell the effect from noise."

// summarize computes ratios.
func (e *experiment) summarize() {
	base := e.result.Series[0].Times
	for _, s := range e.result.Series {
		ratios := make([]float64, len(s.Times))
		for i, t := range s.Times {
			ratios[i] = t / base[i]
		}
		s.Ratio = Summary(ratios)
	}
}
