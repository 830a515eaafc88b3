// Buildcost measures what instrumenting costs a build: the real program of
// demo/minify.sh, built plainly, with coverage and by dupinst, from caches in
// four states:
//
//	empty    nothing is built yet, the standard library included
//	other    nor is it, but dupinst has kept what it compiled of the standard library
//	         for another variant, set of instrumentations or version of itself
//	project  the standard library is built, the program's packages are not
//	warm     everything is built
//
// Builds are interleaved; the table has medians of the time and of the largest
// resident memory of any process of the build. What is instrumented is the program and
// the packages of others that it imports, what is covered the packages of the program's
// author; or, of either, its main module alone.
//
// usage: go run ./demo/buildcost [-n RUNS] [-states LIST]
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
	list := flag.String("states", strings.Join(states, ","), "what is built before")
	flag.Parse()
	wanted := strings.Split(*list, ",")
	for _, state := range wanted {
		if !slices.Contains(states, state) {
			fmt.Fprintf(os.Stderr, "buildcost: no state %q: there are %s\n", state, strings.Join(states, ", "))
			os.Exit(2)
		}
	}
	if err := measure(*n, wanted); err != nil {
		fmt.Fprintln(os.Stderr, "buildcost:", err)
		os.Exit(1)
	}
}

// states are those of the caches from which is built.
var states = []string{"empty", "other", "project", "warm"}

// A way to build.
type way struct {
	name  string
	flags []string
}

type cost struct {
	time   time.Duration
	memory int64 // KiB
}

func measure(n int, states []string) error {
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
		{"go build -cover, main module", []string{"-cover", "-coverpkg=github.com/tdewolff/minify/...", "-covermode=atomic"}},
		{"dupinst, auto", []string{"-toolexec=" + dupinst + " -pkgs=" + packages}},
		{"dupinst, auto, main module", []string{"-toolexec=" + dupinst}},
		{"dupinst, full", []string{"-toolexec=" + dupinst + " -variant=full -pkgs=" + packages}},
		{"dupinst, exhaustive", []string{"-toolexec=" + dupinst + " -variant=exhaustive -pkgs=" + packages}},
		{"dupinst, auto, in the source", []string{"-toolexec=" + dupinst + " -backend=source -pkgs=" + packages}},
	}
	b := &builder{src: src, dir: dir, costs: map[string][]cost{}}
	// The compiler is extended once for all builds, and is no part of what one costs.
	if _, err := b.build(way{"extending the compiler", []string{"-toolexec=" + dupinst}}, filepath.Join(dir, "cache"), "errors"); err != nil {
		return err
	}
	for run := range n {
		for _, w := range ways {
			for _, state := range states {
				if err := b.run(w, state); err != nil {
					return err
				}
			}
			fmt.Fprintf(os.Stderr, "run %d of %d: %s\n", run+1, n, w.name)
		}
	}
	fmt.Printf("%-36s", fmt.Sprintf("medians of %d", n))
	for _, state := range states {
		fmt.Printf(" %20s", state)
	}
	fmt.Println()
	for _, w := range ways {
		fmt.Printf("%-36s", w.name)
		for _, state := range states {
			c := b.costs[w.name+state]
			t := median(c, func(c cost) float64 { return c.time.Seconds() })
			base := median(b.costs[ways[0].name+state], func(c cost) float64 { return c.time.Seconds() })
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

// A builder builds the program in src, and notes what that costs.
type builder struct {
	src, dir string
	costs    map[string][]cost // by name of the way and state
}

// run builds by w, from a cache in state.
func (b *builder) run(w way, state string) error {
	cache, std := filepath.Join(b.dir, "cache"), filepath.Join(b.dir, "std", w.name)
	for _, dir := range []string{cache, filepath.Join(b.user(), "dupinst", "archives")} {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	switch state {
	case "other":
		if err := b.buildStd(w, cache); err != nil {
			return err
		}
		if err := os.RemoveAll(cache); err != nil {
			return err
		}
	case "project", "warm":
		if _, err := os.Stat(std); err != nil {
			if err := b.buildStd(w, std); err != nil {
				return err
			}
		}
		if err := os.CopyFS(cache, os.DirFS(std)); err != nil {
			return fmt.Errorf("copying the standard library's cache: %w", err)
		}
	}
	if state == "warm" {
		if _, err := b.build(w, cache, "./cmd/minify"); err != nil {
			return err
		}
	}
	c, err := b.build(w, cache, "./cmd/minify")
	if err != nil {
		return err
	}
	b.costs[w.name+state] = append(b.costs[w.name+state], c)
	return nil
}

// user is the cache directory of a user who has nothing else.
func (b *builder) user() string { return filepath.Join(b.dir, "user") }

// buildStd builds what the program needs of the standard library into a cache of its own.
func (b *builder) buildStd(w way, cache string) error {
	std, err := exec.Command("go", "list", "-C", b.src, "-deps", "-f", "{{if .Standard}}{{.ImportPath}}{{end}}", "./cmd/minify").Output()
	if err != nil {
		return fmt.Errorf("listing packages: %w", err)
	}
	_, err = b.build(w, cache, strings.Fields(string(std))...)
	return err
}

func (b *builder) build(w way, cache string, what ...string) (cost, error) {
	args := append([]string{"build", "-o", os.DevNull}, w.flags...)
	cmd := exec.Command("go", append(args, what...)...)
	cmd.Dir = b.src
	cmd.Env = append(os.Environ(), "GOCACHE="+cache, "XDG_CACHE_HOME="+b.user())
	start := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return cost{}, fmt.Errorf("%s: %w\n%s", w.name, err, out)
	}
	return cost{time.Since(start), cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss}, nil
}
