package main_test

import (
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dupinst/dupinst/profile"
	"github.com/dupinst/dupinst/profile/format"
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

// TestPhasesByClock has a program that knows nothing of them be in phases now and then, all of it: what it calls is
// counted in proportion, by goroutines that wait and by those that do not, and what the counts stand for is how often it was
// called. With -soak it goes on for so long.
func TestPhasesByClock(t *testing.T) {
	t.Parallel()
	length := max(*soak, 3*time.Second)
	binary := phased(t)
	dir := filepath.Join(t.TempDir(), "prof")
	cmd := exec.Command("env", "DUPINST_DIR="+dir, "DUPINST_PHASES=50/s", "DUPINST_PHASE=1ms", "GOGC=5", binary, "unnamed", length.String())
	var told strings.Builder
	cmd.Stderr = &told
	out, err := cmd.Output()
	var nones, twenties, hundreds float64
	var alone bool
	if _, err2 := fmt.Sscan(string(out), &nones, &twenties, &hundreds, &alone); err != nil || err2 != nil || !alone {
		t.Fatalf("%v, %v\n%s%s", err, err2, out, &told)
	}
	if !regexp.MustCompile(`^-?(\+-)+\+?\n\n$`).MatchString(told.String()) {
		t.Errorf("it was told %q of phases", &told)
	}
	profiles, err := profile.ReadProfiles(dir)
	if err != nil || len(profiles) == 0 {
		t.Fatalf("%d profiles, %v", len(profiles), err)
	}
	p := profiles[0]
	calls := map[string]float64{}
	for i := range p.Entries {
		calls[p.Entries[i].Part("callee")] += p.Estimate(&p.Entries[i]).N
	}
	if f := p.Phases; f.Period != 20_000_000 || f.Length != 1_000_000 || f.Begun < 10 || p.Samples == 0 || p.Samples > p.Checks/2 {
		t.Errorf("%+v, %d samples of %d checks", f, p.Samples, p.Checks)
	}
	// How many phases each has is chance, and where the machine is busy with other things much so.
	if all, want := calls["main.none"]+calls["main.twenty"]+calls["main.hundred"], nones+twenties+hundreds; all < want*0.9 || all > want*1.1 {
		t.Errorf("about %.0f calls, for %.0f", all, want)
	}
	if ratio := calls["main.hundred"] / calls["main.twenty"]; ratio < 9 || ratio > 11 {
		t.Errorf("one is called %.2f times as often as the other, for %.2f", ratio, hundreds/twenties)
	}
	if began := p.Began(); !strings.Contains(began, " phases, of ") || !strings.Contains(began, "the program stood still for ") {
		t.Errorf("it says %q", began)
	}
	t.Log(p.Began())
}

// TestPhasesSwitched has a service under load be in phases by the clock, and then take samples, in turn: no request fails, and each
// profile is of one of them.
func TestPhasesSwitched(t *testing.T) {
	t.Parallel()
	bin := controlled(t)
	_, url := served(t, serving, "env", "DUPINST_DIR="+t.TempDir(), "DUPINST_PHASES=50/s", filepath.Join(bin, "control"))
	set := func(change, want string, code int) {
		t.Helper()
		if text, got, err := request("POST", url+"/debug/dupinst/set?"+change); err != nil || got != code || !strings.Contains(text, want) {
			t.Errorf("%s: %v, %d, %s", change, err, got, text)
		}
	}
	for _, change := range []string{"phases=0/s", "phases=1001/s", "phases=often", "phase=1h", "phases=5/s&phase=1us", "phases=NaN/s", "phases==/checkout"} {
		set(change, "", http.StatusBadRequest)
	}
	set("burst=10", "exclude each other", http.StatusConflict)
	stop := underLoad(t, url+"/work?n=20", "10945 20\n")
	profile := func(seconds float64) *format.Process {
		t.Helper()
		time.Sleep(time.Duration(seconds * float64(time.Second)))
		return decoded(t, url+"/debug/dupinst/profile?format=dupinst")
	}
	counted := func(period, length time.Duration) {
		t.Helper()
		var p *format.Process
		for range 100 {
			if p = profile(0.3); p.Phases.Begun > 2 && p.Samples > 0 {
				break
			}
		}
		if f := p.Phases; f.Period != uint64(period) || f.Length != uint64(length) || f.Begun == 0 || p.Interval != 1 || p.Samples == 0 || p.Samples >= p.Checks {
			t.Errorf("%+v, %d samples of %d checks at interval %d", f, p.Samples, p.Checks, p.Interval)
		}
	}
	counted(20*time.Millisecond, 2*time.Millisecond)
	for range 3 {
		set("interval=1000", `"interval":1000`, http.StatusOK)
		if p := profile(0.7); p.Phases.Counted || p.Samples == 0 || p.Samples > p.Checks/500 {
			t.Errorf("at interval 1,000 %+v, %d samples of %d checks", p.Phases, p.Samples, p.Checks)
		}
		set("phases=100/s&phase=1ms", `"every":"10ms","length":"1ms",`, http.StatusOK)
		counted(10*time.Millisecond, time.Millisecond)
		set("phase=5ms", `"length":"5ms"`, http.StatusOK)
		set("phases=endpoint%3D/work", `"label":"endpoint=/work",`, http.StatusOK)
		set("phases=off", `"interval":0`, http.StatusOK)
		if p := profile(0.3); p.Phases.Counted || p.Samples != 0 {
			t.Errorf("of nothing %+v, %d samples", p.Phases, p.Samples)
		}
	}
	if n := stop(); n < 100 {
		t.Errorf("%d requests were served", n)
	}
}

// TestPhasesOfLabels runs a program whose goroutines have labels for runtime/pprof: what those do that have the label that is asked for
// is counted as often as it is done, and what those do that they start, and nothing else.
func TestPhasesOfLabels(t *testing.T) {
	t.Parallel()
	binary := phased(t)
	dir := filepath.Join(t.TempDir(), "prof")
	out, err := exec.Command("env", "DUPINST_DIR="+dir, "DUPINST_PHASES=endpoint=/checkout", binary, "labelled").CombinedOutput()
	// One ends and begins again where another label is in between.
	if err != nil || string(out) != "endpoint=/checkout 4 true <nil>\n<nil>\n<nil>\n" {
		t.Fatalf("%v\n%s", err, out)
	}
	profiles, err := profile.ReadProfiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]map[string]uint64{}
	for _, p := range profiles {
		if p.Scale() != 1 && p.Total > 0 {
			t.Errorf("a count stands for %g", p.Scale())
		}
		of := map[string]uint64{}
		for _, e := range p.Entries {
			if callee := e.Part("callee"); strings.HasPrefix(callee, "main.") && e.Part("caller") == "main.repeat" {
				of[callee] += e.Count
			}
		}
		if p.Instrumentation == "calledge" {
			calls[p.Phases.Label] = of
		}
	}
	want := map[string]map[string]uint64{"endpoint=/checkout": {"main.twenty": 20}, "endpoint=/health": {"main.hundred": 100}, "": {}}
	if !reflect.DeepEqual(calls, want) {
		t.Errorf("got %v, want %v", calls, want)
	}
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
