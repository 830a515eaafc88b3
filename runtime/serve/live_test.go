package serve

import (
	"testing"
	"time"

	"github.com/dupinst/dupinst/profile/format"
)

// counted is a snapshot in which a and b were counted so often, sampled at interval 10.
func counted(a, b uint64) *format.Process {
	build := format.Build{Variant: "auto", Instrumentations: []format.Instrumentation{{Name: "calledge", Key: "{callee}", Parts: []string{"callee"}, Dynamic: -1}}}
	meta := format.Meta{Package: "p", Sites: []format.Site{{Parts: []string{"a"}}, {Parts: []string{"b"}}}}
	return &format.Process{
		Build: build, Interval: 10, Checks: 10 * (a + b), Samples: a + b,
		Packages: []format.Package{{Meta: meta.Encode(), Counts: []format.Count{{Site: 0, N: a}, {Site: 1, N: b}}}},
	}
}

// What is shown is what the last minute counted, beside the minute before, and begins anew with the
// profile.
func TestLive(t *testing.T) {
	t.Parallel()
	var l live
	begun := time.Now()
	show := func(seconds int, p *format.Process) []liveProfile {
		t.Helper()
		out, err := l.profiles(begun.Add(time.Duration(seconds)*time.Second), func() (*format.Process, error) { return p, nil })
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if out := show(0, counted(1000, 1000)); len(out) != 1 || len(out[0].Rows) != 0 {
		t.Errorf("at first: %+v", out)
	}
	if out := show(30, counted(2000, 2000)); out[0].Events != 20000 || out[0].Seconds != 30 || out[0].Rows[0].Share.N != 0.5 || out[0].Rows[0].Before != nil {
		t.Errorf("after half a minute: %+v", out)
	}
	show(60, counted(3000, 3000))
	show(90, counted(3000, 5000))
	out := show(120, counted(3000, 9000))
	if p := out[0]; p.Seconds != 60 || p.Events != 60000 || p.Rows[0].Key != "b" || p.Rows[0].Share.N != 1 || p.Rows[0].Before == nil || p.Rows[0].Before.N != 0.5 || !p.Rows[0].Significant {
		t.Errorf("after two minutes: %+v", out)
	}
	for s := 150; s <= 900; s += 30 {
		show(s, counted(3000, 9000))
	}
	if len(l.moments) > 6 {
		t.Errorf("%d snapshots are kept", len(l.moments))
	}
	if out := show(930, counted(5, 5)); len(out) != 0 {
		t.Errorf("begun anew: %+v", out)
	}
	if out := show(960, counted(15, 5)); out[0].Events != 100 {
		t.Errorf("and after that: %+v", out)
	}
}
