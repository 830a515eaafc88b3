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

// An innermost loop with a check on its backedge is versioned: it becomes a loop
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
// than two.

// A versioned is a loop in two versions.
type versioned struct {
	*strip          // its index, if it is a range loop, and its label
	labelled   bool // the source has the label
	continued  bool // a continue of it stands in its body
	cond, post ast.Node
}

// findVersioned finds the loops that are versioned, where each is a candidate
// for a strip, too.
func (p *Plan) findVersioned(pkg *flow.Package, variant Variant) {
	p.versioned = map[ast.Stmt]*versioned{}
	if p.Shape != Segmented || p.open || p.Func.Body == nil {
		return
	}
	for _, l := range p.Parts.Graph.Loops {
		if v := p.version(pkg, l.Stmt); v != nil && (variant != Auto || p.versionPays(v)) {
			p.versioned[l.Stmt] = v
		}
	}
}

// version returns how loop is versioned, or nil: all of its body can be copied,
// and its one check stands on its backedge.
func (p *Plan) version(pkg *flow.Package, loop ast.Stmt) *versioned {
	v := &versioned{strip: &strip{loop: loop}}
	ok := false
	switch l := loop.(type) {
	case *ast.ForStmt:
		v.body, ok = l.Body, shareable(pkg, l)
		if l.Cond != nil {
			v.cond = l.Cond
		}
		if l.Post != nil {
			v.post = l.Post
		}
	case *ast.RangeStmt:
		v.body, ok = l.Body, v.ranged(p, pkg, l)
	}
	labels := p.labelsOf(pkg, loop)
	if !ok || len(labels) > 1 || !p.probesIn(v.body.Pos(), v.body.End()) || !p.oneCheck(v.strip) || !v.backedge {
		return nil
	}
	for _, s := range v.body.List {
		if p.obstacleTo(pkg, s) != "" {
			return nil
		}
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

// ranges reports whether the loop is a range loop.
func (v *versioned) ranges() bool {
	_, ok := v.loop.(*ast.RangeStmt)
	return ok
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

// versionPays reports whether a second copy of all of a loop's body costs no more
// than the tests of the mode bit, and what is copied, without it.
func (p *Plan) versionPays(v *versioned) bool {
	weight := weight(p.Parts.Graph.Own[v.body.List[0]].Depth)
	return p.copyCost(v.body.List)-2*testCost*weight <= p.testsCost(v.body.Pos(), v.body.End())
}

// version returns how loop is emitted if it is versioned, else nil.
func (e *emitter) version(loop ast.Stmt, m mode) *versioned {
	if m != guarded || e.names.audit {
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
	e.versioning = v
	body := e.copy(at, v.body.Rbrace, func() { e.list(v.body.List, checking) })
	e.versioning = nil
	next, post := "", ""
	if v.continued {
		next = e.next(v) + ": "
	}
	due, sample := checks.Due(rt), fmt.Sprintf("%s; %s = %s", checks.Sample(rt), d, e.names.yes())
	if e.plan.localAt(v.loop.Pos()) != nil {
		due, sample = checks.LocalDue(e.names.held(e.plan)), checks.LocalSample(rt, e.names.held(e.plan), d)
	}
	if v.post != nil {
		post = e.line(v.post.Pos()) + e.render(v.post.Pos(), v.post.End(), e.capture(func() { e.expr(v.post, checking) }))
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
func (e *emitter) next(v *versioned) string { return e.names.prefix + "next_" + v.label }
