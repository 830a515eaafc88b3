//go:build dupinst_compiler

package dupinst

import (
	"fmt"
	"slices"

	"cmd/compile/internal/base"
	"cmd/compile/internal/dupinst/plan"
	"cmd/compile/internal/ssa"
	"cmd/internal/obj"
)

// shared are the values that stay in the entry: arguments and what there is one of.
func shared(v *ssa.Value) bool {
	switch v.Op {
	case ssa.OpSP, ssa.OpSB, ssa.OpInitMem, ssa.OpArg, ssa.OpArgIntReg, ssa.OpArgFloatReg,
		ssa.OpAMD64LoweredGetClosurePtr, ssa.OpARM64LoweredGetClosurePtr:
		return true
	}
	return false
}

// duplicate makes the copies and the checks.
func (d *duplicator) duplicate() {
	windows := d.plan.Variant == plan.Windows
	d.live = ssa.DupinstRegistersOf(d.f)
	alone := windows || d.plan.Variant == plan.Copies // control comes to copies from outside, if it does
	switch c := d.plan.Checks; {
	case alone:
		d.divideEntry(0)
	case len(c) > 0 && c[0] == plan.Entry:
		d.divideEntry(1)
	}
	d.copied(d.copyBlock)
	d.copied(func(b *ssa.Block) {
		for _, v := range d.copies[b].Values {
			follow(v)
		}
	})
	d.copied(d.copyArgs)
	if alone {
		d.holdCopies()
	}
	edges := d.edges()
	checks := map[plan.Edge]*ssa.Block{} // where a copy's backedge leads, by that of the original
	for _, e := range d.plan.Checks {
		checks[e] = d.check(e)
	}
	d.auditBackedges(checks)
	d.copied(func(b *ssa.Block) { d.connect(b, edges, checks) })
	if windows {
		d.close(edges)
		d.f.DupinstTwins = &twins{d.source, d.originals(), d.followed()}
	}
	d.settle()
	d.nameCopies()
	d.copied(func(b *ssa.Block) {
		d.live.Same(d.copies[b], b)
		d.insert(d.copies[b], d.ofCopy(d.probes[b]))
	})
	d.putPaths(func(b *ssa.Block) *ssa.Block { return d.copies[b] })
	d.putTrips(func(b *ssa.Block) *ssa.Block { return d.copies[b] })
	if audit < 0 {
		d.copied(d.unread)
		return
	}
	d.auditIdle()
	d.blocks(func(_ int, b *ssa.Block) { d.insert(b, tracing(d.probes[b])) })
}

// unread takes out of an original what only a probe reads, which its copy has, but for what
// reads memory: it faults where the program does. That a value has no uses does not say that
// nothing reads the flags that it leaves: where flags are made once more, what reads them
// behind that still names the first that made them (flagalloc).
func (d *duplicator) unread(b *ssa.Block) {
	for _, p := range d.probes[b] {
		v := p.flags
		if v == nil || v.Uses > 0 || !v.Type.IsFlags() || v.MemoryArg() != nil {
			continue
		}
		at := slices.Index(v.Block.Values, v)
		if at >= 0 && !flagsLive(v.Block, at+1) {
			ssa.DupinstDrop(v)
			v.Block.Values = slices.Delete(v.Block.Values, at, at+1)
		}
	}
}

// copied calls do with each block that has or is to have a copy.
func (d *duplicator) copied(do func(b *ssa.Block)) {
	d.blocks(func(n int, b *ssa.Block) {
		if d.plan.Copied[n] {
			do(b)
		}
	})
}

// divideEntry puts all but what receives arguments, and spills them, into a block behind the
// entry, its i-th successor.
func (d *duplicator) divideEntry(i int) {
	entry := d.f.Entry
	var first, rest []*ssa.Value
	spilling := true // no slot has been written to but those of arguments
	for _, v := range entry.Values {
		spill := v.Op == ssa.OpStoreReg && (v.Args[0].Op == ssa.OpArgIntReg || v.Args[0].Op == ssa.OpArgFloatReg)
		spilling = spilling && !v.Op.IsCall() && (spill || v.Op != ssa.OpStoreReg)
		if shared(v) || spill && spilling {
			first = append(first, v)
		} else {
			rest = append(rest, v)
		}
	}
	d.leave(entry, first)
	entry.Values = append(append(entry.Values[:0], first...), rest...)
	body := d.f.DupinstCut(entry, len(first))
	d.live.Same(body, entry)
	entry.Pos = d.f.Frontend().Func().Pos() // what has no position has that of what is before it
	for _, v := range first {
		if v.Pos.IsKnown() {
			entry.Pos = v.Pos
		}
	}
	entry.Pos = entry.Pos.WithNotStmt()
	ssa.DupinstTo(entry, i, body, nil)
	d.after[entry] = append(d.after[entry], body)
	head := &d.nodes[0]
	for i, b := range head.blocks {
		if b == entry {
			head.blocks[i] = body
		}
	}
	for i := range head.out {
		if e := &head.out[i]; e.from == entry {
			e.from = body
		}
	}
	d.of[body], d.probes[body] = 0, d.probes[entry]
	if d.paths != nil {
		d.paths.passed[body] = d.paths.passed[entry]
	}
}

// leave puts probes that stand before values which are to leave b, in its order, before what
// is behind those.
func (d *duplicator) leave(b *ssa.Block, gone []*ssa.Value) {
	behind := map[*ssa.Value]*ssa.Value{}
	var next *ssa.Value
	for _, v := range slices.Backward(b.Values) {
		if n := len(gone); n > 0 && v == gone[n-1] {
			behind[v], gone = next, gone[:n-1]
		} else {
			next = v
		}
	}
	for i := range d.probes[b] {
		p := &d.probes[b][i]
		if v, ok := behind[p.at]; ok {
			p.at = v
		}
	}
}

// holdCopies lets the compiler believe that the entry leads to its copy, so that it keeps
// copies and what is live in them.
func (d *duplicator) holdCopies() {
	entry, body := d.f.Entry, d.nodes[0].blocks[0]
	entry.Kind = ssa.BlockFirst
	ssa.DupinstTo(entry, 1, d.copies[body], func(phi *ssa.Value) *ssa.Value {
		base.Fatalf("dupinst: a phi in the entry of %s", d.f.Name)
		return nil
	})
}

// copyBlock makes the copy of a block, with its values.
func (d *duplicator) copyBlock(b *ssa.Block) {
	c := d.f.DupinstBlock(b.Kind, b.Pos)
	c.Likely, c.FlagsLiveAtEnd, c.Aux, c.AuxInt = b.Likely, b.FlagsLiveAtEnd, b.Aux, b.AuxInt
	if b.Kind == ssa.BlockAMD64JUMPTABLE || b.Kind == ssa.BlockARM64JUMPTABLE {
		table := base.Ctxt.Lookup(fmt.Sprintf("%s.jump%d.dupinst", d.f.Frontend().Func().LSym.Name, c.ID))
		table.Set(obj.AttrStatic, true)
		d.tables[b.Aux.(*obj.LSym)] = table
		c.Aux = table
	}
	d.copies[b] = c
	d.likewise(c, b)
	d.cold = append(d.cold, c)
	for _, v := range b.Values {
		switch {
		case v.Op == ssa.OpInlMark && opOf(v) == nil:
		case shared(v):
			d.values.set(v, v)
		default:
			n := d.f.DupinstCopy(c, v)
			if own, ok := v.Aux.(*obj.LSym); ok && d.tables[own] != nil {
				n.Aux = d.tables[own]
			}
			d.values.set(v, n)
			d.source.set(n, v)
		}
	}
}

// value is v's copy, or v where it has none.
func (d *duplicator) value(v *ssa.Value) *ssa.Value {
	if c := d.values.get(v); c != nil {
		return c
	}
	return v
}

// copyArgs gives the copies of a block's values and controls their arguments; those of
// phis come with the edges.
func (d *duplicator) copyArgs(b *ssa.Block) {
	c := d.copies[b]
	for _, v := range b.Values {
		n := d.values.get(v)
		if n == nil || n == v || v.Op == ssa.OpPhi {
			continue
		}
		for _, a := range v.Args {
			n.AddArg(d.value(a))
		}
	}
	for _, v := range b.ControlValues() {
		c.AddControl(d.value(v))
	}
}

// nameCopies lets the debugger find variables in copies.
func (d *duplicator) nameCopies() {
	for slot, values := range d.f.NamedValues {
		for _, v := range values[:len(values):len(values)] {
			if c := d.value(v); c != v && d.source.get(c) == v {
				values = append(values, c)
			}
		}
		d.f.NamedValues[slot] = values
	}
}

// connect gives the copy of a block its edges. Those within a node lead to copies.
func (d *duplicator) connect(b *ssa.Block, edges map[edge]plan.Edge, checks map[plan.Edge]*ssa.Block) {
	c := d.copies[b]
	for i := range b.Succs {
		e, between := edges[edge{b, i}]
		back := between && d.plan.Back[e]
		to, at := ssa.DupinstSucc(b, i)
		switch copied := d.copies[to]; {
		case back && checks[e] != nil:
			ssa.DupinstTo(c, i, checks[e], nil)
		case copied != nil && !back:
			ssa.DupinstTo(c, i, copied, func(phi *ssa.Value) *ssa.Value { return d.value(d.source.get(phi).Args[at]) })
		default:
			ssa.DupinstTo(c, i, to, func(phi *ssa.Value) *ssa.Value { return d.value(phi.Args[at]) })
		}
	}
}

// settle takes the phis out of copies that one edge leads to, as it is where nothing leads
// from originals to a loop's head: no pass behind this one expects them.
func (d *duplicator) settle() {
	is := map[*ssa.Value]*ssa.Value{}
	d.copied(func(b *ssa.Block) {
		c := d.copies[b]
		if len(c.Preds) > 1 {
			return
		}
		c.Values = slices.DeleteFunc(c.Values, func(v *ssa.Value) bool {
			if v.Op != ssa.OpPhi {
				return false
			}
			is[v] = v.Args[0]
			return true
		})
	})
	if len(is) == 0 {
		return
	}
	arg := func(v *ssa.Value) *ssa.Value {
		for is[v] != nil {
			v = is[v]
		}
		return v
	}
	for _, b := range slices.Concat(d.f.Blocks, d.cold) {
		for _, v := range b.Values {
			for i, a := range v.Args {
				if n := arg(a); n != a {
					v.SetArg(i, n)
				}
			}
		}
		for i, c := range b.ControlValues() {
			if n := arg(c); n != c {
				b.ReplaceControl(i, n)
			}
		}
	}
	for id, c := range d.values {
		if c != nil {
			d.values[id] = arg(c)
		}
	}
	for v := range is {
		ssa.DupinstDrop(v)
	}
}

// ofCopy are probes for a copy of their block.
func (d *duplicator) ofCopy(probes []probe) []probe {
	out := append([]probe(nil), probes...)
	for i := range out {
		p := &out[i]
		if p.at != nil {
			p.at = d.value(p.at)
		}
		if p.op.call != nil {
			p.op.call = d.value(p.op.call)
		}
		if p.flags != nil {
			p.flags = d.value(p.flags)
		}
	}
	return out
}
