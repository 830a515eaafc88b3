package transform

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io"
	"slices"

	"github.com/dupinst/dupinst/flow"
	"github.com/dupinst/dupinst/instrumentations"
)

// A Variant is a way to arrange checks and instrumentation.
type Variant string

// The variants there are.
const (
	Full       Variant = "full"       // Full-Duplication
	Exhaustive Variant = "exhaustive" // the instrumentation with no framework
)

// Variants lists them.
func Variants() []Variant { return []Variant{Full, Exhaustive} }

// ParseVariant returns the variant of that name.
func ParseVariant(name string) (Variant, error) {
	if v := Variant(name); slices.Contains(Variants(), v) {
		return v, nil
	}
	return "", fmt.Errorf("no variant %q; there are %v", name, Variants())
}

// A Shape is what a function becomes.
type Shape string

// The shapes there are.
const (
	Untouched Shape = "untouched" // nothing to count, or nothing may be added
	Whole     Shape = "whole"     // one check, and a copy of the whole body
	Segmented Shape = "segmented" // a mode bit, shared loops, duplicated segments
	Direct    Shape = "direct"    // probes in the original code, no checks
)

// A Plan is all that is decided about one function. Emission takes no decision.
type Plan struct {
	Func   *flow.Func
	Shape  Shape
	Why    string                   // of the shape
	Probes int                      // sites in it
	Runs   map[ast.Stmt]int         // first statement and length of each duplicated segment
	Shared map[ast.Stmt]string      // why a statement is not duplicated
	labels *flow.Labels             // nil for the initialiser
	depth  int                      // of range-over-func bodies around: names the mode bit
	static map[spot]span            // sites to count at each spot
	early  map[spot][]dynamicSite   // sites whose callee can be read at the spot
	callee map[ast.Node]dynamicSite // other sites whose callee is found when they run
	late   map[ast.Node]dynamicSite // those of them whose probe rides on an argument
	split  map[types.Object]bool    // labels whose gotos need one of their own
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
	fmt.Fprintf(w, "%s: %s: %s; %d probes, %d segments\n", p.Func.Name, p.Shape, p.Why, p.Probes, len(p.Runs))
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

// plan decides about fn. It puts fn's sites in the order in which they are
// numbered, from first on.
func plan(pkg *flow.Package, fn *flow.Func, variant Variant, sites []site, first int) *Plan {
	p := &Plan{
		Func: fn, Probes: len(sites), Runs: map[ast.Stmt]int{}, Shared: map[ast.Stmt]string{},
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
	p.place(pkg, sites, first)
	if fn.Body != nil {
		p.splitLabels(pkg)
	}
	switch {
	case variant == Exhaustive:
		p.Shape, p.Why = Direct, "exhaustive instrumentation has no framework"
	case fn.Kind == flow.Initialiser:
		p.Shape, p.Why = Segmented, "an initialiser has no body to copy"
	default:
		p.decide(pkg)
	}
	return p
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
			}
			p.static[where] = span{sp.first, sp.n + 1}
			continue
		}
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
}

// splitLabels finds the labels that stand before probes of a statement that a
// break or continue names, and are the target of a goto too.
func (p *Plan) splitLabels(pkg *flow.Package) {
	pkg.Own(p.Func, func(n ast.Node) {
		outer, ok := n.(*ast.LabeledStmt)
		where := spot{atBefore, outer}
		if !ok || p.static[where].n+len(p.early[where]) == 0 || !breakable(unlabel(outer)) {
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

// decide chooses the shape of a function under Full-Duplication.
func (p *Plan) decide(pkg *flow.Package) {
	why := ""
	for _, s := range p.Func.Body.List {
		why = pkg.Obstacle(s, p.labels, true)
		if why == "" {
			why = p.reuses(pkg, s)
		}
		if why != "" {
			break
		}
	}
	if why == "" {
		p.Shape, p.Why = Whole, "it is acyclic"
		return
	}
	p.Shape, p.Why = Segmented, "it has "+why
	ast.Inspect(p.Func.Body, func(n ast.Node) bool {
		if n != ast.Node(p.Func.Body) && pkg.Of(n) != nil {
			return false
		}
		switch n := n.(type) {
		case *ast.BlockStmt:
			p.segment(pkg, n.List)
		case *ast.CaseClause:
			p.segment(pkg, n.Body)
		case *ast.CommClause:
			p.segment(pkg, n.Body)
		}
		return true
	})
}

// reuses says why s, a statement of the body's own list, cannot be copied into
// a block: it assigns with := to a parameter or result.
func (p *Plan) reuses(pkg *flow.Package, s ast.Stmt) string {
	_, reused := pkg.Declares(s)
	for _, obj := range reused {
		if obj.Pos() < p.Func.Body.Pos() || obj.Pos() >= p.Func.Body.End() {
			return "a := that assigns to a parameter or result"
		}
	}
	return ""
}

// segment finds the runs of statements of list that are duplicated together.
func (p *Plan) segment(pkg *flow.Package, list []ast.Stmt) {
	l := newLine(pkg, p.labels, list)
	for i := 0; i < len(list); {
		n := l.run(i)
		if n == 0 {
			p.Shared[list[i]] = l.why(i)
			n = 1
		} else {
			p.Runs[list[i]] = n
		}
		i += n
	}
}

// A line is a list of statements with what decides where it can be cut.
type line struct {
	list     []ast.Stmt
	obstacle []string
	reach    []int // index of the last statement that uses what each declares
	back     []int // index of the first statement whose variables each assigns to with :=
}

func newLine(pkg *flow.Package, labels *flow.Labels, list []ast.Stmt) *line {
	l := &line{list, make([]string, len(list)), make([]int, len(list)), make([]int, len(list))}
	index := map[types.Object]int{}
	for i, s := range list {
		l.obstacle[i] = pkg.Obstacle(s, labels, false)
		l.reach[i], l.back[i] = i, i
		declared, reused := pkg.Declares(s)
		for _, obj := range declared {
			index[obj] = i
			l.reach[i] = max(l.reach[i], l.indexOf(pkg.LastUse(obj)))
		}
		for _, obj := range reused {
			at, ok := index[obj]
			if !ok {
				at = -1
			}
			l.back[i] = min(l.back[i], at)
		}
	}
	return l
}

// indexOf returns the index of the statement around pos, or of the last one
// that starts before it.
func (l *line) indexOf(pos token.Pos) int {
	i, _ := slices.BinarySearchFunc(l.list, pos, func(s ast.Stmt, pos token.Pos) int {
		return int(s.Pos() - pos - 1)
	})
	return i - 1
}

// run returns the length of the longest segment that starts at i: statements
// without obstacle, none of whose variables is used outside.
func (l *line) run(i int) int {
	best, reach := 0, i
	for k := i; k < len(l.list) && l.obstacle[k] == "" && l.back[k] >= i; k++ {
		reach = max(reach, l.reach[k])
		if reach <= k {
			best = k + 1 - i
		}
	}
	return best
}

// why says why no segment starts at i.
func (l *line) why(i int) string {
	switch {
	case l.obstacle[i] != "":
		return l.obstacle[i]
	case l.back[i] < i:
		return "it assigns with := to a variable declared before"
	}
	return "it declares a variable that shared code uses"
}
