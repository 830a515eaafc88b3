package transform

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"github.com/dupinst/dupinst/flow"
)

// obstacle says why the whole body cannot be copied; "" if it can.
func (p *Plan) obstacle(pkg *flow.Package) string {
	for _, s := range p.Func.Body.List {
		if why := pkg.Obstacle(s, p.labels, true); why != "" {
			return why
		}
		if why := p.reuses(pkg, s); why != "" {
			return why
		}
	}
	return ""
}

// openDefers is the largest product of returns and defer statements for which the
// compiler runs deferred calls without a record of them (cmd/compile/internal/ssagen).
const openDefers = 15

// countReturns notes whether copies of return statements would cost the function
// that.
func (p *Plan) countReturns(pkg *flow.Package) {
	returns, defers := 0, 0
	pkg.Own(p.Func, func(n ast.Node) {
		switch n.(type) {
		case *ast.ReturnStmt:
			returns++
		case *ast.DeferStmt:
			defers++
		}
	})
	p.keepReturns = returns*defers <= openDefers && 2*returns*defers > openDefers
}

// obstacleTo says why s is not in two copies; "" if it can be.
func (p *Plan) obstacleTo(pkg *flow.Package, s ast.Stmt) string {
	why := pkg.Obstacle(s, p.labels, false)
	if why != "" || !p.keepReturns {
		return why
	}
	ast.Inspect(s, func(n ast.Node) bool {
		if _, ok := n.(*ast.ReturnStmt); ok {
			why = "a return statement, of which the compiler allows few where calls are deferred"
		}
		return why == ""
	})
	return why
}

// segments finds what is duplicated in a body whose loops are shared. keep says
// why a statement that could be duplicated is not to be, "" if it is.
func (p *Plan) segments(pkg *flow.Package, keep func(ast.Stmt) string) {
	g := &segmenter{p, pkg, keep}
	g.list(p.Func.Body.List)
}

// A segmenter divides the lists of a body into segments and shared statements.
type segmenter struct {
	*Plan
	pkg  *flow.Package
	keep func(ast.Stmt) string
}

// within divides the lists below n, a shared statement.
func (g *segmenter) within(n ast.Stmt) {
	ast.Inspect(n, func(n ast.Node) bool {
		if g.pkg.Of(n) != nil {
			return false
		}
		switch n := n.(type) {
		case *ast.BlockStmt:
			if len(n.List) > 0 && isClause(n.List[0]) {
				return true
			}
			g.list(n.List)
			return false
		case *ast.CaseClause:
			g.list(n.Body)
			return false
		case *ast.CommClause:
			g.list(n.Body)
			return false
		}
		return true
	})
}

func isClause(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
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

// list finds the runs of statements of list that are duplicated together.
func (g *segmenter) list(list []ast.Stmt) {
	l := g.line(list)
	for i := 0; i < len(list); {
		n := l.run(i, func(int) bool { return false })
		if hoisted := l.run(i, func(k int) bool { return g.Plan.hoist(g.pkg, list, i, k) != "" }); hoisted > n && g.declare(l, i, hoisted) {
			n = hoisted
		}
		if n == 0 {
			if g.probesIn(list[i].Pos(), list[i].End()) {
				g.Shared[list[i]] = l.why(i)
			}
			g.within(list[i])
			n = 1
		} else {
			g.Runs[list[i]] = list[i : i+n]
		}
		i += n
	}
}

// declare decides what is declared before the segment of n statements from the
// i-th on: what code outside uses, and what a := would declare anew because
// another of its variables is. It reports false, and decides nothing, where one
// of them cannot be.
func (g *segmenter) declare(l *line, i, n int) bool {
	declarations := map[ast.Stmt]string{}
	before := map[types.Object]bool{}
	for k := i; k < i+n; k++ {
		declared, reused := g.pkg.Declares(l.list[k])
		if l.reach[k] < i+n && l.back[k] >= i && !slices.ContainsFunc(reused, func(obj types.Object) bool { return before[obj] }) {
			continue
		}
		vars := g.Plan.hoist(g.pkg, l.list, i, k)
		if vars == "" {
			return false
		}
		declarations[l.list[k]] = vars
		for _, obj := range declared {
			before[obj] = true
		}
	}
	maps.Copy(g.hoisted, declarations)
	return true
}

// A line is a list of statements with what decides where it can be cut.
type line struct {
	list     []ast.Stmt
	obstacle []string
	probed   []bool
	reach    []int // index of the last statement that uses what each declares
	back     []int // index of the first statement whose variables each assigns to with :=
}

func (g *segmenter) line(list []ast.Stmt) *line {
	l := &line{list, make([]string, len(list)), make([]bool, len(list)), make([]int, len(list)), make([]int, len(list))}
	index := map[types.Object]int{}
	for i, s := range list {
		if l.obstacle[i] = g.obstacleTo(g.pkg, s); l.obstacle[i] == "" {
			l.obstacle[i] = g.keep(s)
		}
		l.probed[i] = g.probesIn(s.Pos(), s.End())
		l.reach[i], l.back[i] = i, i
		declared, reused := g.pkg.Declares(s)
		for _, obj := range declared {
			index[obj] = i
			l.reach[i] = max(l.reach[i], l.indexOf(g.pkg.LastUse(obj)))
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
// without obstacle, none of whose variables is used outside, but for those that
// can be declared before the segment. It starts with a probe and ends with one,
// or with the last use of a variable.
func (l *line) run(i int, hoist func(k int) bool) int {
	best, reach := 0, i
	for k := i; k < len(l.list) && l.obstacle[k] == "" && l.probed[i]; k++ {
		hoisted := (l.reach[k] > k || l.back[k] < i) && hoist(k)
		if l.back[k] < i && !hoisted {
			break
		}
		needed := k > i && reach == k
		if !hoisted {
			reach = max(reach, l.reach[k])
		}
		if reach <= k && (l.probed[k] || needed) {
			best = k + 1 - i
		}
	}
	return best
}

// hoist returns the declarations that would stand before a segment that starts
// with the i-th statement, of what its k-th declares: that then assigns, in both
// copies. It returns "" where that cannot be.
func (p *Plan) hoist(pkg *flow.Package, list []ast.Stmt, i, k int) string {
	s, ok := list[k].(*ast.AssignStmt)
	if !ok || s.Tok != token.DEFINE {
		return ""
	}
	vars := " "
	before := map[string]bool{}
	for _, s := range list[i:k] {
		declared, _ := pkg.Declares(s)
		for _, obj := range declared {
			before[obj.Name()] = true
		}
	}
	for _, x := range s.Lhs {
		id := x.(*ast.Ident)
		obj := pkg.Info.Defs[id]
		if obj == nil {
			continue
		}
		typ, ok := pkg.TypeName(obj.Type(), list[i].Pos())
		if !ok || !p.assignable(pkg, id) || pkg.Mentions(list[i:k+1], id.Name, obj) || mentions(typ, before) {
			return ""
		}
		before[id.Name] = true
		vars += fmt.Sprintf("var %s %s; ", id.Name, typ)
	}
	return vars
}

// mentions reports whether one of names stands in typ, a type as it is written.
func mentions(typ string, names map[string]bool) bool {
	x, err := parser.ParseExpr(typ)
	if err != nil {
		return true
	}
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && names[id.Name]
		return !found
	})
	return found
}

// assignable reports whether the variable that id declares may be assigned to
// once more: where nothing tells a variable with one value from one with two. A
// closure captures the one by value, and calls of an interface are bound to it.
func (p *Plan) assignable(pkg *flow.Package, id *ast.Ident) bool {
	t := pkg.Info.Defs[id].Type()
	return pkg.Stable(id) && (!types.IsInterface(t) || types.Identical(t, types.Universe.Lookup("error").Type()))
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
