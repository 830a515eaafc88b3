// Package allocation counts what is put on the heap, by its type and by the expression of the source that
// makes it: which types are made how often, and where. Hot data streams (package heat) are of objects, and it says where
// those come from.
//
// An event is where the compiler leaves one, as those of instrumentation value: what new, &T{…}, make, a literal of a
// slice or a map, a function literal or a variable makes counts when memory is asked for, so that what stays on the
// stack is never counted; and append where it finds the slice too short.
//
// What the runtime allocates for itself, or makes of values that become interfaces and of strings, has no site;
// nor have parameters, results, and the variables of type switches and of loops over functions that are moved to the heap.
package allocation

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"github.com/dupinst/dupinst/flow"
	"github.com/dupinst/dupinst/instrumentations"
	"github.com/dupinst/dupinst/instrumentations/fieldaccess"
	"github.com/dupinst/dupinst/profile/format"
)

// Instrumentation is the instrumentation of allocations.
var Instrumentation = &instrumentations.Instrumentation{
	Format: format.Instrumentation{
		Name:    "allocation",
		Key:     "{type} {function} {file}:{line}:{col} {by}",
		Parts:   []string{"type", "function", "file", "line#", "col#", "by"},
		Dynamic: -1,
	},
	Doc:      "what is put on the heap, by type and where it is made",
	Sites:    sites,
	OnDemand: true,
	Values:   true,
}

func sites(u *instrumentations.Unit, fn *flow.Func) []instrumentations.Site {
	f := &finder{u: u, fn: fn, escaping: escaping(u, fn)}
	u.InspectFunc(fn, f.visit)
	return f.sites
}

type finder struct {
	u        *instrumentations.Unit
	fn       *flow.Func
	escaping map[*types.Var]bool
	sites    []instrumentations.Site
}

func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		f.builtin(n)
	case *ast.UnaryExpr:
		if lit, ok := ast.Unparen(n.X).(*ast.CompositeLit); ok && n.Op == token.AND {
			f.add(n, n.OpPos, f.u.Info.TypeOf(lit), instrumentations.Object, "&")
		}
	case *ast.CompositeLit:
		f.literal(n)
	case *ast.FuncLit:
		f.add(n, n.Type.Func, f.u.Info.TypeOf(n), instrumentations.Object, "func")
	case *ast.Ident:
		if v, ok := f.u.Info.Defs[n].(*types.Var); ok && f.escaping[v] {
			f.add(n, n.NamePos, v.Type(), instrumentations.Object, "variable "+n.Name)
		}
	}
	return true
}

// add enters a site at pos.
func (f *finder) add(event ast.Expr, pos token.Pos, made types.Type, by instrumentations.Operand, how string) {
	p := f.u.Position(pos)
	f.sites = append(f.sites, instrumentations.Site{
		Event: event,
		Parts: []string{typeName(made), f.fn.Name, p.Filename, strconv.Itoa(p.Line), strconv.Itoa(p.Column), how},
		Value: instrumentations.Value{Of: by},
	})
}

func (f *finder) builtin(n *ast.CallExpr) {
	id, ok := ast.Unparen(n.Fun).(*ast.Ident)
	if !ok {
		return
	}
	b, ok := f.u.Info.Uses[id].(*types.Builtin)
	if !ok {
		return
	}
	t := f.u.Info.TypeOf(n)
	switch b.Name() {
	case "new":
		f.add(n, n.Lparen, t.Underlying().(*types.Pointer).Elem(), instrumentations.Object, "new")
	case "make":
		f.add(n, n.Lparen, t, instrumentations.Made, "make")
	case "append":
		f.add(n, n.Lparen, t, instrumentations.Grown, "append")
	}
}

func (f *finder) literal(n *ast.CompositeLit) {
	t := f.u.Info.TypeOf(n)
	if p, elided := t.Underlying().(*types.Pointer); elided { // &T, of which T alone is written, or nothing
		t = p.Elem()
		f.add(n, n.Lbrace, t, instrumentations.Object, "&")
	}
	switch t.Underlying().(type) {
	case *types.Slice:
		f.add(n, n.Lbrace, t, instrumentations.Object, "literal")
	case *types.Map:
		f.add(n, n.Lbrace, t, instrumentations.Made, "literal")
	}
}

// typeName names a type as fieldaccess names those of structs.
func typeName(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Slice:
		return "[]" + typeName(t.Elem())
	case *types.Array:
		return "[" + strconv.FormatInt(t.Len(), 10) + "]" + typeName(t.Elem())
	case *types.Pointer:
		return "*" + typeName(t.Elem())
	case *types.Map:
		return "map[" + typeName(t.Key()) + "]" + typeName(t.Elem())
	}
	return fieldaccess.TypeName(t)
}

// escaping are the variables in a function that may be moved to the heap: whose address is taken, or that a function within it refers to.
func escaping(u *instrumentations.Unit, fn *flow.Func) map[*types.Var]bool {
	out := map[*types.Var]bool{}
	add := func(e ast.Expr) {
		if v, ok := u.Info.Uses[root(u, e)].(*types.Var); ok {
			out[v] = true
		}
	}
	within := func(body ast.Node) {
		ast.Inspect(body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if v, ok := u.Info.Uses[id].(*types.Var); ok && !v.IsField() && (v.Pos() < body.Pos() || body.End() <= v.Pos()) {
					out[v] = true
				}
			}
			return true
		})
	}
	u.InspectFunc(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				add(n.X)
			}
		case *ast.SliceExpr:
			if isArray(u.Info.TypeOf(n.X)) {
				add(n.X)
			}
		case *ast.SelectorExpr: // a method that takes the address of what it is called on
			if s := u.Info.Selections[n]; s != nil && s.Kind() == types.MethodVal && isPointer(s.Obj().(*types.Func).Signature().Recv().Type()) {
				add(n.X)
			}
		case *ast.FuncLit:
			within(n)
		case *ast.RangeStmt:
			if u.RangesFunc(n) {
				within(n.Body)
			}
		}
		return true
	})
	return out
}

// root is the variable that an expression is, or is a part of; nil if it is behind a pointer.
func root(u *instrumentations.Unit, e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.ParenExpr:
			e = x.X
		case *ast.SelectorExpr:
			if t := u.Info.TypeOf(x.X); t == nil || isPointer(t) {
				return nil
			}
			e = x.X
		case *ast.IndexExpr:
			if !isArray(u.Info.TypeOf(x.X)) {
				return nil
			}
			e = x.X
		default:
			return nil
		}
	}
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

func isArray(t types.Type) bool {
	_, ok := t.Underlying().(*types.Array)
	return ok
}
