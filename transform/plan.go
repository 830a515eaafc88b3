package transform

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/dupinst/dupinst/flow"
	"github.com/dupinst/dupinst/instrumentations"
)

// A Shape is what a function becomes.
type Shape string

// The shapes there are.
const (
	Untouched Shape = "untouched" // nothing to count, or nothing may be added
	Whole     Shape = "whole"     // one check, and a copy of the whole body
	Segmented Shape = "segmented" // a mode bit, shared loops, duplicated segments
	Lone      Shape = "lone"      // each probe behind a check of its own
	Direct    Shape = "direct"    // probes in the original code, no checks
)

// A Plan is all that is decided about one function. Emission takes no decision.
type Plan struct {
	Func    *flow.Func
	Variant Variant // "" where the function is untouched
	Shape   Shape
	Why     string                  // of the variant and shape
	Probes  int                     // sites in it
	Runs    map[ast.Stmt][]ast.Stmt // duplicated segments, by their first statement
	Shared  map[ast.Stmt]string     // why a statement is not duplicated
	// Checks are the places of checks, where the shape is Whole or Segmented.
	Checks map[flow.Place]flow.Check
	// Parts is the control-flow graph with the nodes that have probes and, for
	// a partial plan, its top- and bottom-nodes; nil without a body.
	Parts       *flow.Partition
	open        bool                     // a Check is: the function has a second bit, said to be set once it has passed one
	labels      *flow.Labels             // nil for the initialiser
	depth       int                      // of range-over-func bodies around: names the mode bit
	static      map[spot]span            // sites to count at each spot
	early       map[spot][]dynamicSite   // sites whose callee can be read at the spot
	callee      map[ast.Node]dynamicSite // other sites whose callee is found when they run
	late        map[ast.Node]dynamicSite // those of them whose probe rides on an argument
	split       map[types.Object]bool    // labels whose gotos need one of their own
	bottoms     []token.Pos              // of bottom-nodes that are no jumps or returns, sorted
	audit       int                      // first of its sites for Audit
	spots       []token.Pos              // places with probes, sorted
	keepReturns bool                     // no return statement is to be copied
}

// A span is a run of sites: those of one spot are numbered in a row, and one
// call counts them all.
type span struct{ first, n int }

// A site is one of the function's, with the index of its instrumentation.
type site struct {
	instrumentations.Site
	instrumentation int
}

// A dynamicSite is a site with the expression that carries its probe.
type dynamicSite struct {
	site int
	instrumentations.Callee
	late ast.Expr // the argument after which the operand is read, or nil
}

// Fprint writes the plan as one line, and one for each statement that is shared
// though it could be evaluated in both modes.
func (p *Plan) Fprint(w io.Writer, pkg *flow.Package) {
	fmt.Fprintf(w, "%s: %s: %s; %d probes, %d segments", p.Func.Name, p.Shape, p.Why, p.Probes, len(p.Runs))
	if p.Shape == Segmented && len(p.Checks) > 0 {
		fmt.Fprintf(w, ", checks %s", p.checkList(pkg))
	}
	fmt.Fprintln(w)
	var shared []ast.Stmt
	for s := range p.Shared {
		shared = append(shared, s)
	}
	slices.SortFunc(shared, func(a, b ast.Stmt) int { return int(a.Pos() - b.Pos()) })
	for _, s := range shared {
		pos := pkg.Fset.Position(s.Pos())
		fmt.Fprintf(w, "\t%d:%d: shared: %s\n", pos.Line, pos.Column, p.Shared[s])
	}
}

// checkList names the places of the checks, in the order of the source.
func (p *Plan) checkList(pkg *flow.Package) string {
	places := slices.Collect(maps.Keys(p.Checks))
	slices.SortFunc(places, func(a, b flow.Place) int {
		return cmp.Or(cmp.Compare(a.Node.Pos(), b.Node.Pos()), cmp.Compare(a.Kind, b.Kind))
	})
	var out []string
	for _, at := range places {
		pos := pkg.Fset.Position(at.Node.Pos())
		text := fmt.Sprintf("%s %d:%d", at.Kind, pos.Line, pos.Column)
		if p.Checks[at].Open {
			text += " (if there was none)"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// plan decides about fn. It puts fn's sites in the order in which they are
// numbered, from first on.
func plan(pkg *flow.Package, fn *flow.Func, variant Variant, sites []site, first int) *Plan {
	p := &Plan{
		Func: fn, Probes: len(sites), Runs: map[ast.Stmt][]ast.Stmt{}, Shared: map[ast.Stmt]string{},
		static: map[spot]span{}, early: map[spot][]dynamicSite{}, callee: map[ast.Node]dynamicSite{},
		late: map[ast.Node]dynamicSite{}, split: map[types.Object]bool{},
	}
	for f := fn; f.Kind == flow.Range; f = f.Parent {
		p.depth++
	}
	if fn.Body != nil {
		p.labels = pkg.LabelsOf(fn)
	}
	switch {
	case fn.Excluded != "":
		p.Shape, p.Why = Untouched, fn.Excluded
		return p
	case len(sites) == 0:
		p.Shape, p.Why = Untouched, "there is nothing to count"
		return p
	}
	if fn.Body != nil {
		p.partition(pkg, sites)
	}
	p.place(pkg, sites, first)
	if fn.Body != nil {
		p.splitLabels(pkg)
		p.countReturns(pkg)
	}
	p.decide(pkg, variant)
	return p
}

// partition builds the control-flow graph and finds the nodes with probes.
func (p *Plan) partition(pkg *flow.Package, sites []site) {
	g := pkg.Graph(p.Func)
	probed := make([]bool, len(g.Nodes))
	mark := func(event ast.Node) {
		nodes := g.Of(event)
		if len(nodes) == 0 {
			panic(fmt.Sprintf("%s: an event at %s is in no node", p.Func.Name, pkg.Fset.Position(event.Pos())))
		}
		for _, n := range nodes {
			probed[n.Index] = true
		}
	}
	for _, s := range sites {
		mark(s.Event)
	}
	p.Parts = &flow.Partition{Graph: g, Probed: probed}
}

func (p *Plan) place(pkg *flow.Package, sites []site, first int) {
	at := place(pkg, p.Func)
	for _, s := range sites {
		if _, ok := at[s.Event]; !ok {
			panic(fmt.Sprintf("%s: an event at %s is in no statement", p.Func.Name, pkg.Fset.Position(s.Event.Pos())))
		}
	}
	slices.SortStableFunc(sites, func(a, b site) int {
		return cmp.Or(cmp.Compare(a.Dynamic, b.Dynamic), at[a.Event].compare(at[b.Event]))
	})
	for i, s := range sites {
		where := at[s.Event]
		if s.Dynamic == instrumentations.Static {
			sp := p.static[where]
			if sp.n == 0 {
				sp.first = first + i
				p.addSpot(where)
			}
			p.static[where] = span{sp.first, sp.n + 1}
			continue
		}
		p.addSpot(where)
		d := dynamicSite{site: first + i, Callee: s.Callee}
		if where.kind == atBefore && stable(pkg, s.Callee) && pkg.DeclaredBefore(s.Operand, where.node.Pos()) {
			p.early[where] = append(p.early[where], d)
			continue
		}
		p.callee[s.Event] = d
		if d.late = lateArgument(pkg, s.Site); d.late != nil {
			p.callee[s.Event], p.late[d.late] = d, d
		}
	}
	slices.Sort(p.spots)
}

// addSpot enters a place with probes, but for the initialiser's.
func (p *Plan) addSpot(where spot) {
	if where.node != nil && p.Parts != nil {
		p.spots = append(p.spots, where.node.Pos())
	}
}

// probesIn reports whether an event of p lies between from and to.
func (p *Plan) probesIn(from, to token.Pos) bool {
	i, _ := slices.BinarySearch(p.spots, from)
	return i < len(p.spots) && p.spots[i] < to
}

// splitLabels finds the labels that stand before probes of a statement that a
// break or continue names, and are the target of a goto too.
func (p *Plan) splitLabels(pkg *flow.Package) {
	pkg.Own(p.Func, func(n ast.Node) {
		outer, ok := n.(*ast.LabeledStmt)
		where := spot{atBefore, outer}
		if !ok || p.static[where].n+len(p.early[where]) == 0 || !flow.Breakable(flow.Unlabeled(outer)) {
			return
		}
		for l, ok := outer, true; ok; l, ok = l.Stmt.(*ast.LabeledStmt) {
			if label := pkg.Info.Defs[l.Label]; p.labels.Goto(label) {
				p.split[label] = true
			}
		}
	})
}

// stable reports whether reading c's operand early is reading it in its place:
// it is a variable that no call changes, and nothing is reached through it.
func stable(pkg *flow.Package, c instrumentations.Callee) bool {
	return len(c.Via) == 0 && pkg.Stable(c.Operand)
}

// lateArgument returns the argument that is to carry the probe of a dynamic
// call, if there is need of one: the last that calls something itself, where
// that may change the operand.
func lateArgument(pkg *flow.Package, s instrumentations.Site) ast.Expr {
	call, ok := s.Event.(*ast.CallExpr)
	if !ok || stable(pkg, s.Callee) || pkg.HasCall(s.Operand) {
		return nil
	}
	for _, arg := range slices.Backward(call.Args) {
		if !pkg.HasCall(arg) {
			continue
		}
		switch t := pkg.Info.TypeOf(arg).(type) {
		case *types.Tuple:
			return nil
		case *types.Basic:
			if t.Info()&types.IsUntyped != 0 {
				return nil
			}
		}
		return arg
	}
	return nil
}
