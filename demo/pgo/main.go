// Pgo measures what profile-guided optimization makes of dupinst's call edges:
// programs of the bench module, built without a profile, with a CPU profile of
// runtime/pprof's, with dupinst's call edges at interval 1000, and with the
// exhaustive ones; run in turn. The table has the ratio of processor time to that of
// the build without a profile in the same round, median and 95 % confidence
// interval, and for how many calls the compiler says that they were hot, and were
// inlined for it.
//
// usage: go run ./demo/pgo [-n ROUNDS] [-o DIR] [WORKLOAD…]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/dupinst/dupinst/measure"
)

func main() {
	n := flag.Int("n", 11, "`rounds`")
	dir := flag.String("o", "pgo.out", "`directory` for builds and profiles")
	flag.Parse()
	workloads := flag.Args()
	if len(workloads) == 0 {
		workloads = []string{"buntdb", "compress", "gotypes", "raytracer", "sat", "yacc"}
	}
	if err := run(context.Background(), *dir, *n, workloads); err != nil {
		fmt.Fprintln(os.Stderr, "pgo:", err)
		os.Exit(1)
	}
}

// profiles are what the builds that are compared are made with; the first one,
// without a profile, is what the others are compared with.
var profiles = []string{"none", "cpu", "sampled", "exhaustive"}

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
	fmt.Println("| workload | CPU profile | hot, inlined | dupinst at 1000 | hot, inlined | exhaustive | hot, inlined |\n|---|---|---|---|---|---|---|")
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
	for profile, variant := range map[string]string{"sampled": "auto", "exhaustive": "exhaustive"} {
		if err := p.in(p.dupinst, "-pkgs=all", "-instrument=calledge", "-variant="+variant, "build", "-o", p.file("instrumented"), "./"+p.name); err != nil {
			return err
		}
		if err := goCommand(p.ctx, "bench", []string{"DUPINST_DIR=" + p.file(profile+".prof"), "DUPINST_INTERVAL=1000"}, p.file("instrumented")); err != nil {
			return err
		}
		if err := p.in(p.dupinst, "export", "-format=pgo", "-o", p.file(profile+".pgo"), p.file(profile+".prof")); err != nil {
			return err
		}
	}
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
