package main_test

import (
	"bytes"
	"flag"
	"fmt"
	"iter"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dupinst/dupinst/profile"
)

// window, as a variant, is the build for windows.
const window = "window"

// unfollowed are programs whose leaves without a stack check are called where no window follows:
// by the runtime and by wrappers, or were, dynamically at no site.
var unfollowed = []string{
	"callbacks", "conditions", "deferred", "dynamic", "generics", "initialisers",
	"jumps", "known", "methods", "transparent", "types",
}

// severally has a program's threads count at once, where none loses events to another.
var severally = map[string]string{"amd64": "GOMAXPROCS=4", "arm64": "GOMAXPROCS=1"}[runtime.GOARCH]

// TestWindow runs each program in one window without an end, in which it counts what the
// exhaustive build does, and with as many short ones as there can be.
func TestWindow(t *testing.T) {
	t.Parallel()
	onlyWindows(t)
	_, names := programs(t)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prof := t.TempDir()
			want := execute(t, built(t, plain, false, name), "", "")
			run := func(variant, windows string) map[string]uint64 {
				dir := filepath.Join(prof, variant+windows)
				env := []string{"DUPINST_WINDOWS=" + windows, "DUPINST_WINDOW=5us"}
				if windows == "always" {
					env = append(env, severally)
				}
				if got := execute(t, built(t, variant, false, name), dir, "", env...); got != want {
					t.Errorf("%s windows:\n%+v\nplain:\n%+v", windows, got, want)
				}
				return counts(t, dir)
			}
			truth := run(compiled("exhaustive"), "")
			always := run(window, "always")
			if !slices.Contains(unfollowed, name) {
				diffCounts(t, truth, always)
			}
			for _, windows := range []map[string]uint64{always, run(window, "100000/s"), run(window, "1/s")} {
				for k, n := range windows {
					if n > truth[k] {
						t.Errorf("%s: %d of %d events", k, n, truth[k])
					}
				}
			}
		})
	}
}

// TestBeside runs a program that uses what windows use, signals above all, and what moves or
// leaves stacks, with many windows, under the race detector, too.
func TestBeside(t *testing.T) {
	t.Parallel()
	onlyWindows(t)
	bin := t.TempDir()
	root := filepath.Join("..", "..")
	build := func(name string, command ...string) string {
		file := filepath.Join(bin, name)
		goBuild(t, root, command[0], append(command[1:], "-o", file, "./testdata/beside")...)
		return file
	}
	want := execute(t, build("plain", "go", "build"), "", "")
	if want.status != 0 {
		t.Fatalf("plain: %+v", want)
	}
	windowed := []string{"dupinst", "-trigger=window", "-pkgs=all", "build"}
	for name, file := range map[string]string{
		"plain build": build("windowed", windowed...),
		"race":        build("raced", append(windowed, "-race")...),
	} {
		for _, debug := range []string{"", "asyncpreemptoff=1", "clobberfree=1,gccheckmark=1"} {
			prof := filepath.Join(bin, name+debug)
			if got := execute(t, file, prof, "", "GODEBUG="+debug, "DUPINST_WINDOWS=2000/s", "DUPINST_WINDOW=50us"); got != want {
				t.Errorf("%s, GODEBUG=%s:\n%+v\nplain:\n%+v", name, debug, got, want)
			}
			profiles, err := profile.ReadProfiles(prof)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range profiles {
				if p.Samples < 100 || p.Windows.Frames == 0 || p.Windows.Moved == 0 {
					t.Errorf("%s, GODEBUG=%s: %d windows, %+v", name, debug, p.Samples, p.Windows)
				}
			}
		}
	}
}

// TestWindowedFaults opens windows at the moment when a fault is made a panic, in functions whose first instruction
// it was: what that has as a return address is no call's.
func TestWindowedFaults(t *testing.T) {
	t.Parallel()
	onlyWindows(t)
	file := filepath.Join(t.TempDir(), "faults")
	goBuild(t, filepath.Join("..", ".."), "dupinst", "-trigger=window", "-instrument=block,calledge", "build", "-o", file, "./testdata/faults")
	want := result{stdout: "60000 faults\n"}
	for range 5 {
		if got := execute(t, file, t.TempDir(), "", "DUPINST_WINDOWS=100000/s", "DUPINST_WINDOW=5us"); got != want {
			t.Fatalf("%+.2000v, want %+v", got, want)
		}
	}
}

// TestIdleWindows holds windows of a program that is idle for most of its time against the truth: how often something happened, and
// what it does in a frame that it has had since before they opened.
func TestIdleWindows(t *testing.T) {
	t.Parallel()
	onlyWindows(t)
	bin := t.TempDir()
	file := filepath.Join(bin, "idle")
	goBuild(t, filepath.Join("..", ".."), "dupinst", "-trigger=window", "-instrument=block,fieldaccess", "build", "-o", file, "./testdata/idle")
	if got := execute(t, file, filepath.Join(bin, "prof"), "", "DUPINST_WINDOWS=200/s"); got.status != 0 {
		t.Fatalf("%+v", got)
	}
	profiles, err := profile.ReadProfiles(filepath.Join(bin, "prof"))
	if err != nil {
		t.Fatal(err)
	}
	const rounds, calls = 3000, 1219 // of fib, in each, which enters two blocks
	truth := map[string]float64{"block": rounds * calls * 2, "fieldaccess": rounds * 4}
	for _, p := range profiles {
		// Other load makes what runs for microseconds wait in a window, or not.
		if n := p.Events() / truth[p.Instrumentation]; n < 0.4 || n > 2.5 {
			t.Errorf("%s: %.2f times as many events as there were; %s", p.Instrumentation, n, p.Began())
		}
	}
}

// TestTurns holds windows against the truth where code that probes slow down four times takes
// turns with code that they do not slow down: a window is a stretch of the program's own time.
func TestTurns(t *testing.T) {
	t.Parallel()
	onlyWindows(t)
	bin := t.TempDir()
	file := filepath.Join(bin, "turns")
	goBuild(t, filepath.Join("..", ".."), "dupinst", "-trigger=window", "build", "-o", file, "./testdata/turns")
	oneTry(t, func(prof string) []string { return turns(t, file, prof) })
}

// oneTry has one of some tries do: other load takes the processor from a program in the midst of windows. Each says what is
// wrong with it.
func oneTry(t *testing.T, try func(prof string) (wrong []string)) {
	t.Helper()
	var wrong []string
	for range 4 {
		if wrong = try(t.TempDir()); len(wrong) == 0 {
			return
		}
	}
	t.Error(strings.Join(wrong, "\n"))
}

// TestSpells holds windows against the truth where the same work is done in one go, in spells of a tenth of a millisecond, for which
// it comes to one processor or the other, idle for less than a window is long, and under frames that it takes as long to lead as
// a window lasts.
func TestSpells(t *testing.T) {
	t.Parallel()
	onlyWindows(t)
	file := filepath.Join(t.TempDir(), "spells")
	goBuild(t, filepath.Join("..", ".."), "dupinst", "-trigger=window", "-instrument=calledge", "build", "-o", file, "./testdata/spells")
	for _, c := range []struct {
		rate, length, of string
		least            float64
		windows          uint64 // at most, of three runs
	}{
		{"5/s", "20ms", "main.spells", 0.5, 300},
		{"1000/s", "50us", "main.deep", 0.8, 60000},
	} {
		oneTry(t, func(prof string) (wrong []string) {
			for range 3 {
				if got := execute(t, file, prof, "", "DUPINST_WINDOWS="+c.rate, "DUPINST_WINDOW="+c.length, "GOMAXPROCS=2"); got.status != 0 {
					t.Fatalf("%+v", got)
				}
			}
			counted, windows := map[string]float64{}, uint64(0)
			for p, e := range callsIn(t, prof) {
				windows = p.Samples
				if e.Part("callee") == "main.(*tally).add" {
					counted[e.Part("caller")], _ = p.Moments(e)
				}
			}
			if x := counted[c.of] / counted["main.whole"]; !(x > c.least && x < 2) {
				wrong = append(wrong, fmt.Sprintf("%s of %s: %s: counted %.2f times as often as the same in one go", c.rate, c.length, c.of, x))
			}
			if windows > c.windows {
				wrong = append(wrong, fmt.Sprintf("%s of %s: there were %d windows", c.rate, c.length, windows))
			}
			return wrong
		})
	}
}

// callsIn are the call edges of profiles.
func callsIn(t *testing.T, dir string) iter.Seq2[*profile.Profile, *profile.Entry] {
	t.Helper()
	profiles, err := profile.ReadProfiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(*profile.Profile, *profile.Entry) bool) {
		for _, p := range profiles {
			for i := range p.Entries {
				if p.Instrumentation == "calledge" && !yield(p, &p.Entries[i]) {
					return
				}
			}
		}
	}
}

// turns is what is wrong with what that program counts.
func turns(t *testing.T, file, prof string) (wrong []string) {
	for range 4 {
		if got := execute(t, file, prof, "", "DUPINST_WINDOWS=100/s"); got.status != 0 {
			t.Fatalf("%+v", got)
		}
	}
	// A turn of each makes as many calls as one of any other, in about as much time.
	const each = 4 * 100 * 40
	counted := map[string]float64{}
	for p, e := range callsIn(t, prof) {
		if e.Part("caller") == "main.main" {
			n, _ := p.Moments(e)
			counted[e.Part("callee")] = n / each
		}
	}
	sparse := counted["main.sparse"]
	if sparse < 0.5 || sparse > 1.5 {
		wrong = append(wrong, fmt.Sprintf("sparse code: %.2f of what there was", sparse))
	}
	// What a probe takes differs with the processor, and with what else runs there: beside other load dense code was
	// counted 1.3 to 1.8 times as often on a Zen 5, and dynamic calls 0.5 to 0.7 times.
	// On Intel's processors the dense code, in which each count waits for the one before, is slowed
	// down 4.7 times; were nothing made up for, it would be at 0.2.
	least := 0.4
	if cpu, err := os.ReadFile("/proc/cpuinfo"); err == nil && bytes.Contains(cpu, []byte("GenuineIntel")) {
		least = 0.3
	}
	for _, name := range []string{"main.dense", "main.dynamic"} {
		if x := counted[name] / sparse; x < least || x > 2.2 {
			wrong = append(wrong, fmt.Sprintf("%s: counted %.2f times as often as sparse code", name, x))
		}
	}
	return wrong
}

// TestWindowEmulated runs that program, and the test programs in one window without an end, on
// arm64, where QEMU emulates it.
func TestWindowEmulated(t *testing.T) {
	t.Parallel()
	need(t, "qemu-aarch64-static")
	bin := t.TempDir()
	build := func(dir, pkg, variant string) string {
		file := filepath.Join(bin, filepath.Base(pkg)+variant)
		goBuild(t, dir, "env", append(strings.Fields("GOARCH=arm64 "+variant), "build", "-o", file, pkg)...)
		return file
	}
	run := func(file, prof string, env ...string) result {
		// What QEMU before 8 forks hangs now and then, as GLib's own allocator is locked there (QEMU's issue 285).
		return executeCommand(t, []string{"qemu-aarch64-static", file}, prof, "", append(env, "G_SLICE=always-malloc")...)
	}
	const windowed, exhaustive = "dupinst -trigger=window", "dupinst -variant=exhaustive"
	root := filepath.Join("..", "..")
	want := run(build(root, "./testdata/beside", "go"), "")
	for _, windows := range []string{"always", "2000/s"} {
		prof := filepath.Join(bin, "beside"+windows)
		if got := run(build(root, "./testdata/beside", windowed), prof, "DUPINST_WINDOWS="+windows, "DUPINST_WINDOW=200us"); got != want || want.status != 0 {
			t.Errorf("beside, %s windows:\n%+v\nplain:\n%+v", windows, got, want)
		}
	}
	dir, names := programs(t)
	if testing.Short() {
		names = []string{"panics", "loops", "iterators", "closures"}
	}
	for _, name := range names {
		truth := filepath.Join(bin, name+"truth")
		want := run(build(dir, "./"+name, exhaustive), truth, "GOMAXPROCS=1")
		file := build(dir, "./"+name, windowed)
		for _, windows := range []string{"always", "100000/s"} {
			prof := filepath.Join(bin, name+windows)
			if got := run(file, prof, "GOMAXPROCS=1", "DUPINST_WINDOW=5us", "DUPINST_WINDOWS="+windows); got != want {
				t.Errorf("%s, %s windows:\n%+v\nexhaustive:\n%+v", name, windows, got, want)
			}
			if windows == "always" && !slices.Contains(unfollowed, name) {
				diffCounts(t, counts(t, truth), counts(t, prof))
			}
		}
	}
}

var (
	soak   = flag.Duration("soak", 0, "how long each TestSoak takes")
	delays = flag.Bool("delays", false, "windows open, close and are entered with delays at random")
)

const delay = `
//go:nosplit
//go:nowritebarrierrec
func dupinstDelay() {
	if n := uint32(cputicks()>>4) % 1024; n < 256 { // most often not at all
		procyield(n)
	}
}
`

// delayed is a dupinst in whose runtime part the functions that open and close windows, and that
// meet them, wait at random wherever they begin.
func delayed(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "dupinst")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", ".."))); err != nil {
		t.Fatal(err)
	}
	begins := regexp.MustCompile(`(?m)^func (dupinst(WindowSignal|Enter|MoveReturn|Guard|InWindow|Room|Shut|Window|Tell|Stir|Number|Stays|Join|Back|Rests|Resumes)\(.*) \{$`)
	n := 0
	for _, name := range []string{"window_linux.go", "window_join_linux.go", "window_idle_linux.go"} {
		file := filepath.Join(dir, "runtime", "core", name)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		n += len(begins.FindAll(text, -1))
		text = begins.ReplaceAll(text, []byte("func $1 {\n\tdupinstDelay()"))
		if name == "window_linux.go" {
			text = append(text, delay...)
		}
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if n != 16 {
		t.Fatalf("%d functions to delay, not 16", n)
	}
	goBuild(t, dir, "go", "build", "-buildvcs=false", "-o", filepath.Join(dir, "delayed"), "./cmd/dupinst")
	return filepath.Join(dir, "delayed")
}

// TestSoak runs programs again and again with many windows or one without an end, and as few as there are of all else:
// go test ./cmd/dupinst -run TestSoak -soak 30m -timeout 1h, and the same with -delays.
func TestSoak(t *testing.T) {
	t.Parallel()
	onlyWindows(t)
	length := *soak
	if length == 0 {
		length = 5 * time.Second
	}
	bin := t.TempDir()
	root := filepath.Join("..", "..")
	names := []string{"beside", "stress"}
	if _, err := exec.LookPath("gcc"); err == nil {
		names = append(names, "callback")
	}
	var wants []result
	dupinst := "dupinst"
	if *delays {
		dupinst = delayed(t)
	}
	for _, name := range names {
		goBuild(t, root, "go", "build", "-o", filepath.Join(bin, name), "./testdata/"+name)
		goBuild(t, root, dupinst, "-trigger=window", "-pkgs=all", "build", "-o", filepath.Join(bin, name+".window"), "./testdata/"+name)
		wants = append(wants, execute(t, filepath.Join(bin, name), "", ""))
		if wants[len(wants)-1].status != 0 {
			t.Fatalf("%s: %+v", name, wants[len(wants)-1])
		}
	}
	random := rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano())))
	end, runs := time.Now().Add(length), 0
	for ; time.Now().Before(end) && !t.Failed(); runs++ {
		for i, name := range names {
			env := []string{
				"DUPINST_WINDOWS=" + []string{"2000/s", "2000/s", "2000/s", "always"}[random.IntN(4)],
				fmt.Sprintf("DUPINST_WINDOW=%dus", 5+random.IntN(300)),
				[]string{"GOGC=5", "GOGC=100"}[random.IntN(2)],
				"GODEBUG=" + []string{"", "gccheckmark=1,clobberfree=1", "asyncpreemptoff=1", "gcstoptheworld=1"}[random.IntN(4)],
				fmt.Sprintf("GOMAXPROCS=%d", 1+random.IntN(4)),
			}
			if got := execute(t, filepath.Join(bin, name+".window"), filepath.Join(bin, "prof"), "", env...); got != wants[i] {
				t.Errorf("%s, %v, run %d:\n%+v\nplain:\n%+v", name, env, runs, got, wants[i])
			}
		}
		if err := os.RemoveAll(filepath.Join(bin, "prof")); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d runs of %v", runs, names)
}

// TestWindowControl switches windows on and off in a service, under load and idle.
func TestWindowControl(t *testing.T) {
	t.Parallel()
	onlyWindows(t)
	bin := t.TempDir()
	file := filepath.Join(bin, "control")
	goBuild(t, filepath.Join("..", ".."), "dupinst", "-trigger=window", "-pkgs=github.com/dupinst/dupinst/testdata/control", "build", "-o", file, "./testdata/control")
	cmd, url := served(t, serving, "env", "DUPINST_DIR="+filepath.Join(bin, "prof"), "DUPINST_INTERVAL=off", "DUPINST_WINDOWS=1000/s", "DUPINST_WINDOW=200us", file)
	do := func(method, path string, want int) string {
		t.Helper()
		text, code, err := request(method, url+path)
		if err != nil || code != want {
			t.Errorf("%s %s: %v, %d, %s", method, path, err, code, text)
		}
		return text
	}
	load := func() {
		for range 30 {
			if text := do("GET", "/work?n=25", http.StatusOK); text != "121392 25\n" {
				t.Errorf("under load: %q", text)
			}
		}
	}
	windows := func() uint64 { return decoded(t, url+"/debug/dupinst/profile?format=dupinst").Samples }

	load()
	if n := windows(); n != 0 {
		t.Errorf("%d windows before any are asked for", n)
	}
	do("POST", "/debug/dupinst/set?interval=1000", http.StatusOK)
	if text := do("GET", "/debug/dupinst/profile?format=cover", http.StatusBadRequest); !strings.Contains(text, "the profile has none of block") {
		t.Error(text)
	}
	for deadline := time.Now().Add(time.Minute); windows() < 20; {
		if load(); time.Now().After(deadline) {
			t.Fatalf("%d windows in a minute of load", windows())
		}
	}
	if p := decoded(t, url+"/debug/dupinst/profile?format=dupinst"); len(p.Packages) == 0 || p.Windows.Open == 0 || p.Windows.Busy < p.Windows.Open {
		t.Errorf("%+v", p.Windows)
	}

	// An idle process is not woken.
	before, switches := windows(), voluntary(t, cmd.Process.Pid)
	time.Sleep(time.Second)
	if n := voluntary(t, cmd.Process.Pid) - switches; n > 200 {
		t.Errorf("the idle process was woken %d times in a second", n)
	}
	if n := windows() - before; n > 20 {
		t.Errorf("%d windows in an idle process", n)
	}

	// Rate and length change while it runs, each alone or both.
	for _, c := range []struct{ query, want string }{
		{"windows=2000/s", `"window":"200µs","windows":"2000/s"`},
		{"window=50us", `"window":"50µs","windows":"2000/s"`},
		{"overhead=2%25", `"window":"50µs","windows":"400/s"`},
		{"windows=500/s&window=300us", `"window":"300µs","windows":"500/s"`},
	} {
		if text := do("POST", "/debug/dupinst/set?"+c.query, http.StatusOK); !strings.Contains(text, c.want) {
			t.Errorf("%s: %s", c.query, text)
		}
	}
	for _, query := range []string{"windows=0/s", "windows=5", "windows=100001/s", "window=1", "window=2s", "windows=5/s&window=10ns"} {
		if text := do("POST", "/debug/dupinst/set?"+query, http.StatusBadRequest); !strings.Contains(text, "cannot serve the request") {
			t.Errorf("%s: %s", query, text)
		}
	}
	for deadline := time.Now().Add(time.Minute); windows() < 20; {
		if load(); time.Now().After(deadline) {
			t.Fatalf("%d windows in a minute of load after a change", windows())
		}
	}
	if p := decoded(t, url+"/debug/dupinst/profile?format=dupinst"); p.Windows.Rate != 500 || p.Windows.Length != 300_000 {
		t.Errorf("after a change: %+v", p.Windows)
	}
	do("POST", "/debug/dupinst/set?interval=0", http.StatusOK)
	load() // a window that was open has closed
	if before = windows(); before != 0 {
		t.Errorf("a profile that begins anew has %d windows", before)
	}
	load()
	if n := windows(); n != before {
		t.Errorf("%d windows after they were switched off", n-before)
	}
}

// voluntary is how often the threads of a process have gone to sleep.
func voluntary(t *testing.T, pid int) (n int) {
	t.Helper()
	files, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/status")
	if err != nil || len(files) == 0 {
		t.Fatalf("no threads of %d: %v", pid, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		for line := range strings.Lines(string(text)) {
			if rest, ok := strings.CutPrefix(line, "voluntary_ctxt_switches:"); ok {
				one, err := strconv.Atoi(strings.TrimSpace(rest))
				if err != nil {
					t.Fatal(err)
				}
				n += one
			}
		}
	}
	return n
}

func onlyWindows(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("windows are for linux/amd64")
	}
}
