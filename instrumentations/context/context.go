// Package context counts how often each function is called in which calling context: the paths of the
// calling context tree (Ammons, Ball and Larus, PLDI 1997) with exact counts, where a profile of call
// edges knows callers alone, and one of stacks that were found at moments knows time and no counts.
//
// An event is that control comes to a function's first statement. Its context is the functions that have
// been called and not returned, each with the line of its call; those that were inlined are among them.
// Functions without statements have no event, and one whose first statement a goto leads back to has one
// each time.
package context

import (
	"go/ast"
	"strconv"

	"github.com/dupinst/dupinst/flow"
	"github.com/dupinst/dupinst/instrumentations"
	"github.com/dupinst/dupinst/profile/format"
)

// Instrumentation is the calling-context instrumentation.
var Instrumentation = &instrumentations.Instrumentation{
	Format: format.Instrumentation{
		Name:    "context",
		Key:     "{stack}",
		Parts:   []string{"function", "file", "line#", "stack"},
		Dynamic: 3,
	},
	Doc:        "calls of functions, by calling context: whole stacks",
	Sites:      sites,
	OnDemand:   true,
	Statements: true,
	Values:     true,
}

func sites(u *instrumentations.Unit, fn *flow.Func) []instrumentations.Site {
	if fn.Body == nil || len(fn.Body.List) == 0 {
		return nil
	}
	first := fn.Body.List[0]
	if _, empty := first.(*ast.EmptyStmt); empty {
		return nil
	}
	at := u.Position(first.Pos())
	return []instrumentations.Site{{
		Event: first,
		Parts: []string{fn.Name, at.Filename, strconv.Itoa(at.Line), "?"},
		Value: instrumentations.Value{Of: instrumentations.Context},
	}}
}
