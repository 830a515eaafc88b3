package main_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/cover"
)

// blocksDiffer are those of blocks, beside what differs for other events.
var blocksDiffer = map[string]map[string]string{
	"conditions": {
		"main.(*t).none ": "the compiler's counts a block that comes behind a fault, with no call between",
	},
}

// TestBlocks compares counts of blocks with the go command's coverage: where one
// of its blocks begins, both have the same count. Sampled at interval 1, in each variant of
// each back end, the profile is the source's exhaustive one, and counted once it says which blocks that has.
// With -short, profiles of auto's are compared.
func TestBlocks(t *testing.T) {
	t.Parallel()
	dir, names := programs(t)
	bin := t.TempDir()
	// The go command's coverage does not build a file that begins with a byte order mark.
	all := names
	names = slices.DeleteFunc(slices.Clone(all), func(name string) bool {
		return name == "crlf" || nondeterministic[name] || !groupFor(slices.Index(all, name), 3)
	})
	var packages []string
	for _, name := range names {
		packages = append(packages, "./"+name)
	}
	args := []string{"build", "-cover", "-covermode=atomic", "-o", filepath.Join(bin, "cover") + "/"}
	goBuild(t, dir, "go", append(args, packages...)...)
	variants := append([]string{"exhaustive"}, sampled...)
	if testing.Short() {
		variants = []string{"auto"}
	}
	for _, v := range variants {
		variants = append(variants, compiled(v))
	}
	if runtime.GOARCH == "amd64" {
		variants = append(variants, compiled("once"))
	}
	for _, v := range variants {
		args := append(arranged(v), "-instrument=block", "build", "-o", filepath.Join(bin, v)+"/")
		goBuild(t, dir, "dupinst", append(args, packages...)...)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prof := t.TempDir()
			execute(t, filepath.Join(bin, "cover", name), "", "", "GOCOVERDIR="+prof)
			text := filepath.Join(prof, "cover.txt")
			goBuild(t, dir, "go", "tool", "covdata", "textfmt", "-i="+prof, "-o="+text)
			want := entered(t, text)
			first := filepath.Join(prof, variants[0])
			execute(t, filepath.Join(bin, variants[0], name), first, "1")
			out, err := exec.Command("dupinst", "export", "-format=cover", "-o", text, first).CombinedOutput()
			if err != nil {
				t.Fatalf("export: %v\n%s", err, out)
			}
			got := entered(t, text)
			// Coverage does not count a loop or switch again that a goto enters.
			labels := labels(t, filepath.Join(dir, name))
			common := 0
			for at, n := range got {
				m, ok := want[at]
				if ok && m > n || ok && m < n && !labels[at] {
					t.Errorf("%s: entered %d times, %d with coverage", at, n, m)
				} else if ok {
					common++
				}
			}
			if common < len(got)*2/3 {
				t.Errorf("of %d blocks, %d begin where one of coverage's does", len(got), common)
			}
			truth := counts(t, first)
			for _, v := range variants[1:] {
				execute(t, filepath.Join(bin, v, name), filepath.Join(prof, v), "1")
				got := counts(t, filepath.Join(prof, v))
				if strings.HasPrefix(v, compiled("")) {
					want := maps.Clone(truth)
					if v == compiled("once") {
						for key := range want {
							want[key] = 1
						}
					}
					want, got, _ := but(differs[name], want, got)
					want, got, _ = but(blocksDiffer[name], want, got)
					diffCounts(t, want, got)
					continue
				}
				diffCounts(t, truth, got)
			}
		})
	}
}

// entered returns the counts of a coverage profile by where blocks begin.
func entered(t *testing.T, file string) map[string]int {
	t.Helper()
	profiles, err := cover.ParseProfiles(file)
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]int{}
	for _, p := range profiles {
		for _, b := range p.Blocks {
			m[fmt.Sprintf("%s:%d:%d", filepath.Base(p.FileName), b.StartLine, b.StartCol)] += b.Count
		}
	}
	return m
}

// labels returns where labels stand in the files of dir.
func labels(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]bool{}
	for _, name := range files {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if l, ok := n.(*ast.LabeledStmt); ok {
				p := fset.Position(l.Pos())
				m[fmt.Sprintf("%s:%d:%d", filepath.Base(name), p.Line, p.Column)] = true
			}
			return true
		})
	}
	return m
}

// Package math has a block in which a constant stands between a comparison and what counts by it: the copy loads
// it as the original does, which changes the flags, so that windows find the twin of each instruction.
func TestBlocksInWindows(t *testing.T) {
	t.Parallel()
	dir, _ := programs(t)
	goBuild(t, dir, "dupinst", "-backend=compiler", "-trigger=window", "-instrument=block", "-pkgs=math", "build", "-o", filepath.Join(t.TempDir(), "prog"), "./generics")
}

// TestClears has loops that set elements to zero stay one operation, where their blocks are counted too: in code that
// counts, and in that for windows, which counts nothing until it is led elsewhere.
func TestClears(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH != "amd64" {
		t.Skip("what stands for a loop is looked for as the amd64 disassembler says it")
	}
	dir, _ := programs(t)
	file := filepath.Join(t.TempDir(), "clears")
	for _, v := range []string{compiled("exhaustive"), compiled("full"), window} {
		if v == window && runtime.GOOS != "linux" {
			continue
		}
		goBuild(t, dir, "dupinst", append(arranged(v), "-instrument=block", "build", "-o", file, "./clears")...)
		functions := disassembly(t, file)
		for name, calls := range map[string]string{"main.records": "CALL runtime.memclrHasPointers(SB)", "main.zero": "CALL runtime.memclrNoHeapPointers(SB)"} {
			n := 0
			for _, in := range functions[name] {
				if strings.HasPrefix(in.text, calls) {
					n++
				}
			}
			if n == 0 {
				t.Errorf("%s: %s has no %s", v, name, calls)
			}
		}
	}
}
