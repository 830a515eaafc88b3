package flow

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// RangesFunc reports whether loop ranges over a function.
func (p *Package) RangesFunc(loop *ast.RangeStmt) bool {
	t := p.Info.TypeOf(loop.X)
	if t == nil {
		return false
	}
	return coreIs[*types.Signature](t)
}

// coreIs reports whether t's underlying type, or that of every type in the type
// set of t, is a T.
func coreIs[T types.Type](t types.Type) bool {
	switch u := t.Underlying().(type) {
	case T:
		return true
	case *types.Interface:
		if _, ok := types.Unalias(t).(*types.TypeParam); !ok {
			return false
		}
		found := false
		for i := range u.NumEmbeddeds() {
			e := u.EmbeddedType(i)
			if union, ok := e.(*types.Union); ok {
				for j := range union.Len() {
					if _, ok := union.Term(j).Type().Underlying().(T); !ok {
						return false
					}
					found = true
				}
			} else if _, ok := e.Underlying().(T); ok {
				found = true
			}
		}
		return found
	}
	return false
}

// static returns 1 or -1 where the value of the condition e is known to be true
// or false when the program is compiled, else 0.
func (p *Package) static(e ast.Expr) int {
	e = ast.Unparen(e)
	if tv := p.Info.Types[e]; tv.Value != nil && tv.Value.Kind() == constant.Bool {
		if constant.BoolVal(tv.Value) {
			return 1
		}
		return -1
	}
	switch e := e.(type) {
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return -p.static(e.X)
		}
	case *ast.BinaryExpr:
		x, y := p.static(e.X), p.static(e.Y)
		switch e.Op {
		case token.LAND:
			if x < 0 || y < 0 && x > 0 {
				return -1
			}
		case token.LOR:
			if x > 0 || y > 0 && x < 0 {
				return 1
			}
		}
	}
	return 0
}

// InspectFunc calls visit, as Inspect does, for what fn itself evaluates: its body or, of the initialiser, what variables of the
// package begin with.
func (p *Package) InspectFunc(fn *Func, visit func(ast.Node) bool) {
	if fn.Kind == Initialiser {
		for _, in := range p.Info.InitOrder {
			p.Inspect(in.Rhs, visit)
		}
		return
	}
	p.Inspect(fn.Body, visit)
}

// Inspect calls visit for the nodes below root (root included) that are
// evaluated when root is executed by its own function: not types, constants
// and other operands that are not evaluated, nor the bodies of inner functions.
// A visit that returns false leaves out what is below its node.
func (p *Package) Inspect(root ast.Node, visit func(ast.Node) bool) {
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			visit(n)
			return false
		case *ast.RangeStmt:
			if n != root && p.RangesFunc(n) {
				if visit(n) {
					p.Inspect(n.X, visit)
				}
				return false
			}
			if visit(n) {
				p.inspectRange(n, visit)
			}
			return false
		case *ast.LabeledStmt:
			if visit(n) {
				p.Inspect(n.Stmt, visit)
			}
			return false
		case *ast.BranchStmt, *ast.CommentGroup, *ast.FieldList:
			if n, ok := n.(*ast.BranchStmt); ok {
				visit(n)
			}
			return false
		case ast.Expr:
			if !p.evaluated(n) {
				return false
			}
		}
		return n == nil || visit(n)
	})
}

func (p *Package) inspectRange(n *ast.RangeStmt, visit func(ast.Node) bool) {
	if p.RangeEvaluated(n) {
		p.Inspect(n.X, visit)
	}
	if p.RangesFunc(n) {
		return
	}
	for _, e := range []ast.Expr{n.Key, n.Value} {
		if e != nil {
			p.Inspect(e, visit)
		}
	}
	p.Inspect(n.Body, visit)
}

// RangeEvaluated reports whether the operand of a range clause is evaluated: it
// is not where its length is constant and no element is asked for.
func (p *Package) RangeEvaluated(n *ast.RangeStmt) bool {
	if v, ok := n.Value.(*ast.Ident); n.Value != nil && !(ok && v.Name == "_") {
		return true
	}
	t := p.Info.TypeOf(n.X).Underlying()
	if ptr, ok := t.(*types.Pointer); ok {
		t = ptr.Elem().Underlying()
	}
	if _, ok := t.(*types.Array); !ok {
		return true
	}
	return p.HasCall(n.X)
}

// HasCall reports whether evaluating e calls a function or receives.
func (p *Package) HasCall(e ast.Node) bool {
	found := false
	p.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			found = found || p.IsCall(n)
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return !found
	})
	return found
}

// IsCall reports whether call is a function call: not a conversion, nor a
// built-in function.
func (p *Package) IsCall(call *ast.CallExpr) bool {
	tv := p.Info.Types[ast.Unparen(call.Fun)]
	return !tv.IsType() && !tv.IsBuiltin()
}

// evaluated reports whether e is an expression that computes something.
func (p *Package) evaluated(e ast.Expr) bool {
	tv, ok := p.Info.Types[e]
	if ok && (tv.IsType() || tv.Value != nil) {
		return false
	}
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return true
	}
	// Sizeof and its like do not evaluate their operand even where the size of
	// a type parameter makes them no constant.
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return true
	}
	b, ok := p.Info.Uses[sel.Sel].(*types.Builtin)
	return !ok || b.Name() != "Sizeof" && b.Name() != "Alignof" && b.Name() != "Offsetof"
}
