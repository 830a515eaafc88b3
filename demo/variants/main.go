// Variants compares the variants of dupinst on real programs: minify, esbuild,
// shfmt, jsonnet, gojq, gofmt and starlark, each built plainly and with every
// variant, for call edges alone and for field accesses alone. It prints the
// table of docs/variants.md.
//
// A program's builds run in turn, round after round. Times are processor time,
// user and system; the table has, for each build, the median over the rounds of
// the ratio to the plain build's run in the same round.
//
//	checks    executed, in millions
//	text      growth of the text segment (as size(1) has it: code and read-only data)
//	build     time to build the program's own packages, ratio to go build
//	off       processor time without samples, ratio to plain
//	1000      processor time at interval 1000, ratio to plain
//	overlap   of the profile at interval 1000 with the exhaustive one
//
// usage: go run ./demo/variants [-n ROUNDS] [PROGRAM…]
package main

import (
	"context"
	"debug/elf"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dupinst/dupinst/overlap"
	"github.com/dupinst/dupinst/profile"
)

func main() {
	n := flag.Int("n", 11, "rounds")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := compare(ctx, *n, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "variants:", err)
		os.Exit(1)
	}
}

var (
	variants         = []string{"full", "partial", "no", "auto", "exhaustive"}
	instrumentations = []string{"calledge", "fieldaccess"}
)

// A bench is where the programs are built and run.
type bench struct {
	ctx     context.Context
	dir     string
	dupinst string
	rounds  int
}

func compare(ctx context.Context, n int, names []string) error {
	dir, err := os.MkdirTemp("", "variants-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{ctx, dir, filepath.Join(dir, "dupinst"), n}
	if err := b.run("", "go", "build", "-o", b.dupinst, "./cmd/dupinst"); err != nil {
		return err
	}
	for _, p := range programs {
		if len(names) == 0 || slices.Contains(names, p.name) {
			if err := b.program(p); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
		}
	}
	return nil
}

// run runs a command that is not measured.
func (b *bench) run(dir, name string, args ...string) error {
	cmd := exec.CommandContext(b.ctx, name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// output is run for what a command prints.
func (b *bench) output(dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(b.ctx, name, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// A built is one build of a program.
type built struct {
	variant, instrumentation string
	file                     string
	text                     uint64
	build                    time.Duration
	off, on                  []float64 // seconds, by round
	prof                     string
}

// program measures one program and prints its part of the table.
func (b *bench) program(p program) error {
	src, err := b.source(p)
	if err != nil {
		return err
	}
	plain := &built{variant: "plain"}
	builds := []*built{plain}
	for _, in := range instrumentations {
		for _, v := range variants {
			builds = append(builds, &built{variant: v, instrumentation: in})
		}
	}
	for _, x := range builds {
		if err := b.build(p, src, x); err != nil {
			return err
		}
	}
	w, err := p.workload(b, src)
	if err != nil {
		return err
	}
	for range b.rounds {
		for _, x := range builds {
			if err := b.measure(p, w, x); err != nil {
				return err
			}
		}
	}
	return b.table(p, builds)
}

// scope is what is instrumented in any of the programs: with one scope for all,
// each standard package is built only once in each way.
func scope() string {
	var all []string
	for _, p := range programs {
		for _, pattern := range strings.Split(p.pkgs, ",") {
			if !slices.Contains(all, pattern) {
				all = append(all, pattern)
			}
		}
	}
	return strings.Join(all, ",")
}

// source returns the directory to build in.
func (b *bench) source(p program) (string, error) {
	if p.module == "" {
		root, err := b.output("", "go", "env", "GOROOT")
		return filepath.Join(root, "src"), err
	}
	out, err := b.output(b.dir, "go", "mod", "download", "-json", p.module)
	if err != nil {
		return "", err
	}
	var m struct{ Dir string }
	return m.Dir, json.Unmarshal([]byte(out), &m)
}

// build builds the standard packages that x needs, then, measured, its own.
func (b *bench) build(p program, src string, x *built) error {
	x.file = filepath.Join(b.dir, p.name+"-"+x.variant+"-"+strings.ReplaceAll(x.instrumentation, ",", "-"))
	x.prof = x.file + ".prof"
	var flags []string
	if x.instrumentation != "" {
		flags = []string{fmt.Sprintf("-toolexec=%s -variant=%s -instrument=%s -pkgs=%s", b.dupinst, x.variant, x.instrumentation, scope())}
	}
	std, err := b.output(src, "go", "list", "-deps", "-f", "{{if .Standard}}{{.ImportPath}}{{end}}", p.pkg)
	if err != nil {
		return err
	}
	args := append([]string{"build"}, flags...)
	if err := b.run(src, "go", append(args, strings.Fields(std)...)...); err != nil {
		return err
	}
	// A search path that nothing is found on makes all be compiled anew.
	for _, pattern := range strings.Split(p.pkgs, ",") {
		args = append(args, fmt.Sprintf("-gcflags=%s=-I=%s", pattern, b.dir))
	}
	start := time.Now()
	if err := b.run(src, "go", append(args, "-o", x.file, p.pkg)...); err != nil {
		return err
	}
	x.build = time.Since(start)
	x.text, err = textSize(x.file)
	return err
}

// textSize is the size of what is mapped and not written to.
func textSize(name string) (uint64, error) {
	f, err := elf.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	s := f.Section(".text")
	if s == nil {
		return 0, fmt.Errorf("%s has no text segment", name)
	}
	return s.Size, nil
}

// measure runs x once without samples and once at interval 1000.
func (b *bench) measure(p program, w workload, x *built) error {
	off, err := b.execute(w, x, "DUPINST_DIR=", "DUPINST_INTERVAL=")
	if err != nil {
		return err
	}
	x.off = append(x.off, off)
	if x.variant == "plain" {
		x.on = append(x.on, off)
		return nil
	}
	if err := os.RemoveAll(x.prof); err != nil {
		return err
	}
	on, err := b.execute(w, x, "DUPINST_DIR="+x.prof, "DUPINST_INTERVAL=1000")
	x.on = append(x.on, on)
	return err
}

// execute runs a program and returns its processor time in seconds.
func (b *bench) execute(w workload, x *built, env ...string) (float64, error) {
	cmd := exec.CommandContext(b.ctx, x.file, w.args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Dir = b.dir
	if w.stdin != "" {
		in, err := os.Open(w.stdin)
		if err != nil {
			return 0, err
		}
		defer in.Close()
		cmd.Stdin = in
	}
	var stderr strings.Builder
	cmd.Stdout, cmd.Stderr = io.Discard, &stderr
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("%s: %w\n%s", filepath.Base(x.file), err, stderr.String())
	}
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), nil
}

// table prints a program's rows.
func (b *bench) table(p program, builds []*built) error {
	plain := builds[0]
	fmt.Printf("\n%s: plain %.2f s, text %.2f MB, built in %.1f s\n\n", p.name, median(plain.off), float64(plain.text)/1e6, plain.build.Seconds())
	fmt.Println("| instrumentation | variant | checks | text | build | off | 1000 | overlap |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	truth := map[string]string{}
	for _, x := range builds {
		if x.variant == "exhaustive" {
			truth[x.instrumentation] = x.prof
		}
	}
	for _, x := range builds[1:] {
		checks, agreement, err := accuracy(x, truth[x.instrumentation])
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %s | %s | %+.1f %% | %.2f | %.3f | %.3f | %s |\n", x.instrumentation, x.variant, checks,
			100*(float64(x.text)/float64(plain.text)-1), x.build.Seconds()/plain.build.Seconds(),
			medianRatio(x.off, plain.off), medianRatio(x.on, plain.off), agreement)
	}
	return nil
}

// accuracy returns the checks of x's last run, and the overlap of each of its
// profiles with the true one.
func accuracy(x *built, truth string) (checks, agreement string, err error) {
	sampled, err := profile.ReadProfiles(x.prof)
	if err != nil || x.variant == "exhaustive" {
		return "–", "100 %", err
	}
	all, err := profile.ReadProfiles(truth)
	if err != nil {
		return "", "", err
	}
	var list []string
	for i, p := range sampled {
		list = append(list, fmt.Sprintf("%.1f %%", overlap.Compare(all[i], p).Overlap))
	}
	return fmt.Sprintf("%.1f", float64(sampled[0].Checks)/1e6), strings.Join(list, ", "), nil
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

func medianRatio(v, base []float64) float64 {
	ratios := make([]float64, len(v))
	for i := range v {
		ratios[i] = v[i] / base[i]
	}
	return median(ratios)
}
