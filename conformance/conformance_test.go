package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/importer"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dupinst/dupinst/conformance/random"
)

// TestShort runs a sample of each corpus, in either back end.
func TestShort(t *testing.T) {
	t.Parallel()
	corpora := "std,modules,random"
	if _, err := gorootCases(nil); err == nil {
		corpora = "goroot," + corpora
	} else {
		t.Logf("without goroot: %v", err)
	}
	for backend, corpora := range map[string]string{"compiler": corpora, "source": corpora + ",rewritten"} {
		t.Run(backend, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			ok, err := run(context.Background(), []string{"-short", "-backend", backend, "-corpora", corpora, "-functions", "60", "-o", t.TempDir()}, &out)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("\n%s", out.String())
			if !ok {
				t.Error("a case differs when instrumented")
			}
		})
	}
}

func TestRecipe(t *testing.T) {
	t.Parallel()
	tests := []struct {
		src, action, args string
		fits              bool
	}{
		{"// run\n\npackage main", "run", "", true},
		{"// run -gcflags=-l 7\n", "run", "-gcflags=-l|7", true},
		{"// run -gcflags='all=-N -l' \"a b\"\n", "run", "-gcflags=all=-N -l|a b", true},
		{"//go:build !plan9\n\n// errorcheck -0 -m\n", "errorcheck", "-0|-m", true},
		{"//go:build plan9\n\n// run\n", "", "", false},
		{"// run\n\n//go:build plan9\n\npackage main\n", "", "", false},
		{"// run\n\n// A comment.\n\npackage main\n// other\n", "run", "", true},
		{"//go:build go1.99\n\n// run\n", "", "", false},
		{"package main\n// run\n", "", "", false},
	}
	for _, test := range tests {
		action, args, fits := recipe(test.src)
		if action != test.action || strings.Join(args, "|") != test.args || fits != test.fits {
			t.Errorf("%q: %s %v, %t", test.src, action, args, fits)
		}
	}
}

func TestSetup(t *testing.T) {
	t.Parallel()
	tests := []struct {
		args string
		want setup
	}{
		{"", setup{language: "1.14"}},
		{"-l=4 -ldflags -w=0", setup{language: "1.14", flags: []string{"-l=4", "-ldflags", "-w=0"}}},
		{"-0 -t 10 -e", setup{language: "1.14", flags: []string{"-e"}}},
		{"-goexperiment fieldtrack -godebug a=b x -y", setup{
			language: "1.14", env: []string{"GOEXPERIMENT=fieldtrack", "GODEBUG=a=b"}, args: []string{"x", "-y"},
		}},
		{"-gomodversion 1.23", setup{language: "1.23"}},
	}
	for _, test := range tests {
		got := setupOf(strings.Fields(test.args))
		if len(got.args) == 0 {
			got.args = nil
		}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q: %+v, want %+v", test.args, got, test.want)
		}
	}
}

func TestNormal(t *testing.T) {
	t.Parallel()
	inlined := "goroutine 7 [running]:\nmain.(*t).f[...](...)\n\t/a/main.go:3\nmain.main()\n\t/a/main.go:9 +0x1d\n"
	called := "goroutine 18 [running]:\nmain.(*t).f[...](0xc000012345, 0x3)\n\t/a/main.go:3 +0x45\nmain.main()\n\t/a/main.go:9 +0x22\n"
	if normal(inlined) != normal(called) {
		t.Errorf("%s\nand\n%s", normal(inlined), normal(called))
	}
	if other := strings.ReplaceAll(called, ":3", ":4"); normal(other) == normal(called) {
		t.Errorf("another line makes no difference: %s", normal(other))
	}
}

// TestShrink shrinks a program that fails as long as it has a certain statement, in a
// function that keeps its directive.
func TestShrink(t *testing.T) {
	t.Parallel()
	src, err := random.Program(5, 3)
	if err != nil {
		t.Fatal(err)
	}
	mark := "global = 4711"
	src = bytes.Replace(src, []byte("h := n\n"), []byte("h := n\nfor range 2 {\nif n > h {\n"+mark+"\n}\n}\n"), 1)
	src = bytes.ReplaceAll(src, []byte("\nfunc f"), []byte("\n//go:noinline\nfunc f"))
	imports := importer.Default()
	if !compiles(src, imports) {
		t.Fatal("the program is not valid")
	}
	small := shrink(src, func(src []byte) bool { return bytes.Contains(src, []byte(mark)) })
	marked := regexp.MustCompile(`(?s)\n//go:noinline\nfunc [^}]*` + mark)
	if !compiles(small, imports) || !marked.Match(small) || len(small) > 1200 {
		t.Errorf("shrunk to %d bytes from %d:\n%s", len(small), len(src), small)
	}
}

// TestKnown reads what is known to differ.
func TestKnown(t *testing.T) {
	t.Parallel()
	known, err := readKnown(knownText)
	if err != nil || len(known) == 0 {
		t.Fatalf("%d known, %v", len(known), err)
	}
	a := &attempt{runner: &runner{}}
	if a.known, err = readKnown("# why\n1,2 p\\.TestA(/.*)? counts\n"); err != nil {
		t.Fatal(err)
	}
	p, testA, part, testB := test{"p", ""}, test{"p", "TestA"}, test{"p", "TestA/x.y"}, test{"p", "TestB"}
	want := map[test]string{p: "pass", testA: "pass", part: "pass", testB: "pass"}
	for _, c := range []struct {
		interval      string
		testB         string // how it ends; all else fails
		lost, excused []test
		noted         string
	}{
		{"2", "pass", nil, []test{testA, part}, "2 p.TestA,2 p.TestA/x.y"},
		{"1000", "pass", []test{testA, part}, nil, ""},
		{"1", "fail", []test{testB}, []test{testA, part}, "1 p.TestA,1 p.TestA/x.y"},
	} {
		a.excused = nil
		lost, excused := a.lost(want, map[test]string{p: "fail", testA: "fail", part: "fail", testB: c.testB}, c.interval)
		if noted := strings.Join(a.excused, ","); !slices.Equal(lost, c.lost) || !slices.Equal(excused, c.excused) || noted != c.noted {
			t.Errorf("at interval %s, lost %v, excused %v, noted %s", c.interval, lost, excused, noted)
		}
	}
	for _, text := range []string{"1 p\\.TestA\n", "1 ( counts\n"} {
		if _, err := readKnown(text); err == nil || !strings.HasPrefix(err.Error(), "known.txt: ") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestSteady loses a test that the plain build fails each other time, one that it always
// passes, and one that fails again when it is instrumented.
func TestSteady(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeTests(t, dir, `
func TestOften(t *testing.T) {
	if os.Mkdir("once", 0o777) == nil {
		t.Run("part", func(t *testing.T) { t.Fail() })
	} else {
		os.Remove("once")
	}
}

func TestAlways(t *testing.T) {}

func TestNever(t *testing.T) { TestOften(t) }
`)
	const pkg = "p.q/r"
	often, part, always, never := test{pkg, "TestOften"}, test{pkg, "TestOften/part"}, test{pkg, "TestAlways"}, test{pkg, "TestNever"}
	for _, c := range []struct{ lost, stay, unsteady []test }{
		{lost: []test{often, part}, unsteady: []test{often, part}},
		{lost: []test{often, part, always}, stay: []test{always}, unsteady: []test{often, part}},
		{lost: []test{never}, stay: []test{never}},
		{lost: []test{part}, unsteady: []test{part}},
	} {
		a := &attempt{runner: &runner{ctx: context.Background()}, dir: t.TempDir()}
		stay, unsteady, err := a.steady(dir, "auto at interval 1", c.lost, func(u test) (bool, error) { return u != never, nil })
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(stay, c.stay) || !slices.Equal(unsteady, c.unsteady) || (len(unsteady) > 0) != (len(a.wavering) == 1) {
			t.Errorf("%v: %v stay, %v do not: %v", c.lost, stay, unsteady, a.wavering)
		}
	}
}

// TestFailing excuses tests of a package, but not what else its process does.
func TestFailing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeTests(t, dir, `
func TestFails(t *testing.T) {
	t.Run("a/b|c", func(t *testing.T) { t.Fail() })
	t.Run("d", func(t *testing.T) {})
}

func TestPasses(t *testing.T) {}

func TestMain(m *testing.M) { os.Exit(m.Run() | len(os.Getenv("LEAK"))) }
`)
	const pkg = "p.q/r"
	p, fails, part, passes := test{pkg, ""}, test{pkg, "TestFails"}, test{pkg, "TestFails/a/b|c"}, test{pkg, "TestPasses"}
	want := map[test]string{p: "pass", fails: "pass", part: "pass", passes: "pass"}
	for _, c := range []struct {
		leak    string
		excused []test
		want    []test
	}{
		{"", []test{fails, part}, nil},
		{"", []test{part}, nil},
		{"", []test{passes}, []test{p}},
		{"", nil, []test{p}},
		{"x", []test{fails, part}, []test{p}},
	} {
		a := &attempt{runner: &runner{ctx: context.Background()}, dir: t.TempDir()}
		run := func(_ test, skip string) (bool, error) {
			got, err := a.tests(dir, []string{"LEAK=" + c.leak}, "go", []string{"test", "-count=1", "-json", "-vet=off", "-skip=" + skip, pkg})
			return got[p] == "pass", err
		}
		got := map[test]string{p: "fail", fails: "fail", part: "fail", passes: "pass"}
		if packages, err := failing(want, got, c.excused, run); err != nil || !slices.Equal(packages, c.want) {
			t.Errorf("without %v, leak %q: %v, %v", c.excused, c.leak, packages, err)
		}
	}
}

// writeTests makes a module of one package, p.q/r.
func writeTests(t *testing.T, dir, tests string) {
	t.Helper()
	err := errors.Join(
		writeModule(dir, "p.q/r", "1.26"),
		os.WriteFile(filepath.Join(dir, "r_test.go"), []byte("package r\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n"+tests), 0o666),
	)
	if err != nil {
		t.Fatal(err)
	}
}

// TestResults goes on where an earlier run ended.
func TestResults(t *testing.T) {
	t.Parallel()
	dir, ran := t.TempDir(), 0
	cases := []*Case{
		{Name: "x/passes", variants: []string{"auto"}, run: func(*attempt) error { ran++; return nil }},
		{Name: "x/differs", variants: []string{"auto"}, run: func(*attempt) error { ran++; return fmt.Errorf("it prints less") }},
		{Name: "x/broken", variants: []string{"auto"}, run: func(*attempt) error { ran++; return plainError{fmt.Errorf("no main")} }},
	}
	for round := range 2 {
		r, err := newRunner(context.Background(), options{dir: dir, parallel: 1, short: true})
		if err != nil {
			t.Fatal(err)
		}
		r.all(cases)
		var out bytes.Buffer
		ok, err := r.report(&out, cases)
		if r.close(); err != nil {
			t.Fatal(err)
		}
		if ok || ran != 3 || !strings.Contains(out.String(), "FAILED x/differs: it prints less") || !strings.Contains(out.String(), "x       1       1       1            0        0            0") {
			t.Errorf("round %d: %d ran, ok %t:\n%s", round, ran, ok, out.String())
		}
	}
}

func TestFlags(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"-short -full":               "exclude each other",
		"-variants auto,none":        `no variant "none"`,
		"-variants auto,once":        "once is of blocks alone",
		"-corpora nothing":           `no corpus "nothing"`,
		"-run (":                     "-run: error parsing regexp",
		"-run ^nothing$":             "no case matches",
		"-corpora random -arch mips": `-arch: nothing is built for "mips"`,
		"-corpora random -os plan9":  `-os: nothing runs programs for "plan9"`,
		"-os windows -arch mips":     `-os, -arch: nothing runs programs for windows on mips`,
		"-corpora random report":     `no argument is expected, but there is "report"`,
	} {
		_, err := run(context.Background(), append([]string{"-short", "-o", t.TempDir()}, strings.Fields(args)...), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
}
