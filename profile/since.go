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
	if before.Interval != after.Interval || before.Governor.Budget != after.Governor.Budget ||
		before.Windows.Rate != after.Windows.Rate || before.Windows.Length != after.Windows.Length || before.Phases.Counted != after.Phases.Counted || before.Phases.Period != after.Phases.Period || before.Phases.Length != after.Phases.Length || before.Phases.Label != after.Phases.Label || before.Burst != after.Burst || before.Shadows.Counted != after.Shadows.Counted ||
		before.Shadows.Rate != after.Shadows.Rate || before.Shadows.Length != after.Shadows.Length || apartness(before) != apartness(after) || before.Checks > after.Checks || before.Samples > after.Samples {
		return nil, ErrChanged
	}
	out := *after
	out.Checks -= before.Checks
	out.Samples -= before.Samples
	out.Dropped -= min(before.Dropped, after.Dropped)
	out.Weights -= min(before.Weights, after.Weights)
	out.Squares -= min(before.Squares, after.Squares)
	g, old := &out.Governor, &before.Governor
	g.Changes -= min(old.Changes, g.Changes)
	g.Spent -= min(old.Spent, g.Spent)
	g.Time -= min(old.Time, g.Time)
	w, was := &out.Windows, &before.Windows
	w.Late -= min(was.Late, w.Late)
	w.Open -= min(was.Open, w.Open)
	w.Busy -= min(was.Busy, w.Busy)
	w.Moved -= min(was.Moved, w.Moved)
	w.Frames -= min(was.Frames, w.Frames)
	w.Batches -= min(was.Batches, w.Batches)
	f, had := &out.Phases, &before.Phases
	f.Begun -= min(had.Begun, f.Begun)
	f.Missed -= min(had.Missed, f.Missed)
	f.Time -= min(had.Time, f.Time)
	f.Stood -= min(had.Stood, f.Stood)
	s, did := &out.Shadows, &before.Shadows
	s.Begun -= min(did.Begun, s.Begun)
	s.Lost -= min(did.Lost, s.Lost)
	s.Spent -= min(did.Spent, s.Spent)
	s.Stood -= min(did.Stood, s.Stood)
	s.Early -= min(did.Early, s.Early)
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
