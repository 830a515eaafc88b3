package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// rewritable copies a module to a directory, and has it require dupinst's own.
func rewritable(t *testing.T, from string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	goBuild(t, dir, "go", "mod", "edit", "-go=1.26.0", "-require=github.com/dupinst/dupinst@v0.0.0", "-replace=github.com/dupinst/dupinst="+root)
	return dir
}

// crowded are the programs in which goroutines that share a counter count it down at once for
// long, so that steps are lost, and with them events (runtime/core/portable.go).
var crowded = map[string]bool{"held": true}

// near is diffCounts, but for one event in two hundred of a key, or two, that may be missing.
func near(t *testing.T, truth, got map[string]uint64) {
	t.Helper()
	for k, n := range truth {
		if m := got[k]; m <= n && m+max(2, n/200) >= n {
			got[k] = n
		}
	}
	diffCounts(t, truth, got)
}

// TestRewrite rewrites the test programs, builds them as the go command does, and
// runs them: they must do what the plain ones do, and at interval 1 have counted what
// the exhaustive build of the toolexec did.
func TestRewrite(t *testing.T) {
	t.Parallel()
	from, names := programs(t)
	dir := rewritable(t, from)
	goBuild(t, dir, "go", "build", "-o", "plain/", "./...")
	variants := sampled
	if testing.Short() {
		variants = variants[:1]
	}
	for _, v := range variants {
		goBuild(t, dir, "dupinst", "-variant="+v, "rewrite", "-overlay", v+".json", "./...")
		goBuild(t, dir, "go", "build", "-overlay", v+".json", "-o", v+"/", "./...")
	}
	t.Run("programs", func(t *testing.T) {
		for _, name := range names {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				prof := t.TempDir()
				execute(t, built(t, "exhaustive", false, name), filepath.Join(prof, "truth"), "0")
				truth := map[string]uint64{}
				for k, n := range counts(t, filepath.Join(prof, "truth")) {
					truth[strings.ReplaceAll(k, from, dir)] = n
				}
				want := execute(t, filepath.Join(dir, "plain", name), "", "")
				for _, v := range variants {
					for _, interval := range []string{"1", "7", "off"} {
						at := filepath.Join(prof, v+interval)
						if got := execute(t, filepath.Join(dir, v, name), at, interval); got != want {
							t.Errorf("%s at interval %s:\n%+v\nplain:\n%+v", v, interval, got, want)
						}
						if interval == "1" {
							got := counts(t, at)
							if crowded[name] {
								near(t, truth, got)
								continue
							}
							diffCounts(t, truth, got)
						}
					}
				}
			})
		}
	})
}

// TestGenerate does what the example module's comment says, once for an overlay and
// once for a tree.
func TestGenerate(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "testdata", "rewrite"))); err != nil {
		t.Fatal(err)
	}
	goBuild(t, dir, "go", "mod", "edit", "-replace=github.com/dupinst/dupinst="+root)
	goBuild(t, dir, "go", "generate", "./...")
	goBuild(t, dir, "go", "build", "-o", "plain", ".")
	goBuild(t, dir, "go", "build", "-overlay", "overlay.json", "-o", "overlaid", ".")
	goBuild(t, filepath.Join(dir, "instrumented"), "go", "build", "-o", filepath.Join(dir, "tree"), ".")
	want := execute(t, filepath.Join(dir, "plain"), "", "")
	for _, name := range []string{"overlaid", "tree"} {
		prof := filepath.Join(dir, name+".prof")
		if got := execute(t, filepath.Join(dir, name), prof, "10"); got != want {
			t.Errorf("%s: %+v\nplain: %+v", name, got, want)
		}
		out, err := exec.Command("dupinst", "report", prof).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "example/shapes.Circle.r read") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
