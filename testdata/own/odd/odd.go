// Package odd is an instrumentation that has, as ODD says, something wrong with it.
package odd

import (
	"go/ast"
	"os"

	"github.com/dupinst/dupinst/flow"
	"github.com/dupinst/dupinst/instrumentations"
	"github.com/dupinst/dupinst/profile/format"
)

// Instrumentation is what dupinst looks for.
var Instrumentation = &instrumentations.Instrumentation{
	Format: format.Instrumentation{Name: name(), Key: "{what}", Parts: []string{"what#"}, Dynamic: -1},
	Sites:  sites,
	Values: os.Getenv("ODD") == "object",
}

func name() string {
	if os.Getenv("ODD") == "name" {
		return "calledge"
	}
	return "odd"
}

func sites(u *instrumentations.Unit, fn *flow.Func) []instrumentations.Site {
	var found []instrumentations.Site
	if fn.Body == nil {
		return nil
	}
	u.Inspect(fn.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		s := instrumentations.Site{Event: call, Parts: []string{"1"}}
		switch os.Getenv("ODD") {
		case "panic":
			panic("no more")
		case "parts":
			s.Parts = nil
		case "number":
			s.Parts[0] = "one"
		case "event":
			s.Event = call.Fun
		case "object":
			s.Value.Of = instrumentations.Object
		}
		found = append(found, s)
		return true
	})
	return found
}
