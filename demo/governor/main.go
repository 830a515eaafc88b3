// Governor measures whether DUPINST_OVERHEAD holds its budget, on the programs of the
// bench module with everything instrumented. Each is run in turn without samples, with
// one in 100 checks, and governed with at most that many. The table has
//
//   - what a sample at interval 100 takes: processor time above that without samples,
//     over the samples, and what the governor reckons; events in a sample;
//   - what samples cost under the governor: processor time above that without samples,
//     median and 95 % confidence interval of the ratios in a round, and what the
//     governor reckons;
//   - the overlap of its profile with that of interval 1, and in brackets the one that
//     as many independent samples would have; the same at the fixed interval with
//     about as many samples.
//
// usage: go run ./demo/governor [-n ROUNDS] [-budget P%] [-o DIR] [WORKLOAD…]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/dupinst/dupinst/measure"
	"github.com/dupinst/dupinst/overlap"
	"github.com/dupinst/dupinst/profile"
)

func main() {
	n := flag.Int("n", 11, "`rounds`")
	budget := flag.String("budget", "0.5%", "what samples may cost, a `percentage`")
	dir := flag.String("o", "governor.out", "`directory` for builds and profiles")
	flag.Parse()
	workloads := flag.Args()
	if len(workloads) == 0 {
		workloads = []string{"compress", "sat", "buntdb", "gotypes", "mp3", "raytracer", "yacc", "ssa", "tpcb", "chat"}
	}
	if err := run(context.Background(), *dir, *budget, *n, workloads); err != nil {
		fmt.Fprintln(os.Stderr, "governor:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dir, budget string, n int, workloads []string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	tool := filepath.Join(dir, "dupinst")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", tool, "./cmd/dupinst").CombinedOutput(); err != nil {
		return fmt.Errorf("go build ./cmd/dupinst: %w\n%s", err, out)
	}
	fmt.Println("| workload | ns a sample | reckoned | events | governed | reckoned | overlap, calls | fields | fixed interval, calls | fields |\n|---|---|---|---|---|---|---|---|---|---|")
	for _, w := range workloads {
		p := &program{ctx: ctx, dir: filepath.Join(dir, w), budget: budget}
		build := exec.CommandContext(ctx, tool, "-pkgs=all", "build", "-o", p.file("prog"), "./"+w)
		build.Dir = "bench"
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w\n%s", build, err, out)
		}
		if err := p.row(w, n); err != nil {
			return fmt.Errorf("%s: %w", w, err)
		}
	}
	return nil
}

// A program is one of the bench module's.
type program struct {
	ctx         context.Context
	dir, budget string
}

func (p *program) file(name string) string { return filepath.Join(p.dir, name) }

// once runs the program, and returns the processor time that it took, in seconds.
// Its profile replaces the one of that name.
func (p *program) once(name string, settings ...string) (float64, error) {
	if err := os.RemoveAll(p.file(name)); err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(p.ctx, p.file("prog"))
	cmd.Dir, cmd.Env = "bench", append(os.Environ(), append(settings, "DUPINST_DIR="+p.file(name))...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), nil
}

// row measures the program and prints a row.
func (p *program) row(name string, n int) error {
	var extra, ratios []float64
	for round := range n + 1 {
		off, err := p.once("off", "DUPINST_INTERVAL=off")
		if err != nil {
			return err
		}
		// A budget that is never reached, for what the governor reckons.
		dense, err := p.once("dense", "DUPINST_INTERVAL=100", "DUPINST_OVERHEAD=100%")
		if err != nil {
			return err
		}
		governed, err := p.once("governed", "DUPINST_INTERVAL=100", "DUPINST_OVERHEAD="+p.budget)
		if err != nil {
			return err
		}
		if round > 0 { // the first one warms up
			extra, ratios = append(extra, dense-off), append(ratios, governed/off)
		}
	}
	profiles, err := profile.ReadProfiles(p.file("dense"))
	if err != nil {
		return err
	}
	d := profiles[0]
	events := uint64(0)
	for _, p := range profiles {
		events += p.Total
	}
	samples := float64(d.Samples)
	slices.Sort(extra)
	fmt.Printf("| %s | %.0f | %.0f | %.1f |", name, 1e9*extra[len(extra)/2]/samples, float64(d.Governor.Spent)/samples, float64(events)/samples)
	if profiles, err = profile.ReadProfiles(p.file("governed")); err != nil {
		return err
	}
	g := profiles[0]
	fmt.Printf(" %s | %.2f%% |", measure.Summary(ratios).Overhead(), 100*float64(g.Governor.Spent)/float64(g.Governor.Time))
	if err := p.overlaps(profiles, g.Checks/max(1, g.Samples)); err != nil {
		return err
	}
	fmt.Println()
	return nil
}

// overlaps prints the overlaps of profiles, and of those at a fixed interval, with
// those of every check.
func (p *program) overlaps(profiles []*profile.Profile, interval uint64) error {
	if _, err := p.once("all", "DUPINST_INTERVAL=1"); err != nil {
		return err
	}
	if _, err := p.once("fixed", "DUPINST_INTERVAL="+strconv.FormatUint(interval, 10)); err != nil {
		return err
	}
	truth, err := profile.ReadProfiles(p.file("all"))
	if err != nil {
		return err
	}
	fixed, err := profile.ReadProfiles(p.file("fixed"))
	if err != nil {
		return err
	}
	for _, sampled := range [][]*profile.Profile{profiles, fixed} {
		for i, t := range truth {
			r := overlap.Compare(t, sampled[i])
			fmt.Printf(" %.1f (%.1f) |", r.Overlap, r.Expected)
		}
	}
	return nil
}
