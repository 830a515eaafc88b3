package main_test

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/tools/cover"

	"github.com/dupinst/dupinst/profile"
)

// TestRounds has traps laid again after each of some rounds: a block is counted in about as many as it was entered in.
func TestRounds(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("traps are linux/amd64's")
	}
	bin, prof := filepath.Join(t.TempDir(), "rounds"), t.TempDir()
	goBuild(t, filepath.Join("..", ".."), "dupinst", "-variant=once", "-instrument=block", "build", "-o", bin, "./testdata/rounds")
	if out, err := exec.Command("env", "DUPINST_AGAIN=50ms", "DUPINST_DIR="+prof, bin, "4s").CombinedOutput(); err != nil || string(out) != "done\n" {
		t.Fatalf("%v\n%s", err, out)
	}
	profiles, err := profile.ReadProfiles(prof)
	if err != nil {
		t.Fatal(err)
	}
	n := map[string]uint64{}
	for _, e := range profiles[0].Entries {
		n[e.Part("function")] = e.Count
	}
	// What is entered in each round is left out of up to 15, and of the last ones nothing is known. Where the machine is busy
	// there are rounds in which the program does not run.
	rounds := profiles[0].Rounds.Begun
	always, half := n["main.always"], n["main.half"]
	if rounds < 20 || n["main.first"] != 1 || n["main.never"] != 0 || always > rounds || always < rounds/2 || half > always*4/5 || half < always/5 {
		t.Errorf("of %d rounds: %v", rounds, n)
	}
}

// TestOnce has traps put back again and again into the code of a service under load: no request fails, and after each
// time what is entered is found anew.
func TestOnce(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("traps are linux/amd64's")
	}
	bin := t.TempDir()
	pkgs := "std,github.com/dupinst/dupinst/testdata/control"
	if testing.Short() {
		pkgs = "net/http,github.com/dupinst/dupinst/testdata/control"
	}
	goBuild(t, filepath.Join("..", ".."), "dupinst", "-variant=once", "-instrument=block", "-pkgs="+pkgs,
		"build", "-o", filepath.Join(bin, "control"), "./testdata/control")
	for name, again := range map[string]string{"once": "", "rounds": "10ms"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onceServed(t, "env", "DUPINST_AGAIN="+again, "DUPINST_DIR="+t.TempDir(), filepath.Join(bin, "control"))
		})
	}
}

func onceServed(t *testing.T, command ...string) {
	_, url := served(t, serving, command[0], command[1:]...)
	get := func(method, path string) string {
		t.Helper()
		text, code, err := request(method, url+path)
		if err != nil || code != http.StatusOK {
			t.Fatalf("%s %s: %v, %d, %s", method, path, err, code, text)
		}
		return text
	}
	entered := func() (n int) { // blocks of the service's own
		t.Helper()
		profiles, err := cover.ParseProfilesFromReader(strings.NewReader(get("GET", "/debug/dupinst/profile?format=cover")))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range profiles {
			for _, b := range p.Blocks {
				if strings.HasSuffix(p.FileName, "testdata/control/main.go") && b.Count > 0 {
					n++
				}
				if b.Count > 1 {
					t.Errorf("%s:%d is counted %d times", p.FileName, b.StartLine, b.Count)
				}
			}
		}
		return n
	}
	start := entered()
	get("GET", "/work?n=3")
	if served := entered(); start == 0 || served <= start {
		t.Errorf("%d blocks are entered at the start, %d once a request has been served", start, served)
	}
	get("POST", "/debug/dupinst/reset")
	if n := entered(); n != 0 {
		t.Errorf("%d blocks are entered though nothing was done", n)
	}
	get("GET", "/work?n=3")
	first := entered()
	if first == 0 {
		t.Error("no block is entered by a request")
	}

	stop := underLoad(t, url+"/work?n=12", "232 12\n")
	for range 200 {
		get("POST", "/debug/dupinst/reset")
	}
	if stop() == 0 {
		t.Error("no request was served")
	}
	get("POST", "/debug/dupinst/reset")
	get("GET", "/work?n=3")
	if again := entered(); again != first {
		t.Errorf("%d blocks are entered by a request, %d by one after all that", first, again)
	}
}
