package main_test

import (
	"errors"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// wine is where Debian has the emulator for Windows.
const wine = "/usr/lib/wine/wine64"

// wined runs programs of Windows, in a system of their own.
func wined(t *testing.T) (run func(dir, interval, program string, args ...string) result) {
	t.Helper()
	const gcc = "x86_64-w64-mingw32-gcc"
	need(t, wine)
	need(t, gcc)
	system := t.TempDir()
	env := []string{"WINEPREFIX=" + system, "WINEDEBUG=-all", "GOTRACEBACK=single"}
	run = func(dir, interval, program string, args ...string) result {
		for tries := 1; ; tries++ {
			r := executeCommand(t, append([]string{wine, program}, args...), dir, interval, env...)
			said := r.stderr
			r.stderr = wines.ReplaceAllString(said, "")
			if r != unbegun || tries == 3 {
				return r
			}
			t.Logf("Wine ended %s %q before it began: %q", program, args, said)
		}
	}
	executeCommand(t, []string{wine, "wineboot"}, "", "", env...)
	library := filepath.Join(system, "drive_c", "windows", "system32", "bcryptprimitives.dll")
	goBuild(t, filepath.Join("..", "..", "testdata", "windows"), gcc, "-shared", "-o", library, "bcryptprimitives.c", "-ladvapi32")
	keepWine(t, env)
	return run
}

// wines is what Wine says of its own where the system is busy, nine times in 500 plain runs.
var wines = regexp.MustCompile(`wine client error:[0-9a-f]+: (sendmsg: .*\n?)?`)

// unbegun is how a program ends that Wine gave up before its first line, as it once did
// with a plain one. None of those here ends so of its own.
var unbegun = result{status: 1}

// keepWine runs a command prompt until the test is over. Wine's own services live as long
// as any program does and write to the standard error of the first, where a driver of
// theirs that crashed at its end was once taken for the tested program.
func keepWine(t *testing.T, env []string) {
	t.Helper()
	prompt := exec.Command(wine, "cmd")
	prompt.Env = append(prompt.Environ(), env...)
	stdin, err := prompt.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := prompt.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := prompt.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(stdin.Close(), prompt.Wait()); err != nil {
			t.Errorf("Wine's command prompt: %v", err)
		}
		server := exec.Command("/usr/lib/wine/wineserver64", "-w") // it ends soon after the last program
		server.Env = append(server.Environ(), env...)
		if out, err := server.CombinedOutput(); err != nil {
			t.Errorf("Wine does not end: %v\n%s", err, out)
		}
	})
	if _, err := stdout.Read(make([]byte, 1)); err != nil {
		t.Fatalf("Wine's command prompt does not start: %v", err)
	}
}

// forWindows builds programs for Windows.
func forWindows(t *testing.T, dir string, build ...string) {
	t.Helper()
	goBuild(t, dir, "env", append([]string{"GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0"}, build...)...)
}

// untold is what two builds of a program may print differently of its stack: addresses,
// and what is below it.
var untold = regexp.MustCompile(`(?s)0x[0-9a-f]+|\nruntime stack:.*`)

// TestWindows runs programs under Wine: however one ends, its profile is written, and
// its exit status and output are as they were. Others do what they do on this system,
// with the same profile.
func TestWindows(t *testing.T) {
	t.Parallel()
	run := wined(t)
	dir, prof := t.TempDir(), t.TempDir()
	source := filepath.Join("..", "..", "testdata", "windows")
	plainEnds, ends := filepath.Join(dir, "plain.exe"), filepath.Join(dir, "ends.exe")
	forWindows(t, source, "go", "build", "-o", plainEnds, ".")
	forWindows(t, source, "dupinst", "-backend=compiler", "build", "-o", ends, ".")
	for _, way := range []string{"return", "chdir", "exit", "panic", "nil", "fatal", "deadlock", "goexit", "overflow"} {
		want, got := run("", "", plainEnds, way), run(filepath.Join(prof, way), "", ends, way)
		for _, r := range []*result{&want, &got} {
			r.stderr = untold.ReplaceAllString(r.stderr, "")
		}
		if got != want {
			t.Errorf("%s:\n%+v\nplain:\n%+v", way, got, want)
		}
		if len(counts(t, filepath.Join(prof, way))) == 0 {
			t.Errorf("%s: no profile", way)
		}
	}
	// The characters are one, two, three and four bytes, and one and two halves of a word.
	deep := filepath.Join(prof, "aé€𝄞", "new")
	if run(deep, "1", ends, "return"); len(counts(t, deep)) == 0 {
		t.Error("no profile in a new directory")
	}
	if got := run(filepath.Join(ends, "prof"), "1", ends, "exit"); got.status != 3 || strings.Count(got.stderr, "dupinst: cannot write a profile to ") != 1 {
		t.Errorf("in a file instead of a directory: %+v", got)
	}

	// So does what is rewritten, where main returns.
	tree := rewritable(t, source)
	forWindows(t, tree, "dupinst", "rewrite", "-overlay", "o.json", ".")
	forWindows(t, tree, "go", "build", "-overlay", "o.json", "-o", "ends.exe", ".")
	deep = filepath.Join(prof, "rewritten", "new")
	if r := run(deep, "1", filepath.Join(tree, "ends.exe"), "return"); r.stderr != "" || len(counts(t, deep)) == 0 {
		t.Errorf("rewritten: %+v", r)
	}

	all, names := programs(t)
	var some, packages []string
	for i, name := range names {
		if !testing.Short() || i%12 == 0 {
			some, packages = append(some, name), append(packages, "./"+name)
		}
	}
	for backend, exhaustive := range map[string]string{"source": "exhaustive", "compiler": compiled("exhaustive")} {
		to := filepath.Join(dir, backend)
		forWindows(t, all, append([]string{"dupinst", "-backend=" + backend, "build", "-o", to + "/"}, packages...)...)
		for _, name := range some {
			want := execute(t, built(t, plain, false, name), "", "")
			truth := filepath.Join(prof, name+".truth."+backend)
			execute(t, built(t, exhaustive, false, name), truth, "0")
			got := filepath.Join(prof, name+"."+backend)
			if r := run(got, "1", filepath.Join(to, name+".exe")); r != want {
				t.Errorf("%s, %s:\n%+v\non this system:\n%+v", backend, name, r, want)
			}
			diffCounts(t, counts(t, truth), counts(t, got))
		}
	}
}
