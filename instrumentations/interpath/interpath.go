// Package interpath counts which paths are taken through functions and on through what they call (interprocedural paths, as
// Shadow Profiling counts them, CGO 2007, §4.2). A path of package path that goes through all of a function, from its beginning to
// its return, is part of the path of its caller that it was called by, and only that is counted; where what is called goes
// round a loop, the caller's path says so, and the rounds are paths of their own. So each path through a function is part of
// one that is counted.
//
// A path is named as those of package path are, with what is called in parentheses, in the order of the calls. What is
// called has to be counted as well, whole: a sample of one check sees none of it. Windows, phases, shadows and bursts
// see as much as they last.
package interpath

import (
	"github.com/dupinst/dupinst/flow"
	"github.com/dupinst/dupinst/instrumentations"
	"github.com/dupinst/dupinst/instrumentations/path"
	"github.com/dupinst/dupinst/profile/format"
)

// Instrumentation is the interprocedural path instrumentation.
var Instrumentation = &instrumentations.Instrumentation{
	Format: format.Instrumentation{
		Name:    "interpath",
		Key:     "{path}",
		Parts:   path.Instrumentation.Format.Parts,
		Dynamic: path.Instrumentation.Format.Dynamic,
	},
	Doc:        "paths that go on in what functions call",
	Sites:      sites,
	OnDemand:   true,
	Statements: true,
	Values:     true,
	Paths:      true,
	Across:     true,
}

func sites(u *instrumentations.Unit, fn *flow.Func) []instrumentations.Site {
	out := path.Instrumentation.Sites(u, fn)
	for i := range out {
		out[i].Value.Of = instrumentations.Across
	}
	return out
}
