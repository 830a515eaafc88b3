// Pgo measures what profile-guided optimization makes of dupinst's call edges:
// programs of the bench module, built without a profile, with a CPU profile of
// runtime/pprof's, with dupinst's call edges at interval 1000, from windows that are open
// for 1 % of the time, from windows in the build that those led to, and with the
// exhaustive ones. The table has the ratio of processor time to that of
// the build without a profile in the same round, median and 95 % confidence
// interval, of builds that are run in turn, or with -instructions that of the instructions
// that each executes, once, under valgrind; and for how many calls the compiler says that they
// were hot, and were inlined for it.
//
// usage: go run ./demo/pgo [-n ROUNDS | -instructions] [-o DIR] [WORKLOAD…]
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/dupinst/dupinst/measure"
)

func main() {
	n := flag.Int("n", 11, "`rounds`")
	instructions := flag.Bool("instructions", false, "count instructions, once each, with valgrind")
	dir := flag.String("o", "pgo.out", "`directory` for builds and profiles")
	flag.Parse()
	workloads := flag.Args()
	if len(workloads) == 0 {
		workloads = []string{"buntdb", "chat", "compress", "gotypes", "mp3", "raytracer", "sat", "ssa", "tpcb", "yacc"}
	}
	if *instructions {
		*n = 0
	}
	if err := run(context.Background(), *dir, *n, workloads); err != nil {
		fmt.Fprintln(os.Stderr, "pgo:", err)
		os.Exit(1)
	}
}

// profiles are what the builds that are compared are made with; the first one,
// without a profile, is what the others are compared with.
var profiles = []string{"none", "cpu", "sampled", "windows", "again", "exhaustive"}

// instrumented says how the builds are made that dupinst's profiles are of, in order.
var instrumented = []struct {
	profile string
	flags   []string
	pgo     string // the profile that the build is made with, if any
}{
	{"sampled", []string{"-variant=auto"}, ""},
	{"windows", []string{"-trigger=window"}, ""},
	{"again", []string{"-trigger=window"}, "windows"},
	{"exhaustive", []string{"-variant=exhaustive"}, ""},
}

// run measures each of the programs, in rounds or, if there are none, by instructions.
func run(ctx context.Context, dir string, n int, workloads []string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if err := goCommand(ctx, ".", nil, "go", "build", "-o", filepath.Join(dir, "dupinst"), "./cmd/dupinst"); err != nil {
		return err
	}
	fmt.Println("| workload | CPU profile | hot, inlined | dupinst at 1000 | hot, inlined | windows, 1 % | hot, inlined | windows of that build | hot, inlined | exhaustive | hot, inlined |\n|---|---|---|---|---|---|---|---|---|---|---|")
	for _, w := range workloads {
		p := &program{ctx: ctx, dir: filepath.Join(dir, w), dupinst: filepath.Join(dir, "dupinst"), name: w}
		if err := p.measure(n); err != nil {
			return fmt.Errorf("%s: %w", w, err)
		}
	}
	return nil
}

// goCommand runs a command in dir and shows what it says if it fails.
func goCommand(ctx context.Context, dir string, env []string, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// A program is one of the bench module's.
type program struct {
	ctx                context.Context
	dir, dupinst, name string
}

func (p *program) file(name string) string { return filepath.Join(p.dir, name) }

// in runs a command in the bench module.
func (p *program) in(name string, args ...string) error {
	return goCommand(p.ctx, "bench", nil, name, args...)
}

// measure profiles the program, builds it with each profile, and prints a row.
func (p *program) measure(n int) error {
	if err := os.RemoveAll(p.dir); err != nil {
		return err
	}
	if err := os.MkdirAll(p.dir, 0o777); err != nil {
		return err
	}
	if err := p.profileAll(); err != nil {
		return err
	}
	inlined := map[string]int{}
	for _, profile := range profiles {
		flag := "-pgo=" + p.file(profile+".pgo")
		if profile == profiles[0] {
			flag = "-pgo=off"
		}
		if err := p.in("go", "build", flag, "-o", p.file(profile), "./"+p.name); err != nil {
			return err
		}
		if profile == profiles[0] {
			continue
		}
		// What the compiler says is printed again from the build cache.
		cmd := exec.CommandContext(p.ctx, "go", "build", flag, "-gcflags=all=-d=pgodebug=1", "-o", os.DevNull, "./"+p.name)
		cmd.Dir = "bench"
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%v: %w\n%s", cmd, err, out)
		}
		calls := map[string]bool{}
		for line := range strings.Lines(string(out)) {
			if strings.HasPrefix(line, "hot-budget check allows inlining") {
				calls[line] = true
			}
		}
		inlined[profile] = len(calls)
	}
	if n == 0 {
		return p.count(inlined)
	}
	return p.row(n, inlined)
}

// profileAll makes the profiles.
func (p *program) profileAll() error {
	overlay, err := measure.Timed(p.ctx, "./"+p.name, "bench", p.dir)
	if err != nil {
		return err
	}
	if err := p.in("go", "build", "-overlay="+overlay, "-o", p.file("timed"), "./"+p.name); err != nil {
		return err
	}
	if err := goCommand(p.ctx, "bench", []string{"DUPINST_CPUPROFILE=" + p.file("cpu.pgo")}, p.file("timed")); err != nil {
		return err
	}
	for _, b := range instrumented {
		pgo := "-pgo=off"
		if b.pgo != "" {
			pgo = "-pgo=" + p.file(b.pgo+".pgo")
		}
		args := append([]string{"-pkgs=all", "-instrument=calledge"}, b.flags...)
		if err := p.in(p.dupinst, append(args, "build", pgo, "-o", p.file("instrumented"), "./"+p.name)...); err != nil {
			return err
		}
		if err := goCommand(p.ctx, "bench", []string{"DUPINST_DIR=" + p.file(b.profile+".prof"), "DUPINST_INTERVAL=1000"}, p.file("instrumented")); err != nil {
			return err
		}
		if err := p.in(p.dupinst, "export", "-format=pgo", "-o", p.file(b.profile+".pgo"), p.file(b.profile+".prof")); err != nil {
			return err
		}
	}
	return nil
}

// executed is how many instructions a build executes, with what depends on the time left out, as in
// bench/instructions.sh.
func (p *program) executed(profile string) (float64, error) {
	cmd := exec.CommandContext(p.ctx, "valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file="+os.DevNull, p.file(profile))
	cmd.Dir, cmd.Env = "bench", append(os.Environ(), "GODEBUG=gcstoptheworld=1,asyncpreemptoff=1,cpu.rdtscp=off", "GOMAXPROCS=1")
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("%v: %w\n%s", cmd, err, &said)
	}
	for line := range strings.Lines(said.String()) {
		if fields := strings.Fields(strings.ReplaceAll(line, ",", "")); len(fields) == 4 && fields[1] == "I" && fields[2] == "refs:" {
			return strconv.ParseFloat(fields[3], 64)
		}
	}
	return 0, fmt.Errorf("%v says of no instructions:\n%s", cmd, &said)
}

// count executes the builds once and prints what that says.
func (p *program) count(inlined map[string]int) error {
	base := 0.0
	var row strings.Builder
	for _, profile := range profiles {
		n, err := p.executed(profile)
		if err != nil {
			return err
		}
		if profile == profiles[0] {
			base = n
			continue
		}
		fmt.Fprintf(&row, " %+.1f %% | %d |", 100*(n/base-1), inlined[profile])
	}
	fmt.Printf("| %s |%s\n", p.name, &row)
	return nil
}

// row runs the builds in turn and prints what that says.
func (p *program) row(n int, inlined map[string]int) error {
	ratios := map[string][]float64{}
	for round := range n + 1 {
		base := 0.0
		for _, profile := range profiles {
			cmd := exec.CommandContext(p.ctx, p.file(profile))
			cmd.Dir = "bench"
			if err := cmd.Run(); err != nil {
				return fmt.Errorf("%s: %w", profile, err)
			}
			seconds := (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
			switch {
			case profile == profiles[0]:
				base = seconds
			case round > 0: // the first one warms up
				ratios[profile] = append(ratios[profile], seconds/base)
			}
		}
	}
	fmt.Printf("| %s |", p.name)
	for _, profile := range profiles[1:] {
		fmt.Printf(" %s | %d |", measure.Summary(ratios[profile]).Overhead(), inlined[profile])
	}
	fmt.Println()
	return nil
}
