package main_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dupinst/dupinst/profile"
	"github.com/dupinst/dupinst/profile/format"
	"golang.org/x/sys/unix"
)

// shadowed builds the program of shadows.
func shadowed(t *testing.T, flags ...string) (binary string) {
	binary = filepath.Join(t.TempDir(), "shadows")
	goBuild(t, filepath.Join("..", ".."), "dupinst", append(flags, "-pkgs=github.com/dupinst/dupinst/testdata/shadows", "build", "-o", binary, "./testdata/shadows")...)
	return binary
}

// shadows are what there was of them in a directory's profiles, and the share of a function in the calls.
func shadows(t *testing.T, dir, callee string) (p *profile.Profile, share float64) {
	profiles, err := profile.ReadProfiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, p = range profiles {
		if p.Instrumentation != "calledge" {
			continue
		}
		for i := range p.Entries {
			if p.Entries[i].Part("callee") == callee {
				share += float64(p.Entries[i].Count) / float64(p.Total)
			}
		}
		return p, share
	}
	t.Fatalf("no calls are in %s", dir)
	return nil, 0
}

// TestShadows has shadows count what a program does, which it must not notice in its files, its memory, its children, its connections and its
// signals.
func TestShadows(t *testing.T) {
	t.Parallel()
	binary := shadowed(t)
	dir := filepath.Join(t.TempDir(), "prof")
	out, err := exec.Command("env", "DUPINST_DIR="+dir, "DUPINST_SHADOWS=50/s", "DUPINST_OVERHEAD=off", binary, "3").CombinedOutput()
	if err != nil || string(out) != "wrong: 0\n" {
		t.Fatalf("%v\n%s", err, out)
	}
	p, share := shadows(t, dir, "main.fib")
	s := p.Shadows
	if s.Begun < 5 || s.Lost > s.Begun/4 || s.Spent == 0 || s.Stood == 0 || s.Longest > s.Stood {
		t.Errorf("%+v", s)
	}
	if share < 0.9 || p.Checks <= p.Samples || p.Scale() != float64(p.Checks)/float64(p.Samples) {
		t.Errorf("%.2f of the calls are of main.fib; %d checks, %d of them in shadows, scale %g", share, p.Checks, p.Samples, p.Scale())
	}
	if began := p.Began(); !strings.Contains(began, " shadows, which had ") {
		t.Errorf("it is said %q", began)
	}
}

// TestShadowsWhole has shadows of a program that computes alone: none ends before its time, but for one in which the program ends.
func TestShadowsWhole(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "prof")
	if out, err := exec.Command("env", "DUPINST_DIR="+dir, "DUPINST_SHADOWS=20/s", "DUPINST_OVERHEAD=off", phased(t), "unnamed", "2s").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	profiles, err := profile.ReadProfiles(dir)
	if err != nil || len(profiles) == 0 {
		t.Fatalf("%d profiles, %v", len(profiles), err)
	}
	// One that is not let run in time is killed.
	if s := profiles[0].Shadows; s.Begun < 3 || s.Early > 1 || s.Lost > s.Begun/4 {
		t.Errorf("%+v", s)
	}
	t.Log(profiles[0].Began())
}

// TestShadowsPaced has fewer shadows than it asks for, where they would cost more than they may.
func TestShadowsPaced(t *testing.T) {
	t.Parallel()
	binary := phased(t)
	for _, test := range []struct {
		overhead, said string
		budget         uint64
	}{{"DUPINST_OVERHEAD=2%", "2 %", 20_000}, {"DUPINST_OVERHEAD=", "1 %", 10_000}} {
		t.Run(test.said, func(t *testing.T) {
			t.Parallel()
			paced(t, binary, test.overhead, test.said, test.budget)
		})
	}
}

func paced(t *testing.T, binary, overhead, said string, budget uint64) {
	var s format.Shadows
	for range 5 { // there may be none by chance, and one that is not let run in time is killed, which takes half a second
		dir := filepath.Join(t.TempDir(), "prof")
		if out, err := exec.Command("env", "DUPINST_DIR="+dir, "DUPINST_SHADOWS=100/s", "DUPINST_SHADOW=1ms", overhead, binary, "unnamed", "5s").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		profiles, err := profile.ReadProfiles(dir)
		if err != nil || len(profiles) == 0 {
			t.Fatalf("%d profiles, %v", len(profiles), err)
		}
		if s = profiles[0].Shadows; s.Begun == 0 || s.Lost > 0 {
			continue
		}
		g := profiles[0].Governor
		if g.Budget != budget || g.Spent < s.Spent+s.Stood || g.Time < 1_000_000_000 || float64(g.Spent) > 0.1*float64(g.Time) || s.Begun > 150 {
			t.Errorf("%+v, %+v", s, g)
		}
		if governed := profiles[0].Governed(); !strings.HasPrefix(governed, "governed at "+said+" of the processor time: shadows had ") {
			t.Errorf("it is said %q", governed)
		}
		return
	}
	t.Errorf("%+v", s)
}

// TestShadowsTurns has shadows of code that checks slow down much, in turns with code that they do not slow down: they last until they have come as far
// as the program in their length, so that the one is counted about as often as the other.
func TestShadowsTurns(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	file, dir := filepath.Join(bin, "turns"), filepath.Join(bin, "prof")
	goBuild(t, filepath.Join("..", ".."), "dupinst", "-variant=full", "build", "-o", file, "./testdata/turns")
	var wrong string
	for range 20 { // until there are enough, of which there are few beside other load
		if got := execute(t, file, dir, "", "DUPINST_SHADOWS=50/s", "DUPINST_OVERHEAD=off", "DUPINST_SHADOW=3ms"); got.status != 0 {
			t.Fatalf("%+v", got)
		}
		p, sparse := shadows(t, dir, "main.sparse")
		_, dense := shadows(t, dir, "main.dense")
		_, dynamic := shadows(t, dir, "main.dynamic")
		s := p.Shadows
		wrong = fmt.Sprintf("dense code was counted %.2f times as often as sparse, dynamic calls %.2f times; %+v", dense/sparse, dynamic/sparse, s)
		if s.Begun > 50 && s.Spent > 3*s.Begun*s.Length && dense > 0.4*sparse && dynamic > 0.3*sparse && max(dense, dynamic) < 3*sparse {
			return
		}
	}
	t.Error(wrong)
}

// TestShadowsRead has shadows of programs that read files: what they read is what the program has written or would read next, and they end early only
// by what is not reading.
func TestShadowsRead(t *testing.T) {
	t.Parallel()
	binary := shadowed(t)
	for _, test := range []struct {
		part string
		most float64 // of the shadows end early
	}{{"lines", 0.25}, {"listed", 0.4}, {"blocks", 1}, {"mapped", 0.25}, {"sought", 1}, {"pipe", 1}, {"watched", 1}} {
		dir := filepath.Join(t.TempDir(), "prof")
		var p *profile.Profile
		var share float64
		for range 5 { // beside other load there are few, and what few do is chance
			out, err := exec.Command("env", "DUPINST_DIR="+dir, "DUPINST_SHADOWS=50/s", "DUPINST_OVERHEAD=off", binary, "2", test.part).CombinedOutput()
			if err != nil || string(out) != "wrong: 0\n" {
				t.Fatalf("%s: %v\n%s", test.part, err, out)
			}
			if p, share = shadows(t, dir, "main.named"); p.Shadows.Begun > 10 && float64(p.Shadows.Early) <= test.most*float64(p.Shadows.Begun) {
				break
			}
		}
		_, astray := shadows(t, dir, "main.astray")
		if s := p.Shadows; s.Begun < 5 || s.Lost > s.Begun/4 || float64(s.Early) > test.most*float64(s.Begun) || share == 0 && test.part == "lines" || astray > 0 {
			t.Errorf("%s: %.3f of the calls are of main.named, %.3f of main.astray; %+v", test.part, share, astray, s)
		}
	}
}

// TestShadowsTalk has shadows of who writes to a connection and who reads from another: neither goes on where the other cannot.
func TestShadowsTalk(t *testing.T) {
	t.Parallel()
	binary := shadowed(t)
	var wrong string
	for range 10 { // until there are enough, of which there are few beside other load
		dir := filepath.Join(t.TempDir(), "prof")
		out, err := exec.Command("env", "DUPINST_DIR="+dir, "DUPINST_SHADOWS=50/s", "DUPINST_OVERHEAD=off", "DUPINST_SHADOW=3ms", binary, "2", "talk").CombinedOutput()
		if err != nil || string(out) != "wrong: 0\n" {
			t.Fatalf("%v\n%s", err, out)
		}
		p, ask := shadows(t, dir, "main.ask")
		_, tell := shadows(t, dir, "main.tell")
		wrong = fmt.Sprintf("%.2f of the calls are of who reads, %.2f of who writes; %+v", ask, tell, p.Shadows)
		if p.Shadows.Begun > 10 && ask > 0.2*tell && tell > 0.2*ask {
			return
		}
	}
	t.Error(wrong)
}

// TestShadowsSlowed has shadows of a program that they slow down for some of the time: where it is in system calls, out of which it does not come in a shadow unless it is
// waited for, and where it writes to pages, which it has to copy. What does either is seen, and not a third or a hundredth as often as what does not.
func TestShadowsSlowed(t *testing.T) {
	t.Parallel()
	binary := shadowed(t)
	for _, test := range []struct {
		part  string
		least float64
	}{{"calls", 0.6}, {"pages", 0.04}} {
		var wrong string
		for range 10 { // until there are enough, of which there are few beside other load
			dir := filepath.Join(t.TempDir(), "prof")
			out, err := exec.Command("env", "DUPINST_DIR="+dir, "DUPINST_SHADOWS=50/s", "DUPINST_OVERHEAD=off", "DUPINST_SHADOW=5ms", binary, "4", test.part).CombinedOutput()
			var reads, computes float64
			if _, err2 := fmt.Sscanf(string(out), "reads, computes: %g %g\nwrong: 0\n", &reads, &computes); err != nil || err2 != nil {
				t.Fatalf("%v, %v\n%s", err, err2, out)
			}
			p, reading := shadows(t, dir, "main.reading")
			_, computing := shadows(t, dir, "main.computing")
			ratio := reading / computing * computes / reads
			wrong = fmt.Sprintf("%s: what is slowed down was counted %.2f times as often as what is not; %+v", test.part, ratio, p.Shadows)
			if p.Shadows.Begun > 10 && ratio > test.least {
				wrong = ""
				break
			}
		}
		if wrong != "" {
			t.Error(wrong)
		}
	}
}

// needHugePages skips the test where the system makes no huge pages when asked to, or makes them unasked.
func needHugePages(t *testing.T) {
	t.Helper()
	probe, err := unix.Mmap(-1, 0, 8<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(probe)
	for i := range probe {
		probe[i] = 1
	}
	if err := unix.Madvise(probe, unix.MADV_COLLAPSE); err != nil {
		t.Skipf("this system makes no huge pages when asked to: %v", err)
	}
	if mode, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled"); err != nil || !strings.Contains(string(mode), "[madvise]") {
		t.Skipf("huge pages are not had by asking alone: %v, %s", err, mode)
	}
}

// TestShadowsHugePages has the heap of a program in huge pages: as it grows, where there are shadows then, and where there are from later on, though it is
// collected and written to beside them; and not where huge pages are not wanted.
func TestShadowsHugePages(t *testing.T) {
	t.Parallel()
	needHugePages(t)
	binary := shadowed(t)
	huge := func(seconds string, settings ...string) (n int) {
		out, err := exec.Command("env", append(append(settings, "DUPINST_DIR="+filepath.Join(t.TempDir(), "prof")), binary, seconds, "heap")...).CombinedOutput()
		if _, err2 := fmt.Sscanf(string(out), "MB in huge pages: %d\nwrong: 0\n", &n); err != nil || err2 != nil {
			t.Fatalf("%s: %v, %v\n%s", settings, err, err2, out)
		}
		return n
	}
	if n := huge("1", "DUPINST_SHADOWS=1/s", "DUPINST_SHADOW=1ms"); n < 32 {
		t.Errorf("%d MB are in huge pages, of a heap of 64 that grew", n)
	}
	n := 0
	for _, seconds := range []string{"3", "10", "30"} { // beside other load there are few shadows
		if n = huge(seconds); n >= 32 {
			break
		}
	}
	if n < 32 {
		t.Errorf("%d MB are in huge pages, of a heap of 64", n)
	}
	for _, setting := range []string{"DUPINST_SHADOWS=20/s", "DUPINST_SHADOWS="} {
		if n := huge("1", setting, "GODEBUG=disablethp=1"); n > 0 {
			t.Errorf("%s: %d MB are in huge pages, which are not wanted", setting, n)
		}
	}
}

// TestShadowsSpans has what the runtime notes of a large heap in huge pages, where there are shadows. Else ten and more MB are in small ones.
func TestShadowsSpans(t *testing.T) {
	t.Parallel()
	needHugePages(t)
	out, err := exec.Command("env", "DUPINST_SHADOWS=1/s", "DUPINST_SHADOW=1ms", "DUPINST_DIR="+filepath.Join(t.TempDir(), "prof"), shadowed(t), "1", "spans").CombinedOutput()
	small := 0
	if _, err2 := fmt.Sscanf(string(out), "MB in small pages: %d\nwrong: 0\n", &small); err != nil || err2 != nil {
		t.Fatalf("%v, %v\n%s", err, err2, out)
	}
	if small > 7 {
		t.Errorf("%d MB are in small pages", small)
	}
}

// TestShadowsSmallHeap has shadows of a program with a small heap that is collected all the time: it keeps the pages that it has, and they have copies. It
// would have a fault for most small pages of its heap, of which there are three to six thousand.
func TestShadowsSmallHeap(t *testing.T) {
	t.Parallel()
	needHugePages(t)
	binary := shadowed(t)
	var faults, most uint64
	for range 10 { // beside other load the program may be at its pages before they are copied
		dir := filepath.Join(t.TempDir(), "prof")
		out, err := exec.Command("env", "DUPINST_DIR="+dir, "DUPINST_SHADOWS=20/s", "DUPINST_OVERHEAD=off", binary, "4", "small").CombinedOutput()
		if _, err2 := fmt.Sscanf(string(out), "page faults: %d\nwrong: 0\n", &faults); err != nil || err2 != nil {
			t.Fatalf("%v, %v\n%s", err, err2, out)
		}
		p, _ := shadows(t, dir, "main.fib")
		if most = 1800 * p.Shadows.Begun; p.Shadows.Begun >= 5 && faults < most {
			return
		}
	}
	t.Errorf("%d page faults, of %d at most", faults, most)
}

// TestSoakShadows has so many shadows as can be, where -soak says for how long.
func TestSoakShadows(t *testing.T) {
	t.Parallel()
	if *soak == 0 {
		t.Skip("TestShadows has some")
	}
	dir := filepath.Join(t.TempDir(), "prof")
	out, err := exec.Command("env", "DUPINST_DIR="+dir, "DUPINST_SHADOWS=100/s", "DUPINST_OVERHEAD=off", "DUPINST_SHADOW=5ms", shadowed(t), strconv.Itoa(int(soak.Seconds()))).CombinedOutput()
	if err != nil || string(out) != "wrong: 0\n" {
		t.Fatalf("%v\n%s", err, out)
	}
	p, _ := shadows(t, dir, "main.fib")
	if s := p.Shadows; s.Lost > s.Begun/1000 {
		t.Errorf("%+v", s)
	}
	t.Logf("%+v in %v", p.Shadows, *soak)
}

// harms are what may befall a shadow.
var harms = []func(pid int) error{
	func(pid int) error { return unix.Kill(pid, unix.SIGKILL) },
	func(pid int) error { return unix.Kill(pid, unix.SIGABRT) },
	func(pid int) error { return unix.Kill(pid, unix.SIGTERM) },
	func(pid int) error { return limit(pid, unix.RLIMIT_AS, 0) },
	func(pid int) error { return limit(pid, unix.RLIMIT_STACK, 0) },
	func(pid int) error { return limit(pid, unix.RLIMIT_FSIZE, 0) },
	func(pid int) error { return limit(pid, unix.RLIMIT_NPROC, 0) },
	func(pid int) error { return limit(pid, unix.RLIMIT_NOFILE, 0) },
	func(pid int) error { return limit(pid, unix.RLIMIT_CPU, 0) },
	func(pid int) error { return unix.Kill(pid, unix.SIGSTOP) }, // until it is given up
}

// limit sets how much of something a process may have.
func limit(pid, what int, most uint64) error {
	return unix.Prlimit(pid, what, &unix.Rlimit{Cur: most, Max: most}, nil)
}

// TestShadowsEnded kills shadows, stops them, and takes from them what they need: the program does not notice, they tell
// nothing, and leave nothing behind.
func TestShadowsEnded(t *testing.T) {
	t.Parallel()
	binary := shadowed(t)
	for _, test := range []struct {
		name, length string
		parts        []string
		lost         bool // some are: they live as long as they may, where others mostly end before they are harmed
	}{{"all", "100ms", nil, false}, {"long", "300ms", []string{"file"}, true}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "prof")
			cmd := exec.Command(binary, append([]string{"8"}, test.parts...)...)
			cmd.Dir = t.TempDir()
			cmd.Env = append(os.Environ(), "DUPINST_DIR="+dir, "DUPINST_SHADOWS=20/s", "DUPINST_OVERHEAD=off", "DUPINST_SHADOW="+test.length, "GOTRACEBACK=crash")
			harmed := harm(t, cmd)
			p, _ := shadows(t, dir, "main.fib")
			if harmed < 2 || test.lost && p.Shadows.Lost == 0 {
				t.Errorf("%d shadows were harmed; %+v", harmed, p.Shadows)
			}
			if left, err := os.ReadDir(cmd.Dir); err != nil || len(left) > 0 {
				t.Errorf("they leave %v, %v", left, err)
			}
		})
	}
}

// harm runs the program of shadows and does harm to them, to each once. It returns to how many.
func harm(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := limit(cmd.Process.Pid, unix.RLIMIT_CORE, unix.RLIM_INFINITY); err != nil {
		t.Log(err) // only root may, and has shadows leave no core files then
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	harmed := map[int]bool{}
	for {
		select {
		case err := <-ended:
			if err != nil || out.String() != "wrong: 0\n" {
				t.Fatalf("%v\n%s", err, &out)
			}
			return len(harmed)
		case <-time.After(time.Millisecond):
			for _, pid := range forks(cmd.Process.Pid) {
				if !harmed[pid] && harms[len(harmed)%len(harms)](pid) == nil {
					harmed[pid] = true
				}
			}
		}
	}
}

// TestShadowsNotForked has the system refuse to fork.
func TestShadowsNotForked(t *testing.T) {
	t.Parallel()
	binary := shadowed(t)
	dir := filepath.Join(t.TempDir(), "prof")
	out, err := exec.Command("env", "DUPINST_DIR="+dir, "DUPINST_SHADOWS=50/s", "DUPINST_OVERHEAD=off", binary, "3", "memory", "refusal").CombinedOutput()
	if err != nil || string(out) != "wrong: 0\n" {
		t.Fatalf("%v\n%s", err, out)
	}
	profiles, err := profile.ReadProfiles(dir)
	if err != nil || len(profiles) == 0 || profiles[0].Shadows.Lost < 5 || profiles[0].Total > 0 && profiles[0].Shadows.Begun == 0 {
		t.Errorf("%v, %+v", err, profiles)
	}
}

// forks are the children of a process that are shadows and have not ended: a child that is about to execute another file
// has no filter of system calls.
func forks(of int) (pids []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", of)) // of a pattern that is right there is no error
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			continue // the thread has ended
		}
		for _, field := range strings.Fields(string(text)) {
			pid, err := strconv.Atoi(field)
			status, err2 := os.ReadFile(filepath.Join("/proc", field, "status"))
			if err == nil && err2 == nil && strings.Contains(string(status), "\nSeccomp:\t2\n") && !strings.Contains(string(status), "\nState:\tZ") {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// TestShadowsSwitched has a service under load have shadows, and then samples or phases, in turn: no request fails, and each profile is of
// one of them.
func TestShadowsSwitched(t *testing.T) {
	t.Parallel()
	bin := controlled(t)
	_, url := served(t, serving, "env", "DUPINST_DIR="+t.TempDir(), "DUPINST_SHADOWS=50/s", "DUPINST_OVERHEAD=off", filepath.Join(bin, "control"))
	set := func(change, want string, code int) {
		t.Helper()
		if text, got, err := request("POST", url+"/debug/dupinst/set?"+change); err != nil || got != code || !strings.Contains(text, want) {
			t.Errorf("%s: %v, %d, %s", change, err, got, text)
		}
	}
	for _, change := range []string{"shadows=0/s", "shadows=101/s", "shadows=often", "shadow=1h", "shadows=5/s&shadow=1us"} {
		set(change, "", http.StatusBadRequest)
	}
	stop := underLoad(t, url+"/work?n=20", "10945 20\n")
	profile := func(seconds float64) *format.Process {
		t.Helper()
		time.Sleep(time.Duration(seconds * float64(time.Second)))
		return decoded(t, url+"/debug/dupinst/profile?format=dupinst")
	}
	counted := func(rate uint64, length time.Duration) {
		t.Helper()
		var p *format.Process
		for range 100 {
			if p = profile(0.3); p.Shadows.Begun > 2 && p.Samples > 0 {
				break
			}
		}
		if s := p.Shadows; s.Rate != rate || s.Length != uint64(length) || s.Begun <= s.Lost || p.Samples == 0 || p.Samples >= p.Checks {
			t.Errorf("%+v, %d samples of %d checks", s, p.Samples, p.Checks)
		}
	}
	counted(50, 10*time.Millisecond)
	for range 3 {
		set("interval=1000", `"interval":1000`, http.StatusOK)
		if p := profile(0.7); p.Shadows.Counted || p.Samples == 0 || p.Samples > p.Checks/500 {
			t.Errorf("at interval 1,000 %+v, %d samples of %d checks", p.Shadows, p.Samples, p.Checks)
		}
		set("shadows=90/s&shadow=5ms", `"length":"5ms","lost":0,"rate":"90/s"}`, http.StatusOK)
		counted(90, 5*time.Millisecond)
		set("phases=on", `"phases":`, http.StatusOK)
		if p := profile(0.3); p.Shadows.Counted || p.Samples != 0 {
			t.Errorf("in phases, of which there are none, %+v, %d samples", p.Shadows, p.Samples)
		}
		set("shadows=90/s", `"length":"5ms"`, http.StatusOK)
		set("shadows=off", `"interval":0`, http.StatusOK)
		if p := profile(0.3); p.Shadows.Counted || p.Samples != 0 {
			t.Errorf("of nothing %+v, %d samples", p.Shadows, p.Samples)
		}
	}
	if n := stop(); n < 100 {
		t.Errorf("%d requests were served", n)
	}
}

// TestShadowsRefused asks programs for shadows that have none.
func TestShadowsRefused(t *testing.T) {
	t.Parallel()
	windowed, counting := shadowed(t, "-trigger=window"), shadowed(t)
	for _, test := range []struct{ binary, setting, beside, said string }{
		{windowed, "DUPINST_SHADOWS=10/s", "DUPINST_PERIOD=off", ""},
		{windowed, "DUPINST_SHADOWS=0/s", "DUPINST_PERIOD=off", ""},
		{windowed, "DUPINST_SHADOWS=often", "DUPINST_PERIOD=off", ""},
		{counting, "DUPINST_SHADOWS=10/s", "DUPINST_INTERVAL=off", " beside DUPINST_INTERVAL"},
		{counting, "DUPINST_SHADOWS=10/s", "DUPINST_SIGNAL=SIGUSR1", " beside DUPINST_SIGNAL"},
	} {
		out, err := exec.Command("env", "DUPINST_DIR="+t.TempDir(), test.setting, test.beside, test.binary, "0").CombinedOutput()
		if err != nil || !strings.Contains(string(out), "cannot read "+test.setting+test.said+"; nothing is profiled") {
			t.Errorf("%s: %v\n%s", test.setting, err, out)
		}
	}
}
