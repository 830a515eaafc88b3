package profile

import (
	"testing"

	"github.com/dupinst/dupinst/profile/format"
)

// Of instrumentations that are sampled apart each has its own settings and samples: in one process, in two that are added up,
// and between two snapshots. Two that were sampled otherwise are neither.
func TestApart(t *testing.T) {
	t.Parallel()
	process := func(samples uint64) *format.Process {
		in := func(name string) format.Instrumentation {
			return format.Instrumentation{Name: name, Key: "{a}", Parts: []string{"a"}, Dynamic: -1}
		}
		return &format.Process{
			Build:    format.Build{Variant: "full", Backend: "compiler", Instrumentations: []format.Instrumentation{in("often"), in("seldom"), in("never")}},
			Interval: 1000, Checks: 100 * samples, Samples: 3 * samples,
			Apart: []format.Apart{{Often: 50, Lasts: 1, Samples: 2 * samples}, {Often: 10_000, Lasts: 100, Samples: samples}, {}},
		}
	}
	check := func(of string, p *format.Process, samples uint64) {
		t.Helper()
		profiles, err := Build([]*format.Process{p})
		if err != nil || len(profiles) != 3 {
			t.Fatalf("%s: %v, %d profiles", of, err, len(profiles))
		}
		never, often, seldom := profiles[0], profiles[1], profiles[2]
		if often.Interval != 50 || often.Burst != 1 || often.Samples != 2*samples {
			t.Errorf("%s: often sampled every %d checks, for %d, %d times", of, often.Interval, often.Burst, often.Samples)
		}
		if seldom.Interval != 10_000 || seldom.Burst != 100 || seldom.Samples != samples {
			t.Errorf("%s: seldom sampled every %d checks, for %d, %d times", of, seldom.Interval, seldom.Burst, seldom.Samples)
		}
		if never.Interval != 0 || !never.Unsampled() {
			t.Errorf("%s: never sampled every %d checks, %d times", of, never.Interval, never.Samples)
		}
	}
	check("one process", process(10), 10)
	merged := Merge([]*format.Process{process(10), process(20)})
	if len(merged) != 1 {
		t.Fatalf("%d processes of two that were sampled alike", len(merged))
	}
	check("two", merged[0], 30)
	since, err := Since(process(10), process(25))
	if err != nil {
		t.Fatal(err)
	}
	check("since", since, 15)
	other := process(30)
	other.Apart[1].Lasts = 50
	if n := len(Merge([]*format.Process{process(10), other})); n != 2 {
		t.Errorf("%d processes of two that were sampled otherwise", n)
	}
	if _, err := Since(process(10), other); err != ErrChanged {
		t.Errorf("since another setting: %v", err)
	}
}
