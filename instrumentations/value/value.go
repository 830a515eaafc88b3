// Package value notes what values are, where one that is nearly always the same, or nearly always
// small, says how the code may be better: Calder, Feller and Eustace's value profiling (MICRO 1997) in
// the words of Go.
//
// Noted are arguments and results of calls, but for those that are constants; the length and capacity
// that make is asked for, and append where it grows a slice; the size of a map that is accessed; and
// divisors. What is noted of each says instrumentations.Noted: a number, a length, a dynamic type,
// a function, whether a pointer is nil.
//
// An event is where the compiler leaves one: a call that is inlined has no arguments any more, a slice
// that fits on the stack is not made, and a division by a constant is none.
package value

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"github.com/dupinst/dupinst/flow"
	"github.com/dupinst/dupinst/instrumentations"
	"github.com/dupinst/dupinst/profile/format"
)

// Instrumentation is the value instrumentation.
var Instrumentation = &instrumentations.Instrumentation{
	Format: format.Instrumentation{
		Name:    "value",
		Key:     "{function} {file}:{line}:{col} {of} = {value}",
		Parts:   []string{"function", "file", "line#", "col#", "of", "value"},
		Dynamic: 5,
	},
	Doc:      "values: arguments, results, lengths of make and append, sizes of maps, divisors",
	Sites:    sites,
	OnDemand: true,
	Values:   true,
}

func sites(u *instrumentations.Unit, fn *flow.Func) []instrumentations.Site {
	f := &finder{u: u, fn: fn, launched: map[*ast.CallExpr]bool{}}
	u.InspectFunc(fn, f.visit)
	return f.sites
}

type finder struct {
	u        *instrumentations.Unit
	fn       *flow.Func
	launched map[*ast.CallExpr]bool // by go and defer statements
	sites    []instrumentations.Site
}

func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GoStmt:
		f.launched[n.Call] = true
	case *ast.DeferStmt:
		f.launched[n.Call] = true
	case *ast.CallExpr:
		f.call(n)
	case *ast.IndexExpr:
		f.access(n, n.Lbrack, n.X)
	case *ast.RangeStmt:
		f.access(n, n.Range, n.X)
	case *ast.BinaryExpr:
		if n.Op == token.QUO || n.Op == token.REM {
			f.divide(n, n.OpPos, n.Y)
		}
	case *ast.AssignStmt:
		if n.Tok == token.QUO_ASSIGN || n.Tok == token.REM_ASSIGN {
			f.divide(n, n.TokPos, n.Rhs[0])
		}
	}
	return true
}

// add enters a site at pos.
func (f *finder) add(event ast.Node, pos token.Pos, v instrumentations.Value, of string) {
	p := f.u.Position(pos)
	f.sites = append(f.sites, instrumentations.Site{
		Event: event,
		Parts: []string{f.fn.Name, p.Filename, strconv.Itoa(p.Line), strconv.Itoa(p.Column), of, "?"},
		Value: v,
	})
}

func (f *finder) call(n *ast.CallExpr) {
	if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok {
		if b, ok := f.u.Info.Uses[id].(*types.Builtin); ok {
			f.builtin(n, b.Name())
			return
		}
	}
	if !f.u.IsCall(n) || f.launched[n] {
		return
	}
	sig, ok := f.u.Info.TypeOf(n.Fun).Underlying().(*types.Signature)
	if !ok {
		return
	}
	callee := types.ExprString(n.Fun)
	if _, literal := ast.Unparen(n.Fun).(*ast.FuncLit); literal {
		callee = "a function literal"
	}
	for i := range sig.Params().Len() {
		if f.varies(n, sig, i) {
			p := sig.Params().At(i)
			name := p.Name()
			if name == "" || name == "_" {
				name = "argument " + strconv.Itoa(i+1)
			}
			f.add(n, n.Lparen, instrumentations.Value{Of: instrumentations.Argument, Index: i, Type: p.Type()}, name+" of "+callee)
		}
	}
	for i := range sig.Results().Len() {
		r := sig.Results().At(i)
		if !notable(r.Type()) {
			continue
		}
		name := "result"
		if sig.Results().Len() > 1 {
			name = "result " + strconv.Itoa(i+1)
		}
		f.add(n, n.Lparen, instrumentations.Value{Of: instrumentations.Result, Index: i, Type: r.Type()}, name+" of "+callee)
	}
}

// varies reports whether the i-th argument of a call is one that can be noted, and that the source does
// not tell.
func (f *finder) varies(n *ast.CallExpr, sig *types.Signature, i int) bool {
	params := sig.Params()
	switch {
	case !notable(params.At(i).Type()):
		return false
	case sig.Variadic() && i == params.Len()-1 && !n.Ellipsis.IsValid(): // as many as are written
		return false
	case len(n.Args) == 1 && params.Len() > 1: // the results of another call
		return true
	}
	if _, literal := ast.Unparen(n.Args[i]).(*ast.FuncLit); literal {
		return false
	}
	tv := f.u.Info.Types[n.Args[i]]
	return tv.Value == nil && !tv.IsNil()
}

func notable(t types.Type) bool {
	_, _, ok := instrumentations.Noted(t)
	return ok
}

func (f *finder) builtin(n *ast.CallExpr, name string) {
	t := f.u.Info.TypeOf(n)
	short := func(t types.Type) string { return types.TypeString(t, types.RelativeTo(f.u.Types)) }
	switch name {
	case "make":
		made := fmt.Sprintf(" of make(%s)", short(t))
		if len(n.Args) > 1 && f.u.Info.Types[n.Args[1]].Value == nil {
			f.add(n, n.Lparen, instrumentations.Value{Of: instrumentations.MadeLen}, "length"+made)
		}
		if isSlice(t) && len(n.Args) > 2 && f.u.Info.Types[n.Args[2]].Value == nil {
			f.add(n, n.Lparen, instrumentations.Value{Of: instrumentations.MadeCap}, "capacity"+made)
		}
	case "append":
		f.add(n, n.Lparen, instrumentations.Value{Of: instrumentations.GrownLen}, "new length where append grows "+short(t))
		f.add(n, n.Lparen, instrumentations.Value{Of: instrumentations.GrownCap}, "old capacity where append grows "+short(t))
	case "delete", "clear":
		f.access(n, n.Lparen, n.Args[0])
	}
}

// access enters the size of a map that event accesses.
func (f *finder) access(event ast.Node, pos token.Pos, x ast.Expr) {
	t := f.u.Info.TypeOf(x)
	if t == nil {
		return
	}
	if _, ok := t.Underlying().(*types.Map); ok {
		f.add(event, pos, instrumentations.Value{Of: instrumentations.MapLen}, "size of "+types.ExprString(x))
	}
}

// divide enters the divisor of a division of whole numbers.
func (f *finder) divide(event ast.Node, pos token.Pos, by ast.Expr) {
	tv := f.u.Info.Types[by]
	if tv.Value != nil {
		return
	}
	if b, ok := tv.Type.Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
		f.add(event, pos, instrumentations.Value{Of: instrumentations.Divisor, Type: tv.Type}, "divisor "+types.ExprString(by))
	}
}

func isSlice(t types.Type) bool {
	_, ok := t.Underlying().(*types.Slice)
	return ok
}
