//go:build dupinst_compiler

package ssa

import "cmd/compile/internal/types"

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

// dupinstBound reports whether v is a mark that has a condition already.
func dupinstBound(v *Value) bool { return dupinstMark(v) && v.Aux != nil }

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
		test := v.Block.NewValue1I(v.Pos, OpARM64TSTWconst, types.TypeFlags, 1, cond)
		v.SetArg(0, test)
		return true
	}
	when.Kind = BlockAMD64NE
	v.SetArg(0, v.Block.NewValue2(v.Pos, OpAMD64TESTB, types.TypeFlags, cond, cond))
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
