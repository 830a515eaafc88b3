//go:build dupinst_compiler

package ssa

import (
	"slices"

	"cmd/compile/internal/types"
	"cmd/internal/src"
)

// Where a block becomes a conditional move, or part of one comparison of two, its marks
// count if the condition holds: they take it along, as an argument. Once operations are the
// machine's the argument is made the flags, so that it costs no register. So this is done
// to a block whether it is marked or not, and the plain build's code stays what it is.

// A DupinstWhen is the Aux of a mark that counts only on a condition.
type DupinstWhen struct {
	Not  bool      // it counts where the condition does not hold
	Kind BlockKind // once known: of a block that leads to its first successor if it holds
}

func (*DupinstWhen) CanBeAnSSAAux() {}

func dupinstMark(v *Value) bool { return v.Op == OpInlMark && v.AuxInt < -1 }

// dupinstLen is how many values of b are the program's.
func dupinstLen(b *Block) int {
	n := 0
	for _, v := range b.Values {
		if !dupinstMark(v) {
			n++
		}
	}
	return n
}

// DupinstOnce has marks stay in their blocks: where traps may stand the code need not be the plain build's.
var DupinstOnce bool

// dupinstBound reports whether v is a mark that takes no condition: it has one already, or is to stay where it is.
func dupinstBound(v *Value) bool { return dupinstMark(v) && (v.Aux != nil || DupinstOnce) }

// dupinstMemoryArg is v's argument that is memory, but for a mark.
func dupinstMemoryArg(v *Value) *Value {
	if dupinstMark(v) {
		return nil
	}
	return v.MemoryArg()
}

// dupinstUnder gives the marks of blocks that are about to be carried out always, though b
// leads to them on a condition, that condition.
func dupinstUnder(b *Block, merged ...*Block) {
	for _, m := range merged {
		for _, v := range m.Values {
			if dupinstMark(v) {
				v.Aux = &DupinstWhen{Not: b.Succs[0].b != m}
				mem := v.Args[0]
				v.resetArgs()
				v.AddArg2(b.Controls[0], mem)
			}
		}
	}
}

// dupinstNew is a new value at the end of b that takes no number that another could have
// had: the order of numbers decides what is taken first of two that are alike.
func dupinstNew(b *Block, pos src.XPos, op Op, t *types.Type) *Value {
	free := b.Func.freeValues
	b.Func.freeValues = nil
	v := b.Func.newValue(op, t, b, pos)
	b.Func.freeValues = free
	return v
}

// dupinstPast gives p, which is about to lead past b on its i-th edge, b's marks on the
// condition that it takes that.
func dupinstPast(p *Block, i int, b *Block) {
	for _, v := range b.Values {
		if dupinstMark(v) {
			m := dupinstNew(p, v.Pos, OpInlMark, v.Type)
			m.AuxInt, m.Aux = v.AuxInt, &DupinstWhen{Not: i != 0}
			m.AddArg2(p.Controls[0], v.Args[0])
		}
	}
}

// dupinstMovable reports whether v is a mark that can be put on a condition, and leave its
// block: one comes there on that condition only.
func dupinstMovable(v *Value) bool {
	return dupinstMark(v) && !dupinstBound(v) && len(v.Block.Preds) == 1
}

// dupinstArms moves the marks of the empty blocks that b leads to, on a condition that is
// about to go, into b. One that is b itself is none.
func dupinstArms(b *Block, arms ...*Block) {
	for i, arm := range arms {
		if arm == b {
			continue
		}
		dupinstPast(b, i, arm)
		arm.Values = slices.DeleteFunc(arm.Values, func(v *Value) bool {
			if dupinstMark(v) {
				v.resetArgs()
			}
			return dupinstMark(v)
		})
	}
}

// dupinstAnyBound reports whether b has a mark that takes no condition.
func dupinstAnyBound(b *Block) bool {
	for _, v := range b.Values {
		if dupinstBound(v) {
			return true
		}
	}
	return false
}

// dupinstConditions makes the conditions of marks flags.
func dupinstConditions(f *Func) {
	for _, b := range f.Blocks {
		for _, v := range b.Values { // to which a test may be added
			if when, ok := v.Aux.(*DupinstWhen); ok && !dupinstCondition(v, when) {
				v.reset(OpInvalid)
			}
		}
	}
}

// dupinstCondition reports whether a mark can count.
func dupinstCondition(v *Value, when *DupinstWhen) bool {
	cond, mem := v.Args[0], v.Args[1]
	switch cond.Op {
	case OpConstBool, OpAMD64MOVLconst, OpARM64MOVDconst:
		v.Aux = nil
		v.resetArgs()
		v.AddArg(mem)
		return cond.AuxInt&1 != 0 != when.Not
	}
	if kind, ok := dupinstKinds[cond.Op]; ok {
		when.Kind = kind
		v.SetArg(0, cond.Args[0])
		return true
	}
	if v.Block.Func.Config.arch == "arm64" {
		when.Kind = BlockARM64NE
		test := dupinstNew(v.Block, v.Pos, OpARM64TSTWconst, types.TypeFlags)
		test.AuxInt = 1
		test.AddArg(cond)
		v.SetArg(0, test)
		return true
	}
	when.Kind = BlockAMD64NE
	test := dupinstNew(v.Block, v.Pos, OpAMD64TESTB, types.TypeFlags)
	test.AddArg2(cond, cond)
	v.SetArg(0, test)
	return true
}

// dupinstKinds are the blocks' kinds that branch where an operation sets a register.
var dupinstKinds = map[Op]BlockKind{
	OpAMD64SETEQ: BlockAMD64EQ, OpAMD64SETNE: BlockAMD64NE,
	OpAMD64SETL: BlockAMD64LT, OpAMD64SETLE: BlockAMD64LE, OpAMD64SETG: BlockAMD64GT, OpAMD64SETGE: BlockAMD64GE,
	OpAMD64SETB: BlockAMD64ULT, OpAMD64SETBE: BlockAMD64ULE, OpAMD64SETA: BlockAMD64UGT, OpAMD64SETAE: BlockAMD64UGE,
	OpAMD64SETGF: BlockAMD64UGT, OpAMD64SETGEF: BlockAMD64UGE,

	OpARM64Equal: BlockARM64EQ, OpARM64NotEqual: BlockARM64NE,
	OpARM64LessThan: BlockARM64LT, OpARM64LessEqual: BlockARM64LE, OpARM64GreaterThan: BlockARM64GT, OpARM64GreaterEqual: BlockARM64GE,
	OpARM64LessThanU: BlockARM64ULT, OpARM64LessEqualU: BlockARM64ULE, OpARM64GreaterThanU: BlockARM64UGT, OpARM64GreaterEqualU: BlockARM64UGE,
	OpARM64LessThanF: BlockARM64FLT, OpARM64LessEqualF: BlockARM64FLE, OpARM64GreaterThanF: BlockARM64FGT, OpARM64GreaterEqualF: BlockARM64FGE,
}
