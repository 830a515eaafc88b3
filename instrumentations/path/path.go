// Package path counts which paths are taken through each function (Ball and Larus, MICRO 1996): what
// blocks control comes by from the function's beginning, or a loop's, to the function's end or the next
// time around. Where a profile of blocks or edges says how often each branch goes which way, one of paths
// says which ways they go together.
//
// A path is named by the statements that its blocks begin with. It is one of the compiled function's: what
// was inlined is part of it, a loop in which nothing is executed, too, and where a function has very many
// paths they are cut in two. The source's back end has no probes for it, nor have variants in which not all
// of a function is copied.
package path

import (
	"go/ast"
	"strconv"

	"github.com/dupinst/dupinst/flow"
	"github.com/dupinst/dupinst/instrumentations"
	"github.com/dupinst/dupinst/instrumentations/block"
	"github.com/dupinst/dupinst/profile/format"
)

// Instrumentation is the path instrumentation.
var Instrumentation = &instrumentations.Instrumentation{
	Format: format.Instrumentation{
		Name:    "path",
		Key:     "{path}",
		Parts:   []string{"function", "file", "line#", "col#", "path"},
		Dynamic: 4,
	},
	Doc:        "paths through functions, from the beginning of the function or a loop to the end",
	Sites:      sites,
	OnDemand:   true,
	Statements: true,
	Values:     true,
	Paths:      true,
}

func sites(u *instrumentations.Unit, fn *flow.Func) []instrumentations.Site {
	var out []instrumentations.Site
	for _, b := range block.Instrumentation.Sites(u, fn) {
		at := u.Position(b.Event.(ast.Stmt).Pos())
		out = append(out, instrumentations.Site{
			Event: b.Event,
			Parts: []string{fn.Name, at.Filename, strconv.Itoa(at.Line), strconv.Itoa(at.Column), "?"},
			Value: instrumentations.Value{Of: instrumentations.Path},
		})
	}
	return out
}
