package main_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// ownModule is a module of its own with the program and the instrumentations of testdata/own. It
// requires this one, and what this one does.
func ownModule(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "testdata", "own"))); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	const dupinst = "github.com/dupinst/dupinst"
	for _, change := range []error{mod.AddModuleStmt("example.com/own"), mod.AddRequire(dupinst, "v0.0.0"), mod.AddReplace(dupinst, "", root, "")} {
		if change != nil {
			t.Fatal(change)
		}
	}
	if text, err = mod.Format(); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"go.mod": text, "go.sum": sums} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The instrumentation that docs/instrumentations.md shows is the one that is tested.
func TestOwnExample(t *testing.T) {
	t.Parallel()
	var text [3][]byte
	for i, name := range []string{"docs/instrumentations.md", "testdata/own/maps/maps.go", "testdata/own/sizes/sizes.go"} {
		var err error
		if text[i], err = os.ReadFile(filepath.Join("..", "..", name)); err != nil {
			t.Fatal(err)
		}
		if i > 0 && !bytes.Contains(text[0], append([]byte("```go\n"), text[i]...)) {
			t.Errorf("the page shows another %s", name)
		}
	}
}

// TestOwn profiles a program with an instrumentation of its own module: both back ends count the same,
// at interval 1 as exhaustively, beside those that dupinst has.
func TestOwn(t *testing.T) {
	t.Parallel()
	dir := ownModule(t)
	want := ""
	for _, flags := range [][]string{
		{"-instrument=./maps", "-variant=exhaustive", "-backend=source"},
		{"-instrument=fieldaccess,./maps", "-backend=compiler"},
	} {
		goBuild(t, dir, "dupinst", append(flags, "build", "-o", "prog", ".")...)
		prof := t.TempDir()
		if got := execute(t, filepath.Join(dir, "prog"), prof, "1"); got.stdout != "200 [quick brown jumps]\n" || got.status != 0 {
			t.Errorf("%v: %+v", flags, got)
		}
		out, err := exec.Command("dupinst", "report", "-instrument=maps", "-format=csv", prof).Output()
		if err != nil {
			t.Fatal(err)
		}
		var rows []string
		for line := range strings.Lines(string(out)) {
			if strings.HasPrefix(line, "maps,") {
				rows = append(rows, strings.ReplaceAll(line, dir, ""))
			}
		}
		got := strings.Join(rows, "")
		if want == "" {
			want = got
		}
		if got != want || len(rows) != 6 || !strings.Contains(got, "900,") {
			t.Errorf("%v:\n%s\nwant:\n%s", flags, got, want)
		}
	}
}

// TestOwnValues notes the sizes of maps with an instrumentation of its own module.
func TestOwnValues(t *testing.T) {
	t.Parallel()
	dir := ownModule(t)
	goBuild(t, dir, "dupinst", "-instrument=./sizes", "-backend=compiler", "build", "-o", "prog", ".")
	prof := t.TempDir()
	if got := execute(t, filepath.Join(dir, "prog"), prof, "1"); got.stdout != "200 [quick brown jumps]\n" || got.status != 0 {
		t.Errorf("%+v", got)
	}
	got := counts(t, prof)
	// Words: nine are counted in each of a hundred rounds, 17 are looked up before there are three of each
	// length, and one at the end. Lengths: looked up for each word, and twice for each of nine that are kept.
	diffCounts(t, map[string]uint64{
		"sizes map[string]int of 0": 1, "sizes map[string]int of 1": 2, "sizes map[string]int of 2": 2,
		"sizes map[string]int of 3": 2, "sizes map[string]int of 4": 2, "sizes map[string]int of 5": 2,
		"sizes map[string]int of 6": 4, "sizes map[string]int of 7": 2, "sizes map[string]int of 8": 901,
		"sizes map[int][]string of 0": 9, "sizes map[int][]string of 1": 8, "sizes map[int][]string of 2": 12,
		"sizes map[int][]string of 3": 890,
	}, got)
	out, err := exec.Command("dupinst", "-instrument=./sizes", "-backend=source", "build", "-o", filepath.Join(dir, "none"), ".").CombinedOutput()
	if err == nil {
		t.Errorf("the source's back end notes values:\n%s", out)
	}
}

// TestOwnBench measures what an instrumentation of its own module costs, in windows, and how accurate it is.
func TestOwnBench(t *testing.T) {
	t.Parallel()
	onlyWindows(t)
	dir := ownModule(t)
	cmd := exec.Command("dupinst", "-instrument=./maps", "bench", "-n=6", "-beside=false", "-variants=none", "-windows=default,2000/s:100us", "-o=out", ".")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, row := range []string{`\nexhaustive-maps  +[-+]`, `\nwindows: no checks  +[-+]`, `\nwindow  +by default  +\d+  +[-+].* maps [0-9.]+% `, `\nwindow  +2000/s of 100us  +\d+  +[-+].* maps [0-9.]+% `} {
		if !regexp.MustCompile(row).Match(out) {
			t.Errorf("no row %s in\n%s", row, out)
		}
	}
}

// What is wrong with an instrumentation is said, and no program is built.
func TestOwnErrors(t *testing.T) {
	t.Parallel()
	dir := ownModule(t)
	for _, c := range []struct {
		odd, want string
		args      []string
	}{
		{"parts", "main.go:13:18: instrumentation odd has a key of 0 parts, where its format has 1", nil},
		{"number", `main.go:13:18: instrumentation odd: what# is to be a number: strconv.ParseUint: parsing "one"`, nil},
		{"panic", "main.main: instrumentation odd panics: no more\n", nil},
		{"name", "-instrument: there are two instrumentations called calledge", nil},
		{"event", "which the compiler's pass does not know", nil},
		{"object", "main.go:13:18: an event at a *ast.CallExpr, which the compiler's pass does not know to ask for memory", nil},
		{"call", "main.go:15:7: an event at a conversion or a call of a builtin function, which the compiler's pass does not know", nil},
		{"", "cannot find ./none: ", []string{"-instrument=./none", "build", "-o", "prog", "."}},
		{"", "example.com/own is a program", []string{"-instrument=./.", "build", "-o", "prog", "."}},
		{"", "wrong/odd.go:1:42: undefined: nothing", []string{"-instrument=./wrong", "build", "-o", "prog", "."}},
		{"", "use dupinst build", []string{"go"}},
	} {
		args := c.args
		if args == nil {
			args = []string{"-backend=compiler", "-instrument=./odd", "build", "-o", "prog", "."}
		}
		if err := os.MkdirAll(filepath.Join(dir, "wrong"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "wrong", "odd.go"), []byte("package wrong; var Instrumentation int = nothing\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("dupinst", args...)
		if len(args) == 1 {
			cmd = exec.Command("go", "build", "-toolexec", "dupinst -instrument=./odd", "-o", "prog", ".")
		}
		cmd.Dir, cmd.Env = dir, append(building(), "ODD="+c.odd)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%s %v: %v\n%s\nwant %q", c.odd, args, err, out, c.want)
		}
		if _, err := os.Stat(filepath.Join(dir, "prog")); err == nil {
			t.Fatalf("%s %v: a program was built", c.odd, args)
		}
	}
}
