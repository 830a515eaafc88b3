package transform

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/dupinst/dupinst/checks"
	"github.com/dupinst/dupinst/flow"
)

// A loop with a check on its backedge is versioned: it becomes a loop
// for each mode, as in the paper's figures, instead of one that tests the mode
// bit where they differ. The checking code's has no probes, and no mode bit to
// keep; its check leaves it for an iteration of duplicated code, whose backedge
// leads to a check that leads back:
//
//	L: for init; ; post {
//		if !d {
//			for {
//				if !cond { break L }
//				body
//				if check { break }
//				post
//			}
//			d = true
//			continue
//		}
//		if !cond { break }
//		body, with probes
//		d = check
//	}
//
// Each check stands where it stood, and there are not more copies of the body
// than two, if it is acyclic.
//
// Where loops stand in the body, a sample may begin in the version for checking code.
// From the first statement with a loop on it is therefore as it would be without
// versions, with the mode bit, known to be false before that statement's loop, and
// set to false before the check. That makes four copies of what stands there, and
// more where that has a loop around a loop, so that the size decides.

// A versioned is a loop in two versions.
type versioned struct {
	*strip          // its index, if it is a range loop, and its label
	labelled   bool // the source has the label
	continued  bool // a continue of it stands in its body
	cond, post ast.Node
	again      token.Pos // where an iteration begins
	nest       int       // index of the body's first statement with a loop; all of them if there is none
	size       int       // in syntax nodes, of all that is emitted of it
}

// findVersioned finds the loops that are versioned, where each is a candidate
// for a strip, too.
func (p *Plan) findVersioned(pkg *flow.Package, variant Variant) {
	p.versioned = map[ast.Stmt]*versioned{}
	if p.Shape != Segmented || p.open || p.Func.Body == nil {
		return
	}
	loops := slices.Clone(p.Parts.Graph.Loops)
	slices.SortFunc(loops, func(a, b *flow.Loop) int { return int(b.Stmt.Pos() - a.Stmt.Pos()) }) // inner ones first
	for _, l := range loops {
		if v := p.version(pkg, l.Stmt); v != nil && p.versionPays(v, variant) {
			p.versioned[l.Stmt] = v
		}
	}
}

// version returns how loop is versioned, or nil: all of its body can be copied,
// and its one check stands on its backedge, as do those of loops within.
func (p *Plan) version(pkg *flow.Package, loop ast.Stmt) *versioned {
	v := &versioned{strip: &strip{loop: loop}}
	ok := false
	switch l := loop.(type) {
	case *ast.ForStmt:
		v.body, ok = l.Body, shareable(pkg, l) && p.writtenTwice(pkg, l)
		v.again = l.Body.Pos()
		if l.Cond != nil {
			v.cond, v.again = l.Cond, l.Cond.Pos()
		}
		if l.Post != nil {
			v.post = l.Post
		}
	case *ast.RangeStmt:
		v.body, ok = l.Body, v.ranged(p, pkg, l) && !v.text
		v.again = l.Body.Pos()
	}
	labels := p.labelsOf(pkg, loop)
	if !ok || len(labels) > 1 || len(v.body.List) == 0 || !p.probesIn(v.again, v.body.End()) || !p.copiesBody(pkg, v) {
		return nil
	}
	pkg.Own(p.Func, func(n ast.Node) {
		b, ok := n.(*ast.BranchStmt)
		v.continued = v.continued || ok && b.Tok == token.CONTINUE && p.labels.Continues(b) == loop
	})
	switch {
	case len(labels) == 1 && p.labels.Goto(labels[0]):
		return nil
	case len(labels) == 1:
		v.label, v.labelled = labels[0].Name(), true
	case v.ranges() || v.cond != nil || p.breaks(pkg, v.strip):
		v.label = labelAt(pkg, loop)
	}
	return v
}

// copiesBody reports whether v's body can be copied, and finds its loops.
func (p *Plan) copiesBody(pkg *flow.Package, v *versioned) bool {
	v.nest = len(v.body.List)
	for i, s := range v.body.List {
		if p.obstacleTo(pkg, s) == "" {
			continue
		}
		if pkg.NestObstacle(s, p.labels) != "" || p.keepReturns {
			return false
		}
		v.nest = min(v.nest, i)
	}
	if v.nest == len(v.body.List) {
		return p.oneCheck(v.strip) && v.backedge
	}
	own := false
	for at, c := range p.Checks {
		if at.Node.Pos() < v.loop.Pos() || at.Node.Pos() >= v.loop.End() || at.Node == ast.Node(v.loop) && at.Kind != flow.Backedge {
			continue
		}
		if at.Kind != flow.Backedge || c.Open {
			return false
		}
		own = own || at.Node == ast.Node(v.loop)
	}
	return own
}

// ranges reports whether the loop is a range loop.
func (v *versioned) ranges() bool {
	_, ok := v.loop.(*ast.RangeStmt)
	return ok
}

// writtenTwice reports whether what stands in l's header can be: no function literal
// (flow.Package.Obstacle), and a condition that in shared code is, too, if it calls
// copies. A post statement that calls them is as in shared code.
func (p *Plan) writtenTwice(pkg *flow.Package, l *ast.ForStmt) bool {
	if l.Cond != nil {
		if calls, literals := p.callsIn(l.Cond); literals || calls && !isBool(pkg, l.Cond) {
			return false
		}
	}
	if l.Post != nil {
		if _, literals := p.callsIn(l.Post); literals {
			return false
		}
	}
	return true
}

// shareable reports whether iterations of l may share the variables that it
// declares: nothing but its own code can see that each has its own.
func shareable(pkg *flow.Package, l *ast.ForStmt) bool {
	init, ok := l.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE {
		return true
	}
	declared, _ := pkg.Declares(init)
	for _, obj := range declared {
		t := types.Unalias(obj.Type())
		if n, ok := t.(*types.Named); ok && n.NumMethods() > 0 && !types.IsInterface(n) {
			return false // a method may take its address
		}
		switch t.Underlying().(type) {
		case *types.Basic, *types.Pointer, *types.Slice, *types.Map, *types.Interface, *types.Signature, *types.Chan:
		default:
			return false
		}
		if pkg.AddressTaken(obj) {
			return false
		}
	}
	return !slices.ContainsFunc(init.Lhs, func(x ast.Expr) bool { return !pkg.Stable(x) })
}

const (
	nestNodes = 3000 // the largest size of versions of a loop around loops, in syntax nodes
	nestGain  = 10   // what they save in an iteration: tests of the mode bit, and stores of what is in registers
)

// versionPays reports whether a second copy of all of a loop's body costs no more
// than the tests of the mode bit, and what is copied, without it. It is asked about
// inner loops first.
func (p *Plan) versionPays(v *versioned, variant Variant) bool {
	if v.nest == len(v.body.List) {
		v.size = 2 * nodes(v.body)
		return variant != Auto || p.versionCost(v) <= p.testsCost(v.again, v.body.End())
	}
	v.size = 2 * p.emitted(v.body)
	if v.size > nestNodes || v.nest == 0 && !conditional(v.body.List[0]) {
		return false
	}
	return variant != Auto || sizeCost*nodeSize*float64(v.size)/2 <= nestGain*p.weightIn(v)
}

// weightIn is how often an iteration of v is thought to run.
func (p *Plan) weightIn(v *versioned) float64 {
	return weight(p.Parts.Graph.Own[v.body.List[0]].Depth)
}

// versionCost is the cost of a second copy of the body of v, which has no loop.
func (p *Plan) versionCost(v *versioned) float64 {
	return p.copyCost(v.body.List) - 2*testCost*p.weightIn(v)
}

// emitted is the size of what is made of n's statements, in which each loop is already
// versioned or will not be.
func (p *Plan) emitted(n ast.Node) int {
	size := 2 * nodes(n)
	ast.Inspect(n, func(x ast.Node) bool {
		s, ok := x.(ast.Stmt)
		if !ok {
			return true
		}
		if v := p.versioned[s]; v != nil {
			size += v.size - 2*nodes(v.body)
			return false
		}
		return true
	})
	return size
}

func nodes(n ast.Node) int {
	count := 0
	ast.Inspect(n, func(n ast.Node) bool {
		if n != nil {
			count++
		}
		return true
	})
	return count
}

// conditional reports whether the loops in s are not always reached.
func conditional(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.IfStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		return true
	}
	return false
}

// version returns how loop is emitted if it is versioned, else nil.
func (e *emitter) version(loop ast.Stmt, m mode) *versioned {
	if m != guarded {
		return nil
	}
	return e.plan.versioned[loop]
}

// versions emits what makes two of the loop v; what stands behind it in its body
// is emitted with probes.
func (e *emitter) versions(v *versioned) {
	d, rt, at := e.bit(), e.names.runtime(), v.body.Lbrace+1
	test := func(m mode, leave string) string {
		switch {
		case v.ranges():
			end, value := e.element(v.strip)
			if m == probed {
				value = ""
			}
			return fmt.Sprintf("if %s >= %s { %s }; %s", e.names.index(v.strip), end, leave, value)
		case v.cond == nil:
			return ""
		}
		cond := e.render(v.cond.Pos(), v.cond.End(), e.capture(func() { e.condition(v.cond.(ast.Expr), m) }))
		return fmt.Sprintf("if !(%s%s) { %s }; ", e.line(v.cond.Pos()), cond, leave)
	}
	e.versioning = append(e.versioning, v)
	body := e.copy(at, v.body.Rbrace, func() {
		e.list(v.body.List[:v.nest], checking)
		e.list(v.body.List[v.nest:], guarded)
	})
	e.versioning = e.versioning[:len(e.versioning)-1]
	next, post := "", ""
	if v.continued {
		next = e.next(v) + ": "
	}
	if v.nest < len(v.body.List) {
		next += fmt.Sprintf("%s = !%s; ", d, e.names.yes())
	}
	due, sample := checks.Due(rt), fmt.Sprintf("%s; %s = %s", checks.Sample(rt), d, e.names.yes())
	switch {
	case e.names.audit:
		next += e.names.auditBackedge(e.plan, "") + "; "
		due, sample = e.check(), fmt.Sprintf("%s = %s", d, e.names.yes())
	case e.plan.localAt(v.loop.Pos()) != nil:
		due, sample = checks.LocalDue(e.names.held(e.plan)), checks.LocalSample(rt, e.names.held(e.plan), d)
	}
	if v.post != nil {
		post = e.line(v.post.Pos()) + e.render(v.post.Pos(), v.post.End(), e.capture(func() { e.expr(v.post, guarded) }))
	}
	if probes := e.probes(e.plan.static[spot{atPost, v.loop}], probed, e.plan); probes != "" {
		sample += "; " + probes
	}
	if v.ranges() {
		post = e.names.index(v.strip) + "++"
	}
	e.insert(at, " if !%s { for { %s{ %s%s }; %sif %s { break }; %s }; %s; continue }; %s", d, test(checking, "break "+e.loopLabel(v.loop)),
		e.line(at), e.render(at, v.body.Rbrace, body), next, due, post, sample, test(probed, "break"))
	e.bind(v.strip)
}

// next names the label of the check at the end of a version's body.
func (e *emitter) next(v *versioned) string {
	return e.inCopy(e.names.prefix+"next_"+labelAt(e.pkg, v.loop), v.loop.Pos())
}
