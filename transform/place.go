package transform

import (
	"cmp"
	"go/ast"
	"go/token"

	"github.com/dupinst/dupinst/flow"
)

// A spot is where the probe of an event can stand, so that it runs if and only
// if the event is evaluated.
type spot struct {
	kind spotKind
	node ast.Node
}

type spotKind int

const (
	atBefore  spotKind = iota // before node, a statement of a list
	atOperand                 // in node, the second operand of && or ||
	atCond                    // in node, the condition of an if or for statement
	atPost                    // with the post statement of node, a for statement
	atCase                    // in node, an expression of a switch's case
	atStart                   // at the start of node, the body of a clause or loop
	atInit                    // in the package's initialiser, unconditionally
)

// compare orders spots by their position.
func (s spot) compare(t spot) int {
	pos := func(s spot) token.Pos {
		if s.node == nil {
			return token.NoPos
		}
		return s.node.Pos()
	}
	return cmp.Or(cmp.Compare(pos(s), pos(t)), cmp.Compare(s.kind, t.kind))
}

// A placer finds the spot of each expression of a function.
type placer struct {
	pkg *flow.Package
	at  map[ast.Node]spot
}

// place returns the spots of fn's nodes.
func place(pkg *flow.Package, fn *flow.Func) map[ast.Node]spot {
	p := &placer{pkg, map[ast.Node]spot{}}
	switch fn.Kind {
	case flow.Initialiser:
		for _, in := range pkg.Info.InitOrder {
			p.expr(in.Rhs, spot{atInit, nil})
		}
		return p.at
	case flow.Range:
		loop := fn.Node.(*ast.RangeStmt)
		p.exprs(spot{atStart, loop.Body}, loop.Key, loop.Value)
	}
	p.list(fn.Body.List)
	return p.at
}

func (p *placer) list(list []ast.Stmt) {
	for _, s := range list {
		p.stmt(s, spot{atBefore, s})
	}
}

// exprs is expr for those of list that are not nil.
func (p *placer) exprs(s spot, list ...ast.Expr) {
	for _, e := range list {
		if e != nil {
			p.expr(e, s)
		}
	}
}

// expr gives s to n and what is below it, but for operands evaluated only under
// a condition.
func (p *placer) expr(n ast.Node, s spot) {
	ast.Inspect(n, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		p.at[n] = s
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				p.expr(n.X, s)
				p.expr(n.Y, spot{atOperand, n.Y})
				return false
			}
		}
		return true
	})
}

// stmt gives spots to what n evaluates itself; before is where a probe can
// stand that is to run once before n.
func (p *placer) stmt(n ast.Stmt, before spot) {
	p.at[n] = before
	switch n := n.(type) {
	case *ast.BlockStmt:
		p.list(n.List)
	case *ast.LabeledStmt:
		p.stmt(n.Stmt, before)
	case *ast.IfStmt:
		p.ifStmt(n, before)
	case *ast.ForStmt:
		p.simple(n.Init, before)
		if n.Cond != nil {
			p.expr(n.Cond, spot{atCond, n.Cond})
		}
		p.simple(n.Post, spot{atPost, n})
		p.list(n.Body.List)
	case *ast.RangeStmt:
		p.expr(n.X, before)
		if !p.pkg.RangesFunc(n) {
			p.exprs(spot{atStart, n.Body}, n.Key, n.Value)
			p.list(n.Body.List)
		}
	case *ast.SwitchStmt:
		p.simple(n.Init, before)
		p.exprs(before, n.Tag)
		for _, c := range n.Body.List {
			c := c.(*ast.CaseClause)
			for _, e := range c.List {
				p.expr(e, spot{atCase, e})
			}
			p.list(c.Body)
		}
	case *ast.TypeSwitchStmt:
		p.simple(n.Init, before)
		p.simple(n.Assign, before)
		for _, c := range n.Body.List {
			p.list(c.(*ast.CaseClause).Body)
		}
	case *ast.SelectStmt:
		for _, c := range n.Body.List {
			p.comm(c.(*ast.CommClause), before)
		}
	default:
		p.expr(n, before)
	}
}

func (p *placer) simple(n ast.Stmt, s spot) {
	if n != nil {
		p.expr(n, s)
	}
}

// ifStmt places an if statement. Before an else if there is no place: the probes
// of its whole header are in its condition. So are those of a condition that
// runs after an init statement, which may not return.
func (p *placer) ifStmt(n *ast.IfStmt, before spot) {
	s := spot{atCond, n.Cond}
	if before.kind == atBefore {
		p.simple(n.Init, before)
		if n.Init == nil {
			s = before
		}
	} else {
		p.simple(n.Init, s)
	}
	p.expr(n.Cond, s)
	p.list(n.Body.List)
	switch e := n.Else.(type) {
	case *ast.BlockStmt:
		p.list(e.List)
	case *ast.IfStmt:
		p.at[e] = spot{atCond, e.Cond}
		p.ifStmt(e, spot{atCond, e.Cond})
	}
}

// comm places a clause of a select statement: channels and values to send are
// evaluated on entering the statement, what is received into once the clause
// has been chosen.
func (p *placer) comm(c *ast.CommClause, before spot) {
	if assign, ok := c.Comm.(*ast.AssignStmt); ok {
		p.exprs(spot{atStart, c}, assign.Lhs...)
		p.exprs(before, assign.Rhs...)
	} else {
		p.simple(c.Comm, before)
	}
	p.list(c.Body)
}
