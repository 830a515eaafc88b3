// Package maps counts how often maps are accessed by an index, by the map's type and where: the example
// of docs/instrumentations.md.
package maps

import (
	"go/ast"
	"go/types"
	"strconv"

	"github.com/dupinst/dupinst/flow"
	"github.com/dupinst/dupinst/instrumentations"
	"github.com/dupinst/dupinst/profile/format"
)

// Instrumentation is what dupinst looks for.
var Instrumentation = &instrumentations.Instrumentation{
	Format: format.Instrumentation{
		Name:    "maps",
		Key:     "{map} {file}:{line}",
		Parts:   []string{"map", "file", "line#"},
		Dynamic: -1,
	},
	Doc:   "accesses of maps by an index, by type and place",
	Sites: sites,
}

func sites(u *instrumentations.Unit, fn *flow.Func) []instrumentations.Site {
	var found []instrumentations.Site
	u.InspectFunc(fn, func(n ast.Node) bool {
		e, ok := n.(*ast.IndexExpr)
		if !ok {
			return true
		}
		if m, ok := u.Info.TypeOf(e.X).Underlying().(*types.Map); ok {
			at := u.Position(e.Lbrack)
			found = append(found, instrumentations.Site{
				Event: e,
				Parts: []string{m.String(), at.Filename, strconv.Itoa(at.Line)},
			})
		}
		return true
	})
	return found
}
