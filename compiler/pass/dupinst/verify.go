//go:build dupinst_compiler

package dupinst

import (
	"fmt"

	"cmd/compile/internal/ssa"
)

// verify says what is wrong with the function that the pass leaves, if anything is: blocks
// that control reaches and that are not listed, edges of which the ends disagree, phis
// without an argument for each edge, flags that are read where they were lost, registers that hold two things, and duplicated
// code with a way around that passes no checking code.
func (d *duplicator) verify() error {
	listed := map[*ssa.Block]bool{}
	for _, b := range d.f.Blocks {
		if listed[b] {
			return fmt.Errorf("block %s is listed twice", b)
		}
		listed[b] = true
	}
	for _, b := range d.f.Blocks {
		for i := range b.Succs {
			to, at := ssa.DupinstSucc(b, i)
			if !listed[to] {
				return fmt.Errorf("block %s leads to %s, which is not listed", b, to)
			}
			if from, j := ssa.DupinstPred(to, at); from != b || j != i {
				return fmt.Errorf("edge %d of block %s ends in %s, whose edge %d comes from %s", i, b, to, at, from)
			}
		}
		for _, v := range b.Values {
			if v.Op == ssa.OpPhi && len(v.Args) != len(b.Preds) {
				return fmt.Errorf("%s has %d arguments, and block %s %d edges", v, len(v.Args), b, len(b.Preds))
			}
			if v.Block != b {
				return fmt.Errorf("%s stands in block %s, and says %s", v, b, v.Block)
			}
		}
	}
	registers := ssa.DupinstRegistersOf(d.f)
	if err := d.verifyHeld(registers); err != nil {
		return err
	}
	if err := d.verifyTaken(registers); err != nil {
		return err
	}
	if err := d.verifyFlags(); err != nil {
		return err
	}
	return d.bounded()
}

// verifyTaken says where an operation takes a register for one that holds nothing, and a value is in it.
func (d *duplicator) verifyTaken(registers *ssa.DupinstRegisters) error {
	for _, b := range d.f.Blocks {
		keeps := registers.Keeps(b)
		for i, v := range b.Values {
			o := opOf(v)
			if o == nil {
				continue
			}
			switch o.kind {
			case add, each, begin, step, end, gone, limit:
				for _, reg := range []int16{o.reg, o.other} {
					if reg != 0 && keeps(i+1, reg) {
						return fmt.Errorf("%s of block %s takes register %d, which keeps a value", v.LongString(), b, reg)
					}
				}
			}
		}
	}
	return nil
}

// verifyFlags says where flags are read that are not what was last set.
func (d *duplicator) verifyFlags() error {
	for _, b := range d.f.Blocks {
		kept := len(b.Preds) > 0
		for i := range b.Preds {
			from, _ := ssa.DupinstPred(b, i)
			kept = kept && from.FlagsLiveAtEnd
		}
		for _, v := range b.Values {
			if readsFlags(v) && !kept {
				return fmt.Errorf("%s of block %s reads flags that are lost", v.LongString(), b)
			}
			kept = keepsFlags(v, kept)
		}
		for _, c := range b.ControlValues() {
			if c.Type.IsFlags() && !kept {
				return fmt.Errorf("block %s ends by flags that are lost", b)
			}
		}
		if b.FlagsLiveAtEnd && !kept {
			return fmt.Errorf("block %s leaves flags that are lost", b)
		}
	}
	return nil
}

// keepsFlags reports whether the flags behind v are of use, given whether they were before it.
func keepsFlags(v *ssa.Value, kept bool) bool {
	o := opOf(v)
	switch {
	case o == nil && (v.Type.IsFlags() || v.Type.IsTuple() && (v.Type.FieldType(0).IsFlags() || v.Type.FieldType(1).IsFlags())):
		return true
	case o == nil:
		return kept && !ssa.DupinstSetsFlags(v)
	case o.kind == check || o.kind == closed || o.kind == limit || o.kind == restore:
		return true
	case o.kind == load || o.kind == store || o.kind == save:
		return kept
	}
	return kept && o.flags
}

// bounded reports a way around in duplicated code.
func (d *duplicator) bounded() error {
	const open, done = 1, 2
	state := map[*ssa.Block]int{}
	copied := map[*ssa.Block]bool{}
	for b, c := range d.copies {
		if d.plan.Copied[d.of[b]] {
			copied[c] = true
		}
	}
	idle := map[edge]bool{} // of loops without probes, which a sample may stay in
	for _, e := range d.plan.Idle {
		at := d.nodes[e.From].out[e.I]
		if c := d.copies[at.from]; c != nil {
			idle[edge{c, at.i}] = true
		}
	}
	var walk func(b *ssa.Block) error
	walk = func(b *ssa.Block) error {
		state[b] = open
		for i := range b.Succs {
			to := (edge{b, i}).to()
			if !copied[to] || idle[edge{b, i}] || state[to] == done {
				continue
			}
			if state[to] == open {
				return fmt.Errorf("duplicated code leads around from block %s to %s", b, to)
			}
			if err := walk(to); err != nil {
				return err
			}
		}
		state[b] = done
		return nil
	}
	for _, b := range d.f.Blocks {
		if copied[b] && state[b] == 0 {
			if err := walk(b); err != nil {
				return err
			}
		}
	}
	return nil
}
