// Package trip notes how often loops go round: each time that one is left, how often its body was
// entered since control came to the loop. Calder, Feller and Eustace (MICRO 1997) profile values of
// registers; this one is in none, and says where to unroll, to vectorize, to make a fast way for the
// one element that there nearly always is, or that a search goes through a list from end to end.
//
// A loop is a for statement whose body begins with a statement. One over a function is a call, and what
// goto makes is none.
package trip

import (
	"go/ast"
	"strconv"

	"github.com/dupinst/dupinst/flow"
	"github.com/dupinst/dupinst/instrumentations"
	"github.com/dupinst/dupinst/profile/format"
)

// Instrumentation is the instrumentation of trip counts.
var Instrumentation = &instrumentations.Instrumentation{
	Format: format.Instrumentation{
		Name:    "trip",
		Key:     "{function} {file}:{line}:{col} {of} = {rounds}",
		Parts:   []string{"function", "file", "line#", "col#", "of", "rounds"},
		Dynamic: 5,
	},
	Doc:        "how often loops go round",
	Sites:      sites,
	OnDemand:   true,
	Statements: true,
	Values:     true,
	Trips:      true,
}

func sites(u *instrumentations.Unit, fn *flow.Func) []instrumentations.Site {
	if fn.Body == nil {
		return nil
	}
	var out []instrumentations.Site
	var labels *flow.Labels
	label := map[ast.Stmt]*ast.LabeledStmt{}
	u.Inspect(fn.Body, func(n ast.Node) bool {
		var body *ast.BlockStmt
		switch n := n.(type) {
		case *ast.LabeledStmt:
			label[n.Stmt] = n
		case *ast.ForStmt:
			body = n.Body
		case *ast.RangeStmt:
			if !u.RangesFunc(n) {
				body = n.Body
			}
		}
		lap := first(body)
		if lap == nil {
			return true
		}
		if l, ok := lap.(*ast.LabeledStmt); ok {
			if labels == nil {
				labels = u.LabelsOf(fn)
			}
			if labels.Goto(u.Info.Defs[l.Label]) { // which would pass it more than once a round
				return true
			}
		}
		event := n.(ast.Stmt)
		for label[event] != nil {
			event = label[event]
		}
		at := u.Position(n.Pos())
		out = append(out, instrumentations.Site{
			Event: event,
			Parts: []string{fn.Name, at.Filename, strconv.Itoa(at.Line), strconv.Itoa(at.Column), "rounds of the loop", "?"},
			Value: instrumentations.Value{Of: instrumentations.Trips, Lap: lap},
		})
		return true
	})
	return out
}

// first is the statement that a body begins with, if it is one that control comes to.
func first(body *ast.BlockStmt) ast.Stmt {
	if body == nil {
		return nil
	}
	for _, s := range body.List {
		if _, empty := s.(*ast.EmptyStmt); !empty {
			return s
		}
	}
	return nil
}
