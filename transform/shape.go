package transform

import (
	"go/ast"

	"github.com/dupinst/dupinst/flow"
)

// Statements counts p's simple statements and headers, and those that are
// written twice.
func (p *Plan) Statements() (all, duplicated int) {
	if p.Parts == nil {
		return 0, 0
	}
	for _, n := range p.Parts.Graph.Nodes {
		if n.Kind != flow.NodeSimple {
			continue
		}
		if _, block := n.Stmt.(*ast.BlockStmt); block {
			continue
		}
		all++
		if p.Copied(n) {
			duplicated++
		}
	}
	return all, duplicated
}

// Copied reports whether n's statement is written twice, without probes and
// with them.
func (p *Plan) Copied(n *flow.Node) bool {
	if p.Shape == Whole {
		return true
	}
	for s, run := range p.Runs {
		if s.Pos() <= n.Stmt.Pos() && n.Stmt.Pos() < run[len(run)-1].End() {
			return true
		}
	}
	return false
}

// Duplicated reports whether n belongs to the duplicated code: written twice, or
// shared and entered in either mode.
func (p *Plan) Duplicated(n *flow.Node) bool {
	switch {
	case p.Shape != Whole && p.Shape != Segmented:
		return false
	case p.Parts.Top == nil:
		return true
	}
	return !p.Parts.Top[n.Index] && !p.Parts.Bottom[n.Index]
}

// CheckAt returns the check of a place.
func (p *Plan) CheckAt(at flow.Place) (flow.Check, bool) {
	c, ok := p.Checks[at]
	return c, ok && (p.Shape == Whole || p.Shape == Segmented)
}

// StaticChecks is the number of checks in the code.
func (p *Plan) StaticChecks() int {
	switch p.Shape {
	case Lone:
		return p.Probes
	case Whole, Segmented:
		if p.Func.Body == nil {
			return 1
		}
		return len(p.Checks)
	}
	return 0
}
