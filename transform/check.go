package transform

import (
	"fmt"
	"go/ast"
	"go/token"

	"github.com/dupinst/dupinst/flow"
)

// apart keeps a function with its entry check alone from being inlined, as its copies keep
// it under Full, and makes no code: the compiler inlines nothing that has a select.
const apart = "select { default: }"

// modeBit declares the function's mode bit and, where checks are open, a second
// one, set once a check has been passed. An entry check sets them.
func (e *emitter) modeBit(body *ast.BlockStmt) {
	bits := e.bit()
	if e.plan.open {
		bits += ", " + e.names.passed(e.plan)
	}
	if _, ok := e.plan.Checks[flow.Place{Kind: flow.AtStart, Node: body}]; !ok {
		e.insert(body.Lbrace+1, " var %s %s.DupinstBool; _ = %s; ", bits, e.names.runtime(), e.bit())
		return
	}
	if e.plan.Variant.bare() {
		// Nothing tests it.
		e.insert(body.Lbrace+1, " %s; _ = %s; %s; ", e.names.checkInto(e.plan, ":="), bits, apart)
		return
	}
	check := e.names.checkInto(e.plan, ":=")
	if e.plan.open {
		check += fmt.Sprintf("; %s := %s", e.names.passed(e.plan), e.names.yes())
	}
	e.insert(body.Lbrace+1, " %s; ", check)
}

// place inserts the check of a place, if it has one.
func (e *emitter) place(kind flow.PlaceKind, n ast.Node, pos token.Pos, m mode) {
	if m != guarded {
		return
	}
	if check := e.checkAt(e.plan, flow.Place{Kind: kind, Node: n}); check != "" {
		e.insert(pos, "; %s; ", check)
	}
}

// checkAt is the check of a place as a statement, "" where there is none.
func (e *emitter) checkAt(p *Plan, at flow.Place) string {
	c, ok := p.Checks[at]
	if !ok || p.Shape != Segmented {
		return ""
	}
	check := e.names.checkInto(p, "=")
	if p.open {
		check += fmt.Sprintf("; %s = %s", e.names.passed(p), e.names.yes())
	}
	if c.Open {
		return fmt.Sprintf("if !%s { %s }", e.names.passed(p), check)
	}
	return check
}

// again is what stands on a backedge: its check or, where that has gone, what
// makes it known that the next one has not been passed.
func (e *emitter) again(p *Plan, at flow.Place) string {
	if at.Kind == flow.Backedge && p.Parts != nil && p.Parts.Idle(at.Node.(ast.Stmt)) {
		return e.names.auditIdle(p)
	}
	out := e.checkAt(p, at)
	if out == "" && p.Shape == Segmented && p.open {
		out = e.names.passed(p) + " = !" + e.names.yes()
	}
	return e.names.auditBackedge(p, out)
}
