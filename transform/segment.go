package transform

import (
	"go/ast"
	"go/token"
	"go/types"
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
		n := l.run(i)
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
// without obstacle, none of whose variables is used outside. It starts with a probe
// and ends with one, or with the last use of a variable.
func (l *line) run(i int) int {
	best, reach := 0, i
	for k := i; k < len(l.list) && l.obstacle[k] == "" && l.probed[i] && l.back[k] >= i; k++ {
		needed := k > i && reach == k
		reach = max(reach, l.reach[k])
		if reach <= k && (l.probed[k] || needed) {
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
