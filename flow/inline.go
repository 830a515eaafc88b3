package flow

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// InlineBudget is the cost up to which the compiler inlines a function, and
// InlineCall what it takes a call to cost that is not inlined itself
// (cmd/compile/internal/inline).
const (
	InlineBudget = 80
	InlineCall   = 57
)

// InlineCost estimates what the compiler's inliner takes body to cost: the
// nodes of its intermediate form. call is asked for the cost of each call.
func (p *Package) InlineCost(body ast.Node, call func(*ast.CallExpr) int) int {
	cost := 0
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			switch v := p.static(n.Cond); {
			case v > 0:
				cost += p.InlineCost(n.Body, call)
				return false
			case v < 0 && n.Else != nil:
				cost += p.InlineCost(n.Else, call)
				return false
			case v < 0:
				return false
			}
		case nil, *ast.BlockStmt, *ast.ExprStmt, *ast.ParenExpr, *ast.LabeledStmt, *ast.EmptyStmt, *ast.DeclStmt, *ast.GenDecl:
			return true
		case *ast.CallExpr:
			if p.IsCall(n) {
				cost += call(n)
			}
		case ast.Expr:
			tv := p.Info.Types[n]
			if tv.IsType() {
				return false
			}
			if tv.Value != nil {
				cost++
				return false
			}
			if _, ok := n.(*ast.SelectorExpr); ok {
				return true // its selected name counts
			}
		}
		cost++
		return true
	})
	return cost
}

// Simple says why a copy of the declared function fn could not stand for it in
// a call, or would have to have checks of its own; "" if it can: it is acyclic,
// does not ask who calls it, and holds nothing that has an identity.
func (p *Package) Simple(fn *Func) string {
	decl, ok := fn.Node.(*ast.FuncDecl)
	if !ok || decl.Body == nil || fn.Excluded != "" || fn.Kept != "" {
		return "it is not declared, or has no body"
	}
	if decl.Recv == nil && (decl.Name.Name == "init" || decl.Name.Name == "main") {
		return "the runtime calls it"
	}
	if decl.Doc != nil {
		for _, c := range decl.Doc.List {
			if strings.HasPrefix(c.Text, "//go:") && !strings.HasPrefix(c.Text, "//go:fix ") {
				return "it is marked " + c.Text
			}
		}
	}
	why, loops := "", false
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt:
			loops = true
		case *ast.RangeStmt:
			if loops = true; p.RangesFunc(n) {
				why = "it has a loop"
			}
		case *ast.BranchStmt:
			if n.Tok == token.GOTO {
				why = "it has a goto"
			}
		case *ast.FuncLit:
			why = "it has a function literal"
		case *ast.TypeSpec:
			why = "it declares a type"
		case *ast.CallExpr:
			if p.callsBuiltin(n, "recover") {
				why = "it recovers"
			} else if p.Callee(n) == p.Info.Defs[decl.Name] {
				why = "it is recursive"
			}
		}
		return why == ""
	})
	if why == "" && loops && p.Graph(fn).cyclic() {
		why = "it has a loop"
	}
	return why
}

// Operand is what call calls, without type arguments.
func Operand(call *ast.CallExpr) ast.Expr {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.IndexExpr:
		return fun.X
	case *ast.IndexListExpr:
		return fun.X
	default:
		return fun
	}
}

// Callee returns the function or method that call calls, whatever runs, or nil.
func (p *Package) Callee(call *ast.CallExpr) *types.Func {
	var obj types.Object
	switch e := Operand(call).(type) {
	case *ast.Ident:
		obj = p.Info.Uses[e]
	case *ast.SelectorExpr:
		if sel := p.Info.Selections[e]; sel != nil && sel.Kind() != types.MethodVal {
			return nil
		}
		obj = p.Info.Uses[e.Sel]
	}
	f, ok := obj.(*types.Func)
	if !ok {
		return nil
	}
	if recv := f.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
		return nil
	}
	return f.Origin()
}
