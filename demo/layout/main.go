// Layout measures what an order of fields is worth that dupinst layout proposes: for
// packages of the bench module's dependencies, of which a copy is made, the workload is
// profiled, the structs' fields are reordered as proposed, and the build with them is
// run in turn with the one before and a copy of that. The table has the ratio of
// processor time to that before in the same round, median and 95 % confidence interval.
//
// With -misses it has that of references to data which miss the first cache of a simulated machine and, behind
// it, the last one, counted once.
//
// usage: go run ./demo/layout [-n ROUNDS | -misses] [-o DIR] [WORKLOAD=PACKAGE…]
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
	n := flag.Int("n", 21, "`rounds`")
	misses := flag.Bool("misses", false, "count misses of a simulated machine's caches, once each, with valgrind")
	dir := flag.String("o", "layout.out", "`directory` for builds and profiles; made anew")
	flag.Parse()
	targets := flag.Args()
	if len(targets) == 0 {
		targets = []string{"yacc=modernc.org/y", "ssa=golang.org/x/tools/go/ssa", "sat=github.com/crillab/gophersat/solver", "tpcb=go.etcd.io/bbolt", "chat=github.com/gorilla/websocket", "buntdb=github.com/tidwall/buntdb"}
	}
	if *misses {
		*n = 0
	}
	if err := run(context.Background(), *dir, *n, targets); err != nil {
		fmt.Fprintln(os.Stderr, "layout:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dir string, n int, targets []string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	d := demo{ctx, dir, filepath.Join(dir, "bench")}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := d.do(".", nil, "go", "build", "-o", filepath.Join(dir, "dupinst"), "./cmd/dupinst"); err != nil {
		return err
	}
	fmt.Println("| workload | package | structs | reordered | the same again |\n|---|---|---|---|---|")
	for _, t := range targets {
		workload, pkg, ok := strings.Cut(t, "=")
		if !ok {
			return fmt.Errorf("%s is no WORKLOAD=PACKAGE", t)
		}
		if err := d.row(workload, pkg, n); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	return nil
}

type demo struct {
	ctx        context.Context
	dir, bench string // bench is the copy
}

// do runs a command in dir and shows what it says if it fails.
func (d *demo) do(dir string, env []string, name string, args ...string) error {
	cmd := exec.CommandContext(d.ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// replace lets the copy use a copy of the module that pkg is in.
func (d *demo) replace(pkg string) error {
	cmd := exec.CommandContext(d.ctx, "go", "list", "-f", "{{.Module.Path}} {{.Module.Dir}}", pkg)
	cmd.Dir = d.bench
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%v: %w", cmd, err)
	}
	path, from, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	to := filepath.Join(d.dir, "module")
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	return d.do(d.bench, nil, "go", "mod", "edit", "-replace="+path+"="+to)
}

// row measures one workload.
func (d *demo) row(workload, pkg string, n int) error {
	if err := os.RemoveAll(d.bench); err != nil {
		return err
	}
	if err := os.CopyFS(d.bench, os.DirFS("bench")); err != nil {
		return err
	}
	if err := d.replace(pkg); err != nil {
		return err
	}
	file := func(name string) string { return filepath.Join(d.dir, workload, name) }
	tool := filepath.Join(d.dir, "dupinst")
	for _, build := range []string{"before", "again"} {
		if err := d.do(d.bench, nil, "go", "build", "-o", file(build), "./"+workload); err != nil {
			return err
		}
	}
	if err := d.do(d.bench, nil, tool, "-pkgs="+pkg, "-instrument=reference", "-trigger=window", "build", "-o", file("instrumented"), "./"+workload); err != nil {
		return err
	}
	if err := d.do(d.bench, []string{"DUPINST_DIR=" + file("prof")}, file("instrumented")); err != nil {
		return err
	}
	cmd := exec.CommandContext(d.ctx, tool, "layout", "-n", "0", file("prof"), pkg)
	cmd.Dir = d.bench
	proposed, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%v: %w", cmd, err)
	}
	if err := d.do(d.bench, nil, tool, "layout", "-w", file("prof"), pkg); err != nil {
		return err
	}
	if err := d.do(d.bench, nil, "go", "build", "-o", file("reordered"), "./"+workload); err != nil {
		return err
	}
	fmt.Printf("| %s | %s | %d |", workload, pkg, strings.Count(string(proposed), "\n  proposed: "))
	if n == 0 {
		return d.missed(file)
	}
	return d.timed(file, n)
}

// timed ends a row with what processor time the builds take, run in turn.
func (d *demo) timed(file func(string) string, n int) error {
	ratios := map[string][]float64{}
	for round := range n + 1 {
		base := 0.0
		for _, build := range []string{"before", "reordered", "again"} {
			cmd := exec.CommandContext(d.ctx, file(build))
			cmd.Dir = d.bench
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("%s: %w\n%s", build, err, out)
			}
			seconds := (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
			switch {
			case build == "before":
				base = seconds
			case round > 0: // the first one warms up
				ratios[build] = append(ratios[build], seconds/base)
			}
		}
	}
	for _, build := range []string{"reordered", "again"} {
		fmt.Printf(" %s |", measure.Summary(ratios[build]).Overhead())
	}
	fmt.Println()
	return nil
}

// missed ends a row with how many more references to data miss the first cache of a simulated machine, and
// the last one.
func (d *demo) missed(file func(string) string) error {
	before, err := d.misses(file("before"))
	if err != nil {
		return err
	}
	for _, build := range []string{"reordered", "again"} {
		n, err := d.misses(file(build))
		if err != nil {
			return err
		}
		fmt.Printf(" %+.2f %%, %+.2f %% |", 100*(n[0]/before[0]-1), 100*(n[1]/before[1]-1))
	}
	fmt.Println()
	return nil
}

// misses are those of a run in the first cache, of 32 KiB, and the last one, of 8 MiB.
func (d *demo) misses(file string) (n [2]float64, err error) {
	cmd := exec.CommandContext(d.ctx, "valgrind", "--tool=cachegrind", "--cache-sim=yes", "--D1=32768,8,64", "--LL=8388608,16,64", "--cachegrind-out-file="+os.DevNull, file)
	cmd.Dir, cmd.Env = d.bench, append(os.Environ(), "GODEBUG=gcstoptheworld=1,asyncpreemptoff=1,cpu.rdtscp=off", "GOMAXPROCS=1")
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		return n, fmt.Errorf("%v: %w\n%s", cmd, err, &said)
	}
	found := 0
	for line := range strings.Lines(said.String()) {
		fields := strings.Fields(strings.ReplaceAll(line, ",", ""))
		for i, name := range []string{"D1", "LLd"} {
			if len(fields) > 3 && fields[1] == name && fields[2] == "misses:" {
				if n[i], err = strconv.ParseFloat(fields[3], 64); err != nil {
					return n, fmt.Errorf("%v: %w", cmd, err)
				}
				found++
			}
		}
	}
	if found != len(n) {
		return n, fmt.Errorf("%v says of no misses:\n%s", cmd, &said)
	}
	return n, nil
}
