package transform

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/dupinst/dupinst/checks"
	"github.com/dupinst/dupinst/flow"
	"github.com/dupinst/dupinst/instrumentations"
)

// names are the identifiers that emitted code uses, all with one prefix that
// the package does not have.
type names struct {
	prefix string
	audit  bool
}

func (n names) runtime() string  { return n.prefix + "rt" } // package runtime, as imported
func (n names) counters() string { return n.prefix + "c" }  // the package's counters
func (n names) pkg() string      { return n.prefix + "p" }  // its DupinstPackage
func (n names) init() string     { return n.prefix + "i" }  // the mode bit of its initialiser

// bit names a function's mode bit. The body of a range-over-func loop sees that
// of the function around it, and so has another name for its own.
func (n names) bit(p *Plan) string {
	if p.Func.Body == nil {
		return n.init()
	}
	return n.prefix + "d" + strings.Repeat("d", p.depth)
}

// yes is true. The package may give predeclared names another meaning.
func (n names) yes() string { return n.runtime() + ".DupinstTrue" }

// passed names the bit that is set once a check has been passed since the entry
// or the last backedge.
func (n names) passed(p *Plan) string { return n.prefix + "k" + strings.Repeat("k", p.depth) }

// count is the probe of sites as a statement. There is at least one site.
func (n names) count(s span) string {
	return fmt.Sprintf("%s.DupinstCount(%s)", n.runtime(), n.at(s))
}

// spends is the checks of sites, of which there are at most most, as one expression.
func (n names) spends(s span) string { return checks.Spends(n.runtime(), s.n) }

// at is sites as two arguments in a call of the runtime.
func (n names) at(s span) string { return fmt.Sprintf("&%s, %d<<8|%d", n.pkg(), s.first, s.n) }

// site is a site as two arguments in a call of the runtime.
func (n names) site(site int) string { return fmt.Sprintf("&%s, %d", n.pkg(), site) }

// before inserts at pos the probes that stand before s.
func (e *emitter) before(s ast.Stmt, pos token.Pos, m mode) {
	where := spot{atBefore, s}
	e.statements(pos, m, e.plan.static[where], e.plan.early[where])
}

// start inserts at pos the probes at the start of body.
func (e *emitter) start(body ast.Node, pos token.Pos, m mode) {
	e.statements(pos, m, e.plan.static[spot{atStart, body}], nil)
}

// statements inserts probes as statements.
func (e *emitter) statements(pos token.Pos, m mode, sites span, early []dynamicSite) {
	if out := e.probes(sites, m, e.plan, early...); out != "" {
		e.insert(pos, "%s; ", out)
	}
}

// probes is the probes of p's sites as statements, "" if there are none.
func (e *emitter) probes(sites span, m mode, p *Plan, early ...dynamicSite) string {
	if m == checking || sites.n+len(early) == 0 {
		return ""
	}
	var probes []string
	for _, s := range e.names.split(sites, m) {
		switch {
		case m == lone && !e.names.audit:
			probes = append(probes, fmt.Sprintf("if %s { %s.DupinstProbe(%s) }", e.names.spends(s), e.names.runtime(), e.names.at(s)))
		case m == lone:
			probes = append(probes, fmt.Sprintf("if %s { %s }", e.names.check(p), e.names.count(s)))
		default:
			probes = append(probes, e.names.count(s))
		}
	}
	within := m
	if m == guarded {
		within = probed // behind the one test of the mode bit
	}
	for _, d := range early {
		open, end := e.carrier(d, within)
		probes = append(probes, open+e.slice(d.Operand)+end)
	}
	out := strings.Join(probes, "; ")
	if m == guarded {
		return fmt.Sprintf("if %s { %s }", e.names.bit(p), out)
	}
	return out
}

// most is the largest number of sites that one call counts.
const most = 0xff

// split divides a span into those that one call counts. In an audit build each
// check of No-Duplication is a call of its own.
func (n names) split(s span, m mode) []span {
	step := most
	if m == lone && n.audit {
		step = 1
	}
	var out []span
	for i := 0; i < s.n; i += step {
		out = append(out, span{s.first + i, min(step, s.n-i)})
	}
	return out
}

// guard is the condition of a probe in shared code.
func (e *emitter) guard(m mode) string {
	if m == lone {
		return e.check()
	}
	return e.bit()
}

// guardedCount is the probe of sites as an expression that is always 1.
func (e *emitter) guardedCount(s span, m mode) string {
	switch {
	case m == probed:
		return fmt.Sprintf("%s.DupinstCounted(%s)", e.names.runtime(), e.names.at(s))
	case m == lone && !e.names.audit:
		return fmt.Sprintf("%s.DupinstProbeIf(%s, %s)", e.names.runtime(), e.names.spends(s), e.names.at(s))
	}
	return fmt.Sprintf("%s.DupinstCountIf(%s, %s)", e.names.runtime(), e.guard(m), e.names.at(s))
}

// prefix is the probes of sites as the first operand of x, a condition.
func (e *emitter) prefix(x ast.Node, sites span, m mode) string {
	if m == checking || sites.n == 0 {
		return ""
	}
	out, rt := "", e.names.runtime()
	plain := isBool(e.pkg, x.(ast.Expr))
	for _, s := range e.names.split(sites, m) {
		switch {
		case m == guarded && plain:
			out += fmt.Sprintf(" (!%s || %s.DupinstCounted(%s) != 0) && ", e.bit(), rt, e.names.at(s))
		case m == lone && plain && !e.names.audit:
			out += fmt.Sprintf(" (!%s || %s.DupinstProbed(%s) != 0) && ", e.names.spends(s), rt, e.names.at(s))
		default:
			// A comparison has no type yet; the condition may be of any boolean type.
			out += " " + e.guardedCount(s, m) + " != 0 && "
		}
	}
	return out
}

// condition emits the condition of an if or for statement.
func (e *emitter) condition(cond ast.Expr, m mode) {
	if p := e.prefix(cond, e.plan.static[spot{atCond, cond}], m); p != "" {
		e.insert(cond.Pos(), "%s(", p)
		e.expr(cond, m)
		e.insert(cond.End(), ")")
		return
	}
	e.expr(cond, m)
}

// isBool reports whether x is of type bool, or of none yet, and not of another boolean
// type: a defined one, or a type parameter.
func isBool(pkg *flow.Package, x ast.Expr) bool {
	t, ok := types.Unalias(pkg.Info.TypeOf(x)).(*types.Basic)
	return ok && t.Info()&types.IsBoolean != 0
}

// caseExpr emits an expression of a case, evaluated only if those before it did
// not match.
func (e *emitter) caseExpr(x ast.Expr, m mode) {
	sites := e.plan.static[spot{atCase, x}]
	if m == checking || sites.n == 0 {
		e.expr(x, m)
		return
	}
	var hits []string
	for _, s := range e.names.split(sites, m) {
		hits = append(hits, e.guardedCount(s, m))
	}
	e.insert(x.Pos(), " %s.DupinstValue(%s, ", e.names.runtime(), strings.Join(hits, " | "))
	e.expr(x, m)
	e.insert(x.End(), ")")
}

// expr emits what lies in n, an expression or a statement without a list of its
// own: operands with probes, callees found at run time, function literals.
func (e *emitter) expr(n ast.Node, m mode) {
	if n == nil {
		return
	}
	if p := e.prefix(n, e.plan.static[spot{atOperand, n}], m); p != "" {
		e.insert(n.Pos(), "(%s(", p)
		defer e.insert(n.End(), "))")
	}
	if d, ok := e.plan.late[n]; ok && m != checking {
		open, end := e.carrier(d, m)
		e.insert(n.Pos(), "%s", open)
		defer e.insert(n.End(), "%s", end)
	}
	switch n := n.(type) {
	case *ast.FuncLit:
		if fn := e.pkg.Of(n); fn != nil {
			e.function(fn)
		}
		return
	case *ast.CallExpr:
		e.call(n, m)
		return
	}
	for _, c := range children(n) {
		e.expr(c, m)
	}
}

// call emits a call, whose callee may have to be seen.
func (e *emitter) call(call *ast.CallExpr, m mode) {
	site, ok := e.plan.callee[call]
	if ok && site.late == nil && m != checking {
		open, end := e.carrier(site, m)
		e.insert(site.Operand.Pos(), "%s", open)
		e.expr(call.Fun, m)
		e.insert(site.Operand.End(), "%s", end)
	} else {
		e.expr(call.Fun, m)
	}
	for _, a := range call.Args {
		e.expr(a, m)
	}
}

// children returns the nodes right below n.
func children(n ast.Node) []ast.Node {
	var out []ast.Node
	ast.Inspect(n, func(c ast.Node) bool {
		if c != nil && c != n {
			out = append(out, c)
		}
		return c == n
	})
	return out
}

// carrier returns what stands before and after an operand (or, of a late site,
// the argument) for the runtime to see the callee: a call that returns it.
func (e *emitter) carrier(d dynamicSite, m mode) (open, end string) {
	name, args, guard := "Func", e.names.site(d.site), ")"
	if d.Dynamic == instrumentations.Interface {
		name = "Iface"
	}
	if d.late != nil {
		name += "Late"
	}
	switch {
	case m == probed:
	case m == lone && d.late == nil && !e.names.audit:
		name += "Probe"
		if d.Dynamic == instrumentations.Interface {
			args = fmt.Sprintf("&%s, %d<<32|%d", e.names.pkg(), d.site, d.Method)
		}
	case m == lone && d.late == nil && e.plan.Func.Body != nil:
		name += "Audited"
		args = "&" + e.names.activation(e.plan) + ", " + args
	default:
		// Last, so that a check of its own stands next to what it guards.
		name += "If"
		guard = ", " + e.guard(m) + ")"
	}
	// A space, lest it run into a keyword before.
	open = fmt.Sprintf(" %s.Dupinst%s(%s, ", e.names.runtime(), name, args)
	if d.Dynamic == instrumentations.Interface && !strings.HasSuffix(name, "Probe") {
		open += fmt.Sprintf("%d, ", d.Method)
	}
	via := ""
	for _, f := range d.Via {
		via += "." + f
	}
	if d.late != nil {
		return open + e.slice(d.Operand) + via + ", ", guard
	}
	return open, via + guard
}
