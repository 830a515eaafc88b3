//go:build dupinst_compiler

package ssagen

import (
	"slices"

	"cmd/compile/internal/base"
	"cmd/compile/internal/ir"
	"cmd/compile/internal/ssa"
	"cmd/compile/internal/types"
	"cmd/internal/obj"
	"cmd/internal/src"
)

// DupinstEmit emits the operations of package dupinst.
var DupinstEmit func(s *State, v *ssa.Value)

func dupinstEmit(s *State, v *ssa.Value) { DupinstEmit(s, v) }

// DupinstUnsafe makes the instructions up to the next operation no safe points.
func (s *State) DupinstUnsafe() { s.pp.NextUnsafe = true }

// DupinstInlined emits an instruction that stands for an inlined call, at its position.
func (s *State) DupinstInlined(index int) {
	nop := Arch.Ginsnop(s.pp)
	nop.Pos = base.Ctxt.InlTree.CallPos(index)
	s.pp.CurFunc.LSym.Func().AddInlMark(nop, int32(index))
}

// dupinstCalls reports whether p calls a routine of ours, which needs no frame.
func dupinstCalls(p *obj.Prog) bool {
	if p.To.Sym == nil {
		return false
	}
	switch p.To.Sym.Name {
	case "runtime.dupinstFire", "runtime.dupinstSee", "runtime.dupinstNote", "runtime.dupinstNoteValue", "runtime.dupinstNoteReference", "runtime.dupinstNotePath", "runtime.dupinstNoteStack":
		return true
	}
	return false
}

// A mark takes the memory that the last call before it left, or the phi or the beginning
// behind which no call comes: so it does not move up over a call, which might not return, and
// stands between no two stores, which would keep them from being made one.

// dupinstMark puts a mark of ours into the block, if n is one. It has no position and begins
// no statement, so that lines are the plain build's.
func (s *state) dupinstMark(n ir.Node) bool {
	m, ok := n.(*ir.InlineMarkStmt)
	if !ok || m.Index >= 0 {
		return false
	}
	if s.curBlock == nil {
		return true
	}
	v := s.curBlock.NewValue0I(src.NoXPos.WithNotStmt(), ssa.OpInlMark, types.TypeVoid, m.Index)
	if call := dupinstCall(s.curBlock, s.vars[memVar]); call != nil {
		v.AddArg(call)
	}
	return true
}

// dupinstCall is the memory that the last call or phi in b left, of which m comes.
func dupinstCall(b *ssa.Block, m *ssa.Value) *ssa.Value {
	for ; m != nil && m.Block == b; m = m.MemoryArg() {
		if m.Op == ssa.OpPhi || m.Op == ssa.OpSelectN || m.Op.IsCall() {
			return m
		}
	}
	return nil
}

// dupinstMarks gives their memory to marks that no call of their block comes before: what
// the block began with, but for stores.
func (s *state) dupinstMarks() {
	began := map[*ssa.Block]*ssa.Value{}
	for _, b := range s.f.Blocks {
		for _, v := range b.Values {
			if v.Op == ssa.OpInlMark && v.AuxInt < -1 && len(v.Args) == 0 {
				v.AddArg(s.dupinstBegan(b, began))
			}
		}
	}
}

// dupinstBegan is the memory that b began with, but for stores.
func (s *state) dupinstBegan(b *ssa.Block, known map[*ssa.Block]*ssa.Value) *ssa.Value {
	var through []*ssa.Block
	m := known[b]
	for ; m == nil; m = known[b] {
		through = append(through, b)
		if i := slices.IndexFunc(b.Values, func(v *ssa.Value) bool { return v.Op == ssa.OpPhi && v.Type.IsMemory() }); i >= 0 {
			m = b.Values[i]
			break
		}
		if b = s.f.Idom()[b.ID]; b == nil {
			m = s.startmem
			break
		}
		if m = dupinstCall(b, s.defvars[b.ID][memVar]); m != nil {
			break
		}
	}
	for _, b := range through {
		known[b] = m
	}
	return m
}
