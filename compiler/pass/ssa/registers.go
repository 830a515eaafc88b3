//go:build dupinst_compiler

package ssa

import (
	"slices"

	"cmd/compile/internal/ir"
)

// DupinstRegisters says of the blocks of a function which registers are in use.
type DupinstRegisters struct {
	f        *Func
	out, all []dupinstMask // by block: those whose values are needed behind it; those it uses, too
	// before are those whose values are needed before each value of a block, by its ID, and in is that block.
	before []dupinstMask
	in     []*Block
	block  *Block // that was looked at last
}

// DupinstRegistersOf computes that for f, whose registers are allocated.
func DupinstRegistersOf(f *Func) *DupinstRegisters {
	n := f.NumBlocks()
	r := &DupinstRegisters{f: f, out: make([]dupinstMask, n), all: make([]dupinstMask, n)}
	needed, set := make([]dupinstMask, n), make([]dupinstMask, n)
	blocks := dupinstReached(f)
	for _, b := range blocks {
		need := dupinstMask(0)
		for _, c := range b.ControlValues() {
			need |= r.home(c)
		}
		used := need
		for i := len(b.Values) - 1; i >= 0; i-- {
			v := b.Values[i]
			own := r.home(v)
			if v.Op == OpPhi {
				need |= own // its arguments have the same
				used |= own
				continue
			}
			spoilt := own | dupinstGeneral(opcodeTable[v.Op].reg.clobbers)
			if t := f.tempRegs[v.ID]; t != nil {
				spoilt |= dupinstBit(t)
			}
			set[b.ID] |= spoilt
			need &^= spoilt
			for _, a := range v.Args {
				need |= r.home(a)
			}
			used |= spoilt | need
		}
		needed[b.ID], r.all[b.ID] = need, used
	}
	for changed := true; changed; {
		changed = false
		for _, b := range blocks {
			out := r.out[b.ID]
			for _, e := range b.Succs {
				out |= needed[e.b.ID]
			}
			if out != r.out[b.ID] {
				r.out[b.ID], changed = out, true
				needed[b.ID] |= out &^ set[b.ID]
				r.all[b.ID] |= out | needed[b.ID]
			}
		}
	}
	return r
}

// dupinstReached are the blocks that control reaches, listed already or not, most of them behind those that they
// lead to.
func dupinstReached(f *Func) []*Block {
	var out []*Block
	seen := make([]bool, f.NumBlocks())
	var visit func(b *Block)
	visit = func(b *Block) {
		seen[b.ID] = true
		for _, e := range b.Succs {
			if !seen[e.b.ID] {
				visit(e.b)
			}
		}
		out = append(out, b)
	}
	visit(f.Entry)
	return out
}

// A dupinstMask is a set of the first 64 registers: those of amd64 and arm64 that hold
// integers are among them.
type dupinstMask uint64

func dupinstBit(r *Register) dupinstMask { return 1 << r.num }

// home is the registers of v's value. Flags that were made once more have numbers of values that are no more (flagalloc),
// and so what is said of where those were, which differs from run to run (regalloc frees them in the order of a map).
func (r *DupinstRegisters) home(v *Value) dupinstMask {
	mask := dupinstMask(0)
	loc := r.f.getHome(v.ID)
	if one, ok := loc.(*Register); ok && one != nil && v.Op != OpInlMark && (v.Type.IsFlags() || v.Type.IsMemory() || v.Type.IsTuple()) {
		return mask
	}
	var add func(l Location)
	add = func(l Location) {
		switch l := l.(type) {
		case *Register:
			mask |= dupinstBit(l)
		case LocPair:
			add(l[0])
			add(l[1])
		case LocResults:
			for _, one := range l {
				add(one)
			}
		}
	}
	add(loc)
	return mask
}

// Same says that in a copy of a block registers are used as in that. Of blocks made since of which nothing is said, all are.
func (r *DupinstRegisters) Same(copy, of *Block) {
	for int(copy.ID) >= len(r.out) {
		r.out, r.all = append(r.out, ^dupinstMask(0)), append(r.all, ^dupinstMask(0))
	}
	r.out[copy.ID], r.all[copy.ID] = r.out[of.ID], r.all[of.ID]
}

// FreeAt returns a general register, but for some, that keeps no value before the at-th value of
// b; 0 if there is none. Values that were put into b since it was first asked about use none.
func (r *DupinstRegisters) FreeAt(b *Block, at int, but ...int16) int16 {
	if int(b.ID) >= len(r.out) {
		return 0
	}
	if r.block != b {
		r.look(b)
	}
	for _, v := range b.Values[at:] {
		if int(v.ID) < len(r.in) && r.in[v.ID] == b {
			return r.free(r.before[v.ID], but)
		}
	}
	return r.free(r.behind(b), but)
}

// behind are the registers whose values are needed at the end of b.
func (r *DupinstRegisters) behind(b *Block) dupinstMask {
	need := r.out[b.ID]
	for _, c := range b.ControlValues() {
		need |= r.home(c)
	}
	return need
}

// look finds what is needed before each value of b.
func (r *DupinstRegisters) look(b *Block) {
	r.block = b
	if n := r.f.NumValues() - len(r.in); n > 0 {
		r.before, r.in = append(r.before, make([]dupinstMask, n)...), append(r.in, make([]*Block, n)...)
	}
	need := r.behind(b)
	for _, v := range slices.Backward(b.Values) {
		own := r.home(v)
		if v.Op == OpPhi {
			need |= own
		} else {
			need &^= own
			for _, a := range v.Args {
				need |= r.home(a)
			}
		}
		r.before[v.ID], r.in[v.ID] = need, b
	}
}

// Keeps returns a function that reports whether a register keeps a value before the at-th value of b, which may be as
// many as there are.
func (r *DupinstRegisters) Keeps(b *Block) func(at int, objNum int16) bool {
	need := make([]dupinstMask, len(b.Values)+1)
	need[len(b.Values)] = r.out[b.ID]
	for _, c := range b.ControlValues() {
		if !c.Type.IsFlags() { // as a comparison of ours, which says what it spoils
			need[len(b.Values)] |= r.home(c)
		}
	}
	for i := len(b.Values) - 1; i >= 0; i-- {
		v := b.Values[i]
		need[i] = need[i+1]
		if v.Op == OpPhi {
			need[i] |= r.home(v)
			continue
		}
		need[i] &^= r.home(v)
		for _, a := range v.Args {
			need[i] |= r.home(a)
		}
	}
	return func(at int, objNum int16) bool {
		for i := range r.f.Config.registers {
			if reg := &r.f.Config.registers[i]; reg.objNum == objNum {
				return need[at]&dupinstBit(reg) != 0
			}
		}
		return false
	}
}

// Free returns a general register, as the assembler numbers it, that none of some blocks uses,
// and none keeps a value in for others; 0 if there is none.
func (r *DupinstRegisters) Free(blocks []*Block) int16 {
	used := dupinstMask(0)
	for _, b := range blocks {
		used |= r.all[b.ID]
	}
	return r.free(used, nil)
}

// free is a general register that is neither of two sets.
func (r *DupinstRegisters) free(used dupinstMask, but []int16) int16 {
	c := r.f.Config
	free := dupinstGeneral(c.gpRegMask)
	for _, special := range []int8{c.FPReg, c.LinkReg} {
		if special >= 0 {
			free &^= 1 << uint(special)
		}
	}
	free &^= used
	for i := len(c.registers) - 1; i >= 0; i-- {
		reg := &c.registers[i]
		if free>>uint(i)&1 == 0 || reg.name == "SP" || reg.name == "SB" || reg.name == "g" || reg.name == "R15" && c.arch == "amd64" && c.ctxt.Flag_dynlink || slices.Contains(but, reg.objNum) {
			continue
		}
		return reg.objNum
	}
	return 0
}

// DupinstIn says that v leaves its own in a register, so that no debugger looks for a variable
// there.
func DupinstIn(v *Value, objNum int16) {
	f := v.Block.Func
	for i := range f.Config.registers {
		if reg := &f.Config.registers[i]; reg.objNum == objNum {
			f.setHome(v, reg)
		}
	}
}

// DupinstAt says that v leaves its own in a variable of the frame, which so is part of it.
func DupinstAt(v *Value, n *ir.Name) {
	v.Block.Func.setHome(v, LocalSlot{N: n, Type: n.Type()})
}

// DupinstRegister is the general register that v is in, if it is in one.
func DupinstRegister(v *Value) (objNum int16, ok bool) {
	if r, ok := v.Block.Func.getHome(v.ID).(*Register); ok {
		return r.objNum, true
	}
	return 0, false
}

// DupinstOnStack reports whether v is on the stack.
func DupinstOnStack(v *Value) bool {
	_, ok := v.Block.Func.getHome(v.ID).(LocalSlot)
	return ok
}
