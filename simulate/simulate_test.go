package simulate

import (
	"strings"
	"testing"

	"github.com/dupinst/dupinst/profile/format"
)

// Sites of the traces below.
const (
	entry = iota
	backedge
	check
	probe
	belongs
)

// trace is one goroutine's events in one frame.
func trace(sites ...int) *format.Trace {
	meta := format.Meta{Package: "p", Sites: []format.Site{
		{Instrumentation: 1, Parts: []string{"p.f", "entry"}}, {Instrumentation: 1, Parts: []string{"p.f", "backedge"}},
		{Instrumentation: 1, Parts: []string{"p.f", "check"}}, {Instrumentation: 0, Parts: []string{"x"}},
		{Instrumentation: 1, Parts: []string{"p.g", "belongs"}},
	}}
	t := &format.Trace{
		Build: format.Build{Variant: "full", Instrumentations: []format.Instrumentation{
			{Name: "probes", Parts: []string{"name"}, Dynamic: -1}, {Name: "audit", Parts: []string{"function", "event"}, Dynamic: -1},
		}},
		Metas: []string{meta.Encode()},
	}
	for _, s := range sites {
		t.Events = append(t.Events, format.Event{Site: s, Goroutine: 7, Frame: 100})
	}
	return t
}

// loop is a function with n iterations, a check on its entry and each backedge,
// and a probe in each iteration.
func loop(n int) []int {
	out := []int{entry, check}
	for range n {
		out = append(out, probe, backedge, check)
	}
	return out
}

func TestPredict(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		interval uint64
		min, max uint64 // the phase decides which
	}{{1, 1000, 1000}, {2, 500, 501}, {10, 100, 101}, {5000, 0, 1}} {
		got, err := Predict(trace(loop(1000)...), Settings{Interval: c.interval})
		if n := got["p probes x"]; err != nil || n < c.min || n > c.max {
			t.Errorf("interval %d: %d of 1000, %v", c.interval, n, err)
		}
	}
}

// What has no check on its entry is sampled with its caller, whatever was called at the same depth before.
func TestBelongs(t *testing.T) {
	t.Parallel()
	tr := trace()
	at := func(frame uint64, sites ...int) {
		for _, s := range sites {
			tr.Events = append(tr.Events, format.Event{Site: s, Goroutine: 7, Frame: frame})
		}
	}
	at(100, entry, check)
	for range 100 {
		at(200, belongs, probe)
		at(300, belongs, probe)
		at(300, entry, check, probe) // of its own
		at(200, probe)
		at(100, backedge, check)
	}
	// Of two checks in a round one begins a sample, as the phase decides: of three probes, or of one.
	seen := map[uint64]bool{}
	for seed := range uint64(8) {
		got, err := Predict(tr, Settings{Interval: 2, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		seen[got["p probes x"]] = true
	}
	if len(seen) != 2 || !seen[300] || !seen[100] {
		t.Errorf("%v", seen)
	}
	tr.Events = tr.Events[2:]
	if _, err := Predict(tr, Settings{Interval: 2}); err == nil || !strings.Contains(err.Error(), "has no caller") {
		t.Errorf("without a caller: %v", err)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	if _, err := Predict(trace(entry, check, probe, backedge, probe), Settings{Interval: 1}); err == nil || !strings.Contains(err.Error(), "without a check") {
		t.Errorf("a probe behind an unchecked backedge: %v", err)
	}
	lost := trace(entry)
	lost.Lost = 3
	if _, err := Predict(lost, Settings{Interval: 1}); err == nil || !strings.Contains(err.Error(), "lacks 3 events") {
		t.Errorf("a trace with gaps: %v", err)
	}
	damaged := trace(9)
	if _, err := Predict(damaged, Settings{Interval: 1}); err == nil {
		t.Error("an event at no site: no error")
	}
}
