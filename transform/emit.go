package transform

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"github.com/dupinst/dupinst/checks"
	"github.com/dupinst/dupinst/flow"
)

// A mode is how a stretch of code is emitted.
type mode int

const (
	checking mode = iota // without probes: the checking code's copy
	probed               // with probes: the duplicated code's copy, or exhaustive
	guarded              // shared between both, probes guarded by the mode bit
	lone                 // each probe guarded by a check of its own
)

// An emitter turns the plans of one file's functions into edits.
type emitter struct {
	*source
	pkg   *flow.Package
	plans map[*flow.Func]*Plan
	names names
	plan  *Plan // of the function that is being emitted
	edits []edit
	// stretches are what is being copied, each within the one before: the
	// labels of each copy have names of their own.
	stretches []stretch
	copied    int // copies made of the function so far
}

func (e *emitter) insert(pos token.Pos, format string, args ...any) {
	e.edits = append(e.edits, edit{pos, pos, fmt.Sprintf(format, args...)})
}

// capture returns the edits that f makes, instead of making them.
func (e *emitter) capture(f func()) []edit {
	saved := e.edits
	e.edits = nil
	f()
	made := e.edits
	e.edits = saved
	return made
}

// line returns the directive that makes what follows it stand at pos.
func (e *emitter) line(pos token.Pos) string {
	p := e.tok.PositionFor(pos, true)
	return fmt.Sprintf("/*line :%d:%d*/", p.Line, max(p.Column, 1))
}

// function emits fn and the functions within it.
func (e *emitter) function(fn *flow.Func) {
	if fn.Body == nil {
		return
	}
	saved, copied := e.plan, e.copied
	e.plan = e.plans[fn]
	defer func() { e.plan = saved }()
	if fn.Kind != flow.Range { // whose labels are those of the function around it
		e.copied = 0
		defer func() { e.copied = copied }()
	}
	body := fn.Body
	e.enter(fn)
	switch e.plan.Shape {
	case Untouched:
		if fn.Kind == flow.Range {
			e.list(body.List, lone) // it has no probes, and its calls are not sampled
			break
		}
		e.inner(body)
	case Direct:
		e.start(body, body.Lbrace+1, probed)
		e.list(body.List, probed)
	case Whole:
		e.whole(fn)
	case Lone:
		e.start(body, body.Lbrace+1, lone)
		e.list(body.List, lone)
	case Segmented:
		e.modeBit(body)
		e.start(body, body.Lbrace+1, guarded)
		e.list(body.List, guarded)
	}
	e.leave(fn)
}

// inner emits the functions below n.
func (e *emitter) inner(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		fn := e.pkg.Of(n)
		if fn == nil {
			return n != nil
		}
		if loop, ok := n.(*ast.RangeStmt); ok {
			e.inner(loop.X)
		}
		e.function(fn)
		return false
	})
}

// whole emits a copy of fn's body before it.
func (e *emitter) whole(fn *flow.Func) {
	body := fn.Body
	from, to := body.Lbrace+1, body.Lbrace+1
	if n := len(body.List); n > 0 {
		to = body.List[n-1].End()
	}
	made := e.copy(from, to, func() {
		e.start(body, from, probed)
		e.list(body.List, probed)
	})
	out := ""
	switch {
	case fn.Kind == flow.Range:
		out = "; continue"
	case !hasResults(fn.Node):
		out = "; return"
	}
	if e.plan.Variant.bare() {
		out, made = " "+apart, nil
		to = from
	}
	check, sample := e.check(), ""
	if !e.names.audit {
		check, sample = checks.Due(e.names.runtime()), " "+checks.Sample(e.names.runtime())+";"
	}
	e.insert(from, " if %s {%s%s%s }; %s", check, sample, e.render(from, to, made), out, e.line(from))
	e.list(body.List, checking) // a loop's body may jump back in the function around it
}

func hasResults(n ast.Node) bool {
	var t *ast.FuncType
	switch n := n.(type) {
	case *ast.FuncDecl:
		t = n.Type
	case *ast.FuncLit:
		t = n.Type
	}
	return t != nil && t.Results.NumFields() > 0
}

// bit is the mode bit of the function that is being emitted.
func (e *emitter) bit() string { return e.names.bit(e.plan) }

// list emits statements. Shared lists alternate between duplicated segments
// and shared statements; in a copy nothing is duplicated again.
func (e *emitter) list(list []ast.Stmt, m mode) {
	for i := 0; i < len(list); {
		run := e.plan.Runs[list[i]]
		if m != guarded || run == nil {
			e.stmt(list[i], m)
			i++
			continue
		}
		e.segment(run)
		i += len(run)
	}
}

// segment emits both copies of a run of statements.
func (e *emitter) segment(run []ast.Stmt) {
	from, to := run[0].Pos(), run[len(run)-1].End()
	e.place(flow.FallIn, run[0], from, guarded)
	e.place(flow.Before, run[0], from, guarded)
	if e.plan.Variant.bare() {
		for _, s := range run {
			e.stmt(s, checking)
		}
		return
	}
	emit := func(m mode) func() {
		return func() {
			for _, s := range run {
				e.stmt(s, m)
			}
		}
	}
	plain := e.capture(emit(checking))
	copied := e.copy(from, to, emit(probed))
	e.edits = append(e.edits, edit{from, to, fmt.Sprintf("if !%s { %s } else { %s%s }",
		e.bit(), e.render(from, to, plain), e.line(from), e.render(from, to, copied))})
}

// stmt emits one statement with the probes that stand before it.
func (e *emitter) stmt(s ast.Stmt, m mode) {
	if l, ok := s.(*ast.LabeledStmt); ok {
		e.labeled(l, m)
		return
	}
	e.place(flow.Before, s, s.Pos(), m)
	e.before(s, s.Pos(), m)
	e.unlabeled(s, m)
}

// unlabeled emits a statement without the probes before it.
func (e *emitter) unlabeled(s ast.Stmt, m mode) {
	switch s := s.(type) {
	case *ast.BlockStmt:
		e.list(s.List, m)
		e.place(flow.AtEnd, s, s.Rbrace, m)
	case *ast.IfStmt:
		e.ifStmt(s, m)
	case *ast.ForStmt:
		e.forStmt(s, m)
	case *ast.RangeStmt:
		e.rangeStmt(s, m)
	case *ast.SwitchStmt:
		e.optional(m, s.Init)
		e.expr(s.Tag, m)
		e.clauses(s, s.Body, m)
	case *ast.TypeSwitchStmt:
		e.optional(m, s.Init, s.Assign)
		e.clauses(s, s.Body, m)
	case *ast.SelectStmt:
		e.clauses(s, s.Body, m)
	case *ast.BranchStmt:
		e.branch(s, m)
	case *ast.ReturnStmt:
		if out := e.leaving(s); out != "" {
			e.insert(s.Pos(), "{ %s", out)
			defer e.insert(s.End(), " }")
		}
		e.expr(s, m)
	default:
		e.expr(s, m)
	}
}

// optional emits those simple statements of a header that are not nil.
func (e *emitter) optional(m mode, list ...ast.Stmt) {
	for _, s := range list {
		if s != nil {
			e.expr(s, m)
		}
	}
}

func (e *emitter) ifStmt(s *ast.IfStmt, m mode) {
	e.optional(m, s.Init)
	e.condition(s.Cond, m)
	e.block(s.Body, m)
	switch els := s.Else.(type) {
	case nil:
		if check := e.checkAt(e.plan, flow.Place{Kind: flow.AtElse, Node: s}); check != "" && m == guarded {
			e.insert(s.End(), " else { %s }", check)
		}
	case *ast.BlockStmt:
		e.block(els, m)
	case *ast.IfStmt:
		e.ifStmt(els, m)
	}
}

// block emits a body that is not a loop's.
func (e *emitter) block(body *ast.BlockStmt, m mode) {
	e.place(flow.AtStart, body, body.Lbrace+1, m)
	e.list(body.List, m)
	e.place(flow.AtEnd, body, body.Rbrace, m)
}

func (e *emitter) forStmt(s *ast.ForStmt, m mode) {
	e.optional(m, s.Init)
	if s.Cond != nil {
		e.condition(s.Cond, m)
	}
	e.optional(m, s.Post)
	e.place(flow.AtStart, s.Body, s.Body.Lbrace+1, m)
	e.list(s.Body.List, m)
	e.insert(s.Body.Rbrace, "%s", e.backedge(s, e.plan))
	e.place(flow.After, s, s.End(), m)
}

func (e *emitter) rangeStmt(s *ast.RangeStmt, m mode) {
	if site, ok := e.plan.callee[s]; ok && m != checking {
		open, end := e.carrier(site, m)
		e.insert(site.Operand.Pos(), "%s", open)
		e.expr(s.X, m)
		e.insert(site.Operand.End(), "%s", end)
	} else {
		e.expr(s.X, m)
	}
	if e.pkg.RangesFunc(s) {
		e.function(e.pkg.Of(s))
		e.place(flow.After, s, s.End(), m)
		return
	}
	e.place(flow.AtStart, s.Body, s.Body.Lbrace+1, m)
	e.start(s.Body, s.Body.Lbrace+1, m)
	for _, x := range []ast.Expr{s.Key, s.Value} {
		e.expr(x, m)
	}
	e.list(s.Body.List, m)
	e.insert(s.Body.Rbrace, "%s", e.backedge(s, e.plan))
	e.place(flow.After, s, s.End(), m)
}

func (e *emitter) clauses(s ast.Stmt, body *ast.BlockStmt, m mode) {
	for _, c := range body.List {
		switch c := c.(type) {
		case *ast.CaseClause:
			for _, x := range c.List {
				e.caseExpr(x, m)
			}
			e.place(flow.AtStart, c, c.Colon+1, m)
			e.list(c.Body, m)
			e.place(flow.AtEnd, c, c.End(), m)
		case *ast.CommClause:
			if c.Comm != nil {
				e.expr(c.Comm, m)
			}
			e.place(flow.AtStart, c, c.Colon+1, m)
			e.start(c, c.Colon+1, m)
			e.list(c.Body, m)
			e.place(flow.AtEnd, c, c.End(), m)
		}
	}
	if check := e.checkAt(e.plan, flow.Place{Kind: flow.Default, Node: s}); check != "" && m == guarded {
		e.insert(body.Rbrace, "; default: %s; ", check)
	}
}

// backedge is what stands on a backedge of loop, which belongs to p's function:
// its check, and the probes of the post statement, which it precedes; "" where
// there is neither.
func (e *emitter) backedge(loop ast.Stmt, p *Plan) string {
	out := e.again(p, flow.Place{Kind: flow.Backedge, Node: loop})
	probes := e.probes(p.static[spot{atPost, loop}], p.mode(), p)
	if probes != "" {
		if out != "" {
			out += "; "
		}
		out += probes
	}
	if out != "" {
		out = "; " + out + "; "
	}
	return out
}

// mode is how a function's shared code is emitted.
func (p *Plan) mode() mode {
	switch p.Shape {
	case Segmented:
		return guarded
	case Lone:
		return lone
	case Direct:
		return probed
	}
	return checking
}

// branch emits a jump: with the check that belongs on it, and with its label
// renamed in a copy.
func (e *emitter) branch(b *ast.BranchStmt, m mode) {
	check := e.jumpChecks(b, m)
	if check != "" {
		e.insert(b.Pos(), "{ %s", check)
	}
	if b.Label != nil {
		e.relabel(b.Label, b.Tok == token.GOTO)
	}
	if check != "" {
		e.insert(b.End(), " }")
	}
}

// jumpChecks is what stands before b: the end of an activation, and the check that belongs on it.
func (e *emitter) jumpChecks(b *ast.BranchStmt, m mode) string {
	out := e.leaving(b)
	for p := e.plan; p != nil; p = e.plans[p.Func.Parent] {
		if check := e.jumpCheck(b, p, m); check != "" || p.Func.Kind != flow.Range {
			return out + check
		}
	}
	return out
}

// jumpCheck is what stands before b for p's function: that in which b stands,
// or one around it that b, in the body of a range-over-func loop, jumps in.
func (e *emitter) jumpCheck(b *ast.BranchStmt, p *Plan, m mode) string {
	check := ""
	switch {
	case b.Tok == token.GOTO && p.labels.Back(b) && p.owns(e.pkg, e.pkg.Info.Uses[b.Label].Pos()):
		check = e.again(p, flow.Place{Kind: flow.AtJump, Node: b})
	case b.Tok == token.CONTINUE:
		loop := p.labels.Continues(b)
		if loop == nil || e.pkg.Of(loop) != nil || !p.owns(e.pkg, loop.Pos()) {
			return ""
		}
		check = strings.TrimPrefix(e.backedge(loop, p), "; ")
		return check
	case m == guarded || p != e.plan:
		check = e.checkAt(p, flow.Place{Kind: flow.AtJump, Node: b})
	}
	if check != "" {
		check += "; "
	}
	return check
}

// owns reports whether pos lies in p's function and in none within it.
func (p *Plan) owns(pkg *flow.Package, pos token.Pos) bool {
	if pos < p.Func.Body.Pos() || pos >= p.Func.Body.End() {
		return false
	}
	for _, fn := range pkg.Funcs {
		if fn.Parent == p.Func && fn.Body.Pos() <= pos && pos < fn.Body.End() {
			return false
		}
	}
	return true
}
