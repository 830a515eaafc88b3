// Package calledge counts calls by caller, call site and callee, the first of
// the paper's two example instrumentations (Arnold and Ryder, PLDI 2001, §4.2).
//
// Where the paper's examines the stack in the callee, a call here is counted by
// its caller, just before it: the caller's duplicated code then says all there
// is to know of static calls when the program is compiled, and calls of
// functions that are not instrumented are counted as well. The callee of an
// interface method call or of a call of a function value is found when it
// runs, from the code that is about to be called.
//
// Counted are calls of functions and methods, the calls that go and defer
// statements make (when the statement runs), and the call of its iterator by a
// range-over-func loop. Not counted are conversions, built-in functions, and
// calls that the runtime makes: main, init functions, finalizers, and deferred
// functions once more when they run.
package calledge

import (
	"go/ast"
	"go/types"
	"slices"
	"strconv"

	"github.com/dupinst/dupinst/flow"
	"github.com/dupinst/dupinst/instrumentations"
	"github.com/dupinst/dupinst/profile/format"
)

// Instrumentation is the call-edge instrumentation.
var Instrumentation = &instrumentations.Instrumentation{
	Format: format.Instrumentation{
		Name:    "calledge",
		Key:     "{caller} {file}:{line}:{col} {op} {callee}",
		Parts:   []string{"caller", "file", "line#", "col#", "op", "callee"},
		Dynamic: 5,
	},
	Doc:   "calls, by caller, call site and callee",
	Sites: sites,
}

func sites(u *instrumentations.Unit, fn *flow.Func) []instrumentations.Site {
	f := &finder{u: u, fn: fn, op: map[*ast.CallExpr]string{}}
	u.InspectFunc(fn, f.visit)
	return f.sites
}

type finder struct {
	u     *instrumentations.Unit
	fn    *flow.Func
	op    map[*ast.CallExpr]string // those of go and defer statements
	sites []instrumentations.Site
}

func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GoStmt:
		f.op[n.Call] = "go"
	case *ast.DeferStmt:
		f.op[n.Call] = "defer"
	case *ast.RangeStmt:
		if f.u.RangesFunc(n) {
			f.add(n, n.X, n.X, "range")
		}
	case *ast.CallExpr:
		if f.u.IsCall(n) {
			op := f.op[n]
			if op == "" {
				op = "call"
			}
			f.add(n, n, n.Fun, op)
		}
	}
	return true
}

// add enters the call of fun, which happens when event is evaluated, at the
// position of at.
func (f *finder) add(event, at ast.Node, fun ast.Expr, op string) {
	name, callee, ok := f.callee(ast.Unparen(fun))
	if !ok {
		return
	}
	pos := at.Pos()
	if call, ok := at.(*ast.CallExpr); ok {
		pos = call.Lparen // where the runtime says that the call is
	}
	p := f.u.Position(pos)
	f.sites = append(f.sites, instrumentations.Site{
		Event:  event,
		Parts:  []string{f.fn.Name, p.Filename, strconv.Itoa(p.Line), strconv.Itoa(p.Column), op, name},
		Callee: callee,
	})
}

// callee returns what is known of the function that fun denotes. It reports
// false for calls that coverage put there.
func (f *finder) callee(fun ast.Expr) (string, instrumentations.Callee, bool) {
	switch e := fun.(type) {
	case *ast.FuncLit:
		return f.u.Of(e).Name, instrumentations.Callee{}, true
	case *ast.IndexExpr:
		if f.u.Info.Types[e.Index].IsType() {
			return f.callee(ast.Unparen(e.X))
		}
	case *ast.IndexListExpr:
		return f.callee(ast.Unparen(e.X))
	case *ast.Ident:
		switch obj := f.u.Info.Uses[e].(type) {
		case *types.Func:
			return flow.NameOf(obj), instrumentations.Callee{}, true
		case *types.Var:
			if lit := f.u.LiteralOf(obj); lit != nil {
				return f.u.Of(lit).Name, instrumentations.Callee{}, true
			}
		}
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok && x.Name == "_cover_atomic_" {
			return "", instrumentations.Callee{}, false
		}
		if name, callee, ok := f.selected(e); ok {
			return name, callee, true
		}
	}
	return "?", instrumentations.Callee{Dynamic: instrumentations.FuncValue, Operand: fun}, true
}

// selected handles x.f where f is a function or method.
func (f *finder) selected(e *ast.SelectorExpr) (string, instrumentations.Callee, bool) {
	obj, ok := f.u.Info.Uses[e.Sel].(*types.Func)
	if !ok {
		return "", instrumentations.Callee{}, false
	}
	name := flow.NameOf(obj)
	sel := f.u.Info.Selections[e]
	if sel == nil || sel.Kind() != types.MethodVal || !types.IsInterface(obj.Signature().Recv().Type()) {
		return name, instrumentations.Callee{}, true
	}
	via, recv, ok := f.path(sel)
	if _, param := types.Unalias(recv).(*types.TypeParam); !ok || param {
		return name, instrumentations.Callee{}, true
	}
	return name, instrumentations.Callee{
		Dynamic: instrumentations.Interface, Operand: e.X, Via: via, Method: methodIndex(recv, obj),
	}, true
}

// path returns the names of the embedded fields through which sel's method is
// promoted and the type of the last of them. It reports false where one of
// them cannot be named in this package.
func (f *finder) path(sel *types.Selection) ([]string, types.Type, bool) {
	t := sel.Recv()
	var via []string
	for _, i := range sel.Index()[:len(sel.Index())-1] {
		if ptr, ok := t.Underlying().(*types.Pointer); ok {
			t = ptr.Elem()
		}
		field := t.Underlying().(*types.Struct).Field(i)
		if !field.Exported() && field.Pkg() != f.u.Types {
			return nil, nil, false
		}
		via = append(via, field.Name())
		t = field.Type()
	}
	return via, t, true
}

// methodIndex returns the index of m in an itab of interface type t, in which
// methods stand in the order of the compiler (cmd/compile/internal/types,
// Sym.Less): exported ones first, by name, then the others, by name and path.
func methodIndex(t types.Type, m *types.Func) int {
	iface := t.Underlying().(*types.Interface)
	var all []*types.Func
	for i := range iface.NumMethods() {
		all = append(all, iface.Method(i))
	}
	slices.SortFunc(all, func(a, b *types.Func) int {
		switch {
		case a.Exported() != b.Exported():
			if a.Exported() {
				return -1
			}
			return 1
		case a.Name() != b.Name():
			if a.Name() < b.Name() {
				return -1
			}
			return 1
		case a.Exported() || a.Pkg().Path() == b.Pkg().Path():
			return 0
		case a.Pkg().Path() < b.Pkg().Path():
			return -1
		}
		return 1
	})
	return slices.IndexFunc(all, func(f *types.Func) bool { return f.Id() == m.Id() })
}
