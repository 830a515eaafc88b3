package main_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dupinst/dupinst/profile"
)

// goroot returns GOROOT.
func goroot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// unfit are programs that cannot be compared, with the reason.
var unfit = map[string]string{
	"noinit.go":       "it reads its own list of init functions, to which a package variable's call edge adds one",
	"nilptr_aix.go":   "for AIX",
	"linkmain_run.go": "it runs the linker on files of its directory",
	"linkobj.go":      "it runs the linker on files of its directory",
	"linkx_run.go":    "it runs the linker on files of its directory",
}

// variantsFor are the variants that the i-th of many programs is tried with:
// all or, with -short, one of them in turn.
func variantsFor(i int) []string {
	if testing.Short() {
		return sampled[i%len(sampled):][:1]
	}
	return sampled
}

// TestGoroot runs programs of the Go project's own test directory, plain and
// sampled at intervals 1 and 7. With -short, every eighth.
func TestGoroot(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(goroot(t), "test")
	var files []string
	for _, pattern := range []string{"*.go", "ken/*.go", "chan/*.go", "interface/*.go", "typeparam/*.go"} {
		m, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, m...)
	}
	run := regexp.MustCompile(`(?m)\A// run$`)
	n := 0
	for i, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if testing.Short() && i%8 != 0 || !run.Match(src) || unfit[filepath.Base(f)] != "" {
			continue
		}
		n++
		t.Run(strings.TrimSuffix(filepath.Base(f), ".go"), func(t *testing.T) {
			t.Parallel()
			comparePrograms(t, f, variantsFor(i/8))
		})
	}
	switch {
	case len(files) == 0:
		t.Skip("this Go distribution comes without its test directory")
	case n < 30:
		t.Errorf("only %d programs found", n)
	}
}

func comparePrograms(t *testing.T, file string, variants []string) {
	bin := t.TempDir()
	plain := filepath.Join(bin, "plain")
	goBuild(t, bin, "go", "build", "-o", plain, file)
	want := execute(t, plain, "", "")
	for _, v := range variants {
		program := filepath.Join(bin, v)
		goBuild(t, bin, "dupinst", "-variant="+v, "build", "-o", program, file)
		for _, interval := range []string{"1", "7"} {
			prof := program + interval
			if got := execute(t, program, prof, interval); got != want {
				t.Errorf("%s at interval %s:\n%.2000v\nplain:\n%.2000v", v, interval, got, want)
			}
			if _, err := profile.ReadProfiles(prof); err != nil {
				t.Error(err)
			}
		}
	}
}

// standard are packages whose suites are run.
var standard = []string{
	"sort", "strings", "strconv", "encoding/json", "text/template", "regexp", "go/parser",
	"container/heap", "container/list", "container/ring", "bufio", "compress/flate",
}

// TestStandardLibrary runs the test suites of standard packages, with all of these
// instrumented: each set of packages has a standard library of its own to build.
func TestStandardLibrary(t *testing.T) {
	t.Parallel()
	root := goroot(t)
	for i, pkg := range standard {
		for _, v := range variantsFor(i) {
			t.Run(strings.ReplaceAll(pkg, "/", "_")+"/"+v, func(t *testing.T) {
				t.Parallel()
				testStandard(t, filepath.Join(root, "src", pkg), pkg, v)
			})
		}
	}
}

// testStandard runs the tests of a standard package that is instrumented itself.
func testStandard(t *testing.T, dir, pkg, variant string) {
	bin := filepath.Join(t.TempDir(), "test")
	goBuild(t, ".", "dupinst", "-variant="+variant, "-pkgs="+strings.Join(standard, ","), "test", "-c", "-o", bin, pkg)
	for _, interval := range []string{"1", "7"} {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, bin, "-test.short")
		prof := t.TempDir()
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "DUPINST_DIR="+prof, "DUPINST_INTERVAL="+interval)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Run(); err != nil {
			t.Errorf("at interval %s: %v\n%.4000s", interval, err, out.String())
		}
		if len(counts(t, prof)) == 0 {
			t.Error("the profile is empty")
		}
	}
}
