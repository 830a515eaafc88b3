package flow

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"
)

// This file finds the node of a graph that evaluates a piece of source.

// Of returns the nodes that evaluate n: of a statement of a list, the first.
func (g *Graph) Of(n ast.Node) []*Node {
	if s, ok := n.(ast.Stmt); ok && g.Own[s] != nil {
		return []*Node{g.Own[s]}
	}
	return g.At(n.Pos())
}

// At returns the nodes that evaluate what stands at pos: one, or both of a
// loop's condition.
func (g *Graph) At(pos token.Pos) []*Node {
	if g.owners == nil {
		for _, n := range g.Nodes {
			for _, s := range n.Spans {
				g.owners = append(g.owners, owned{s, n})
			}
		}
		slices.SortStableFunc(g.owners, func(a, b owned) int { return cmp.Compare(a.From, b.From) })
	}
	// Spans are apart or one within the other: of those around pos, the one that
	// starts last is the innermost.
	i, _ := slices.BinarySearchFunc(g.owners, pos+1, func(o owned, pos token.Pos) int { return cmp.Compare(o.From, pos) })
	var found []*Node
	var inner Span
	for i--; i >= 0; i-- {
		o := g.owners[i]
		switch {
		case len(found) > 0 && o.From != inner.From:
			return found
		case pos < o.To && (len(found) == 0 || o.To < inner.To):
			found, inner = []*Node{o.Node}, o.Span
		case pos < o.To && o.To == inner.To:
			found = append(found, o.Node)
		}
	}
	return found
}

// owned is a span and the node that it is of.
type owned struct {
	Span
	*Node
}
