package transform

import (
	"fmt"
	"go/ast"
	"strings"

	"github.com/dupinst/dupinst/checks"
	"github.com/dupinst/dupinst/flow"
	"github.com/dupinst/dupinst/profile/format"
)

// Audit is what an audit build counts beside its instrumentations: for each
// function with probes, entries, backedges, checks, transfers (checks that led
// to duplicated code), and the nanoseconds in duplicated code: from a transfer to
// the activation's next check or its end, callees included. It is exact, whatever
// the sample interval, but for the time in the body of a range-over-func loop
// that is left for a loop around another such loop.
var Audit = format.Instrumentation{
	Name: "audit", Key: "{function} {event}", Parts: []string{"function", "event"}, Dynamic: -1,
}

// AuditEvents are the events of Audit, in the order of a function's sites.
var AuditEvents = []string{"entry", "backedge", "check", "transfer", "nanosecond"}

// auditSites are the sites of fn; instrumentation is Audit's index.
func auditSites(instrumentation int, fn *flow.Func) []format.Site {
	var out []format.Site
	for _, event := range AuditEvents {
		out = append(out, format.Site{Instrumentation: instrumentation, Parts: []string{fn.Name, event}})
	}
	return out
}

// activation names the variable of a function's activation.
func (n names) activation(p *Plan) string { return n.prefix + "a" + strings.Repeat("a", p.depth) }

// check is a check of p's function as an expression.
func (n names) check(p *Plan) string {
	switch {
	case !n.audit:
		return checks.Check(n.runtime())
	case p.Func.Body == nil:
		return fmt.Sprintf("%s.DupinstInitialCheck(%s)", n.runtime(), n.site(p.audit))
	}
	return n.activation(p) + ".DupinstCheck()"
}

// checkInto is a check of p's function as statements, which set its mode bit.
func (n names) checkInto(p *Plan, assign string) string {
	if n.audit {
		return fmt.Sprintf("%s %s %s", n.bit(p), assign, n.check(p))
	}
	return checks.Bit(n.runtime(), n.bit(p), assign)
}

// check is a check of the function that is being emitted.
func (e *emitter) check() string { return e.names.check(e.plan) }

func (n names) initialEntry(p *Plan) string {
	return fmt.Sprintf("%s.DupinstInitialEntry(%s)", n.runtime(), n.site(p.audit))
}

// auditBackedge is what stands on a backedge of p's function, in front of rest.
func (n names) auditBackedge(p *Plan, rest string) string {
	if !n.audit || p.Shape == Untouched {
		return rest
	}
	out := n.activation(p) + ".DupinstBackedge()"
	if rest != "" {
		out += "; " + rest
	}
	return out
}

// auditIdle is what stands on a backedge that does not end a sample.
func (n names) auditIdle(p *Plan) string {
	if !n.audit || p.Shape == Untouched {
		return ""
	}
	return n.activation(p) + ".DupinstIdle()"
}

// enter begins an activation. The body of a range-over-func loop cannot defer
// its end, which stands on each way out instead.
func (e *emitter) enter(fn *flow.Func) {
	if !e.names.audit || e.plan.Shape == Untouched {
		return
	}
	a := e.names.activation(e.plan)
	e.insert(fn.Body.Lbrace+1, " %s := %s.DupinstEnter(%s); ", a, e.names.runtime(), e.names.site(e.plan.audit))
	if fn.Kind != flow.Range {
		e.insert(fn.Body.Lbrace+1, "defer %s.DupinstLeave(); ", a)
	}
}

// leave ends the body of a range-over-func loop.
func (e *emitter) leave(fn *flow.Func) {
	if e.names.audit && e.plan.Shape != Untouched && fn.Kind == flow.Range {
		e.insert(fn.Body.Rbrace, "; %s.DupinstLeave(); ", e.names.activation(e.plan))
	}
}

// leaving is what precedes s, a return from within the body of such a loop or a
// jump; "" where it does not leave the body.
func (e *emitter) leaving(s ast.Stmt) string {
	if !e.names.audit || e.plan.Shape == Untouched || e.plan.Func.Kind != flow.Range {
		return ""
	}
	g := e.plan.Parts.Graph
	for _, n := range g.Nodes {
		if n.Stmt == ast.Node(s) && len(n.Succs) == 1 && n.Succs[0].To == g.Exit {
			return e.names.activation(e.plan) + ".DupinstLeave(); "
		}
	}
	return ""
}
