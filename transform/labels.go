package transform

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/dupinst/dupinst/flow"
)

// A label may be defined once in a function: the labels in each copy of a stretch of
// source have names of their own.

// copy is capture for a copy of what lies between from and to.
func (e *emitter) copy(from, to token.Pos, f func()) []edit {
	e.copied++
	e.stretches = append(e.stretches, stretch{from, to, e.copied})
	defer func() { e.stretches = e.stretches[:len(e.stretches)-1] }()
	return e.capture(f)
}

// A stretch is a piece of source, and which copy is made of it.
type stretch struct {
	from, to token.Pos
	copy     int
}

// inCopy is the name that a label at pos has in the copy that is being made.
func (e *emitter) inCopy(name string, pos token.Pos) string {
	for _, c := range slices.Backward(e.stretches) {
		if c.from <= pos && pos < c.to {
			return fmt.Sprintf("%s%d_%s", e.names.prefix, c.copy, name)
		}
	}
	return name
}

// labeled emits a statement with its labels. A label of a loop or switch must
// stand right before it, so probes go before the label; where a goto would then
// miss them, it gets a label of its own (Plan.split).
func (e *emitter) labeled(outer *ast.LabeledStmt, m mode) {
	inner := flow.Unlabeled(outer)
	e.place(flow.FallIn, outer, outer.Pos(), m)
	if flow.Breakable(inner) {
		e.place(flow.Before, outer, outer.Pos(), m)
		for s := ast.Stmt(outer); s != inner; s = s.(*ast.LabeledStmt).Stmt {
			if label := e.pkg.Info.Defs[s.(*ast.LabeledStmt).Label]; e.plan.split[label] {
				e.insert(outer.Pos(), "%s%s: ", e.names.prefix, e.labelName(label))
			}
		}
		e.before(outer, outer.Pos(), m)
	}
	for s := ast.Stmt(outer); s != inner; s = s.(*ast.LabeledStmt).Stmt {
		l := s.(*ast.LabeledStmt)
		if label := e.pkg.Info.Defs[l.Label]; e.plan.split[label] && e.plan.labels.OnlyGoto(label) {
			e.edits = append(e.edits, edit{l.Pos(), l.Colon + 1, ""}) // nothing names it any more
			continue
		}
		e.relabel(l.Label, false)
	}
	if !flow.Breakable(inner) {
		e.place(flow.Before, outer, inner.Pos(), m)
		e.before(outer, inner.Pos(), m)
	}
	e.unlabeled(inner, m)
}

// relabel gives a label, or a jump's mention of it, the name it has here.
func (e *emitter) relabel(id *ast.Ident, jump bool) {
	label := e.pkg.Info.ObjectOf(id)
	name := e.labelName(label)
	for p := e.plan; jump && p != nil; p = e.plans[p.Func.Parent] {
		if p.split[label] {
			name = e.names.prefix + name
		}
	}
	if name != id.Name {
		e.edits = append(e.edits, edit{id.Pos(), id.End(), name})
	}
}

// labelName is label's name where it is emitted: a copy has labels of its own.
func (e *emitter) labelName(label types.Object) string {
	return e.inCopy(label.Name(), label.Pos())
}
