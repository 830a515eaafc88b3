// Buildcost measures what instrumenting costs a build: the real program of
// demo/minify.sh, built plainly, with coverage and by dupinst, from caches in
// three states:
//
//	empty    nothing is built yet, the standard library included
//	project  the standard library is built, the program's packages are not
//	warm     everything is built
//
// Builds are interleaved; the table has medians of the time and of the largest
// resident memory of any process of the build.
//
// usage: go run ./demo/buildcost [-n RUNS]
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	module   = "github.com/tdewolff/minify/v2@v2.24.25"
	packages = "github.com/...,gopkg.in/..."
)

func main() {
	n := flag.Int("n", 3, "runs of each build")
	flag.Parse()
	if err := measure(*n); err != nil {
		fmt.Fprintln(os.Stderr, "buildcost:", err)
		os.Exit(1)
	}
}

// A way to build.
type way struct {
	name  string
	flags []string
}

type cost struct {
	time   time.Duration
	memory int64 // KiB
}

func measure(n int) error {
	dir, err := os.MkdirTemp("", "buildcost-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	dupinst := filepath.Join(dir, "dupinst")
	if out, err := exec.Command("go", "build", "-o", dupinst, "./cmd/dupinst").CombinedOutput(); err != nil {
		return fmt.Errorf("building dupinst: %w\n%s", err, out)
	}
	src, err := download(dir)
	if err != nil {
		return err
	}
	ways := []way{
		{"go build", nil},
		{"go build -cover", []string{"-cover", "-coverpkg=github.com/tdewolff/...", "-covermode=atomic"}},
		{"dupinst, auto", []string{"-toolexec=" + dupinst + " -pkgs=" + packages}},
		{"dupinst, full", []string{"-toolexec=" + dupinst + " -variant=full -pkgs=" + packages}},
		{"dupinst, exhaustive", []string{"-toolexec=" + dupinst + " -variant=exhaustive -pkgs=" + packages}},
	}
	costs := map[string][]cost{}
	for run := range n {
		for _, w := range ways {
			if err := w.run(src, filepath.Join(dir, "cache"), costs); err != nil {
				return err
			}
			fmt.Fprintf(os.Stderr, "run %d of %d: %s\n", run+1, n, w.name)
		}
	}
	fmt.Printf("%-22s %20s %20s %20s\n", "medians of "+fmt.Sprint(n), "empty cache", "project not built", "all built")
	for _, w := range ways {
		fmt.Printf("%-22s", w.name)
		for _, state := range []string{"empty", "project", "warm"} {
			c := costs[w.name+state]
			t := median(c, func(c cost) float64 { return c.time.Seconds() })
			base := median(costs[ways[0].name+state], func(c cost) float64 { return c.time.Seconds() })
			fmt.Printf(" %6.1f s %4.2f× %4.0f MB", t, t/base, median(c, func(c cost) float64 { return float64(c.memory) / 1024 }))
		}
		fmt.Println()
	}
	return nil
}

func median(costs []cost, f func(cost) float64) float64 {
	var v []float64
	for _, c := range costs {
		v = append(v, f(c))
	}
	slices.Sort(v)
	return v[len(v)/2]
}

// download returns the directory of the program's module.
func download(dir string) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("downloading %s: %w", module, err)
	}
	var m struct{ Dir string }
	return m.Dir, json.Unmarshal(out, &m)
}

// run builds in a fresh cache in all three states.
func (w way) run(src, cache string, costs map[string][]cost) error {
	if err := os.RemoveAll(cache); err != nil {
		return err
	}
	std, err := exec.Command("go", "list", "-C", src, "-deps", "-f", "{{if .Standard}}{{.ImportPath}}{{end}}", "./cmd/minify").Output()
	if err != nil {
		return fmt.Errorf("listing packages: %w", err)
	}
	build := func(what ...string) (cost, error) {
		args := append([]string{"build", "-o", os.DevNull}, w.flags...)
		cmd := exec.Command("go", append(args, what...)...)
		cmd.Dir = src
		cmd.Env = append(os.Environ(), "GOCACHE="+cache)
		start := time.Now()
		out, err := cmd.CombinedOutput()
		if err != nil {
			return cost{}, fmt.Errorf("%s: %w\n%s", w.name, err, out)
		}
		return cost{time.Since(start), cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss}, nil
	}
	add := func(state string, c cost, err error) error {
		costs[w.name+state] = append(costs[w.name+state], c)
		return err
	}
	empty, err := build("./cmd/minify")
	if err := add("empty", empty, err); err != nil {
		return err
	}
	warm, err := build("./cmd/minify")
	if err := add("warm", warm, err); err != nil {
		return err
	}
	if err := os.RemoveAll(cache); err != nil {
		return err
	}
	if _, err := build(strings.Fields(string(std))...); err != nil {
		return err
	}
	project, err := build("./cmd/minify")
	return add("project", project, err)
}
