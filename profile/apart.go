package profile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dupinst/dupinst/profile/format"
)

// asSampled is a process with the settings and samples that its i-th instrumentation had. Its counters are p's.
func asSampled(p *format.Process, i int) *format.Process {
	if i >= len(p.Apart) {
		return p
	}
	of, a := *p, p.Apart[i]
	of.Samples = a.Samples
	if p.Build.Trigger == format.WindowTrigger {
		of.Windows.Rate, of.Windows.Length, of.Windows.Open, of.Windows.Moved, of.Windows.Late = a.Often, a.Lasts, a.Open, a.Moved, a.Late
	} else {
		of.Interval, of.Burst = a.Often, a.Lasts
	}
	return &of
}

// apartness says how often and how long each instrumentation is sampled, "" where all are alike.
func apartness(p *format.Process) string {
	var b strings.Builder
	for _, a := range p.Apart {
		fmt.Fprintf(&b, "%d:%d ", a.Often, a.Lasts)
	}
	return b.String()
}

// bothApart are the samples of two processes that were sampled alike.
func bothApart(a, b []format.Apart) []format.Apart {
	if len(a) == 0 {
		return slices.Clone(b)
	}
	for i := range a {
		a[i].Samples += b[i].Samples
		a[i].Open += b[i].Open
		a[i].Moved += b[i].Moved
		a[i].Late += b[i].Late
	}
	return a
}

// apartSince are the samples that after has and before has not.
func apartSince(before, after []format.Apart) []format.Apart {
	out := slices.Clone(after)
	for i := range out {
		out[i].Samples -= min(before[i].Samples, out[i].Samples)
		out[i].Open -= min(before[i].Open, out[i].Open)
		out[i].Moved -= min(before[i].Moved, out[i].Moved)
		out[i].Late -= min(before[i].Late, out[i].Late)
	}
	return out
}
