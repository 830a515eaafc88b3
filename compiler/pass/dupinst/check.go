//go:build dupinst_compiler

package dupinst

import (
	"slices"

	"cmd/compile/internal/base"
	"cmd/compile/internal/dupinst/plan"
	"cmd/compile/internal/ssa"
	"cmd/compile/internal/types"
	"cmd/internal/src"
)

// less is the kind of a block whose control is a check.
func (d *duplicator) less() ssa.BlockKind {
	if base.Ctxt.Arch.Name == "arm64" {
		return ssa.BlockARM64LT
	}
	return ssa.BlockAMD64LT
}

// operation makes an operation of ours in b, before its at-th value.
func (d *duplicator) operation(b *ssa.Block, at int, pos src.XPos, o op) *ssa.Value {
	if o.pos.IsKnown() {
		pos, o.calls = o.pos, d.lostCalls(o.pos)
	}
	v := ssa.DupinstMark(b, pos.WithNotStmt())
	v.Aux = &o
	copy(b.Values[at+1:], b.Values[at:len(b.Values)-1])
	b.Values[at] = v
	return v
}

// operate makes an operation at the end of b.
func (d *duplicator) operate(b *ssa.Block, o op) *ssa.Value {
	return d.operation(b, len(b.Values), b.Pos, o)
}

// checkIn makes the check of n at the end of b, which leads to its first successor where a
// sample is due. What keeps the flags before it is given them as an argument: the compiler
// asks operations whether they read flags before it lets others change them.
func (d *duplicator) checkIn(b *ssa.Block, n int64) {
	b.Kind, b.Likely = d.less(), ssa.BranchUnlikely
	v := d.operate(b, op{kind: check, n: n, reg: d.held[b]})
	v.Type = types.TypeFlags
	b.SetControl(v)
	for _, s := range b.Values {
		if o := opOf(s); o != nil && o.kind == save && len(s.Args) == 0 {
			s.AddArg(v)
		}
	}
}

// check puts a check on an edge of the originals, and returns the block that has it.
func (d *duplicator) check(e plan.Edge) *ssa.Block {
	if e == plan.Entry {
		entry, body := d.f.Entry, d.nodes[0].blocks[0]
		sample := d.f.DupinstBlock(ssa.BlockPlain, entry.Pos)
		d.noteIn(entry, checked)
		d.checkIn(entry, 1)
		// The first instruction is the function's own, and of none that was inlined.
		entry.Controls[0].Pos = d.f.Frontend().Func().Pos().WithNotStmt()
		d.sample(entry, sample, body, 0, false)
		d.cold = append(d.cold, sample)
		return entry
	}
	at := d.nodes[e.From].out[e.I]
	b := at.from
	to, pred := ssa.DupinstSucc(b, at.i)
	keep := d.flagsPass(b, to)
	k := d.f.DupinstBlock(ssa.BlockPlain, b.Pos)
	ssa.DupinstOn(b, at.i, k, 1)
	if reg := d.together(b, to); reg != 0 {
		d.held[k] = reg
	}
	behind := []*ssa.Block{k}
	if keep {
		pass := d.f.DupinstBlock(ssa.BlockPlain, b.Pos)
		pass.FlagsLiveAtEnd = true
		ssa.DupinstOn(k, 1, pass, 0)
		d.likewise(pass, k)
		d.operate(pass, op{kind: restore})
		d.operate(k, op{kind: save})
		behind = append(behind, pass)
	}
	if d.plan.Back[e] {
		d.noteIn(k, backedges)
	}
	d.noteIn(k, checked)
	d.checkIn(k, 1)
	sample := d.f.DupinstBlock(ssa.BlockPlain, b.Pos)
	d.sample(k, sample, to, pred, keep)
	for _, o := range d.begin(to) {
		d.putSum(sample, slices.IndexFunc(sample.Values, func(v *ssa.Value) bool { return opOf(v).kind == fire })+1, o)
	}
	if d.follows(b, to) || keep {
		d.cold = append(d.cold, sample)
	} else {
		// What is not taken falls through: k leads back by one jump.
		behind = append(behind, sample)
	}
	d.after[b] = append(behind, d.after[b]...)
	return k
}

// fire begins a sample at the end of b.
func (d *duplicator) fire(b *ssa.Block) {
	if audit >= 0 {
		d.operate(b, d.note(transfers, counted))
	}
	d.operate(b, op{kind: fire})
}

// noteIn counts an event at the end of b, in an audit.
func (d *duplicator) noteIn(b *ssa.Block, event int) {
	if audit >= 0 {
		d.operate(b, d.note(event, counted|traced))
	}
}

// follows reports whether to's code stands right behind b's.
func (d *duplicator) follows(b, to *ssa.Block) bool {
	for i, x := range d.f.Blocks {
		if x == b {
			return i+1 < len(d.f.Blocks) && d.f.Blocks[i+1] == to
		}
	}
	return false
}

// sample makes the block that begins a sample, between the check in k and the copy of to,
// whose at-th predecessor the edge comes from.
func (d *duplicator) sample(k, sample, to *ssa.Block, at int, keep bool) {
	ssa.DupinstTo(k, 0, sample, nil)
	d.fire(sample)
	d.carry(sample, len(sample.Values))
	if keep {
		d.operate(sample, op{kind: restore})
		sample.FlagsLiveAtEnd = true
	}
	if c := d.copies[to]; c != nil {
		ssa.DupinstTo(sample, 0, c, func(phi *ssa.Value) *ssa.Value { return d.source.get(phi).Args[at] })
		return
	}
	ssa.DupinstTo(sample, 0, to, func(phi *ssa.Value) *ssa.Value { return phi.Args[at] })
}

// guard puts a check in front of each probe. Blocks are divided from behind.
func (d *duplicator) guard() {
	d.auditBackedges(map[plan.Edge]*ssa.Block{})
	d.live = ssa.DupinstRegistersOf(d.f)
	d.blocks(func(_ int, b *ssa.Block) {
		probes := slices.Clone(d.probes[b])
		for i := range probes {
			p := &probes[i]
			p.index = d.place(b, *p)
			if p.op.kind == add {
				p.op.reg = d.free(b, p.index)
			}
		}
		slices.SortStableFunc(probes, func(p, q probe) int { return p.index - q.index })
		for _, p := range slices.Backward(probes) {
			p.op.flags = flagsLive(b, p.index) // perhaps for those behind it
			d.guardOne(b, p)
		}
	})
}

// guardOne divides b where a probe goes.
func (d *duplicator) guardOne(b *ssa.Block, p probe) {
	keep := p.op.flags
	p.op.flags = false
	rest := d.f.DupinstCut(b, p.index)
	d.likewise(rest, b)
	behind := []*ssa.Block{rest}
	k := b
	if w := p.op.when; w != nil {
		k = d.f.DupinstBlock(ssa.BlockPlain, b.Pos)
		d.likewise(k, b)
		b.Kind, b.FlagsLiveAtEnd = w.Kind, true
		b.SetControl(p.flags)
		yes, no := 0, 1
		if w.Not {
			yes, no = 1, 0
		}
		ssa.DupinstTo(b, yes, k, nil)
		ssa.DupinstTo(b, no, rest, nil)
		behind = append([]*ssa.Block{k}, behind...)
		p.op.when = nil
	}
	sample := d.f.DupinstBlock(ssa.BlockPlain, b.Pos)
	met := rest // where an audit traces the event
	if k != b && audit >= 0 {
		met = d.f.DupinstBlock(ssa.BlockPlain, b.Pos)
		d.likewise(met, b)
		met.FlagsLiveAtEnd = keep
		ssa.DupinstTo(met, 0, rest, nil)
		behind = append(behind[:len(behind)-1:len(behind)-1], met, rest)
	}
	pass := met
	if keep {
		pass = d.f.DupinstBlock(ssa.BlockPlain, b.Pos)
		d.likewise(pass, b)
		pass.FlagsLiveAtEnd = true
		d.operate(k, op{kind: save})
		d.operate(pass, op{kind: restore})
		ssa.DupinstTo(pass, 0, met, nil)
		at := slices.Index(behind, met)
		behind = slices.Insert(slices.Clone(behind), at, pass)
	}
	ssa.DupinstTo(k, 1, pass, nil)
	d.after[b] = append(behind, d.after[b]...)
	if audit >= 0 {
		o := tracing([]probe{p})[0].op
		o.flags = keep
		d.operation(met, 0, rest.Pos, o)
	}
	d.noteIn(k, checked)
	d.checkIn(k, int64(len(p.op.sites)))
	ssa.DupinstTo(k, 0, sample, nil)
	if p.op.kind == seen || len(p.op.sites) == 1 {
		d.fire(sample)
	} else {
		p.op.kind = each
	}
	d.taken(d.operate(sample, p.op), p.op)
	if keep {
		d.operate(sample, op{kind: restore})
		sample.FlagsLiveAtEnd = true
	}
	ssa.DupinstTo(sample, 0, met, nil)
	d.cold = append(d.cold, sample)
}
