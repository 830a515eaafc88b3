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
	if before.Interval != after.Interval || before.Governor.Budget != after.Governor.Budget || before.Checks > after.Checks || before.Samples > after.Samples {
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
	counts, callees := map[string]map[int]uint64{}, map[string]map[format.Callee]uint64{}
	for _, p := range before.Packages {
		counts[p.Meta], callees[p.Meta] = map[int]uint64{}, map[format.Callee]uint64{}
		for _, c := range p.Counts {
			counts[p.Meta][c.Site] = c.N
		}
	}
	for _, c := range before.Callees {
		meta, n := before.Packages[c.Package].Meta, c.N
		c.N, c.Package = 0, 0
		callees[meta][c] += n
	}
	out.Packages, out.Callees = nil, nil
	for _, p := range after.Packages {
		left := format.Package{Meta: p.Meta}
		for _, c := range p.Counts {
			if c.N < counts[p.Meta][c.Site] {
				return nil, ErrChanged
			}
			if c.N -= counts[p.Meta][c.Site]; c.N > 0 {
				left.Counts = append(left.Counts, c)
			}
		}
		out.Packages = append(out.Packages, left)
	}
	for _, c := range after.Callees {
		key := c
		key.N, key.Package = 0, 0
		n := callees[after.Packages[c.Package].Meta][key]
		if c.N < n {
			return nil, ErrChanged
		}
		if c.N -= n; c.N > 0 {
			out.Callees = append(out.Callees, c)
		}
	}
	return &out, nil
}
