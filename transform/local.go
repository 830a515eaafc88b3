package transform

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/dupinst/dupinst/checks"
	"github.com/dupinst/dupinst/flow"
)

// In a loop that calls nothing that checks, the goroutine's counter is held in a
// local variable, a register if all goes well: it is loaded before the loop, and
// stored behind it and before each jump out of it. What calls something that may
// check, on a branch that not every iteration takes, has the counter stored
// before it and loaded again behind it. The samples are those of a counter in
// memory, but that a run-time panic forgets the checks since the counter was
// loaded. A function that defers something, and might recover, has its counter in
// memory.

// findLocal finds those loops, the outermost ones. An audit's checks are calls.
func (p *Plan) findLocal(pkg *flow.Package) {
	p.local, p.flush = nil, map[ast.Stmt]bool{}
	if p.Shape != Segmented || p.Func.Body == nil || p.defers {
		return
	}
	for _, l := range p.Parts.Graph.Loops {
		if p.localAt(l.Stmt.Pos()) == nil && p.checkIn(l.Stmt) {
			if flush, ok := p.quiet(pkg, l.Stmt); ok {
				p.local = append(p.local, l.Stmt)
				for _, s := range flush {
					p.flush[s] = true
				}
			}
		}
	}
}

// localAt returns the loop around pos that has the counter in a local variable.
func (p *Plan) localAt(pos token.Pos) ast.Stmt {
	for _, l := range p.local {
		if l.Pos() <= pos && pos < l.End() {
			return l
		}
	}
	return nil
}

// localPlace is localAt for a place.
func (p *Plan) localPlace(at flow.Place) ast.Stmt {
	l := p.localAt(at.Node.Pos())
	if at.Node == ast.Node(l) && at.Kind != flow.Backedge {
		return nil // before or behind the loop
	}
	return l
}

// checkIn reports whether a check stands in loop.
func (p *Plan) checkIn(loop ast.Stmt) bool {
	for at := range p.Checks {
		if loop.Pos() <= at.Node.Pos() && at.Node.Pos() < loop.End() && (at.Node != ast.Node(loop) || at.Kind == flow.Backedge) {
			return true
		}
	}
	return false
}

// quiet reports whether loop can have its counter in a local variable, and which
// of its statements call something that may check.
func (p *Plan) quiet(pkg *flow.Package, loop ast.Stmt) (flush []ast.Stmt, ok bool) {
	q := &quieter{p: p, pkg: pkg, copied: map[*ast.CallExpr]bool{}, ok: true}
	q.findCopied(loop)
	for _, l := range p.labelsOf(pkg, loop) {
		if p.labels.Goto(l) {
			return nil, false
		}
	}
	switch s := loop.(type) {
	case *ast.ForStmt:
		q.header(s.Init, s.Cond, s.Post)
		q.list(s.Body.List, false)
	case *ast.RangeStmt:
		q.header(s.Key, s.Value, s.X)
		q.list(s.Body.List, false)
		q.ok = q.ok && !pkg.RangesFunc(s)
	}
	return q.flush, q.ok
}

// labelsOf returns the labels of s.
func (p *Plan) labelsOf(pkg *flow.Package, s ast.Stmt) (found []types.Object) {
	pkg.Own(p.Func, func(n ast.Node) {
		if l, ok := n.(*ast.LabeledStmt); ok && flow.Unlabeled(l) == s {
			found = append(found, pkg.Info.Defs[l.Label])
		}
	})
	return found
}

type quieter struct {
	p      *Plan
	pkg    *flow.Package
	copied map[*ast.CallExpr]bool // calls that use a copy wherever they stand
	flush  []ast.Stmt
	ok     bool
}

// findCopied finds the calls in loop that use copies: those in segments, in
// versions and in conditions. Others, in shared code, may call the original.
func (q *quieter) findCopied(loop ast.Stmt) {
	enter := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				q.copied[call] = true
			}
			return true
		})
	}
	ast.Inspect(loop, func(n ast.Node) bool {
		if s, ok := n.(ast.Stmt); ok {
			for _, s := range q.p.Runs[s] {
				enter(s)
			}
			if v := q.p.versioned[s]; v != nil {
				for _, s := range v.body.List[:v.nest] {
					enter(s)
				}
			}
		}
		var cond ast.Expr
		switch n := n.(type) {
		case *ast.IfStmt:
			cond = n.Cond
		case *ast.ForStmt:
			cond = n.Cond
		}
		loop, _ := n.(ast.Stmt)
		if cond != nil && (q.p.versioned[loop] != nil || q.p.conditionBothWays(q.pkg, cond)) {
			enter(cond)
		}
		return true
	})
}

// checks reports whether evaluating n may check.
func (q *quieter) checks(n ast.Node) bool {
	if n == nil {
		return false
	}
	found := false
	q.pkg.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if d := q.p.direct[n]; q.pkg.IsCall(n) && (d == nil || !d.quiet || !q.copied[n]) && !q.p.silent(n) {
				found = true
			}
		case *ast.DeferStmt, *ast.GoStmt, *ast.LabeledStmt:
			found = true
		case *ast.RangeStmt:
			found = found || q.pkg.RangesFunc(n)
		}
		return !found
	})
	return found
}

// header demands that nothing in list checks.
func (q *quieter) header(list ...ast.Node) {
	for _, n := range list {
		switch n := n.(type) {
		case ast.Expr:
			q.ok = q.ok && (n == nil || !q.checks(n))
		case ast.Stmt:
			q.ok = q.ok && (n == nil || !q.checks(n))
		}
	}
}

// list looks at a list of statements; branch is set where not every iteration
// runs them.
func (q *quieter) list(list []ast.Stmt, branch bool) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if q.pkg.Panics(s.X) || q.checks(s) { // what recovers finds the counter in memory
				q.ok = q.ok && branch
				q.flush = append(q.flush, s)
			}
		case *ast.AssignStmt:
			if q.checks(s) {
				q.ok = q.ok && branch
				q.flush = append(q.flush, s)
			}
		case *ast.BlockStmt:
			q.list(s.List, branch)
		case *ast.IfStmt:
			q.ifStmt(s)
		case *ast.ForStmt:
			q.header(s.Init, s.Cond, s.Post)
			q.list(s.Body.List, branch)
		case *ast.RangeStmt:
			q.header(s.X)
			q.ok = q.ok && !q.pkg.RangesFunc(s)
			q.list(s.Body.List, branch)
		case *ast.SwitchStmt:
			q.header(s.Init, s.Tag)
			for _, c := range s.Body.List {
				for _, x := range c.(*ast.CaseClause).List {
					q.header(x)
				}
				q.list(c.(*ast.CaseClause).Body, true)
			}
		case *ast.TypeSwitchStmt:
			q.header(s.Init, s.Assign)
			for _, c := range s.Body.List {
				q.list(c.(*ast.CaseClause).Body, true)
			}
		default:
			q.header(s)
		}
	}
}

func (q *quieter) ifStmt(s *ast.IfStmt) {
	q.header(s.Init, s.Cond)
	q.list(s.Body.List, true)
	switch els := s.Else.(type) {
	case *ast.BlockStmt:
		q.list(els.List, true)
	case *ast.IfStmt:
		q.ifStmt(els)
	}
}

// held names the local variable that has the counter.
func (n names) held(p *Plan) string { return n.prefix + "n" + strings.Repeat("n", p.depth) }

// load, store and localCheck are what is written for the counter of p's loops.
func (n names) load() string { return checks.Load(n.runtime()) }

func (n names) store(p *Plan) string { return checks.Store(n.runtime(), n.held(p)) }

func (n names) localCheck(p *Plan) string {
	checking, duplicated := checks.Local(n.runtime(), n.held(p), n.bit(p))
	return checking + " } else { " + duplicated + " }"
}

// leavesLocal reports whether s, a jump or return, leaves the loop around it
// that has the counter in a local variable, other than to right behind it.
func (e *emitter) leavesLocal(s ast.Stmt) bool {
	l := e.plan.localAt(s.Pos())
	if l == nil || e.names.audit {
		return false
	}
	b, jump := s.(*ast.BranchStmt)
	if !jump || b.Label == nil {
		return !jump
	}
	label := e.pkg.Info.Uses[b.Label]
	if slices.Contains(e.plan.labelsOf(e.pkg, l), label) {
		return false
	}
	return label.Pos() < l.Pos() || label.Pos() >= l.End()
}

// endless reports whether nothing comes behind loop: it has neither a condition
// nor a break.
func (e *emitter) endless(loop ast.Stmt) bool {
	f, ok := loop.(*ast.ForStmt)
	if !ok || f.Cond != nil {
		return false
	}
	for _, n := range e.plan.Parts.Graph.Nodes {
		for _, edge := range n.Succs {
			if edge.Place == (flow.Place{Kind: flow.After, Node: loop}) {
				return false
			}
		}
	}
	return true
}

// inLocal emits loop, which f emits from pos on, with the counter in a local
// variable if it is one that has it so.
func (e *emitter) inLocal(loop ast.Stmt, pos token.Pos, m mode, f func()) {
	if l, ok := loop.(*ast.ForStmt); ok && m == guarded && e.plan.ahead(e.pkg, l) {
		e.statements(pos, m, e.plan.static[spot{atCond, l.Cond}], nil)
	}
	label := ""
	if v := e.version(loop, m); e.stripped(loop, m) != nil && e.loopLabel(loop) != "" || v != nil && v.label != "" && !v.labelled {
		label = e.loopLabel(loop) + ": "
	}
	if m != guarded || e.names.audit || !slices.Contains(e.plan.local, loop) {
		e.insert(pos, "%s", label)
		f()
		return
	}
	e.insert(pos, "{ %s := %s; %s", e.names.held(e.plan), e.names.load(), label)
	f()
	if !e.endless(loop) {
		e.insert(loop.End(), "; %s", e.names.store(e.plan))
	}
	e.insert(loop.End(), " }; ")
}
