package main_test

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dupinst/dupinst/profile"
)

// phased builds the program of phases.
func phased(t *testing.T, flags ...string) (binary string) {
	binary = filepath.Join(t.TempDir(), "phases")
	goBuild(t, filepath.Join("..", ".."), "dupinst", append(flags, "-pkgs=github.com/dupinst/dupinst/testdata/phases", "build", "-o", binary, "./testdata/phases")...)
	return binary
}

// TestSoakPhases has a program go through phases, two thousand a minute at least where it has a processor: what is called in them is counted as often
// as it is called, and nothing else.
func TestSoakPhases(t *testing.T) {
	t.Parallel()
	length := *soak
	if length == 0 {
		length = 3 * time.Second
	}
	binary := phased(t)
	dir := filepath.Join(t.TempDir(), "prof")
	out, err := exec.Command("env", "DUPINST_DIR="+dir, "DUPINST_PHASES=on", "DUPINST_PERIOD=1s", "GOGC=5", binary, "soak", length.String()).CombinedOutput()
	phases, err2 := strconv.ParseUint(strings.TrimSpace(string(out)), 10, 64)
	if err != nil || err2 != nil {
		t.Fatalf("%v, %v\n%s", err, err2, out)
	}
	calls := map[string]uint64{}
	profiles, err := profile.ReadProfiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range profiles {
		for _, e := range p.Entries {
			calls[e.Part("callee")] += e.Count
		}
		if p.Phases.Begun != phases || p.Phases.Missed != 0 {
			t.Errorf("of %d phases %+v", phases, p.Phases)
		}
	}
	if calls["main.hundred"] != 100*phases || calls["main.none"] != 0 || phases == 0 {
		t.Errorf("in %d phases hundred was called %d times, and none %d", phases, calls["main.hundred"], calls["main.none"])
	}
	t.Logf("%d phases in %v", phases, length)
}

// TestPhases runs a program of phases: what is called in them is counted as often as it is called, and nothing else.
func TestPhases(t *testing.T) {
	t.Parallel()
	output := func(t *testing.T, name string, args ...string) string {
		out, err := exec.Command(name, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	variants := []string{"auto", "no"}
	if !testing.Short() {
		variants = append(variants, "full", "partial")
	}
	for _, variant := range variants {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			binary := phased(t, "-variant="+variant)
			dir := filepath.Join(t.TempDir(), "prof")
			if out := output(t, "env", "DUPINST_DIR="+dir, "DUPINST_PHASES=on", binary); out != "true 9 0 true <nil>\n" {
				t.Errorf("it says %q", out)
			}
			profiles, err := profile.ReadProfiles(dir)
			if err != nil {
				t.Fatal(err)
			}
			calls := map[string]uint64{}
			for _, p := range profiles {
				if p.Instrumentation != "calledge" || p.Total == 0 {
					continue
				}
				if !p.Phases.Counted || p.Phases.Begun != 9 || p.Scale() != 1 {
					t.Errorf("phases %+v, scale %g", p.Phases, p.Scale())
				}
				for _, e := range p.Entries {
					calls[e.Part("callee")] += e.Count
				}
			}
			for callee, want := range map[string]uint64{"main.none": 0, "main.two": 2, "main.twenty": 20, "main.thirty": 30, "main.hundred": 100} {
				if got := calls[callee]; got != want {
					t.Errorf("%s was called %d times in phases, not %d", callee, got, want)
				}
			}
			if some := calls["main.some"]; some == 0 || some >= 10_000 {
				t.Errorf("of a phase that begins late, %d of 10,000 calls were counted", some)
			}
		})
	}
	for name, flags := range map[string][]string{"window": {"-trigger=window"}, "exhaustive": {"-variant=exhaustive"}, "source": {"-backend=source"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			binary := phased(t, flags...)
			if out := output(t, binary, "errors"); !strings.Contains(out, "phases need counters and the compiler's back end") {
				t.Errorf("it says %q", out)
			}
			out := output(t, "env", "DUPINST_DIR="+t.TempDir(), "DUPINST_PHASES=on", binary)
			if !strings.Contains(out, "cannot read DUPINST_PHASES=on; nothing is profiled") || !strings.Contains(out, "false 0 0 false <nil>") {
				t.Errorf("it says %q", out)
			}
		})
	}
}
