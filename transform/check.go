package transform

import (
	"fmt"
	"go/ast"
	"go/token"

	"github.com/dupinst/dupinst/checks"
	"github.com/dupinst/dupinst/flow"
)

// apart keeps a function with its entry check alone from being inlined, as its copies keep
// it under Full, and makes no code: the compiler inlines nothing that has a select.
const apart = "select { default: }"

// modeBit declares the function's mode bit and, where checks are open, a second
// one, set once a check has been passed. An entry check sets them.
func (e *emitter) modeBit(body *ast.BlockStmt) {
	bits := e.bit()
	if e.merges(flow.AtStart, body) {
		e.insert(body.Lbrace+1, " var %s %s.DupinstBool; ", bits, e.names.runtime())
		return
	}
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
	if m != guarded || e.merges(kind, n) {
		return
	}
	if check := e.checkAt(e.plan, flow.Place{Kind: kind, Node: n}); check != "" {
		e.insert(pos, "; %s; ", check)
	}
}

// merges reports whether the check of a place is to be one with the segment that
// comes next, which then leads straight into one copy or the other.
func (e *emitter) merges(kind flow.PlaceKind, n ast.Node) bool {
	at := flow.Place{Kind: kind, Node: n}
	first, ok := n.(ast.Stmt)
	if kind == flow.AtStart {
		first, ok = nil, e.plan.static[spot{atStart, n}].n == 0
		if list := statements(n); len(list) > 0 {
			first = list[0]
		}
	} else if kind != flow.Before {
		return false
	}
	_, checked := e.plan.CheckAt(at)
	if !ok || !checked || e.plan.Runs[first] == nil || e.plan.open || e.names.audit || e.plan.Shape != Segmented || e.plan.Variant.bare() {
		return false
	}
	e.merged = &at
	return true
}

// statements is the list of a block or clause.
func statements(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

// fork returns what leads into the two copies of a segment: before the plain
// one, between them, and before the one with probes.
func (e *emitter) fork() (plain, probed string) {
	d, rt := e.bit(), e.names.runtime()
	at := e.merged
	e.merged = nil
	if at == nil {
		return fmt.Sprintf("if !%s {", d), ""
	}
	return fmt.Sprintf("if %s = %s; !%s {", d, checks.Due(rt), d), checks.Sample(rt) + "; "
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
