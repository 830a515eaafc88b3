package main_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	pprof "github.com/google/pprof/profile"
	"golang.org/x/tools/cover"

	"github.com/dupinst/dupinst/profile"
	"github.com/dupinst/dupinst/profile/format"
)

var serving = regexp.MustCompile(`serving on (http://\S+)`)

// request sends one and returns the answer.
func request(method, url string) (string, int, error) {
	req, err := http.NewRequest(method, url, nil)
	if err != nil {
		return "", 0, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", 0, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return string(text), res.StatusCode, err
}

// underLoad has four clients ask for what is at an address, until stop is called, which returns how often they got it.
func underLoad(t *testing.T, url, want string) (stop func() int64) {
	t.Helper()
	var stopped atomic.Bool
	var served atomic.Int64
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for !stopped.Load() {
				if text, code, err := request("GET", url); err != nil || code != http.StatusOK || text != want {
					t.Errorf("under load: %v, %d, %q", err, code, text)
					return
				}
				served.Add(1)
			}
		})
	}
	stop = func() int64 {
		stopped.Store(true)
		clients.Wait()
		return served.Load()
	}
	t.Cleanup(func() { stop() })
	return stop
}

// controlled builds that service, in a directory.
func controlled(t *testing.T) (dir string) {
	dir = t.TempDir()
	goBuild(t, filepath.Join("..", ".."), "dupinst", "-instrument=calledge,fieldaccess,block", "-pkgs=github.com/dupinst/dupinst/testdata/control", "build", "-o", filepath.Join(dir, "control"), "./testdata/control")
	return dir
}

// A controller sends requests to the handler at url.
type controller struct {
	*testing.T
	url string
}

// do expects an answer with want in it.
func (c controller) do(method, path, want string) {
	c.Helper()
	if text, code, err := request(method, c.url+path); err != nil || code != http.StatusOK || !strings.Contains(text, want) {
		c.Errorf("%s %s: %v, %d, %s", method, path, err, code, text)
	}
}

// refused expects a status.
func (c controller) refused(method, path string, want int) {
	c.Helper()
	if text, code, err := request(method, c.url+path); err != nil || code != want {
		c.Errorf("%s %s: %v, %d, %s, want status %d", method, path, err, code, text, want)
	}
}

// refusals asks a program that takes no samples for what it cannot do.
func refusals(c controller) {
	c.Helper()
	c.do("GET", "", `"interval":0`)
	c.refused("GET", "set?interval=5", http.StatusMethodNotAllowed)
	c.refused("POST", "set?interval=-5", http.StatusBadRequest)
	c.refused("POST", "set?windows=5/s", http.StatusBadRequest) // there are none
	c.refused("POST", "set", http.StatusBadRequest)
	c.refused("POST", "set?overhead=5", http.StatusBadRequest)
	c.refused("POST", "set?overhead=101%25", http.StatusBadRequest)
	c.refused("POST", "set?overhead=1%25&interval=x", http.StatusBadRequest)
	c.refused("GET", "profile?format=x", http.StatusBadRequest)
	c.refused("GET", "profile?seconds=x", http.StatusBadRequest)
	c.refused("GET", "profile?seconds=1", http.StatusBadRequest) // no samples are taken
	c.refused("GET", "?x=1", http.StatusBadRequest)
	for path, want := range map[string]string{
		"profile?second=1":  `there is no parameter "second"; there are seconds, format, instrument`,
		"profile?seconds=0": `seconds="0" is no number of seconds above 0 and up to 3600`,
	} {
		if out, err := exec.Command("go", "tool", "pprof", "-top", c.url+path).CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
			c.Errorf("go tool pprof says of %s: %v\n%s", path, err, out)
		}
	}
	idle, _, err := request("GET", c.url+"profile")
	if err != nil {
		c.Fatal(err)
	}
	if p, err := pprof.Parse(strings.NewReader(idle)); err != nil || len(p.Comments) == 0 || !strings.Contains(p.Comments[0], "no sample was taken") {
		c.Errorf("the profile of an idle program: %v, %q", err, p)
	}
}

// profiled has a program that samples give its profile, as pprof and as coverage.
func profiled(c controller) {
	c.Helper()
	text, code, err := request("GET", c.url+"profile?seconds=0.5")
	if err != nil || code != http.StatusOK {
		c.Fatalf("profile: %v, %d, %s", err, code, text)
	}
	p, err := pprof.Parse(strings.NewReader(text))
	if err != nil {
		c.Fatal(err)
	}
	calls := map[string]int64{}
	for _, s := range p.Sample {
		calls[s.Location[0].Line[0].Function.Name] += s.Value[0]
	}
	if fib, add := calls["main.fib"], calls["main.(*tally).add"]; fib < 100*add || fib == 0 {
		c.Errorf("main.fib is called %d times, main.(*tally).add %d times: 28,656 and 20 in each request", fib, add)
	}
	if out, err := exec.Command("go", "tool", "pprof", "-top", c.url+"profile?seconds=0.2").CombinedOutput(); err != nil || !bytes.Contains(out, []byte("main.fib")) {
		c.Errorf("go tool pprof: %v\n%s", err, out)
	}
	text, code, err = request("GET", c.url+"profile?format=cover")
	if err != nil || code != http.StatusOK {
		c.Errorf("coverage: %v, %d, %s", err, code, text)
	}
	covered, err := cover.ParseProfilesFromReader(strings.NewReader(text))
	if err != nil || len(covered) != 1 {
		c.Fatalf("go tool cover reads: %v, %v", err, covered)
	}
	counted := map[bool]int{} // blocks, by whether they were
	for _, b := range covered[0].Blocks {
		counted[b.Count > 0]++
	}
	if counted[true] < 5 || counted[false] < 5 {
		c.Errorf("%d blocks are covered, %d are not:\n%s", counted[true], counted[false], text)
	}
}

// TestControl switches sampling on, off, up and down in a service under load, a
// hundred times: no request fails, and profiles say what was done meanwhile.
func TestControl(t *testing.T) {
	t.Parallel()
	bin := controlled(t)
	prof := filepath.Join(bin, "prof")
	var ingested ingest
	server := httptest.NewServer(&ingested)
	defer server.Close()
	_, url := served(t, serving, "env", "DUPINST_DIR="+prof, "DUPINST_INTERVAL=off", "DUPINST_PUSH="+server.URL+"?name=controlled", filepath.Join(bin, "control"))

	c := controller{t, url + "/debug/dupinst/"}
	refusals(c)
	stop := underLoad(t, url+"/work?n=20", "10945 20\n")
	for i := range 100 {
		c.do("POST", "set?interval="+[]string{"100", "0", "1000", "50"}[i%4], `"interval":`)
		time.Sleep(10 * time.Millisecond)
	}
	c.do("POST", "set?interval=100", `"interval":100`)
	time.Sleep(200 * time.Millisecond) // goroutines notice
	profiled(c)
	c.do("GET", "live", `"profiles":[`)
	time.Sleep(1100 * time.Millisecond) // it rests a second between two snapshots
	c.do("GET", "live", `"key":"main.fib`)
	if _, err := exec.LookPath("chromium"); err == nil {
		document, console := browse(t, url+"/debug/dupinst/")
		if console != "" || !strings.Contains(document, "main.fib") || !strings.Contains(document, "checks and ") {
			t.Errorf("the live page says %q on its console, and\n%.3000s", console, document)
		}
	}
	if text, code, err := request("GET", url+"/flush"); err != nil || code != http.StatusOK || ingested.calls("main.fib") == 0 || !strings.HasPrefix(ingested.name(), "controlled{") {
		t.Errorf("pushed: %v, %d, %s; the server has %d calls of main.fib for %s", err, code, text, ingested.calls("main.fib"), ingested.name())
	}
	c.do("POST", "set?overhead=0.2%25&interval=10", `"interval":`)
	time.Sleep(500 * time.Millisecond)
	if p := decoded(t, url+"/debug/dupinst/profile?format=dupinst"); p.Interval != 10 || p.Governor.Budget != 2000 || p.Governor.Time == 0 || p.Governor.Longest <= 10 || p.Weights == 0 {
		t.Errorf("governed: interval %d, %d samples that weigh %d more, %+v", p.Interval, p.Samples, p.Weights, p.Governor)
	}
	c.do("POST", "set?overhead=0%25", `"interval":10`)
	c.do("POST", "set?interval=0", `"interval":0`)
	time.Sleep(100 * time.Millisecond)
	before := decoded(t, url+"/debug/dupinst/profile?format=dupinst")
	time.Sleep(100 * time.Millisecond)
	if after := decoded(t, url+"/debug/dupinst/profile?format=dupinst"); before.Samples != after.Samples {
		t.Error("samples are taken though the interval is 0")
	}
	if n := stop(); n < 100 {
		t.Errorf("%d requests were served", n)
	}
	// Each change has left the profile with the interval before it.
	profiles, err := profile.ReadProfiles(prof)
	if err != nil {
		t.Fatal(err)
	}
	intervals := map[uint64]uint64{}
	for _, p := range profiles {
		if p.Instrumentation == "calledge" {
			intervals[p.Interval] = p.Total
		}
	}
	if intervals[100] == 0 || intervals[1000] == 0 || intervals[50] == 0 {
		t.Errorf("events by interval: %v", intervals)
	}
}

// decoded is the profile at an address.
func decoded(t *testing.T, url string) *format.Process {
	t.Helper()
	text, code, err := request("GET", url)
	if err != nil || code != http.StatusOK {
		t.Fatalf("%s: %v, %d, %s", url, err, code, text)
	}
	p, err := format.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPlainControl runs the same program built plainly: everything says so.
func TestPlainControl(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "control")
	goBuild(t, filepath.Join("..", ".."), "go", "build", "-o", file, "./testdata/control")
	const plain = "dupinst: the program was built without dupinst"
	_, url := served(t, serving, file)
	if text, code, err := request("GET", url+"/debug/dupinst/"); err != nil || code != http.StatusNotImplemented || text != plain+"\n" {
		t.Errorf("%v, %d, %q", err, code, text)
	}
	out, err := exec.Command(file, "functions").Output()
	if want := strings.Repeat(plain+" ", 3) + "dupinst: cannot set the interval to -1: it must be from 0 to 1099511627776 checks\n"; err != nil || string(out) != want {
		t.Errorf("%v, %q", err, out)
	}
}

// An ingest is a server that adds up calls by callee.
type ingest struct {
	lock     sync.Mutex
	sums     map[string]int64
	last     string // name of a series
	requests int
}

func (g *ingest) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.lock.Lock()
	defer g.lock.Unlock()
	g.requests++
	file, _, err := r.FormFile("profile")
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p, err := pprof.Parse(file)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if g.sums == nil {
		g.sums = map[string]int64{}
	}
	g.last = r.FormValue("name")
	for _, s := range p.Sample {
		g.sums[s.Location[0].Line[0].Function.Name] += s.Value[0]
	}
}

func (g *ingest) calls(of string) int64 {
	g.lock.Lock()
	defer g.lock.Unlock()
	return g.sums[of]
}

func (g *ingest) count() int {
	g.lock.Lock()
	defer g.lock.Unlock()
	return g.requests
}

func (g *ingest) name() string {
	g.lock.Lock()
	defer g.lock.Unlock()
	return g.last
}

// TestPush sends a directory's profiles, once, and what is new in them.
func TestPush(t *testing.T) {
	t.Parallel()
	var g ingest
	server := httptest.NewServer(&g)
	defer server.Close()
	prof := t.TempDir()
	program := built(t, "auto", false, "transparent")
	execute(t, program, prof, "1")
	push := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("dupinst", append(append([]string{"push"}, args...), prof)...).CombinedOutput()
		if err != nil {
			t.Fatalf("dupinst push: %v\n%s", err, out)
		}
		return string(out)
	}
	if out := push("-to=" + server.URL); out != "" {
		t.Errorf("it says %s", out)
	}
	once, requests := g.calls("main.loops"), g.count()
	if once == 0 || requests != 1 || !strings.HasPrefix(g.name(), "transparent{") {
		t.Errorf("the server has %d calls of main.loops in %d requests for %s", once, requests, g.name())
	}
	push("-to=" + server.URL)
	if g.count() != requests {
		t.Error("what was sent is sent again")
	}
	execute(t, program, prof, "1")
	push("-to=" + server.URL)
	if n := g.calls("main.loops"); n != 2*once {
		t.Errorf("of two runs the server has %d calls of main.loops, of one %d", n, once)
	}
	push("-to=" + server.URL + "?tenant=other") // which has nothing yet
	if n := g.calls("main.loops"); n != 4*once {
		t.Errorf("with another tenant's the server has %d calls of main.loops, of one run %d", n, once)
	}
	server.Close()
	execute(t, program, prof, "1")
	if out, err := exec.Command("dupinst", "push", "-to="+server.URL, prof).CombinedOutput(); err == nil || !strings.Contains(string(out), "cannot send to ") {
		t.Errorf("without a server: %v\n%s", err, out)
	}
	if out, err := exec.Command("dupinst", "push", "-to=nowhere", prof).CombinedOutput(); err == nil || !strings.Contains(string(out), `"nowhere" is no address of a server`) {
		t.Errorf("no address: %v\n%s", err, out)
	}
}
