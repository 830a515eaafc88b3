//go:build dupinst_compiler

package dupinst

import (
	"fmt"

	"cmd/compile/internal/base"
	"cmd/compile/internal/dupinst/plan"
	"cmd/compile/internal/ssa"
	"cmd/compile/internal/types"
	"cmd/internal/obj"
	"cmd/internal/src"
)

// A kind says what an operation is.
type kind byte

const (
	check kind = iota // count down, and set the flags by what is left
	fire              // begin a sample
	add               // count one event at each site
	seen              // and note the callee of a call whose callee is known at run time
	each              // fire and add for each site that is due, of those that a check took at once
	save              // keep the flags
	restore
)

// An op is an operation, the Aux of an ssa.OpInlMark.
type op struct {
	kind   kind
	n      int64      // checks at once
	sites  []Site     // to be counted
	call   *ssa.Value // for seen: the call
	callee *obj.LSym  // for seen: the callee, where it is no longer a call at run time
	flags  bool       // the flags are to be kept
}

func (*op) CanBeAnSSAAux() {}

// isOp is v's operation, if it is one of ours.
func opOf(v *ssa.Value) *op {
	o, _ := v.Aux.(*op)
	return o
}

// A duplicator works on one function.
type duplicator struct {
	f      *ssa.Func
	blocks []*ssa.Block // the originals, in the order of their code
	index  map[*ssa.Block]int
	probes [][]probe // by index
	plan   *plan.Plan
	copies map[*ssa.Block]*ssa.Block
	values map[*ssa.Value]*ssa.Value   // copies
	source map[*ssa.Value]*ssa.Value   // what they are copies of
	after  map[*ssa.Block][]*ssa.Block // blocks that stand right behind another
	cold   []*ssa.Block                // those behind all originals
}

// A probe is put in front of a value of its block, or at its end where that is nil.
type probe struct {
	at *ssa.Value
	op op
}

// pass is the compiler's pass.
func pass(f *ssa.Func) {
	fn := f.Frontend().Func()
	if !eligible(fn) {
		return
	}
	d := &duplicator{
		f: f, blocks: append([]*ssa.Block(nil), f.Blocks...), index: map[*ssa.Block]int{},
		copies: map[*ssa.Block]*ssa.Block{}, values: map[*ssa.Value]*ssa.Value{},
		source: map[*ssa.Value]*ssa.Value{}, after: map[*ssa.Block][]*ssa.Block{},
	}
	if !d.find(marks[fn]) || f.NoSplit {
		return
	}
	d.decide()
	switch d.plan.Variant {
	case plan.Exhaustive:
		for i, b := range d.blocks {
			d.insert(b, d.probes[i])
		}
	case plan.No:
		d.guard()
	default:
		d.duplicate()
	}
	d.list()
}

// find takes the marks out of the function, and notes what they and its dynamic calls count.
func (d *duplicator) find(marks [][]Site) bool {
	any := false
	d.probes = make([][]probe, len(d.blocks))
	for i, b := range d.blocks {
		d.index[b] = i
		kept := b.Values[:0]
		var pending []Site
		flush := func(at *ssa.Value) {
			var plain []Site
			for _, s := range pending {
				if s.callee == nil {
					plain = append(plain, s)
					continue
				}
				d.probes[i] = append(d.probes[i], probe{at, op{kind: seen, sites: []Site{s}, callee: s.callee}})
			}
			if len(plain) > 0 {
				d.probes[i] = append(d.probes[i], probe{at, op{kind: add, sites: plain}})
			}
			any = any || len(pending) > 0
			pending = nil
		}
		for _, v := range b.Values {
			if v.Op == ssa.OpInlMark && v.AuxInt < -1 {
				pending = append(pending, marks[-2-v.AuxInt]...)
				ssa.DupinstDrop(v)
				continue
			}
			kept = append(kept, v)
			if !v.Op.IsCall() {
				continue
			}
			flush(v)
			if s := dynamic(v); s != nil {
				d.probes[i] = append(d.probes[i], probe{v, op{kind: seen, sites: s, call: v}})
				any = true
			}
		}
		flush(nil)
		clear(b.Values[len(kept):])
		b.Values = kept
	}
	return any
}

// dynamic returns the sites of a call whose callee is known only at run time.
func dynamic(v *ssa.Value) []Site {
	var out []Site
	for _, s := range sites[key(v.Pos)] {
		if s.Class != Dynamic {
			continue
		}
		if a, ok := v.Aux.(*ssa.AuxCall); ok && (a.Fn == nil || !runtimeOwn(a.Fn)) {
			out = append(out, s)
		}
	}
	return out
}

// runtimeOwn reports whether a callee is the runtime's: the compiler makes such calls on
// behalf of the program's own.
func runtimeOwn(s *obj.LSym) bool {
	return s.Pkg == "runtime" || len(s.Name) > 8 && s.Name[:8] == "runtime."
}

// decide makes the plan.
func (d *duplicator) decide() {
	g := &plan.Graph{Succs: make([][]int, len(d.blocks))}
	probed := make([]bool, len(d.blocks))
	// the entry first, and only what is reachable
	order := make([]int, 0, len(d.blocks))
	number := make([]int, len(d.blocks))
	for i := range number {
		number[i] = -1
	}
	var walk []*ssa.Block
	reach := func(b *ssa.Block) {
		if i := d.index[b]; number[i] < 0 {
			number[i] = len(order)
			order = append(order, i)
			walk = append(walk, b)
		}
	}
	reach(d.f.Entry)
	for len(walk) > 0 {
		b := walk[len(walk)-1]
		walk = walk[:len(walk)-1]
		for i := range b.Succs {
			to, _ := ssa.DupinstSucc(b, i)
			reach(to)
		}
	}
	blocks, probes := make([]*ssa.Block, len(order)), make([][]probe, len(order))
	g.Succs, probed = g.Succs[:len(order)], probed[:len(order)]
	for n, i := range order {
		b := d.blocks[i]
		blocks[n], probes[n], probed[n] = b, d.probes[i], len(d.probes[i]) > 0
		for s := range b.Succs {
			to, _ := ssa.DupinstSucc(b, s)
			g.Succs[n] = append(g.Succs[n], number[d.index[to]])
		}
	}
	d.blocks, d.probes = blocks, probes
	for n, b := range blocks {
		d.index[b] = n
	}
	d.plan = plan.Make(g, probed, variant)
	if err := d.plan.Verify(); err != nil {
		base.Fatalf("dupinst: planning %s: %v", d.f.Name, err)
	}
}

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
	if c := d.plan.Checks; len(c) > 0 && c[0] == plan.Entry {
		d.divideEntry()
	}
	tables := map[*obj.LSym]*obj.LSym{}
	for n, b := range d.blocks {
		if d.plan.Copied[n] {
			d.copyBlock(b, tables)
		}
	}
	for n, b := range d.blocks {
		if d.plan.Copied[n] {
			d.copyArgs(b)
		}
	}
	heads := map[plan.Edge]*ssa.Block{} // where a copy's backedge leads, by that of the original
	for _, e := range d.plan.Checks {
		heads[e] = d.check(e)
	}
	for n, b := range d.blocks {
		if d.plan.Copied[n] {
			d.connect(n, b, heads)
		}
	}
	d.nameCopies()
	for n, b := range d.blocks {
		if c := d.copies[b]; c != nil {
			d.insert(c, d.copied(d.probes[n]))
		}
	}
}

// divideEntry puts all but what receives arguments into a block behind the entry.
func (d *duplicator) divideEntry() {
	entry := d.f.Entry
	var first, rest []*ssa.Value
	for _, v := range entry.Values {
		if shared(v) {
			first = append(first, v)
		} else {
			rest = append(rest, v)
		}
	}
	entry.Values = append(append(entry.Values[:0], first...), rest...)
	body := d.f.DupinstCut(entry, len(first))
	ssa.DupinstTo(entry, 1, body, nil)
	d.blocks[0] = body
	d.after[entry] = append(d.after[entry], body)
}

// copyBlock makes the copy of a block, with its values.
func (d *duplicator) copyBlock(b *ssa.Block, tables map[*obj.LSym]*obj.LSym) {
	c := d.f.DupinstBlock(b.Kind, b.Pos)
	c.Likely, c.FlagsLiveAtEnd, c.Aux, c.AuxInt = b.Likely, b.FlagsLiveAtEnd, b.Aux, b.AuxInt
	if b.Kind == ssa.BlockAMD64JUMPTABLE || b.Kind == ssa.BlockARM64JUMPTABLE {
		own := b.Aux.(*obj.LSym)
		table := base.Ctxt.Lookup(fmt.Sprintf("%s.jump%d.dupinst", d.f.Frontend().Func().LSym.Name, b.ID))
		table.Set(obj.AttrStatic, true)
		tables[own] = table
		c.Aux = table
	}
	d.copies[b] = c
	d.cold = append(d.cold, c)
	for _, v := range b.Values {
		switch {
		case v.Op == ssa.OpInlMark:
		case shared(v):
			d.values[v] = v
		default:
			n := d.f.DupinstCopy(c, v)
			if own, ok := v.Aux.(*obj.LSym); ok && tables[own] != nil {
				n.Aux = tables[own]
			}
			d.values[v], d.source[n] = n, v
		}
	}
}

// value is v's copy, or v where it has none.
func (d *duplicator) value(v *ssa.Value) *ssa.Value {
	if c := d.values[v]; c != nil {
		return c
	}
	return v
}

// copyArgs gives the copies of a block's values and controls their arguments; those of
// phis come with the edges.
func (d *duplicator) copyArgs(b *ssa.Block) {
	c := d.copies[b]
	for _, v := range b.Values {
		n := d.values[v]
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
			if c := d.value(v); c != v {
				values = append(values, c)
			}
		}
		d.f.NamedValues[slot] = values
	}
}

// less is the kind of a block whose control is a check.
func (d *duplicator) less() ssa.BlockKind {
	if base.Ctxt.Arch.Name == "arm64" {
		return ssa.BlockARM64LT
	}
	return ssa.BlockAMD64LT
}

// value0 makes an operation of ours in b, before its at-th value.
func (d *duplicator) operation(b *ssa.Block, at int, pos src.XPos, o op) *ssa.Value {
	v := b.NewValue0I(pos.WithNotStmt(), ssa.OpInlMark, types.TypeVoid, -1)
	v.Aux = &o
	copy(b.Values[at+1:], b.Values[at:len(b.Values)-1])
	b.Values[at] = v
	return v
}

// operate makes an operation at the end of b.
func (d *duplicator) operate(b *ssa.Block, o op) *ssa.Value {
	return d.operation(b, len(b.Values), b.Pos, o)
}

// checkIn makes the check of n at the end of b, which leads to its first successor where a sample is due.
func (d *duplicator) checkIn(b *ssa.Block, n int64) {
	b.Kind, b.Likely = d.less(), ssa.BranchUnlikely
	v := d.operate(b, op{kind: check, n: n})
	v.Type = types.TypeFlags
	b.SetControl(v)
}

// check puts a check on an edge of the originals, and returns the block that has it.
func (d *duplicator) check(e plan.Edge) *ssa.Block {
	if e == plan.Entry {
		entry, body := d.f.Entry, d.blocks[0]
		sample := d.f.DupinstBlock(ssa.BlockPlain, entry.Pos)
		d.checkIn(entry, 1)
		d.sample(entry, sample, body, 0, false)
		d.cold = append(d.cold, sample)
		return entry
	}
	b := d.blocks[e.From]
	to, at := ssa.DupinstSucc(b, e.I)
	keep := b.FlagsLiveAtEnd
	k := d.f.DupinstBlock(ssa.BlockPlain, b.Pos)
	ssa.DupinstOn(b, e.I, k, 1)
	behind := []*ssa.Block{k}
	if keep {
		pass := d.f.DupinstBlock(ssa.BlockPlain, b.Pos)
		pass.FlagsLiveAtEnd = true
		ssa.DupinstOn(k, 1, pass, 0)
		d.operate(pass, op{kind: restore})
		d.operate(k, op{kind: save})
		behind = append(behind, pass)
	}
	d.checkIn(k, 1)
	sample := d.f.DupinstBlock(ssa.BlockPlain, b.Pos)
	d.sample(k, sample, to, at, keep)
	if d.follows(b, to) || keep {
		d.cold = append(d.cold, sample)
	} else {
		// What is not taken falls through: k leads back by one jump.
		behind = append(behind, sample)
	}
	d.after[b] = append(behind, d.after[b]...)
	return k
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
	d.operate(sample, op{kind: fire})
	if keep {
		d.operate(sample, op{kind: restore})
		sample.FlagsLiveAtEnd = true
	}
	if c := d.copies[to]; c != nil {
		ssa.DupinstTo(sample, 0, c, func(phi *ssa.Value) *ssa.Value { return d.source[phi].Args[at] })
		return
	}
	ssa.DupinstTo(sample, 0, to, func(phi *ssa.Value) *ssa.Value { return phi.Args[at] })
}

// connect gives the copy of a block its edges.
func (d *duplicator) connect(n int, b *ssa.Block, checks map[plan.Edge]*ssa.Block) {
	c := d.copies[b]
	for i := range b.Succs {
		e := plan.Edge{From: n, I: i}
		if k := checks[e]; k != nil && d.plan.Back[e] {
			ssa.DupinstTo(c, i, k, nil)
			continue
		}
		to, at := ssa.DupinstSucc(b, i)
		if copied := d.copies[to]; copied != nil && !d.plan.Back[e] {
			ssa.DupinstTo(c, i, copied, func(phi *ssa.Value) *ssa.Value { return d.value(d.source[phi].Args[at]) })
			continue
		}
		ssa.DupinstTo(c, i, to, func(phi *ssa.Value) *ssa.Value { return d.value(phi.Args[at]) })
	}
}

// copied are probes for a copy of their block.
func (d *duplicator) copied(probes []probe) []probe {
	out := append([]probe(nil), probes...)
	for i := range out {
		if p := &out[i]; p.at != nil {
			p.at = d.value(p.at)
			if p.op.call != nil {
				p.op.call = d.value(p.op.call)
			}
		}
	}
	return out
}

// insert puts probes into a block.
func (d *duplicator) insert(b *ssa.Block, probes []probe) {
	for _, p := range probes {
		at := d.place(b, p)
		o := p.op
		o.flags = flagsLive(b, at)
		d.operation(b, at, b.Pos, o)
	}
}

// place is the index in b at which a probe goes: where it stands, or if the flags are live
// there, further up, but behind the last call.
func (d *duplicator) place(b *ssa.Block, p probe) int {
	at := len(b.Values)
	for i, v := range b.Values {
		if v == p.at {
			at = i
		}
	}
	if p.op.kind == seen || !flagsLive(b, at) {
		return at
	}
	for i := at - 1; i >= 0; i-- {
		v := b.Values[i]
		if v.Op.IsCall() || v.Op == ssa.OpPhi || shared(v) || opOf(v) != nil {
			break
		}
		if !flagsLive(b, i) {
			return i
		}
	}
	return at
}

// flagsLive reports whether what the flags are before the at-th value of b is read.
func flagsLive(b *ssa.Block, at int) bool {
	for _, v := range b.Values[at:] {
		for _, a := range v.Args {
			if a.Type.IsFlags() || a.Type.IsTuple() && a.Type.FieldType(1).IsFlags() && v.Op != ssa.OpSelect0 {
				return true
			}
		}
		if o := opOf(v); o != nil {
			if o.flags {
				return true
			}
			continue
		}
		if ssa.DupinstSetsFlags(v) {
			return false
		}
	}
	for _, c := range b.ControlValues() {
		if c.Type.IsFlags() {
			return true
		}
	}
	return b.FlagsLiveAtEnd
}

// guard puts a check in front of each probe.
func (d *duplicator) guard() {
	for n, b := range d.blocks {
		probes := d.probes[n]
		for i := len(probes) - 1; i >= 0; i-- {
			d.guardOne(b, probes[i])
		}
	}
}

// guardOne divides b where a probe goes.
func (d *duplicator) guardOne(b *ssa.Block, p probe) {
	at := d.place(b, p)
	keep := flagsLive(b, at)
	rest := d.f.DupinstCut(b, at)
	sample := d.f.DupinstBlock(ssa.BlockPlain, b.Pos)
	if keep {
		pass := d.f.DupinstBlock(ssa.BlockPlain, b.Pos)
		pass.FlagsLiveAtEnd = true
		d.operate(b, op{kind: save})
		d.operate(pass, op{kind: restore})
		ssa.DupinstTo(b, 1, pass, nil)
		ssa.DupinstTo(pass, 0, rest, nil)
		d.after[b] = append([]*ssa.Block{pass, rest}, d.after[b]...)
	} else {
		ssa.DupinstTo(b, 1, rest, nil)
		d.after[b] = append([]*ssa.Block{rest}, d.after[b]...)
	}
	d.checkIn(b, int64(len(p.op.sites)))
	ssa.DupinstTo(b, 0, sample, nil)
	if p.op.kind == seen || len(p.op.sites) == 1 {
		d.operate(sample, op{kind: fire})
		d.operate(sample, p.op)
	} else {
		o := p.op
		o.kind = each
		d.operate(sample, o)
	}
	if keep {
		d.operate(sample, op{kind: restore})
		sample.FlagsLiveAtEnd = true
	}
	ssa.DupinstTo(sample, 0, rest, nil)
	d.cold = append(d.cold, sample)
}

// list orders the blocks: originals as they were, and behind them the copies.
func (d *duplicator) list() {
	var out []*ssa.Block
	var put func(b *ssa.Block)
	put = func(b *ssa.Block) {
		out = append(out, b)
		for _, n := range d.after[b] {
			put(n)
		}
	}
	for _, b := range d.f.Blocks {
		put(b)
	}
	d.f.DupinstList(append(out, d.cold...))
}
