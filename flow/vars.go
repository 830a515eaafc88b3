package flow

import (
	"go/ast"
	"go/token"
	"go/types"
)

// vars is what is known of a package's variables.
type vars struct {
	literal map[types.Object]*ast.FuncLit // the one value ever assigned
	last    map[types.Object]token.Pos    // last use
	shared  map[types.Object]bool         // may change while a call runs
}

// LiteralOf returns the function literal that is obj's only value, or nil: a
// call of obj is then as good as a call of the literal.
func (p *Package) LiteralOf(obj *types.Var) *ast.FuncLit { return p.vars().literal[obj] }

// LastUse returns the position of the last use of obj in the package.
func (p *Package) LastUse(obj types.Object) token.Pos { return p.vars().last[obj] }

// Stable reports whether e is a variable that no call can change.
func (p *Package) Stable(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && !p.vars().shared[p.Info.ObjectOf(id)]
}

// DeclaredBefore reports whether the variable e is declared before pos.
func (p *Package) DeclaredBefore(e ast.Expr, pos token.Pos) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && p.Info.ObjectOf(id).Pos() < pos
}

func (p *Package) vars() *vars {
	if p.known == nil {
		p.known = &vars{map[types.Object]*ast.FuncLit{}, map[types.Object]token.Pos{}, map[types.Object]bool{}}
		p.findUses()
		p.findLiterals()
	}
	return p.known
}

// findUses finds last uses, and the variables that are shared: package-level
// ones and those that a function within their own uses.
func (p *Package) findUses() {
	for id, obj := range p.Info.Uses {
		p.known.last[obj] = max(p.known.last[obj], id.Pos())
		if obj.Parent() == nil || obj.Pkg() != p.Types || obj.Parent() == p.Types.Scope() {
			p.known.shared[obj] = true
		}
	}
	for _, fn := range p.Funcs {
		if fn.Body == nil {
			continue
		}
		p.Own(fn, func(n ast.Node) {
			if id, ok := n.(*ast.Ident); ok {
				if obj := p.Info.Uses[id]; obj != nil && (obj.Pos() < fn.Node.Pos() || obj.Pos() >= fn.Node.End()) {
					p.known.shared[obj] = true
				}
			}
		})
	}
}

// Own calls visit for all nodes of fn's body but those of functions within it.
func (p *Package) Own(fn *Func, visit func(ast.Node)) {
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		visit(n)
		if loop, ok := n.(*ast.RangeStmt); ok && p.of[n] != nil {
			for _, e := range []ast.Expr{loop.Key, loop.Value, loop.X} {
				if e != nil {
					ast.Inspect(e, func(n ast.Node) bool {
						if n != nil {
							visit(n)
						}
						_, lit := n.(*ast.FuncLit)
						return n != nil && !lit
					})
				}
			}
			return false
		}
		return p.of[n] == nil
	})
}

// findLiterals finds local variables with one value, and shared ones whose
// address is taken.
func (p *Package) findLiterals() {
	assigned := map[types.Object]int{}
	assign := func(lhs, rhs ast.Expr) {
		id, ok := ast.Unparen(lhs).(*ast.Ident)
		if !ok {
			return
		}
		obj := p.Info.ObjectOf(id)
		assigned[obj]++
		if lit, ok := rhs.(*ast.FuncLit); ok && obj != nil && obj.Parent() != p.Types.Scope() {
			p.known.literal[obj] = lit
		}
	}
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				pairs(n.Lhs, n.Rhs, assign)
			case *ast.ValueSpec:
				names := make([]ast.Expr, len(n.Names))
				for i, id := range n.Names {
					names[i] = id
				}
				if len(n.Values) > 0 {
					pairs(names, n.Values, assign)
				}
			case *ast.RangeStmt:
				pairs([]ast.Expr{n.Key, n.Value}, nil, assign)
			case *ast.UnaryExpr:
				if id := variable(n.X); n.Op == token.AND && id != nil {
					assigned[p.Info.ObjectOf(id)] += 2 // by whoever has the address
					p.known.shared[p.Info.ObjectOf(id)] = true
				}
			}
			return true
		})
	}
	for obj := range p.known.literal {
		if assigned[obj] != 1 {
			delete(p.known.literal, obj)
		}
	}
}

func pairs(lhs, rhs []ast.Expr, f func(lhs, rhs ast.Expr)) {
	for i, l := range lhs {
		switch {
		case l == nil:
		case len(rhs) == len(lhs):
			f(l, ast.Unparen(rhs[i]))
		default:
			f(l, nil)
		}
	}
}

// variable returns the variable that holds the storage which e denotes, or nil.
func variable(e ast.Expr) *ast.Ident {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return variable(e.X)
	case *ast.IndexExpr:
		return variable(e.X)
	}
	return nil
}
