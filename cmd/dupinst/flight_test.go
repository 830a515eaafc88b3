package main_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dupinst/dupinst/profile"
	"github.com/dupinst/dupinst/profile/format"
)

// TestFlight has a service's phases counted, of requests that ask for it and of slow ones, and what it did last recorded.
func TestFlight(t *testing.T) {
	t.Parallel()
	bin := controlled(t)
	flights := filepath.Join(bin, "flights")
	_, url := served(t, serving, "env", "DUPINST_INTERVAL=off", "FLIGHTS="+flights, filepath.Join(bin, "control"))
	get := func(path string, times int) {
		t.Helper()
		for range times {
			if text, code, err := request("GET", url+path); err != nil || code != http.StatusOK {
				t.Fatalf("%s: %v, %d, %s", path, err, code, text)
			}
		}
	}
	set := func(change string) {
		t.Helper()
		if text, code, err := request("POST", url+"/debug/dupinst/"+change); err != nil || code != http.StatusOK {
			t.Fatalf("%s: %v, %d, %s", change, err, code, text)
		}
	}
	// calls are those of one function, and the profile that has them.
	calls := func(path, callee string) (n uint64, of *format.Process) {
		t.Helper()
		of = decoded(t, url+path)
		profiles, err := profile.Build([]*format.Process{of})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range profiles {
			for i := range p.Entries {
				if e := &p.Entries[i]; p.Instrumentation == "calledge" && e.Part("callee") == callee {
					n += e.Count
				}
			}
		}
		return n, of
	}
	const whole = "/debug/dupinst/profile?format=dupinst"
	if _, code, err := request("POST", url+"/debug/dupinst/set?phases=yes"); err != nil || code != http.StatusBadRequest {
		t.Errorf("phases=yes: %v, %d", err, code)
	}

	set("set?phases=on")
	get("/work?n=20", 50)
	get("/phase?n=20", 10)
	get("/work?n=20", 50)
	if n, p := calls(whole, "main.(*tally).add"); n != 200 || p.Phases.Begun != 10 || p.Phases.Time == 0 || p.Interval != 1 {
		t.Errorf("%d calls in ten phases of 20 each; %+v", n, p.Phases)
	}
	if text, _, err := request("GET", url+"/debug/dupinst/"); err != nil || !strings.Contains(text, `"phases":{"begun":10,`) {
		t.Errorf("%v, %s", err, text)
	}

	get("/slow?n=5", 300)
	set("reset")
	get("/slow?n=35", 1) // a quarter of a second, of which most is beyond
	if n, p := calls(whole, "main.fib"); n < 1_000_000 || p.Phases.Begun != 1 {
		t.Errorf("%d calls of a slow request; %+v", n, p.Phases)
	}

	set("set?interval=10")
	time.Sleep(200 * time.Millisecond) // until a snapshot is of that setting
	get("/work?n=25", 100)
	seen, _ := calls("/flight/?format=dupinst", "main.fib")
	if seen < 1000 {
		t.Errorf("%d calls are recorded", seen)
	}
	deadline := time.Now().Add(time.Minute)
	for { // what is older than a second is forgotten
		if n, p := calls("/flight/?format=dupinst", "main.fib"); n < seen/10 && p.Samples < 1000 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("nothing that is recorded is forgotten")
		}
		time.Sleep(100 * time.Millisecond)
	}
	saved, err := profile.Read(flights)
	if err != nil || len(saved) == 0 || saved[0].Samples <= 1000 {
		t.Errorf("saved: %v, %d profiles", err, len(saved))
	}
}
