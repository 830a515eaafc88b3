package transform

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"

	"github.com/dupinst/dupinst/checks"
	"github.com/dupinst/dupinst/flow"
)

// A loop that counts by one to a bound that it does not change, calls nothing
// that checks, and has one check in each iteration, is strip-mined: at the start
// of an iteration a strip of them, as many as remain until the next sample, runs in a
// loop that has no check in it. What is left is for the loop as it was:
//
//	for i := 0; i < n; i++ {
//		if !d && c > 0 && i >= 0 { // and no sum overflows
//			stop := min(i+c, n)
//			c -= stop - i
//			for ; i < stop; i++ { body }
//		}
//		if i >= n { break }
//		…
//	}
//
// That i is not negative is for the compiler to know that indexes are in bounds; a
// loop that counts down says for that, too, that i is not above where it started.
// A loop over a slice or a number becomes such a loop.
//
// How many iterations a loop over a string has left, its length does not say. A strip of it
// is as many bytes long as there are checks left, and gives back what runes have besides
// their first byte, where they are decoded, which is a call in any case. It ends with a
// rune, up to three bytes behind stop:
//
//	c -= stop - j
//	for part := s[:stop]; j < stop; {
//		i, r := j, rune(part[j])
//		if r < 0x80 { j++ } else { c -= j; r, j = decode(s, j); c += j - 1 }
//		body
//	}
//	c += stop - j

const (
	stripNodes  = 120  // the largest body, in syntax nodes, that a strip is made of
	longestStep = 1024 // the largest step of the variable that counts
)

// A strip is how a loop is strip-mined.
type strip struct {
	loop     ast.Stmt
	body     *ast.BlockStmt
	backedge bool     // the check is on the backedge, else at the start of an iteration
	index    string   // the variable that counts, "" for one that has no name
	last     ast.Expr // of a for statement, the bound
	reached  bool     // the loop runs for the bound, too: <= instead of <
	down     bool     // it counts down
	by       int      // what it counts by, positive
	text     bool     // it is a range loop over a string
	first    ast.Expr // of a loop that counts down, where it starts, if that can be told again
	label    string   // of the loop, "" if it needs none
}

// findStrips finds the loops that are strip-mined.
func (p *Plan) findStrips(pkg *flow.Package) {
	p.strips = map[ast.Stmt]*strip{}
	for _, l := range p.Parts.Graph.Loops {
		if p.localAt(l.Stmt.Pos()) == nil {
			continue
		}
		s := p.stripOf(pkg, l.Stmt)
		if s == nil {
			continue
		}
		v := p.versioned[l.Stmt]
		delete(p.versioned, l.Stmt)
		if _, ok := p.quiet(pkg, p.localAt(l.Stmt.Pos())); !ok {
			p.versioned[l.Stmt] = v // it calls copies there that it cannot without
			continue
		}
		p.strips[l.Stmt] = s
	}
}

func (p *Plan) stripOf(pkg *flow.Package, loop ast.Stmt) *strip {
	s := &strip{loop: loop}
	ok := false
	switch l := loop.(type) {
	case *ast.ForStmt:
		s.body = l.Body
		ok = s.counted(p, pkg, l)
	case *ast.RangeStmt:
		s.body = l.Body
		ok = s.ranged(p, pkg, l)
	}
	if !ok || len(s.body.List) == 0 || !p.oneCheck(s) || len(p.labelsOf(pkg, loop)) > 0 {
		return nil
	}
	ast.Inspect(s.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.LabeledStmt:
			ok = false
		case *ast.BranchStmt:
			ok = ok && n.Tok != token.GOTO
		case ast.Stmt:
			ok = ok && !p.flush[n]
		}
		return ok
	})
	for _, x := range s.body.List {
		ok = ok && pkg.Obstacle(x, p.labels, true) == ""
	}
	if !ok || nodes(s.body) > stripNodes {
		return nil
	}
	if p.breaks(pkg, s) {
		s.label = labelAt(pkg, loop)
	}
	return s
}

// counted reports whether l is for i := …; i < bound; i++.
func (s *strip) counted(p *Plan, pkg *flow.Package, l *ast.ForStmt) bool {
	cond, ok := l.Cond.(*ast.BinaryExpr)
	j, by := stepOf(pkg, l.Post)
	if !ok || j == nil {
		return false
	}
	switch {
	case by > 0 && (cond.Op == token.LSS || cond.Op == token.LEQ):
		s.by = by
	case by < 0 && (cond.Op == token.GTR || cond.Op == token.GEQ):
		s.by, s.down = -by, true
	default:
		return false
	}
	i, ok := cond.X.(*ast.Ident)
	if !ok || s.by > longestStep || pkg.Info.ObjectOf(i) != pkg.Info.ObjectOf(j) || !p.counts(pkg, i, l.Body) {
		return false
	}
	s.index, s.last, s.reached = i.Name, cond.Y, cond.Op == token.LEQ || cond.Op == token.GEQ
	if init, ok := l.Init.(*ast.AssignStmt); ok && s.down && defines(pkg, init, i) && neverWraps(pkg, cond.Y) && p.invariant(pkg, init.Rhs[0], l) {
		s.first = init.Rhs[0]
	}
	return p.invariant(pkg, cond.Y, l)
}

// defines reports whether s declares the variable that i names, and no other.
func defines(pkg *flow.Package, s *ast.AssignStmt, i *ast.Ident) bool {
	if s.Tok != token.DEFINE || len(s.Lhs) != 1 {
		return false
	}
	id, ok := s.Lhs[0].(*ast.Ident)
	return ok && pkg.Info.Defs[id] != nil && pkg.Info.Defs[id] == pkg.Info.ObjectOf(i)
}

// neverWraps reports whether a variable that counts down to bound, a constant,
// stays below where it started: no step leads past the smallest int.
func neverWraps(pkg *flow.Package, bound ast.Expr) bool {
	c := pkg.Info.Types[bound].Value
	if c == nil {
		return false
	}
	n, ok := constant.Int64Val(constant.ToInt(c))
	return ok && n >= math.MinInt32+longestStep
}

// stepOf returns the variable to which post, a post statement, adds a constant,
// and that; nil if it does something else.
func stepOf(pkg *flow.Package, post ast.Stmt) (v *ast.Ident, by int) {
	switch post := post.(type) {
	case *ast.IncDecStmt:
		v, _ = post.X.(*ast.Ident)
		by = 1
		if post.Tok == token.DEC {
			by = -1
		}
	case *ast.AssignStmt:
		if post.Tok != token.ADD_ASSIGN && post.Tok != token.SUB_ASSIGN {
			return nil, 0
		}
		c := pkg.Info.Types[post.Rhs[0]].Value
		if c == nil {
			return nil, 0
		}
		n, ok := constant.Int64Val(constant.ToInt(c))
		if !ok || n < -longestStep || n > longestStep {
			return nil, 0
		}
		v, _ = post.Lhs[0].(*ast.Ident)
		by = int(n)
		if post.Tok == token.SUB_ASSIGN {
			by = -by
		}
	}
	return v, by
}

// ranged reports whether l ranges over a slice, an array that it does not copy, an
// int or a string, with variables of its own.
func (s *strip) ranged(p *Plan, pkg *flow.Package, l *ast.RangeStmt) bool {
	if l.Tok == token.ASSIGN || p.callee[l].Operand != nil {
		return false
	}
	s.by = 1
	if key, ok := l.Key.(*ast.Ident); l.Key != nil && (!ok || key.Name != "_" && !p.counts(pkg, key, l.Body)) {
		return false
	}
	if key, ok := l.Key.(*ast.Ident); ok && key.Name != "_" {
		s.index = key.Name
	}
	if v, ok := l.Value.(*ast.Ident); l.Value != nil && (!ok || v.Name != "_" && !pkg.Stable(v)) {
		return false
	}
	if _, length := pkg.Types.Scope().Innermost(l.Pos()).LookupParent("len", l.Pos()); length != types.Universe.Lookup("len") {
		return false
	}
	switch t := pkg.Info.TypeOf(l.X); u := t.Underlying().(type) {
	case *types.Slice:
		return true
	case *types.Array: // not evaluated
		v, ok := l.Value.(*ast.Ident)
		return (l.Value == nil || ok && v.Name == "_") && pkg.Stable(l.X)
	case *types.Pointer:
		return true // to an array
	case *types.Basic:
		s.text = u.Info()&types.IsString != 0
		return s.text || t == types.Typ[types.Int] || u.Info()&types.IsUntyped != 0 && u.Info()&types.IsInteger != 0
	}
	return false
}

func isArray(pkg *flow.Package, e ast.Expr) bool {
	_, ok := pkg.Info.TypeOf(e).Underlying().(*types.Array)
	return ok
}

// counts reports whether the variable id is an int that only the loop itself,
// not its body, sets.
func (p *Plan) counts(pkg *flow.Package, id *ast.Ident, body *ast.BlockStmt) bool {
	v, ok := pkg.Info.ObjectOf(id).(*types.Var)
	return ok && v.Type() == types.Typ[types.Int] && pkg.Stable(id) && !assigns(pkg, body, v)
}

// invariant reports whether e has the same value throughout loop: it is made of
// constants, local variables that are not set in it, and the lengths of such.
func (p *Plan) invariant(pkg *flow.Package, e ast.Expr, loop *ast.ForStmt) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			switch obj := pkg.Info.Uses[n].(type) {
			case *types.Var:
				ok = ok && pkg.Stable(n) && !assigns(pkg, loop.Body, obj)
			case *types.Const, *types.Builtin:
			default:
				ok = false
			}
		case *ast.CallExpr:
			b, is := n.Fun.(*ast.Ident)
			if is {
				_, is = pkg.Info.Uses[b].(*types.Builtin)
			}
			ok = ok && is && b.Name == "len" && hasLen(pkg.Info.TypeOf(n.Args[0]))
		case *ast.BinaryExpr:
			ok = ok && (n.Op == token.ADD || n.Op == token.SUB)
		case nil, *ast.BasicLit, *ast.ParenExpr:
		default:
			ok = false
		}
		return ok
	})
	return ok && len(p.spotsIn(e.Pos(), e.End())) == 0
}

// hasLen reports whether t is a slice, a string, an array or a pointer to one.
func hasLen(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Slice, *types.Array:
		return true
	case *types.Pointer:
		_, ok := t.Elem().Underlying().(*types.Array)
		return ok
	case *types.Basic:
		return t.Info()&types.IsString != 0
	}
	return false
}

// assigns reports whether body may set v.
func assigns(pkg *flow.Package, body ast.Node, v *types.Var) bool {
	found := false
	is := func(e ast.Expr) {
		if id, ok := ast.Unparen(e).(*ast.Ident); ok && pkg.Info.ObjectOf(id) == v {
			found = true
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				is(x)
			}
		case *ast.IncDecStmt:
			is(n.X)
		case *ast.RangeStmt:
			if n.Key != nil {
				is(n.Key)
			}
			if n.Value != nil {
				is(n.Value)
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				is(n.X)
			}
		}
		return !found
	})
	return found
}

// oneCheck reports whether each iteration of s executes one check, and notes
// where it is.
func (p *Plan) oneCheck(s *strip) bool {
	found := 0
	for at, c := range p.Checks {
		if at.Node.Pos() < s.loop.Pos() || at.Node.Pos() >= s.loop.End() || at.Node == ast.Node(s.loop) && at.Kind != flow.Backedge {
			continue
		}
		found++
		switch {
		case c.Open:
			return false
		case at.Kind == flow.Backedge:
			s.backedge = true
		case at.Kind == flow.AtStart && at.Node == ast.Node(s.body), at.Kind == flow.Before && at.Node == ast.Node(s.body.List[0]):
		default:
			return false
		}
	}
	return found == 1
}

// breaks reports whether a break of s's loop stands in its body.
func (p *Plan) breaks(pkg *flow.Package, s *strip) bool {
	found := false
	pkg.Own(p.Func, func(n ast.Node) {
		if b, ok := n.(*ast.BranchStmt); ok && s.breaksIt(b) {
			found = true
		}
	})
	return found
}

// breaksIt reports whether b is a break of s's loop, which has no label.
func (s *strip) breaksIt(b *ast.BranchStmt) bool {
	if b.Tok != token.BREAK || b.Label != nil || b.Pos() < s.body.Pos() || b.Pos() >= s.body.End() {
		return false
	}
	within := true
	ast.Inspect(s.body, func(n ast.Node) bool {
		if x, ok := n.(ast.Stmt); ok && flow.Breakable(x) && x.Pos() <= b.Pos() && b.Pos() < x.End() {
			within = false
		}
		return within
	})
	return within
}

// names of what a strip declares: where it stops, and, of a loop over a slice or
// a number, that and the index.
func (n names) stop() string { return n.prefix + "stop" }
func (n names) over() string { return n.prefix + "over" }
func (n names) part() string { return n.prefix + "part" }

// first names where a loop that counts down starts.
func (n names) first() string { return n.prefix + "first" }

func (n names) index(s *strip) string {
	if s.index == "" || s.text {
		return n.prefix + "j"
	}
	return s.index
}

// strip emits what stands at the start of the body of a strip-mined loop.
func (e *emitter) strip(s *strip) {
	i, n, stop, rt := e.names.index(s), e.names.held(e.plan), e.names.stop(), e.names.runtime()
	last, value := e.element(s)
	if _, ok := s.loop.(*ast.ForStmt); ok {
		last = "(" + e.slice(s.last) + ")"
	}
	toward, back, away, beyond := "+", "<", "-", ">"
	if s.down {
		toward, back, away, beyond = "-", ">", "+", "<"
	}
	if s.reached { // one iteration at least is left: the bound might be the largest int
		last = fmt.Sprintf("%s%s%d", last, away, s.by-1)
	}
	mode, reset := "!"+e.bit()+" && ", ""
	if !s.backedge {
		mode, reset = "", fmt.Sprintf("%s = !%s; ", e.bit(), e.names.yes())
	}
	e.stripping = s
	from, to := s.body.Lbrace+1, s.body.Rbrace
	made := e.capture(func() { e.list(s.body.List, checking) })
	e.stripping = nil
	e.insert(from, " if %s%s > 0 && %s >= 0 && %s < %s { %s := %s %s %s; if %s %s %s { %s = %s }; %s -= %s; ",
		mode, n, i, i, checks.Far(rt), stop, i, toward, checks.Strip(rt, n), stop, beyond, last, stop, last, n, e.remaining(s))
	run := fmt.Sprintf("for ; %s %s %s; %s %s= %d { %s{ %s%s } }", i, back, stop, i, toward, s.by, value, e.line(from), e.render(from, to, made))
	if s.text {
		run = fmt.Sprintf("%s := %s[:%s]; for %s < %s { %s{ %s%s } }; %s += %s", e.names.part(), e.names.over(), stop,
			checks.Uint(rt, i), checks.Uint(rt, stop), e.runeOf(s, n), e.line(from), e.render(from, to, made), n, e.remaining(s))
	}
	e.insert(from, "%s%s }; ", reset, run)
	switch l, ok := s.loop.(*ast.ForStmt); {
	case s.first != nil:
		e.insert(from, "if !(%s && %s <= %s) { break }; ", e.slice(l.Cond), i, e.names.first())
	case ok && !s.reached:
		e.insert(from, "if !(%s) { break }; ", e.slice(l.Cond))
	case !ok:
		e.insert(from, "if %s >= %s { break }; ", i, last)
	}
	e.bind(s)
}

// below adds to the header of a loop that counts down what keeps its indexes
// known to be in bounds.
func (e *emitter) below(s *strip) {
	if s.first == nil {
		return
	}
	l := s.loop.(*ast.ForStmt)
	init := l.Init.(*ast.AssignStmt)
	e.insert(init.Lhs[0].End(), ", %s", e.names.first())
	e.insert(init.End(), ", %s", e.slice(s.first))
	e.insert(l.Cond.End(), " && %s <= %s", s.index, e.names.first())
}

// remaining is how many iterations of a strip are still to run, this one
// included. A strip of a loop with longer steps is as much shorter.
func (e *emitter) remaining(s *strip) string {
	from, to := e.names.stop(), e.names.index(s)
	if s.down {
		from, to = to, from
	}
	n := from + " - " + to
	if s.by > 1 {
		n = fmt.Sprintf("(%s + %d) / %d", n, s.by-1, s.by)
	}
	return checks.Int64(e.names.runtime(), n)
}

// element is where a range loop ends, and the declaration of its element.
func (e *emitter) element(s *strip) (end, value string) {
	l, ok := s.loop.(*ast.RangeStmt)
	if end = e.names.over(); !ok || !hasLen(e.pkg.Info.TypeOf(l.X)) || isArray(e.pkg, l.X) {
		return end, ""
	}
	if v, ok := l.Value.(*ast.Ident); ok && v.Name != "_" {
		value = fmt.Sprintf("%s := %s[%s]; ", v.Name, end, e.names.index(s))
	}
	if s.text {
		value = e.runeOf(s, "")
	}
	return "len(" + end + ")", value
}

// runeOf declares the variables of a loop over a string, and goes on to the next rune.
// What a rune has besides its first byte is given back to counter, if there is one.
func (e *emitter) runeOf(s *strip, counter string) string {
	rt, over, j := e.names.runtime(), e.names.over(), e.names.index(s)
	r, first, b := "_", over+"["+j+"]", ""
	if counter != "" {
		first = e.names.part() + "[" + j + "]" // in bounds for certain
	}
	if v, ok := s.loop.(*ast.RangeStmt).Value.(*ast.Ident); ok && v.Name != "_" {
		r = v.Name
		b = fmt.Sprintf("%s := %s; ", r, checks.Rune(rt, first))
		first = r
	}
	if s.index != "" {
		b += fmt.Sprintf("%s := %s; ", s.index, j)
	}
	less, more := "", ""
	if counter != "" {
		less = fmt.Sprintf("%s -= %s; ", counter, checks.Int64(rt, j))
		more = fmt.Sprintf("; %s += %s", counter, checks.Int64(rt, j+" - 1"))
	}
	return b + fmt.Sprintf("if %s < 0x80 { %s++ } else { %s%s, %s = %s%s }; ", first, j, less, r, j, checks.Decode(rt, over, j), more)
}

// bind emits the element of a range loop, around whose body a block of its own
// has to stand: the body may declare a variable of that name.
func (e *emitter) bind(s *strip) {
	_, value := e.element(s)
	if value != "" {
		e.insert(s.body.Rbrace, " }; ")
		value += "{ "
	}
	e.insert(s.body.Lbrace+1, "%s%s", value, e.line(s.body.Lbrace+1))
}

// header emits the header of a range loop as that of a for loop, with its
// condition or without.
func (e *emitter) header(s *strip, condition bool) {
	l, ok := s.loop.(*ast.RangeStmt)
	if !ok {
		return
	}
	i, over, cond := e.names.index(s), e.names.over(), ""
	if condition {
		end, _ := e.element(s)
		cond = i + " < " + end
	}
	open, end := "", ""
	if isArray(e.pkg, l.X) {
		open, end = "len(", ")"
	}
	post := i + "++"
	if s.text {
		open, end, post = checks.String(e.names.runtime())+"(", ")", ""
	}
	e.replace(l.For, l.X.Pos(), "for "+over+", "+i+" := "+open)
	e.replace(l.X.End(), l.Body.Lbrace, fmt.Sprintf("%s, 0; %s; %s ", end, cond, post))
}

// giveBack is what stands in a strip before a jump or return out of it: what was
// taken from the counter for iterations that are not run.
func (e *emitter) giveBack(x ast.Stmt) string {
	s := e.stripping
	if b, ok := x.(*ast.BranchStmt); s == nil || ok && (b.Tok == token.CONTINUE && b.Label == nil || b.Tok == token.BREAK && b.Label == nil && !s.breaksIt(b) || b.Tok == token.FALLTHROUGH) {
		return ""
	}
	less := ""
	switch {
	case s.text && s.backedge:
		less = " + 1" // the index is of the next rune
	case !s.text && !s.backedge:
		less = " - 1" // its check has been passed
	}
	return fmt.Sprintf("%s += %s%s; ", e.names.held(e.plan), e.remaining(s), less)
}

// labelAt is a label for loop that no other one of the function has, nor one in
// the body of a range-over-func loop around it, which is a function to us only.
func labelAt(pkg *flow.Package, loop ast.Stmt) string {
	p := pkg.Fset.PositionFor(loop.Pos(), false)
	return fmt.Sprintf("loop%d_%d", p.Line, p.Column)
}

// loopLabel is the label by which a strip-mined or versioned loop is left, "" if
// it needs none.
func (e *emitter) loopLabel(loop ast.Stmt) string {
	if v := e.plan.versioned[loop]; v != nil && v.labelled {
		return e.inCopy(v.label, loop.Pos())
	} else if v != nil && v.label != "" {
		return e.inCopy(e.names.prefix+v.label, loop.Pos())
	}
	if s := e.plan.strips[loop]; s != nil && s.label != "" {
		return e.inCopy(e.names.prefix+s.label, loop.Pos())
	}
	return ""
}

// stripped reports whether loop is emitted strip-mined.
func (e *emitter) stripped(loop ast.Stmt, m mode) *strip {
	if m != guarded || e.names.audit {
		return nil
	}
	return e.plan.strips[loop]
}
