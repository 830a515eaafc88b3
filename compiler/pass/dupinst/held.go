//go:build dupinst_compiler

package dupinst

import (
	"fmt"
	"slices"

	"cmd/compile/internal/base"
	"cmd/compile/internal/dupinst/plan"
	"cmd/compile/internal/ssa"
)

// Where a nest of loops calls nothing, the counter may be held in a register that nothing uses
// there: it is loaded on the way in, stored on the way out, and stored and loaded where a
// sample begins. Where the program faults in a nest, the checks since it was entered are
// forgotten: nothing is counted that did not happen, and the next sample comes a little later.

// hold finds the nests that have checks, and a register for each.
func (d *duplicator) hold() {
	switch d.plan.Variant {
	case plan.Full, plan.Partial, plan.Backedges, plan.No:
	default:
		return
	}
	if audit >= 0 {
		return
	}
	quiet := make([]bool, len(d.nodes))
	for n := range d.nodes {
		quiet[n] = !slices.ContainsFunc(d.nodes[n].blocks, calls)
	}
	var registers *ssa.DupinstRegisters
	for _, nest := range d.plan.Nests(quiet) {
		if registers == nil {
			registers = ssa.DupinstRegistersOf(d.f)
		}
		var blocks []*ssa.Block
		for _, n := range nest.Nodes {
			blocks = append(blocks, d.nodes[n].blocks...)
		}
		if !pays(nest, blocks) {
			continue
		}
		if reg := registers.Free(blocks); reg != 0 {
			for _, b := range blocks {
				d.held[b] = reg
			}
		}
	}
}

// short is the number of values of a loop above which a check of a counter in memory takes no
// more time on amd64 than one of a register (bench/counter).
const short = 8

// pays reports whether holding the counter pays in a nest. It costs a load and a store each
// time control goes by. On arm64 it saves two instructions of four for each check. On amd64 it
// saves none, but time in short loops, and goes by seldom in a nest of several.
func pays(nest plan.Nest, blocks []*ssa.Block) bool {
	if base.Ctxt.Arch.Name == "arm64" || nest.Loops > 1 {
		return true
	}
	size := 0
	for _, b := range blocks {
		for _, v := range b.Values {
			if v.Op != ssa.OpPhi {
				size++
			}
		}
	}
	return size <= short
}

// calls reports whether anything in b may change the counter in memory.
func calls(b *ssa.Block) bool {
	return slices.ContainsFunc(b.Values, func(v *ssa.Value) bool { return v.Op.IsCall() })
}

// likewise holds the counter in a new block where it is in an old one.
func (d *duplicator) likewise(n, b *ssa.Block) {
	if reg := d.held[b]; reg != 0 {
		d.held[n] = reg
	}
}

// together is where the counter is held on the way from a to b: in a register if it is in
// both.
func (d *duplicator) together(a, b *ssa.Block) int16 {
	if d.held[a] == d.held[b] {
		return d.held[a]
	}
	return 0
}

// move loads and stores the counter where control goes into and out of nests.
func (d *duplicator) move() {
	if len(d.held) == 0 {
		return
	}
	copies := map[*ssa.Block]bool{}
	for _, b := range d.cold {
		copies[b] = true
	}
	for _, b := range d.order() {
		for i := range b.Succs {
			to, _ := ssa.DupinstSucc(b, i)
			if d.held[b] != d.held[to] {
				d.moveOn(b, i, to, copies[b])
			}
		}
	}
}

// moveOn moves the counter on the i-th edge out of b: at the end of b if it is the only one,
// at the beginning of what it leads to if all come from the nest, and else between.
func (d *duplicator) moveOn(b *ssa.Block, i int, to *ssa.Block, cold bool) {
	from, into := d.held[b], d.held[to]
	if len(b.Succs) == 1 {
		d.moves(b, len(b.Values), from, into)
		return
	}
	if into == 0 && d.allFrom(to, from) {
		if !d.moved[to] {
			at := 0
			for at < len(to.Values) && to.Values[at].Op == ssa.OpPhi {
				at++
			}
			d.moves(to, at, from, 0)
			d.moved[to] = true
		}
		return
	}
	n := d.f.DupinstBlock(ssa.BlockPlain, b.Pos)
	n.FlagsLiveAtEnd = b.FlagsLiveAtEnd
	ssa.DupinstOn(b, i, n, 0)
	d.moves(n, 0, from, into)
	if cold || to.Kind == ssa.BlockExit {
		d.cold = append(d.cold, n)
	} else {
		d.after[b] = append(d.after[b], n)
	}
}

// allFrom reports whether all edges to a block come from a nest, and none of them has been
// given a move.
func (d *duplicator) allFrom(to *ssa.Block, reg int16) bool {
	for i := range to.Preds {
		if p, _ := ssa.DupinstPred(to, i); d.held[p] != reg || len(p.Succs) == 1 {
			return false
		}
	}
	return true
}

// moves puts in b, before the at-th value, what takes the counter from one register, if it is
// in one, to another.
func (d *duplicator) moves(b *ssa.Block, at int, from, into int16) {
	if into != 0 {
		ssa.DupinstIn(d.operation(b, at, b.Pos, op{kind: load, reg: into}), into)
	}
	if from != 0 {
		d.operation(b, at, b.Pos, op{kind: store, reg: from})
	}
}

// verifyHeld says where the counter is not where an operation looks for it, or in a register that keeps a value, if anywhere.
func (d *duplicator) verifyHeld(registers *ssa.DupinstRegisters) error {
	if len(d.held) == 0 {
		return nil
	}
	at := map[*ssa.Block]int16{d.f.Entry: 0}
	for work := []*ssa.Block{d.f.Entry}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		reg := at[b]
		keeps := registers.Keeps(b)
		for i, v := range b.Values {
			o := opOf(v)
			switch {
			case reg != 0 && keeps(i, reg):
				return fmt.Errorf("the counter is in register %d before %s of block %s, which keeps a value", reg, v.LongString(), b)
			case v.Op.IsCall() && reg != 0:
				return fmt.Errorf("%s is called in block %s, and the counter is in a register", v, b)
			case o == nil:
			case reg != 0 && o.kind != check && o.kind != store && (o.reg == reg || o.other == reg):
				return fmt.Errorf("operation %s of block %s takes register %d, which the counter is in", v, b, reg)
			case o.kind == load && reg != 0, o.kind == store && reg != o.reg, o.kind == check && reg != o.reg,
				(o.kind == fire || o.kind == each) && reg != 0:
				return fmt.Errorf("operation %s of block %s does not find the counter where it is", v, b)
			case o.kind == load:
				reg = o.reg
			case o.kind == store:
				reg = 0
			}
		}
		for i := range b.Succs {
			to, _ := ssa.DupinstSucc(b, i)
			switch was, seen := at[to]; {
			case !seen:
				at[to] = reg
				work = append(work, to)
			case was != reg:
				return fmt.Errorf("block %s is entered with the counter in different places", to)
			}
		}
	}
	return nil
}
