// Conformance runs programs and test suites that others wrote, and random ones,
// plain and instrumented, and compares all that they do: standard output, standard
// error, exit status, the results of tests. It is the proof of dupinst's first
// promise, that nothing changes but the profile.
//
//	go run ./conformance -short          # a sample of everything, a few minutes
//	go run ./conformance -full -o out    # everything, hours; again, to go on
//	go run ./conformance -run 'goroot/.*append' -v
//
// A case that fails in the plain build, too, is counted apart: it says nothing of
// dupinst, and is never counted as passed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ok, err := run(ctx, os.Args[1:], os.Stdout)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// run does what the arguments say, and reports whether all cases passed.
func run(ctx context.Context, args []string, out io.Writer) (bool, error) {
	fs := flag.NewFlagSet("conformance", flag.ContinueOnError)
	o := options{}
	short := fs.Bool("short", false, "a sample of each corpus, one variant for each case, a few minutes")
	full := fs.Bool("full", false, "everything: all variants, all intervals")
	only := fs.String("run", "", "only cases whose name matches `regexp`")
	corpora := fs.String("corpora", "goroot,std,modules,rewritten,random", "`corpora`, comma-separated")
	variants := fs.String("variants", "", "`variants` for each case, comma-separated; default auto, with -full all")
	fs.StringVar(&o.dir, "o", "conformance.out", "`directory` for logs and results; cases that are in its results are not run again")
	fs.IntVar(&o.parallel, "p", runtime.NumCPU(), "cases at a time")
	fs.Uint64Var(&o.seed, "seed", 1, "first seed of random programs")
	fs.IntVar(&o.programs, "programs", 0, "random `programs`; default 2 with -short, 250 with -full, else 20")
	fs.IntVar(&o.functions, "functions", 400, "functions of each")
	fs.BoolVar(&o.verbose, "v", false, "name each case")
	fs.StringVar(&o.backend, "backend", "compiler", "`back end`: compiler, or source")
	fs.StringVar(&o.elide, "elide", "", "`checks` that auto does without, as dupinst's flag names them; default dupinst's")
	fs.StringVar(&o.instrument, "instrument", "", "`instrumentations`, as dupinst's flag names them; default dupinst's")
	fs.BoolVar(&o.race, "race", false, "build everything with the race detector")
	fs.StringVar(&o.target.release, "toolchain", "", "Go `release` to use, as GOTOOLCHAIN names it (go1.25.0)")
	fs.StringVar(&o.target.system, "os", "", "operating `system` to build for, as GOOS names it; Wine runs the programs of windows")
	fs.StringVar(&o.target.arch, "arch", "", "`architecture` to build for, as GOARCH names it; QEMU's user-mode emulator runs the programs")
	if err := fs.Parse(args); err != nil {
		return false, err
	}
	if fs.NArg() > 0 {
		return false, fmt.Errorf("no argument is expected, but there is %q", fs.Arg(0))
	}
	if *short && *full {
		return false, fmt.Errorf("-short and -full exclude each other")
	}
	o.variants, o.short = []string{"auto"}, *short
	if *full {
		o.variants = allVariants
	}
	if *variants != "" {
		o.variants = strings.Split(*variants, ",")
		for _, v := range o.variants {
			switch {
			case v == once && o.instrument != "block":
				return false, fmt.Errorf("-variants: %s is of blocks alone; -instrument=block", v)
			case v != window && v != once && !slices.Contains(allVariants, v):
				return false, fmt.Errorf("no variant %q; there are %s, %s and %s", v, strings.Join(allVariants, ", "), window, once)
			}
		}
	}
	if o.programs == 0 {
		o.programs = map[bool]int{*short: 2, *full: 250}[true]
		if o.programs == 0 {
			o.programs = 20
		}
	}
	pattern, err := regexp.Compile(*only)
	if err != nil {
		return false, fmt.Errorf("-run: %w", err)
	}
	r, err := newRunner(ctx, o)
	if err != nil {
		return false, err
	}
	defer r.close()
	if err := r.target.use(); err != nil {
		return false, err
	}
	var cases []*Case
	for _, name := range strings.Split(*corpora, ",") {
		find, ok := map[string]func(*runner) ([]*Case, error){
			"goroot": gorootCases, "std": standardCases, "modules": moduleCases, "rewritten": rewrittenCases, "random": randomCases,
		}[name]
		if !ok {
			return false, fmt.Errorf("no corpus %q; there are goroot, std, modules, rewritten and random", name)
		}
		list, err := find(r)
		if err != nil {
			return false, fmt.Errorf("cannot list the corpus %s: %w", name, err)
		}
		for i, c := range list {
			if pattern.MatchString(c.Name) && (!o.short || i%sampleOf[name] == 0) {
				c.variants = o.variants
				if o.short && name != "std" { // which is built anew for each variant
					c.variants = allVariants[i/sampleOf[name]%len(allVariants):][:1]
				}
				cases = append(cases, c)
			}
		}
	}
	if len(cases) == 0 {
		return false, fmt.Errorf("no case matches")
	}
	r.all(cases)
	if err := ctx.Err(); err != nil {
		return false, fmt.Errorf("interrupted; the same command goes on: %w", err)
	}
	return r.report(out, cases)
}

// options are what the command line says.
type options struct {
	dir       string
	parallel  int
	variants  []string
	short     bool
	verbose   bool
	seed      uint64
	programs  int
	functions int
	race      bool
	backend   string
	target    target
	// instrument is what dupinst is told to, "" for what it does by itself.
	instrument string
	// elide is likewise for auto.
	elide string
}

// flags are those of all builds.
func (o options) flags() []string {
	if o.race {
		return []string{"-race"}
	}
	return nil
}

// builds names how a case is built.
func (o options) builds(c *Case) string {
	all := append([]string{strings.Join(c.variants, ",")}, o.flags()...)
	if o.backend != "source" {
		all = append(all, o.backend)
	}
	for _, part := range []string{o.target.release, o.target.system, o.target.arch, o.instrument, o.elide} {
		if part != "" {
			all = append(all, part)
		}
	}
	return strings.Join(all, " ")
}

// sampleOf says of how many cases of a corpus -short takes one.
var sampleOf = map[string]int{"goroot": 80, "std": 240, "modules": 18, "rewritten": 18, "random": 1}

// dupinst builds the command into dir, and returns its path. What is built depends on
// nothing but its source and the release of Go (so without cgo, whose objects are the C
// compiler's), so that results can be told to be of it on another machine, too; but for a short
// run, whose results nobody keeps.
func (o options) dupinst(ctx context.Context, dir string) (string, error) {
	file := filepath.Join(dir, "dupinst")
	build := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", file, "github.com/dupinst/dupinst/cmd/dupinst")
	if !o.short {
		build.Args = slices.Insert(build.Args, 2, "-trimpath")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
	}
	out, err := build.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("cannot build dupinst: %w\n%s", err, out)
	}
	return file, nil
}
