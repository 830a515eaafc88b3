package profile

import (
	"errors"

	"github.com/dupinst/dupinst/profile/format"
)

// ErrChanged is the error for two snapshots that are not of one profile: between
// them it was begun anew, or its interval was changed.
var ErrChanged = errors.New("the profile was begun anew in between")

// Since is what a process recorded between two snapshots of its profile.
func Since(before, after *format.Process) (*format.Process, error) {
	if settings(before) != settings(after) || before.Checks > after.Checks || before.Samples > after.Samples {
		return nil, ErrChanged
	}
	out := *after
	was := totals(before)
	for i, total := range totals(&out) {
		*total -= min(*was[i], *total)
	}
	if out.Rounds.Length > 0 {
		out.Rounds.Begun -= before.Rounds.Begun - 1 // the round that went on is of both
	}
	out.Apart = apartSince(before.Apart, after.Apart)
	counts, callees := map[string]map[int]format.Count{}, map[string]map[format.Callee]format.Callee{}
	for _, p := range before.Packages {
		counts[p.Meta], callees[p.Meta] = map[int]format.Count{}, map[format.Callee]format.Callee{}
		for _, c := range p.Counts {
			counts[p.Meta][c.Site] = c
		}
	}
	for _, c := range before.Callees {
		callees[before.Packages[c.Package].Meta][bare(c)] = c
	}
	out.Packages, out.Callees, out.Bursts = nil, nil, burstsSince(before, after)
	for _, p := range after.Packages {
		left := format.Package{Meta: p.Meta}
		for _, c := range p.Counts {
			old := counts[p.Meta][c.Site]
			if c.N < old.N {
				return nil, ErrChanged
			}
			c.Root = root(max(square(c.Root)-square(old.Root), 0))
			if c.N -= old.N; c.N > 0 {
				left.Counts = append(left.Counts, c)
			}
		}
		out.Packages = append(out.Packages, left)
	}
	left := valuesLeft(before, after)
	for _, c := range after.Callees {
		old := callees[after.Packages[c.Package].Meta][bare(c)]
		more, some := left[siteOf(after, c)]
		switch {
		case c.Kind == format.KindOthers:
			old.N = min(old.N+more, c.N)
		case c.N < old.N && some:
			old = format.Callee{} // it has left, and come again
		case c.N < old.N:
			return nil, ErrChanged
		}
		c.Root = root(max(square(c.Root)-square(old.Root), 0))
		if c.N -= old.N; c.N > 0 {
			out.Callees = append(out.Callees, c)
		}
	}
	return &out, nil
}

// settings are what a profile was recorded with.
func settings(p *format.Process) any {
	w, f, s := &p.Windows, &p.Phases, &p.Shadows
	return [...]any{
		p.Interval, p.Governor.Budget, p.Burst, p.Rounds.Length, apartness(p), w.Rate, w.Length,
		f.Counted, f.Period, f.Length, f.Label, s.Counted, s.Rate, s.Length,
	}
}

// totals are what a process adds up besides what it counts.
func totals(p *format.Process) []*uint64 {
	g, w, f, s := &p.Governor, &p.Windows, &p.Phases, &p.Shadows
	return []*uint64{
		&p.Checks, &p.Samples, &p.Dropped, &p.Weights, &p.Squares, &g.Changes, &g.Spent, &g.Time,
		&w.Late, &w.Open, &w.Busy, &w.Moved, &w.Frames, &w.Batches,
		&f.Begun, &f.Missed, &f.Time, &f.Stood, &s.Begun, &s.Lost, &s.Spent, &s.Stood, &s.Early,
	}
}

// burstsSince are those of after that before has not.
func burstsSince(before, after *format.Process) (out []format.Burst) {
	type window struct{ process, begun uint64 }
	known := map[window]bool{}
	for _, b := range before.Bursts {
		known[window{b.Process, b.Begun}] = true
	}
	for _, b := range after.Bursts {
		if !known[window{b.Process, b.Begun}] {
			out = append(out, b)
		}
	}
	return out
}

// A siteAt is a site of a package.
type siteAt struct {
	meta string
	site int
}

func siteOf(p *format.Process, c format.Callee) siteAt {
	return siteAt{p.Packages[c.Package].Meta, c.Site}
}

// valuesLeft is, of each site that has values that were not kept apart, what those had counted before
// that have left since: it has been added to the others.
func valuesLeft(before, after *format.Process) map[siteAt]uint64 {
	type value struct {
		siteAt
		bare format.Callee
	}
	left, now := map[siteAt]uint64{}, map[value]uint64{}
	for _, c := range after.Callees {
		at := siteOf(after, c)
		now[value{at, bare(c)}] = c.N
		if c.Kind == format.KindOthers {
			left[at] = 0
		}
	}
	for _, c := range before.Callees {
		at := siteOf(before, c)
		if _, some := left[at]; some && c.Kind != format.KindOthers && now[value{at, bare(c)}] < c.N {
			left[at] += c.N
		}
	}
	return left
}

// bare is a callee but for what was counted.
func bare(c format.Callee) format.Callee {
	c.N, c.Root, c.Package = 0, 0, 0
	return c
}
