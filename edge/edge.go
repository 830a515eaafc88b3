// Package edge owns edge profiles: how often control goes each way where it may go several, from how
// often it comes to the function's blocks (instrumentation block).
//
// Counts of blocks do not say it alone: ways without statements have no block. And those of samples
// do not agree with each other: what goes into a branch is not what comes out of its ways. Both are put
// right at once. What is looked for is a circulation, in which as much leaves each node of the
// control-flow graph as comes to it, and the exit leads to the entry; of all of these the one that
// deviates least from what was counted, each deviation being weighed by the count's standard deviation
// (Levin, Newman and Haber, "Complementing Missing and Inaccurate Profiling Using a Minimum Cost
// Circulation Algorithm", HiPEAC 2008). Where control leaves in the midst of a block, by a panic or
// an exit, that is taken for an inaccuracy, too.
package edge

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"math"
	"slices"

	"github.com/dupinst/dupinst/flow"
	"github.com/dupinst/dupinst/instrumentations"
	"github.com/dupinst/dupinst/instrumentations/block"
	"github.com/dupinst/dupinst/profile"
)

// A Branch is a statement that control leaves by several ways.
type Branch struct {
	Function string  `json:"function"`
	File     string  `json:"file"`
	Line     int     `json:"line"`
	Col      int     `json:"col"`
	Kind     string  `json:"kind"`  // if, for, range, switch or select
	Count    float64 `json:"count"` // estimate of how often it was passed
	Ways     []Way   `json:"ways"`
}

// A Way is one out of a branch.
type Way struct {
	To    string  `json:"to"`   // line N, else, default or out
	Line  int     `json:"line"` // where it leads, 0 for the last three
	Count float64 `json:"count"`
	Share float64 `json:"share"` // of the branch's count, 0 to 1
}

// A Result is an edge profile.
type Result struct {
	Branches []Branch // of functions that were counted, the most frequent first
	// Other is the number of functions that have other blocks than those that were counted: their
	// source has changed.
	Other int
	// Unsampled is the number of functions of which no block was counted: nothing is known of
	// their branches.
	Unsampled int
	// Counted is the sum of all blocks' counts, and Changed by how much they were changed.
	Counted, Changed float64
}

// Of returns the edge profile of packages, from a profile of blocks.
func Of(p *profile.Profile, units []*instrumentations.Unit) (*Result, error) {
	if p.Instrumentation != block.Instrumentation.Format.Name {
		return nil, fmt.Errorf("a profile of %s says nothing of edges; one of %s does", p.Instrumentation, block.Instrumentation.Format.Name)
	}
	counted := map[string]map[string]*profile.Entry{}
	for _, list := range [][]profile.Entry{p.Entries, p.Never} {
		for i := range list {
			e := &list[i]
			fn := e.Part("function")
			if counted[fn] == nil {
				counted[fn] = map[string]*profile.Entry{}
			}
			counted[fn][placeOf(e)] = e
		}
	}
	r := &Result{}
	for _, u := range units {
		for _, fn := range u.Funcs {
			if fn.Body == nil {
				continue
			}
			sites, err := block.Instrumentation.Find(u, fn)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", fn.Name, err)
			}
			r.add(u, fn, p, sites, counted[fn.Name])
		}
	}
	slices.SortFunc(r.Branches, func(a, b Branch) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	return r, nil
}

// placeOf is where in its function a block is, whatever its file is called.
func placeOf(e *profile.Entry) string {
	return fmt.Sprintf("%s.%s,%s.%s", e.Part("line"), e.Part("col"), e.Part("endline"), e.Part("endcol"))
}

// measured is what p says of a block.
func measured(p *profile.Profile, e *profile.Entry) measure {
	count, variance := p.Moments(e)
	// One more was hardly missed where none was counted.
	return measure{count, 1 / math.Sqrt(max(variance, p.Scale()*p.Scale()*p.Together(), 1))}
}

// add adds the branches of fn, if any of its blocks was counted.
func (r *Result) add(u *instrumentations.Unit, fn *flow.Func, p *profile.Profile, sites []instrumentations.Site, counted map[string]*profile.Entry) {
	if counted == nil {
		return // its package was not instrumented, or nothing in it was counted
	}
	g := u.Graph(fn)
	n := &network{nodes: len(g.Nodes), entry: g.Entry.Index, exit: g.Exit.Index, measured: make([]measure, len(g.Nodes))}
	sum := 0.0
	for _, s := range sites {
		made := profile.NewEntry(block.Instrumentation.Format, s.Parts)
		e := counted[placeOf(&made)]
		if e == nil {
			r.Other++
			return
		}
		m := measured(p, e)
		sum += m.count
		n.measured[g.Join[s.Event.(ast.Stmt)].Index] = m
	}
	if sum == 0 {
		r.Unsampled++
		return
	}
	var edges []*flow.Edge
	for _, node := range g.Nodes {
		for _, e := range node.Succs {
			edges = append(edges, e)
			n.edges = append(n.edges, [2]int{e.From.Index, e.To.Index})
		}
	}
	through := make([]float64, len(g.Nodes))
	branches := map[ast.Node]*Branch{}
	var order []*Branch
	for i, count := range n.solve() {
		e := edges[i]
		through[e.To.Index] += count
		if len(e.From.Succs) < 2 {
			continue
		}
		b := branches[e.From.Stmt]
		if b == nil {
			at := u.Position(e.From.Stmt.Pos())
			b = &Branch{Function: fn.Name, File: at.Filename, Line: at.Line, Col: at.Column, Kind: kind(e.From.Stmt)}
			branches[e.From.Stmt] = b
			order = append(order, b)
		}
		b.add(u.Position, e.Place, count)
	}
	for i, m := range n.measured {
		if m.cost > 0 {
			r.Counted += m.count
			r.Changed += math.Abs(through[i] - m.count)
		}
	}
	for _, b := range order {
		for i := range b.Ways {
			if b.Count > 0 {
				b.Ways[i].Share = b.Ways[i].Count / b.Count
			}
		}
		r.Branches = append(r.Branches, *b)
	}
}

// add adds count to the way that begins at a place.
func (b *Branch) add(position func(token.Pos) token.Position, place flow.Place, count float64) {
	w := Way{To: "out"}
	switch place.Kind {
	case flow.AtStart:
		w.Line = position(place.Node.Pos()).Line
		w.To = fmt.Sprintf("line %d", w.Line)
	case flow.AtElse:
		w.To = "else"
	case flow.Default:
		w.To = "default"
	}
	b.Count += count
	for i := range b.Ways {
		if b.Ways[i].To == w.To {
			b.Ways[i].Count += count
			return
		}
	}
	w.Count = count
	b.Ways = append(b.Ways, w)
}

// kind is what a statement is that control leaves by several ways.
func kind(s ast.Node) string {
	switch s.(type) {
	case *ast.IfStmt:
		return "if"
	case *ast.ForStmt:
		return "for"
	case *ast.RangeStmt:
		return "range"
	case *ast.SwitchStmt, *ast.TypeSwitchStmt:
		return "switch"
	case *ast.SelectStmt:
		return "select"
	}
	return "jump"
}

// Overlap is the overlap percentage (Arnold and Ryder, PLDI 2001) of the ways out of branches, from
// 0 to 100.
func Overlap(truth, sampled *Result) float64 {
	of, want := ways(sampled), ways(truth)
	sum, all := 0.0, total(of)
	if n := total(want); n > 0 && all > 0 {
		for w, count := range want {
			sum += min(count/n, of[w]/all)
		}
	}
	return 100 * sum
}

// Agreement is how well the shares of branches' ways agree, weighed by how often each was passed, from 0 to
// 100. Of branches that were not counted nothing is known, which is taken for ways of equal shares.
func Agreement(truth, sampled *Result) float64 {
	known := map[string]map[string]float64{}
	for _, b := range sampled.Branches {
		if b.Count == 0 {
			continue
		}
		shares := map[string]float64{}
		for _, w := range b.Ways {
			shares[w.To] = w.Share
		}
		known[b.at()] = shares
	}
	sum, n := 0.0, 0.0
	for _, b := range truth.Branches {
		shares := known[b.at()]
		for _, w := range b.Ways {
			share := shares[w.To]
			if shares == nil {
				share = 1 / float64(len(b.Ways))
			}
			sum += b.Count * min(w.Share, share)
		}
		n += b.Count
	}
	return 100 * sum / max(n, 1)
}

// at tells a branch from others.
func (b *Branch) at() string { return fmt.Sprintf("%s %s:%d.%d", b.Function, b.File, b.Line, b.Col) }

// ways are the counts of the ways out of branches.
func ways(r *Result) map[string]float64 {
	out := map[string]float64{}
	for _, b := range r.Branches {
		for _, w := range b.Ways {
			out[b.at()+" "+w.To] += w.Count
		}
	}
	return out
}

func total(counts map[string]float64) (sum float64) {
	for _, n := range counts {
		sum += n
	}
	return sum
}
