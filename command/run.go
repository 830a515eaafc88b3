// Package command is the command dupinst, as a library: so that a dupinst with instrumentations of
// somebody's own is a main package of one line (package own).
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/dupinst/dupinst/gobuild"
	"github.com/dupinst/dupinst/instrumentations"
	"github.com/dupinst/dupinst/instrumentations/all"
	"github.com/dupinst/dupinst/instrumentations/own"
	"github.com/dupinst/dupinst/transform"
)

// Main is dupinst, with instrumentations of somebody's own beside those that it has (package own), and
// ends the process.
func Main(list ...own.Instrumentation) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, list, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// Exit statuses.
const (
	failed = 1
	misuse = 2
)

// A command is one of dupinst's, given the flags before it and what follows it.
type command struct {
	name, synopsis string
	run            func(*invocation) (int, error)
}

// An invocation is one run of dupinst.
type invocation struct {
	ctx            context.Context
	config         *gobuild.Config
	args           []string // after the command
	stdout, stderr io.Writer
	left           string // what was said of files that were left out
}

func commands() []command {
	return []command{
		{"build", "go build, instrumented", goCommand("build")},
		{"test", "go test, instrumented, and where its profile is", goCommand("test")},
		{"run", "go run, instrumented, and where its profile is", goCommand("run")},
		{"install", "go install, instrumented", goCommand("install")},
		{"rewrite", "write instrumented source, for go generate and the plain go build", rewriteCommand},
		{"explain", "show what is made of each function, and why", explainCommand},
		{"bench", "measure what profiling a program costs, and how accurate it is", benchCommand},
		{"report", "show what profiles say", reportCommand},
		{"export", "write profiles for other tools: pprof, PGO, coverage and more", exportCommand},
		{"push", "send profiles to a Pyroscope or Parca server", pushCommand},
		{"heat", "show how fields are used: together, and by which goroutines", heatCommand},
		{"layout", "propose an order of struct fields from how often they are accessed", layoutCommand},
		{"branches", "say which way branches go, and how often", branchesCommand},
		{"compare", "say what differs between two profiles, and whether by more than chance", compareCommand},
		{"overlap", "say how well a sampled profile agrees with the true one", overlapCommand},
		{"merge", "add up profiles", mergeCommand},
		{"version", "print dupinst's version", versionCommand},
	}
}

// errUsage wraps what is wrong with a command line.
var errUsage = errors.New("usage")

func usagef(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errUsage, fmt.Sprintf(format, args...))
}

// run is dupinst: it carries out args and returns the exit status.
func run(ctx context.Context, list []own.Instrumentation, args []string, stdout, stderr io.Writer) int {
	code, err := dispatch(ctx, list, args, stdout, stderr)
	switch {
	case err == nil:
		return code
	case errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		fmt.Fprintf(stderr, "dupinst: %s\n", strings.TrimPrefix(err.Error(), "usage: "))
		return misuse
	}
	fmt.Fprintf(stderr, "dupinst: %v\n", err)
	return max(code, failed)
}

func dispatch(ctx context.Context, list []own.Instrumentation, args []string, stdout, stderr io.Writer) (int, error) {
	config, rest, err := parseConfig(list, args, stdout)
	var lacks *lacking
	if errors.As(err, &lacks) {
		return lacks.run(ctx, stdout, stderr)
	}
	if err != nil {
		return misuse, err
	}
	if len(rest) == 0 {
		usage(stderr)
		return misuse, nil
	}
	if gobuild.IsTool(rest) {
		if os.Getenv("GOGC") == "" {
			debug.SetGCPercent(400) // a step is short, and the build waits for it
		}
		return gobuild.Tool(ctx, config, rest)
	}
	if rest[0] == "help" {
		if len(rest) != 2 || rest[1] == "environment" {
			return help(rest[1:], stdout)
		}
		rest = []string{rest[1], "-h"}
	}
	for _, c := range commands() {
		if c.name == rest[0] {
			in := &invocation{ctx: ctx, config: config, args: rest[1:], stdout: stdout, stderr: stderr}
			code, err := c.run(in)
			if in.left != "" {
				code = max(code, failed)
			}
			return code, err
		}
	}
	return misuse, usagef("no command %q; see dupinst help", rest[0])
}

// parseConfig reads the flags before the command.
func parseConfig(owns []own.Instrumentation, args []string, stdout io.Writer) (*gobuild.Config, []string, error) {
	fs := flag.NewFlagSet("dupinst", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	variant := fs.String("variant", string(transform.Auto), "")
	list := fs.String("instrument", strings.Join(instrumentations.Names(instrumentations.Default(all.Table())), ","), "")
	pkgs := fs.String("pkgs", "", "")
	audit := fs.Bool("audit", false, "")
	apart := fs.Bool("apart", false, "")
	plans := fs.Bool("plans", false, "")
	trigger := fs.String("trigger", string(gobuild.Counter), "")
	elide := fs.String("elide", "all", "")
	backend := fs.String("backend", string(gobuild.Auto), "")
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			usage(stdout)
			return nil, nil, err
		}
		return nil, nil, usagef("%v; see dupinst help", err)
	}
	v, err := transform.ParseVariant(*variant)
	if err != nil {
		return nil, nil, usagef("-variant: %v", err)
	}
	if err := lacks(owns, *list, args, fs.Args()); err != nil {
		return nil, nil, err
	}
	ins, err := selected(owns, *list)
	if err != nil {
		return nil, nil, usagef("-instrument: %v", err)
	}
	if *audit && v == transform.Exhaustive {
		return nil, nil, usagef("-audit: the exhaustive variant has no checks to count")
	}
	b, err := gobuild.ParseBackend(*backend)
	if err != nil {
		return nil, nil, usagef("-backend: %v", err)
	}
	t, err := gobuild.ParseTrigger(*trigger)
	if err != nil {
		return nil, nil, usagef("-trigger: %v", err)
	}
	elisions, err := gobuild.ParseElisions(*elide)
	if err != nil {
		return nil, nil, usagef("-elide: %v", err)
	}
	config := &gobuild.Config{Trigger: t, Elide: elisions, Variant: v, Instrumentations: ins, Audit: *audit, Backend: b, Plans: *plans, Apart: *apart, Bisect: os.Getenv("DUPINST_BISECT")}
	if *pkgs != "" {
		config.Packages = strings.Split(*pkgs, ",")
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, nil, fmt.Errorf("cannot find dupinst itself: %w", err)
	}
	if resolved, err := filepath.EvalSymlinks(exe); err == nil {
		exe = resolved
	}
	config.Self = append([]string{exe}, args[:len(args)-fs.NArg()]...)
	return config, fs.Args(), nil
}

// flags returns a flag set for a command, which reports errors as wrong usage.
func (in *invocation) flags(name, synopsis string) (*flag.FlagSet, func() error) {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	return fs, func() error {
		err := fs.Parse(in.args)
		switch {
		case errors.Is(err, flag.ErrHelp):
			fmt.Fprintf(in.stdout, "usage: dupinst %s\n", synopsis)
			fs.SetOutput(in.stdout)
			fs.PrintDefaults()
			return err
		case err != nil:
			return usagef("%s: %v; see dupinst %s -h", name, err, name)
		}
		return nil
	}
}
