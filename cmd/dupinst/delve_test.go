package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// A program whose add is called ten times, each time from duplicated code at interval 1.
const debugged = `package main

import "fmt"

type t struct{ a, b int }

//go:noinline
func (x *t) add(n int) int {
	sum := x.a
	for i := 0; i < n; i++ {
		sum += i * x.b
		if sum > 1000 {
			fmt.Println("large", sum, i)
		}
	}
	x.a = sum
	return sum
}

func main() {
	x := &t{1, 2}
	for i := range 10 {
		fmt.Println(x.add(i))
	}
}
`

var compares = regexp.MustCompile(`main\.go:12\s+(0x[0-9a-f]+)\s.*\sCMPQ`)

// TestDelve stops in duplicated code with the debugger, which knows variables there as in the
// original, and steps to where a user would expect it.
func TestDelve(t *testing.T) {
	t.Parallel()
	need(t, "dlv")
	for _, c := range [][2]string{{"-variant=full", "DUPINST_INTERVAL=1"}, {"-trigger=window", "DUPINST_WINDOWS=always"}} {
		if c[0] == "-trigger=window" && runtime.GOOS+runtime.GOARCH != "linuxamd64" {
			continue // there are none
		}
		t.Run(c[0], func(t *testing.T) {
			t.Parallel()
			delve(t, c[0], c[1])
		})
	}
}

// delve does that in a build with a flag, run with a setting by which all is counted.
func delve(t *testing.T, flag, setting string) {
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": debugged, "go.mod": "module programs\n\ngo 1.24\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	goBuild(t, dir, "dupinst", "-backend=compiler", flag, "build", "-o", "prog", ".")
	dump := exec.Command("go", "tool", "objdump", "-s", `main.\(\*t\).add`, "prog")
	dump.Dir = dir
	code, err := dump.Output()
	if err != nil {
		t.Fatal(err)
	}
	places := compares.FindAllStringSubmatch(string(code), -1)
	if len(places) != 2 {
		t.Fatalf("line 12 is compiled %d times, not as an original and a copy:\n%s", len(places), code)
	}
	cmd := exec.Command("dlv", "exec", "--allow-non-terminal-interactive=true", "./prog")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "DUPINST_DIR="+filepath.Join(dir, "prof"), setting, "TERM=dumb", "XDG_CONFIG_HOME="+dir)
	cmd.Stdin = strings.NewReader("break *" + places[1][1] + `
continue
continue
continue
print n
print i
print sum
print x.b
stack 2
next
stepout
exit
`)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("dlv: %v\n%s", err, out)
	}
	said := string(out)
	for _, want := range []string{
		"main.(*t).add() ./main.go:12 (hits goroutine(1):3 total:3)",
		"(dlv) 2\n(dlv) 1\n(dlv) 3\n(dlv) 2\n", // the third time is i = 1 of add(2)
		"main.main\n   at ./main.go:23",
		"main.(*t).add() ./main.go:10",
		"main.main() ./main.go:23",
	} {
		at := strings.Index(said, want)
		if at < 0 {
			t.Fatalf("no %q behind what came before it in:\n%s", want, out)
		}
		said = said[at:]
	}
}
