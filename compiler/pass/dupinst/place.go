//go:build dupinst_compiler

package dupinst

import (
	"fmt"
	"slices"

	"cmd/compile/internal/ssa"
	"cmd/internal/obj/arm64"
	"cmd/internal/obj/x86"
)

// insert puts probes into a block: from behind those that read flags, so that each keeps
// the flags for what comes after it, and then the others.
func (d *duplicator) insert(b *ssa.Block, probes []probe) {
	for _, p := range slices.Backward(probes) {
		if p.op.when != nil {
			d.insertOne(b, p)
		}
	}
	for _, p := range probes {
		if p.op.when == nil {
			d.insertOne(b, p)
		}
	}
}

func (d *duplicator) insertOne(b *ssa.Block, p probe) {
	at := d.place(b, p)
	put := func(o op) {
		v := d.operation(b, at, b.Pos, o)
		d.taken(v, o)
		if o.when != nil {
			v.AddArg(p.flags)
		}
	}
	o := p.op
	o.flags, o.carried = flagsLive(b, at), d.carried
	if o.kind == add {
		o.reg = d.free(b, at)
		o.sites = d.group(o.sites)
	}
	put(o)
	if audit >= 0 && o.kind != note {
		t := tracing([]probe{p})[0].op
		t.flags = flagsLive(b, at)
		put(t)
	}
}

// free is a register that holds nothing before the at-th value of b, nor is one that a machine keeps where it
// needs it; 0 if there is none.
func (d *duplicator) free(b *ssa.Block, at int) int16 {
	return d.live.FreeAt(b, at, d.held[b], x86.REG_R12, arm64.REG_R0, arm64.REG_R1)
}

// taken says of v, which is o, that what it takes holds nothing else.
func (d *duplicator) taken(v *ssa.Value, o op) {
	if (o.kind == add || o.kind == each) && o.reg != 0 {
		ssa.DupinstIn(v, o.reg)
	}
}

// place is the index in b at which a probe goes. One that needs no more than that control
// comes by goes up to behind the last call, so that it counts what comes before a fault of
// the program's; and down from there to where the flags are free.
func (d *duplicator) place(b *ssa.Block, p probe) int {
	at, barred := len(b.Values), d.barrierEnd(b)
	if p.at != nil {
		if at = slices.Index(b.Values, p.at); at < 0 {
			d.fail(fmt.Errorf("a probe stands before %s, which is not in %s", p.at.LongString(), b))
		}
	}
	if p.op.when != nil {
		// Right behind what sets the flags: a constant between them would be loaded by another
		// instruction than in the original, one that keeps them.
		for at > 0 && (reads(b.Values[at-1]) || at > barred && !settled(b.Values[at-1]) && !ssa.DupinstSetsFlags(b.Values[at-1])) {
			at--
		}
	}
	if p.op.call != nil || p.op.when != nil || p.op.kind == valued || p.op.kind == referred || p.op.kind == cleared {
		return at
	}
	first := at
	for first > barred && !settled(b.Values[first-1]) {
		first--
	}
	for i := first; i <= at; i++ {
		if !flagsLive(b, i) {
			return i
		}
	}
	return first
}

// reads reports whether v is an operation of ours on a condition.
func reads(v *ssa.Value) bool {
	o := opOf(v)
	return o != nil && o.when != nil
}

// settled reports whether a probe must not be moved to before v.
func settled(v *ssa.Value) bool {
	switch v.Op {
	case ssa.OpPhi, ssa.OpSelect0, ssa.OpSelect1, ssa.OpSelectN:
		return true
	}
	return v.Op.IsCall() || shared(v) || opOf(v) != nil && !reads(v)
}

// flagsLive reports whether what the flags are before the at-th value of b is read.
func flagsLive(b *ssa.Block, at int) bool {
	for _, v := range b.Values[at:] {
		if readsFlags(v) {
			return true
		}
		o := opOf(v)
		if o == nil && ssa.DupinstSetsFlags(v) || o != nil && (o.kind == check || o.kind == closed || o.kind == limit || o.kind == restore || o.kind == fire) {
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

// flagsPass reports whether what the flags are where b ends is read from to on, which b leads to,
// or will be when probes have been put there.
func (d *duplicator) flagsPass(b, to *ssa.Block) bool {
	return b.FlagsLiveAtEnd && (flagsLive(to, 0) || slices.ContainsFunc(d.probes[to], func(p probe) bool {
		return p.op.when != nil && p.flags.Block != to
	}))
}

// readsFlags reports whether v reads the flags.
func readsFlags(v *ssa.Value) bool {
	if o := opOf(v); o != nil {
		return o.flags || o.when != nil || o.kind == save
	}
	for _, a := range v.Args {
		if a.Type.IsFlags() || a.Type.IsTuple() && a.Type.FieldType(1).IsFlags() && v.Op != ssa.OpSelect0 {
			return true
		}
	}
	return false
}
