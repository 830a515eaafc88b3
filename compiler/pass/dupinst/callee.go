//go:build dupinst_compiler

package dupinst

import (
	"fmt"

	"cmd/compile/internal/base"
	"cmd/compile/internal/ir"
	"cmd/internal/obj"
)

// inlined are the functions that were inlined, by their index in the inlining tree.
var inlined = map[int]*ir.Func{}

// Inlined notes what was inlined.
func Inlined(index int, fn *ir.Func) {
	if variant != "" {
		inlined[index] = fn
	}
}

// calleeOf returns a record of what n calls, for a call whose callee was not known when the
// sites were listed, but found out by the compiler, and inlined. It stands in the place of
// the callee's code, which the program may not have.
func calleeOf(n *ir.InlinedCallExpr) *obj.LSym {
	if fn := inlined[inlinedAs(n)]; fn != nil {
		return calleeRecord(fn)
	}
	base.FatalfAt(n.Pos(), "dupinst: an inlined call of nothing")
	return nil
}

// inlinedAs is the index in the inlining tree of what n inlines, or -1: with a profile, the
// compiler makes two calls of one whose callee is known only at run time, of the callee that is
// likely and of whatever else it may be, and calls the choice an inlined call, too.
func inlinedAs(n *ir.InlinedCallExpr) int {
	for _, s := range n.Init() {
		if mark, ok := s.(*ir.InlineMarkStmt); ok && mark.Index >= 0 {
			return int(mark.Index)
		}
	}
	return -1
}

// nameOf is the name that the linker knows fn by.
func nameOf(fn *ir.Func) string { return linked(ir.LinkFuncName(fn)) }

// magic2 begins a record; the runtime knows it by that (runtime/core, trigger_compiled.go).
const magic2 = 0xd1310ba698dfb5ac

func calleeRecord(fn *ir.Func) *obj.LSym {
	pos := base.Ctxt.PosTable.Pos(fn.Pos())
	name, file, line := nameOf(fn), pos.AbsFilename(), pos.RelLine()
	s := base.Ctxt.Lookup(fmt.Sprintf("dupinst.callee.%s.%s:%d", name, file, line))
	if s.Size > 0 {
		return s
	}
	at := int64(0)
	word := func(v uint64) {
		s.WriteInt(base.Ctxt, at, 8, int64(v))
		at += 8
	}
	magic := uint64(magic2)
	word(magic)
	for _, text := range []string{name, file} {
		t := base.Ctxt.Lookup("dupinst.text." + text)
		if t.Size == 0 {
			t.WriteString(base.Ctxt, 0, len(text), text)
			base.Ctxt.Globl(t, int64(len(text)), obj.RODATA|obj.DUPOK)
		}
		s.WriteAddr(base.Ctxt, at, 8, t, 0)
		at += 8
		word(uint64(len(text)))
	}
	word(uint64(line))
	base.Ctxt.Globl(s, at, obj.NOPTR|obj.DUPOK)
	return s
}
