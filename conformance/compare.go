package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dupinst/dupinst/conformance/random"
	"github.com/dupinst/dupinst/profile"
)

// A program is built in a directory and run there.
type program struct {
	dir   string
	build []string // arguments of go build: flags and packages
	args  []string // of the program
	env   []string // of both
	// intervals are those at which it runs; exact demands that at interval 1 the
	// profile be the exhaustive one.
	intervals []string
	exact     bool
}

// An outcome is what a run did.
type outcome struct {
	stdout, stderr string
	status         int
}

const (
	buildLimit = 10 * time.Minute
	runLimit   = 2 * time.Minute
)

// buildEnv has the compiler trade memory for time, most of what a random program
// costs, but not all of the memory there is. For the largest, rangegen of GOROOT/test,
// it takes 8.5 GB without these (docs/conformance.md).
var buildEnv = []string{"GOGC=800", "GOMEMLIMIT=8GiB"}

// program runs p plain, and compares each variant at each interval with it.
func (a *attempt) program(p program) error {
	plain := filepath.Join(a.dir, a.target.program("plain"))
	// Without debugging information, as go run builds: it takes time to link.
	p.build = slices.Concat([]string{"-ldflags=-s -w"}, a.flags(), p.build)
	if out, err := a.command(buildLimit, p.dir, slices.Concat(buildEnv, p.env), "go", append([]string{"build", "-o", plain}, p.build...)...); err != nil {
		return plainError{fmt.Errorf("go build: %w: %.200s", err, out)}
	}
	want, err := a.execute(plain, p, "")
	if err != nil {
		return plainError{err}
	}
	again, err := a.execute(plain, p, "")
	if err != nil {
		return plainError{err}
	}
	if again.status != 0 || want.status != 0 {
		return plainError{fmt.Errorf("exits with %d, then with %d: %.200s", want.status, again.status, want.stderr)}
	}
	// What differs from run to run is not compared.
	stdout, stderr := want.stdout == again.stdout, want.stderr == again.stderr
	compare := func(file, variant, interval string) error {
		prof := file + "-" + interval
		got, err := a.execute(file, p, prof, settings(variant, interval)...)
		switch {
		case err != nil:
			return fmt.Errorf("%s at interval %s: %w", variant, interval, err)
		case got.status != want.status:
			return fmt.Errorf("%s at interval %s exits with %d, plain with %d: %.300s", variant, interval, got.status, want.status, got.stderr)
		case stdout && got.stdout != want.stdout:
			return fmt.Errorf("%s at interval %s prints %s", variant, interval, difference(got.stdout, want.stdout))
		case stderr && got.stderr != want.stderr:
			return fmt.Errorf("%s at interval %s prints to standard error %s", variant, interval, difference(got.stderr, want.stderr))
		}
		if _, err = profile.ReadProfiles(prof); err != nil {
			return fmt.Errorf("%s at interval %s: %w", variant, interval, err)
		}
		return nil
	}
	build := func(backend, variant string) (string, error) {
		file := filepath.Join(a.dir, a.target.program(backend+"-"+variant))
		out, err := a.command(buildLimit, p.dir, slices.Concat(buildEnv, p.env), a.dupinst, slices.Concat(a.arranged(backend, variant), []string{"build", "-o", file}, p.build)...)
		if err != nil {
			return "", fmt.Errorf("%s does not build: %w: %.500s", variant, err, out)
		}
		return file, nil
	}
	var truth map[string]uint64
	var exhaustive string
	if p.exact {
		file, err := build(a.backend, "exhaustive")
		if err != nil {
			return err
		}
		exhaustive = file
		if err := compare(file, "exhaustive", "1"); err != nil {
			return err
		}
		if truth, err = counts(file + "-1"); err != nil {
			return err
		}
		if a.backend != "source" && a.instrument == "" { // whose probes are not all in the source
			other, err := build("source", "exhaustive")
			if err != nil {
				return fmt.Errorf("in the source: %w", err)
			}
			if err := a.calmly(p, plain, file, other); err != nil {
				return fmt.Errorf("against the source's back end: %w", err)
			}
		}
	}
	for _, v := range a.c.variants {
		file, err := build(a.backend, v)
		if err != nil {
			return err
		}
		for _, interval := range intervals(v, p.intervals) {
			if err := compare(file, v, interval); err != nil {
				return err
			}
		}
		switch {
		case !p.exact || v == window:
		case v == once:
			if err := a.entered(p, exhaustive, file); err != nil {
				return fmt.Errorf("%s: %w", v, err)
			}
		default:
			if err := sameCounts(file+"-1", truth); err != nil {
				return fmt.Errorf("%s at interval 1: %w", v, err)
			}
		}
	}
	return nil
}

// entered compares what was counted once with what the exhaustive build has counted, in a run in which nothing panics: it
// counts what is behind a fault, too, with what is before.
func (a *attempt) entered(p program, exhaustive, once string) error {
	p.env = append(slices.Clip(p.env), random.Calm)
	for _, file := range []string{exhaustive, once} {
		if _, err := a.execute(file, p, file+"-calm", settings("", "1")...); err != nil {
			return err
		}
	}
	truth, err := counts(exhaustive + "-calm")
	if err != nil {
		return err
	}
	for key := range truth {
		truth[key] = 1
	}
	return sameCounts(once+"-calm", truth)
}

// calmly compares the exhaustive builds of both back ends, and the plain one: two accounts of
// what a program does. No call may panic, for of what the same statement would have evaluated
// after it each counts another part.
func (a *attempt) calmly(p program, plain, compiler, source string) error {
	p.env = append(slices.Clip(p.env), random.Calm)
	want, err := a.execute(plain, p, "")
	if err != nil {
		return err
	}
	for _, file := range []string{compiler, source} {
		got, err := a.execute(file, p, file+"-calm", settings("", "1")...)
		if err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("%s prints %s", filepath.Base(file), difference(got.stdout+got.stderr, want.stdout+want.stderr))
		}
	}
	truth, err := counts(source + "-calm")
	if err != nil {
		return err
	}
	return sameCounts(compiler+"-calm", truth)
}

// execute runs a program with a profile in dir, if that is not "", and settings.
func (a *attempt) execute(file string, p program, dir string, settings ...string) (outcome, error) {
	ctx, cancel := context.WithTimeout(a.ctx, runLimit)
	defer cancel()
	command := a.target.command(file, p.args)
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir, cmd.WaitDelay = p.dir, 5*time.Second
	cmd.Env = slices.Concat(os.Environ(), p.env, []string{"DUPINST_DIR=" + dir}, settings)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() == context.DeadlineExceeded {
		return outcome{}, fmt.Errorf("runs for more than %v", runLimit)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return outcome{}, err
	}
	name := strings.NewReplacer(file, "PROGRAM")
	return outcome{normal(name.Replace(stdout.String())), normal(name.Replace(stderr.String())), cmd.ProcessState.ExitCode()}, nil
}

// What differs between two builds of a program though it does the same:
// addresses, times, numbers of goroutines, and the arguments and offsets that a stack
// trace shows only of calls that are not inlined.
var (
	offset    = regexp.MustCompile(`(?m) \+0x[0-9a-f]+$`)
	address   = regexp.MustCompile(`\b0x[0-9a-f]+\b|\bc[0-9a-f]{9}\b`)
	timestamp = regexp.MustCompile(`\b\d{4}/\d\d/\d\d \d\d:\d\d:\d\d\b`)
	goroutine = regexp.MustCompile(`goroutine \d+`)
	arguments = regexp.MustCompile(`(?m)^([\w./*()\[\]·{}%-]+)\((?:\.\.\.|[0x?{},. \d-]*)\)$`)
)

func normal(s string) string {
	s = timestamp.ReplaceAllString(s, "TIME")
	s = goroutine.ReplaceAllString(address.ReplaceAllString(offset.ReplaceAllString(s, ""), "0x?"), "goroutine ?")
	return arguments.ReplaceAllString(s, "$1(?)")
}

// difference is the first line in which two texts differ.
func difference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		x, y := "", ""
		if i < len(g) {
			x = g[i]
		}
		if i < len(w) {
			y = w[i]
		}
		if x != y {
			return fmt.Sprintf("in line %d %.200q, plain %.200q", i+1, x, y)
		}
	}
	return "the same"
}

// counts reads the counts of a profile by instrumentation and key.
func counts(dir string) (map[string]uint64, error) {
	profiles, err := profile.ReadProfiles(dir)
	if err != nil {
		return nil, err
	}
	m := map[string]uint64{}
	for _, p := range profiles {
		for _, e := range p.Entries {
			m[p.Instrumentation+" "+e.Key] = e.Count
		}
	}
	return m, nil
}

// sameCounts says how a profile differs from the truth.
func sameCounts(dir string, truth map[string]uint64) error {
	got, err := counts(dir)
	if err != nil {
		return err
	}
	for k, n := range truth {
		if got[k] != n {
			return fmt.Errorf("%s was counted %d times, exhaustively %d", k, got[k], n)
		}
	}
	for k, n := range got {
		if truth[k] == 0 {
			return fmt.Errorf("%s was counted %d times, exhaustively never", k, n)
		}
	}
	return nil
}
