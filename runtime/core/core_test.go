package core

import (
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/dupinst/dupinst/profile/format"
)

// The state of the package is global, as it is in a program, so these tests do
// not run in parallel; each sets what it needs.
func settings(t *testing.T, env map[string]string) {
	t.Helper()
	dupinstInterval, dupinstJitter, dupinstJitterM, dupinstSeed = 0, 0, 0, 0
	dupinstTotal, dupinstBase, dupinstPackages, dupinstPaused = dupinstTotals{}, dupinstTotals{}, 0, false
	dupinstFinal, dupinstReported, dupinstBegun = 0, 0, 1
	dupinstTable, dupinstOrder, dupinstTaken = [1 << dupinstSlotBits]dupinstSlot{}, [1 << dupinstSlotBits]uint32{}, 0
	dupinstTops, dupinstContexts = 0, 0
	for i := range dupinstStates {
		dupinstStates[i].dupinstG = dupinstG{} // of the checks that another test counted
	}
	dupinstConfigure(func(name string) string { return env[name] })
}

// check is DupinstCheck for a goroutine of the test.
func (p *dupinstG) check() bool {
	p.ctr--
	if p.ctr >= 0 {
		return false
	}
	dupinstTrigger(p)
	return true
}

func TestInterval(t *testing.T) {
	for _, c := range []struct {
		interval string
		checks   int
		samples  int
	}{{"1", 100, 100}, {"2", 100, 50}, {"1000", 100_000, 100}, {"off", 1000, 0}, {"0", 1000, 0}} {
		settings(t, map[string]string{"DUPINST_INTERVAL": c.interval})
		var p dupinstG
		p.dupinstFirst()
		n := 0
		for range c.checks {
			if p.check() {
				n++
			}
		}
		if n != c.samples || dupinstTotal.samples != uint64(n) {
			t.Errorf("interval %s: %d samples (%d counted) of %d checks, want %d", c.interval, n, dupinstTotal.samples, c.checks, c.samples)
		}
		if got := dupinstTotal.checks + uint64(p.load-p.ctr); got != uint64(c.checks) {
			t.Errorf("interval %s: %d checks counted, %d executed", c.interval, got, c.checks)
		}
	}
}

// A million goroutines of 50 checks each must be sampled as one of 50 million
// checks would be.
func TestPhase(t *testing.T) {
	settings(t, map[string]string{"DUPINST_INTERVAL": "1000"})
	const goroutines, checks = 1_000_000, 50
	var parent, child dupinstG
	at := [checks]int{}
	for range goroutines {
		dupinstBirth(&child, &parent)
		for i := range checks {
			if child.check() {
				at[i]++
			}
		}
	}
	want := float64(goroutines*checks) / 1000
	if got := float64(dupinstTotal.samples); math.Abs(got-want) > 4*math.Sqrt(want) {
		t.Errorf("%.0f samples, %.0f expected", got, want)
	}
	for i, n := range at {
		if each := want / checks; math.Abs(float64(n)-each) > 5*math.Sqrt(each) {
			t.Errorf("check %d of a goroutine: %d samples, %.0f expected", i, n, each)
		}
	}
	if got := dupinstTotal.checks + uint64(child.load-child.ctr); got != goroutines*checks {
		t.Errorf("%d checks counted, %d executed", got, goroutines*checks)
	}
}

// Phases depend on the seed and the tree of go statements only.
func TestPhaseIsDeterministic(t *testing.T) {
	samples := func(seed string) (at []int) {
		settings(t, map[string]string{"DUPINST_INTERVAL": "100", "DUPINST_SEED": seed, "DUPINST_JITTER": "0.5"})
		var root, child dupinstG
		for k := range 100 {
			dupinstBirth(&child, &root)
			for i := range 70 {
				if child.check() {
					at = append(at, k*100+i)
				}
			}
		}
		return at
	}
	a, b, c := samples("1"), samples("1"), samples("2")
	same := func(x, y []int) bool {
		for i := range x {
			if len(x) != len(y) || x[i] != y[i] {
				return false
			}
		}
		return len(x) == len(y)
	}
	if !same(a, b) {
		t.Error("the same seed gives other samples")
	}
	if same(a, c) {
		t.Error("another seed gives the same samples")
	}
}

// TestBornWhileSwitched has goroutines be born while samples are switched on and off, as by Stop, a signal, or phases by the clock.
func TestBornWhileSwitched(t *testing.T) {
	settings(t, map[string]string{"DUPINST_INTERVAL": "1"})
	var over, done uint32
	go func() {
		for n := int64(0); dupinstLoad32(&over) == 0; n = 1 - n {
			dupinstInterval = n
			dupinstLoad32(&over) // and so it is stored each time
		}
		dupinstStore32(&done, 1)
	}()
	for range 3_000_000 {
		var child dupinstG
		child.dupinstFirst()
	}
	for dupinstStore32(&over, 1); dupinstLoad32(&done) == 0; {
		runtime.Gosched()
	}
}

func TestJitter(t *testing.T) {
	settings(t, map[string]string{"DUPINST_INTERVAL": "100", "DUPINST_JITTER": "0.25"})
	var p dupinstG
	p.dupinstFirst()
	last, n, sum := -1, 0, 0
	low, high := 1000, 0
	for i := range 1_000_000 {
		if !p.check() {
			continue
		}
		if last >= 0 {
			d := i - last
			low, high, sum, n = min(low, d), max(high, d), sum+d, n+1
		}
		last = i
	}
	if low != 75 || high != 125 {
		t.Errorf("intervals from %d to %d, want 75 to 125", low, high)
	}
	if mean := float64(sum) / float64(n); math.Abs(mean-100) > 1 {
		t.Errorf("mean interval %.2f, want 100", mean)
	}
}

func TestConfigure(t *testing.T) {
	for _, c := range []struct {
		env              map[string]string
		interval, period int64
		dir              string
	}{
		{map[string]string{}, 0, 10e9, ""},
		{map[string]string{"DUPINST_DIR": "d"}, 1000, 10e9, "d"},
		{map[string]string{"DUPINST_INTERVAL": "7"}, 7, 10e9, ""},
		{map[string]string{"DUPINST_DIR": "d", "DUPINST_INTERVAL": "off", "DUPINST_PERIOD": "1.5s"}, 0, 15e8, "d"},
		{map[string]string{"DUPINST_DIR": "d", "DUPINST_PERIOD": "250ms"}, 1000, 250e6, "d"},
		{map[string]string{"DUPINST_DIR": "d", "DUPINST_PERIOD": "off"}, 1000, 0, "d"},
		{map[string]string{"DUPINST_DIR": "d", "DUPINST_PERIOD": "2h"}, 1000, 7200e9, "d"},
	} {
		settings(t, c.env)
		if dupinstInterval != c.interval || dupinstPeriod != c.period || dupinstDir != c.dir {
			t.Errorf("%v: interval %d, period %d, directory %q", c.env, dupinstInterval, dupinstPeriod, dupinstDir)
		}
	}
}

func TestConfigureWindows(t *testing.T) {
	for _, c := range []struct {
		windows, window string
		rate, length    uint64
		always          bool
	}{
		{"", "", 25, 1_000_000, false},
		{"off", "", 0, 1_000_000, false},
		{"always", "", 0, 1_000_000, true},
		{"500/s", "20us", 500, 20_000, false},
		{"100000/s", "1s", 100_000, 1_000_000_000, false},
		{"1/s", "1.5ms", 1, 1_500_000, false},
	} {
		settings(t, map[string]string{"DUPINST_DIR": "d", "DUPINST_WINDOWS": c.windows, "DUPINST_WINDOW": c.window})
		if dupinstWindowRate != c.rate || dupinstWindowLength != c.length || dupinstWindowAlways != c.always || dupinstDir != "d" {
			t.Errorf("%+v: %d windows a second of %d ns, always %t, directory %q", c, dupinstWindowRate, dupinstWindowLength, dupinstWindowAlways, dupinstDir)
		}
	}
}

func TestRefuse(t *testing.T) {
	for _, c := range [][2]string{
		{"DUPINST_INTERVAL", "x"}, {"DUPINST_INTERVAL", "-1"}, {"DUPINST_INTERVAL", "1.5"},
		{"DUPINST_INTERVAL", "99999999999999999999999"}, {"DUPINST_JITTER", "2"}, {"DUPINST_JITTER", "."},
		{"DUPINST_WINDOWS", "500"}, {"DUPINST_WINDOWS", "/s"}, {"DUPINST_WINDOWS", "x/s"}, {"DUPINST_WINDOWS", "100001/s"}, {"DUPINST_WINDOWS", "never"},
		{"DUPINST_WINDOW", "20"}, {"DUPINST_WINDOW", "0.5us"}, {"DUPINST_WINDOW", "2s"}, {"DUPINST_WINDOW", "20ns"},
		{"DUPINST_SEED", "0x1"}, {"DUPINST_PERIOD", "10"}, {"DUPINST_PERIOD", "s"}, {"DUPINST_PERIOD", "1w"},
	} {
		stderr := capture(t, func() { settings(t, map[string]string{"DUPINST_DIR": "d", c[0]: c[1]}) })
		want := "dupinst: cannot read " + c[0] + "=" + c[1] + "; nothing is profiled (see dupinst help environment)\n"
		if stderr != want || dupinstDir != "" || dupinstInterval != 0 {
			t.Errorf("%s=%s: printed %q, want %q; directory %q", c[0], c[1], stderr, want, dupinstDir)
		}
	}
}

// capture returns what f prints on standard error.
func capture(t *testing.T, f func()) string {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	saved := os.Stderr
	os.Stderr = file
	f()
	os.Stderr = saved
	out, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

var counters [4]DupinstCounter

func pkg() *DupinstPackage {
	counters = [4]DupinstCounter{}
	p := &DupinstPackage{Build: dupinstBuild(), Meta: "meta", First: &counters[0], N: uintptr(len(counters))}
	address(p)
	return p
}

var addressed []any

// address is where a variable is, and stays: what is known by its address alone would be collected, or move with a stack.
func address[T any](p *T) uintptr {
	addressed = append(addressed, p)
	return uintptr(unsafe.Pointer(p))
}

func codePointer(f func()) uintptr { return **(**uintptr)(unsafe.Pointer(&f)) }

func TestTableConcurrent(t *testing.T) {
	settings(t, nil)
	p := pkg()
	dupinstLink(p)
	dupinstLink(p)
	const workers, times = 8, 20_000
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range times {
				dupinstCallee(p.counts+uintptr(i%4)*8, uintptr(1+i%97), 1)
			}
		}()
	}
	wg.Wait()
	slots, sum := 0, uint64(0)
	for i := range dupinstTable {
		if s := &dupinstTable[i]; s.site != 0 {
			slots++
			sum += s.n
		}
	}
	if taken := dupinstSlotsTaken(); len(taken) != slots || slices.Contains(taken, 0) {
		t.Errorf("%d of %d slots are listed", len(taken), slots)
	}
	if slots != 4*97 || sum != workers*times || dupinstTotal.dropped != 0 {
		t.Errorf("%d slots with %d events, %d dropped; want %d with %d", slots, sum, dupinstTotal.dropped, 4*97, workers*times)
	}
}

// A full table drops events and says how many.
func TestTableFull(t *testing.T) {
	settings(t, nil)
	const n = 1<<dupinstSlotBits + 1<<(dupinstSlotBits-3)
	for pc := range n {
		dupinstCallee(8, uintptr(pc+1), 1)
	}
	sum := uint64(0)
	for i := range dupinstTable {
		sum += dupinstTable[i].n
	}
	if dupinstTotal.dropped == 0 || sum+dupinstTotal.dropped != n {
		t.Errorf("%d counted and %d dropped of %d", sum, dupinstTotal.dropped, n)
	}
}

// What the writer writes, package format reads.
func TestSave(t *testing.T) {
	if dupinstMagic != format.Magic || dupinstPlain != format.KindPlain || dupinstWrapper != format.KindWrapper || dupinstType != format.KindType {
		t.Fatal("the layout is not package format's")
	}
	dir := filepath.Join(t.TempDir(), "a", "b")
	settings(t, map[string]string{"DUPINST_DIR": dir, "DUPINST_INTERVAL": "3", "DUPINST_JITTER": "0.5", "DUPINST_SEED": "9"})
	dupinstUnique = 0xabc
	p := pkg()
	dupinstLink(p)
	counters = [4]DupinstCounter{0, 5, 0, 1 << 40}
	dupinstCallee(p.counts+16, codePointer(runtime.GC), 1)
	dupinstTotal.checks, dupinstTotal.samples = 70, 7
	dupinstTick()
	dupinstFlush()
	dupinstFlush()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 || files[0].Name() != "0000000000000abc.dupinst" {
		t.Fatal(files, err)
	}
	data, err := os.ReadFile(filepath.Join(dir, files[0].Name()))
	if err != nil {
		t.Fatal(err)
	}
	got, err := format.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if got.Interval != 3 || got.Jitter != 500_000 || got.Seed != 9 || got.Checks != 70 || got.Samples != 7 {
		t.Errorf("settings and totals: %+v", got)
	}
	if len(got.Packages) != 1 || got.Packages[0].Meta != "meta" || len(got.Packages[0].Counts) != 2 ||
		got.Packages[0].Counts[0] != (format.Count{Site: 1, N: 5}) || got.Packages[0].Counts[1] != (format.Count{Site: 3, N: 1 << 40}) {
		t.Errorf("packages: %+v", got.Packages)
	}
	if len(got.Callees) != 1 || got.Callees[0].Symbol != "runtime.GC" || got.Callees[0].Site != 2 || got.Callees[0].N != 1 {
		t.Errorf("callees: %+v", got.Callees)
	}
	if string(got.Encode()) != string(data) {
		t.Error("format encodes it otherwise")
	}
}

// A write that fails is one line and leaves nothing behind.
func TestSaveFails(t *testing.T) {
	dir := t.TempDir()
	settings(t, map[string]string{"DUPINST_DIR": filepath.Join(dir, "file", "below")})
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	stderr := capture(t, func() { dupinstTick(); dupinstTick(); dupinstFlush() })
	if strings.Count(stderr, "\n") != 1 || !strings.HasSuffix(stderr, ": creating the file: not a directory\n") {
		t.Errorf("printed %q", stderr)
	}
	settings(t, map[string]string{"DUPINST_DIR": strings.Repeat("x", 2000)})
	if stderr := capture(t, dupinstFlush); !strings.HasSuffix(stderr, ": its path is too long\n") {
		t.Errorf("printed %q", stderr)
	}
	w := &dupinstWriters[0]
	w.fd = -1
	w.dupinstProfile()
	if w.err == 0 {
		t.Error("a write to no file succeeded")
	}
}

// A profile that has ended is written though the process ends meanwhile: its counts
// are nowhere else. A periodic one is not: the last write has all of it.
func TestSaveWhileEnding(t *testing.T) {
	for reset, files := range map[bool]int{true: 1, false: 0} {
		dir := t.TempDir()
		settings(t, map[string]string{"DUPINST_DIR": dir})
		w := &dupinstWriters[0]
		w.reset = reset
		dupinstSaveAs(0, 1, ".dupinst", func(w *dupinstWriter) { dupinstFinal = 1; w.dupinstProfile() })
		w.reset = false
		if names, err := os.ReadDir(dir); err != nil || len(names) != files {
			t.Errorf("ended %t: %v, %v", reset, names, err)
		}
	}
}

// A profile that begins anew has nothing of the one before, and says as much as that.
func TestReset(t *testing.T) {
	settings(t, map[string]string{"DUPINST_INTERVAL": "3"})
	p := pkg()
	dupinstLink(p)
	counters = [4]DupinstCounter{0, 5, 0, 7}
	dupinstCallee(p.counts+16, codePointer(runtime.GC), 1)
	dupinstTotal.checks, dupinstTotal.samples = 70, 7
	read := func(reset bool) *format.Process {
		var b []byte
		DupinstWrite(func(piece []byte) { b = append(b, piece...) }, reset)
		got, err := format.Decode(b)
		if err != nil {
			t.Fatal(err)
		}
		got.Origin.Ended = 0
		return got
	}
	first := read(false)
	if again := read(true); string(again.Encode()) != string(first.Encode()) || len(again.Packages[0].Counts) != 2 || again.Checks != 70 || len(again.Callees) != 1 {
		t.Errorf("%+v, then %+v", first, again)
	}
	DupinstSet(9, 0)
	counters[3] = 1
	dupinstTotal.checks += 30
	got := read(false)
	if got.Interval != 9 || got.Checks != 30 || got.Samples != 0 || len(got.Callees) != 0 || len(got.Packages[0].Counts) != 1 || got.Packages[0].Counts[0] != (format.Count{Site: 3, N: 1}) {
		t.Errorf("anew: %+v", got)
	}
	if DupinstSet(0, 0); !dupinstPaused {
		t.Error("no samples are taken, but events are counted")
	}
}

// A signal starts and ends a profile; while it is off nothing is counted.
func TestSwitch(t *testing.T) {
	dir := t.TempDir()
	settings(t, map[string]string{"DUPINST_DIR": dir, "DUPINST_SIGNAL": "SIGUSR2"})
	if dupinstSignal != 12 || dupinstInterval != 0 || !dupinstPaused || dupinstRest != dupinstWake {
		t.Errorf("signal %d, interval %d, paused %t", dupinstSignal, dupinstInterval, dupinstPaused)
	}
	defer func() { dupinstRest = dupinstNever }()
	p := pkg()
	dupinstLink(p)
	dupinstUnique = 1
	signal := func() { dupinstSignals++; dupinstSwitch() }
	dupinstTotal.checks = 1000
	if signal(); dupinstInterval != dupinstDefaultInterval || dupinstPaused {
		t.Errorf("interval %d, paused %t after a signal", dupinstInterval, dupinstPaused)
	}
	dupinstTotal.checks, dupinstTotal.samples, counters[1] = 3000, 2, 5
	if signal(); dupinstInterval != 0 || !dupinstPaused || dupinstUnique == 1 {
		t.Errorf("interval %d, paused %t, file %x after another", dupinstInterval, dupinstPaused, dupinstUnique)
	}
	data, err := os.ReadFile(filepath.Join(dir, "0000000000000001.dupinst"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := format.Decode(data)
	if err != nil || got.Interval != dupinstDefaultInterval || got.Checks != 2000 || got.Samples != 2 || len(got.Packages[0].Counts) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	if counters[1] != 0 {
		t.Error("what was written is counted again")
	}
	dupinstFlush() // the process ends
	if again, err := os.ReadFile(filepath.Join(dir, "0000000000000001.dupinst")); err != nil || string(again) != string(data) {
		t.Error("the last write replaced the profile that a signal had ended")
	}
	counters[1] = 7
	signal()
	if signal(); counters[1] != 7 {
		t.Error("a signal took from the counters what the last write is to have")
	}
	settings(t, map[string]string{"DUPINST_DIR": dir, "DUPINST_SIGNAL": "SIGHUP"})
	if dupinstDir != "" {
		t.Error("SIGHUP is accepted")
	}
}

// Code that was duplicated in the compiler knows a goroutine's state by offsets
// (compiler/pass/dupinst, emit.go).
func TestLayout(t *testing.T) {
	var p dupinstG
	for name, at := range map[string][2]uintptr{
		"ctr":     {unsafe.Offsetof(p.ctr), 0},
		"weight":  {unsafe.Offsetof(p.weight), 16},
		"callee":  {unsafe.Offsetof(p.callee), 24},
		"site":    {unsafe.Offsetof(p.site), 32},
		"scratch": {unsafe.Offsetof(p.scratch), 40},
		"flags":   {unsafe.Offsetof(p.flags), 64},
		"back":    {unsafe.Offsetof(p.back), 72},
		"guard":   {unsafe.Offsetof(p.guard), 80},
		"kept":    {unsafe.Offsetof(p.kept), 88},
		"sum":     {unsafe.Offsetof(p.sum), 104},
		"window":  {unsafe.Offsetof(p.window), 112},
		"begins":  {unsafe.Offsetof(p.begins), 120},
		"rounds":  {unsafe.Offsetof(p.rounds), 128},
		"across":  {unsafe.Offsetof(p.across), 152},
	} {
		if at[0] != at[1] {
			t.Errorf("%s is at %d, not at %d", name, at[0], at[1])
		}
	}
}

func TestLabels(t *testing.T) {
	for labels, want := range map[string]bool{"a=b": true, "a=b,c=": true, "a=b=c": true, "a": false, "=b": false, "a=b,": false, ",a=b": false, "a=b,,c=d": false} {
		if got := dupinstLabelled(labels); got != want {
			t.Errorf("%q: %t", labels, got)
		}
	}
	settings(t, map[string]string{"DUPINST_DIR": "x", "DUPINST_LABELS": "a"})
	if dupinstDir != "" {
		t.Error("labels that cannot be read are taken")
	}
	settings(t, nil)
}

func TestHead(t *testing.T) {
	for info, want := range map[string]string{
		"path\tx\nmod\tx\tv1\t\ndep\ty\tv2\t\nbuild\t-race=true\n": "path\tx\nmod\tx\tv1\t\n",
		"path\tx\nbuild\t-race=true\n":                             "path\tx\n",
		"path\tx\n":                                                "path\tx\n", "": "",
	} {
		if got := dupinstHead(info); got != want {
			t.Errorf("%q: %q", info, got)
		}
	}
}

// A burst lasts so many checks, and is one of as many as the interval has; goroutines that end early are in one as often.
func TestBurst(t *testing.T) {
	settings(t, map[string]string{"DUPINST_INTERVAL": "100", "DUPINST_BURST": "10"})
	t.Cleanup(func() { settings(t, nil) })
	var parent, child dupinstG
	parent.dupinstFirst()
	run, runs := 0, map[int]int{}
	for range 100_000 {
		if parent.check() {
			run++
		} else if run > 0 {
			runs[run]++
			run = 0
		}
	}
	for length, n := range runs {
		if length != 10 && n > 1 { // but the first
			t.Errorf("%d bursts of %d checks", n, length)
		}
	}
	if n := dupinstTotal.samples; n < 9_900 || n > 10_100 {
		t.Errorf("%d of 100,000 checks are in bursts of a tenth", n)
	}
	const goroutines, checks = 200_000, 5
	var at [checks]int
	for range goroutines {
		dupinstBirth(&child, &parent)
		for i := range checks {
			if child.check() {
				at[i]++
			}
		}
	}
	for i, n := range at {
		if n < goroutines/11 || n > goroutines/9 {
			t.Errorf("check %d of %d goroutines is in a burst %d times", i, goroutines, n)
		}
	}
	for env, value := range map[string]string{"DUPINST_BURST": "0", "DUPINST_OVERHEAD": "1%"} {
		capture(t, func() {
			settings(t, map[string]string{"DUPINST_DIR": "d", "DUPINST_BURST": "10", env: value})
		})
		if dupinstDir != "" {
			t.Errorf("%s=%s is taken", env, value)
		}
	}
}
