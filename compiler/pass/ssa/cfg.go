//go:build dupinst_compiler

package ssa

import (
	"cmd/compile/internal/types"
	"cmd/internal/src"
)

// What package dupinst needs of this package and cannot reach.

// DupinstTake takes marks out before registers are allocated; Dupinst is the pass.
var DupinstTake, Dupinst func(f *Func)

func dupinstTake(f *Func) {
	if DupinstTake != nil {
		DupinstTake(f)
	}
}

func dupinst(f *Func) {
	if Dupinst != nil {
		Dupinst(f)
	}
}

// DupinstBlock makes a block that f does not list yet.
func (f *Func) DupinstBlock(kind BlockKind, pos src.XPos) *Block {
	b := f.NewBlock(kind)
	f.Blocks = f.Blocks[:len(f.Blocks)-1]
	b.Pos = pos.WithNotStmt()
	return b
}

// DupinstList sets f's blocks, in the order of their code.
func (f *Func) DupinstList(blocks []*Block) {
	f.Blocks = blocks
	f.invalidateCFG()
}

// DupinstOn puts n on the i-th edge out of b: n's j-th leads on to where that led.
func DupinstOn(b *Block, i int, n *Block, j int) {
	e := b.Succs[i]
	b.Succs[i] = Edge{n, len(n.Preds)}
	n.Preds = append(n.Preds, Edge{b, i})
	dupinstGrow(n, j)
	n.Succs[j] = e
	e.b.Preds[e.i] = Edge{n, j}
}

// DupinstTo makes t the i-th successor of b. arg gives the argument that a phi of t has for
// the new edge.
func DupinstTo(b *Block, i int, t *Block, arg func(phi *Value) *Value) {
	dupinstGrow(b, i)
	b.Succs[i] = Edge{t, len(t.Preds)}
	t.Preds = append(t.Preds, Edge{b, i})
	for _, v := range t.Values {
		if v.Op == OpPhi {
			v.AddArg(arg(v))
		}
	}
}

func dupinstGrow(b *Block, i int) {
	for len(b.Succs) <= i {
		b.Succs = append(b.Succs, Edge{})
	}
}

// DupinstCut moves b's values from the at-th on, its control and its edges to a new block.
func (f *Func) DupinstCut(b *Block, at int) *Block {
	n := f.DupinstBlock(b.Kind, b.Pos)
	n.Values = append(n.Values, b.Values[at:]...)
	for _, v := range n.Values {
		v.Block = n
	}
	b.truncateValues(at)
	n.Likely, n.FlagsLiveAtEnd, n.Aux, n.AuxInt = b.Likely, b.FlagsLiveAtEnd, b.Aux, b.AuxInt
	for _, c := range b.ControlValues() {
		n.AddControl(c)
	}
	n.Succs = append(n.Succs, b.Succs...)
	for i, e := range n.Succs {
		e.b.Preds[e.i] = Edge{n, i}
	}
	b.Succs = b.Succs[:0]
	b.ResetControls()
	b.Kind, b.Likely, b.FlagsLiveAtEnd, b.Aux, b.AuxInt = BlockPlain, BranchUnknown, false, nil, 0
	return n
}

// DupinstNothing makes nothing of a call without results.
func DupinstNothing(v *Value) {
	mem := v.MemoryArg()
	v.reset(OpCopy)
	v.AddArg(mem)
}

// DupinstCopy copies v into b, with its registers and stack slots, but without arguments.
func (f *Func) DupinstCopy(b *Block, v *Value) *Value {
	n := b.NewValue0(v.Pos, v.Op, v.Type)
	n.AuxInt, n.Aux = v.AuxInt, v.Aux
	f.setHome(n, f.getHome(v.ID))
	if r := f.tempRegs[v.ID]; r != nil {
		f.tempRegs[n.ID] = r
	}
	return n
}

// DupinstMark makes an operation of ours at b's end, which is nowhere.
func DupinstMark(b *Block, pos src.XPos) *Value {
	v := b.NewValue0I(pos, OpInlMark, types.TypeVoid, -1)
	b.Func.setHome(v, nil) // it may have the number of a value that is no more, and was somewhere
	return v
}

// DupinstSetsFlags reports whether v leaves other flags than it found.
func DupinstSetsFlags(v *Value) bool {
	return opcodeTable[v.Op].clobberFlags || v.Type.IsFlags() || v.Type.IsTuple() && (v.Type.FieldType(0).IsFlags() || v.Type.FieldType(1).IsFlags())
}

// DupinstSucc is the i-th successor of b and the index that b has among its predecessors.
func DupinstSucc(b *Block, i int) (to *Block, at int) { return b.Succs[i].b, b.Succs[i].i }

// DupinstPred is the i-th predecessor of b and the index that b has among its successors.
func DupinstPred(b *Block, i int) (from *Block, at int) { return b.Preds[i].b, b.Preds[i].i }

// dupinstPlaced reports whether the pass has changed f.
func dupinstPlaced(f *Func) bool {
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == OpInlMark && v.AuxInt == -1 {
				return true
			}
		}
	}
	return false
}

// DupinstDrop takes its arguments from a value that is removed.
func DupinstDrop(v *Value) { v.resetArgs() }
