// Package sizes counts how often maps are accessed by an index, by the map's type and by how many
// elements it has: the example of docs/instrumentations.md that notes values.
package sizes

import (
	"go/ast"
	"go/types"

	"github.com/dupinst/dupinst/flow"
	"github.com/dupinst/dupinst/instrumentations"
	"github.com/dupinst/dupinst/profile/format"
)

// Instrumentation is what dupinst looks for.
var Instrumentation = &instrumentations.Instrumentation{
	Format: format.Instrumentation{
		Name:    "sizes",
		Key:     "{map} of {size}",
		Parts:   []string{"map", "size"},
		Dynamic: 1, // the size is known at run time
	},
	Doc:    "accesses of maps by an index, by type and size",
	Sites:  sites,
	Values: true,
}

func sites(u *instrumentations.Unit, fn *flow.Func) []instrumentations.Site {
	var found []instrumentations.Site
	u.InspectFunc(fn, func(n ast.Node) bool {
		e, ok := n.(*ast.IndexExpr)
		if !ok {
			return true
		}
		if m, ok := u.Info.TypeOf(e.X).Underlying().(*types.Map); ok {
			found = append(found, instrumentations.Site{
				Event: e,
				Parts: []string{m.String(), "?"},
				Value: instrumentations.Value{Of: instrumentations.MapLen},
			})
		}
		return true
	})
	return found
}
