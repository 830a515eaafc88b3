//go:build dupinst_compiler

package dupinst

import (
	"slices"

	"cmd/compile/internal/dupinst/plan"
	"cmd/compile/internal/ssa"
	"cmd/compile/internal/types"
	"cmd/internal/obj"
)

// Where instrumentations are sampled apart, a sample is of some of them and not of others: each has a byte of the weight, its
// lane, by which it counts. What a function does behind a call belongs to the sample that control was in before it, though
// by then others may have begun, and ended: so the frame keeps the weight from where a copy is entered on.
// In windows what is counted is what the window is of that is open at the moment, wherever a copy was entered.

// A weight is where that is which an event of the sample counts: a word, or a byte.
type weight struct {
	at   obj.Addr
	byte bool
}

// weight is the sample's for what has a lane.
func (e emitter) weight(o *op, lane int) weight {
	switch {
	case variant == plan.Exhaustive:
		return weight{at: obj.Addr{Type: obj.TYPE_MEM, Name: obj.NAME_EXTERN, Sym: every}}
	case o.carried != nil:
		return weight{local(o.carried, int64(lane)), true}
	}
	return weight{e.word(weightAt + int64(lane)), lanes}
}

// byLane are sites by their lanes.
func byLane(sites []Site) (out [][]Site) {
	for _, s := range sites {
		at := slices.IndexFunc(out, func(alike []Site) bool { return alike[0].Lane == s.Lane })
		if at < 0 {
			at = len(out)
			out = append(out, nil)
		}
		out[at] = append(out[at], s)
	}
	return out
}

// idle jumps, where there are lanes, if nothing is counted in one.
func (e emitter) idle(o *op, lane int) *obj.Prog {
	if !lanes {
		return nil
	}
	return e.none(e.weight(o, lane).at, 0xff)
}

// elsewhere jumps, where there are lanes, if a sum can have begun in no window of one: the number of the last one has
// its lanes.
func (e emitter) elsewhere(lane int) *obj.Prog {
	if !lanes || variant != plan.Windows {
		return nil
	}
	return e.none(e.word(windowAt+4), 1<<lane)
}

// carries gives the frame a variable for the weight, if it has anything to keep it over.
func (d *duplicator) carries() {
	switch d.plan.Variant {
	case plan.Full, plan.Partial, plan.Followed:
	default:
		return
	}
	calls := func(b *ssa.Block) bool {
		return slices.ContainsFunc(b.Values, func(v *ssa.Value) bool { return v.Op.IsCall() })
	}
	if lanes && slices.ContainsFunc(d.f.Blocks, calls) {
		d.carried = d.f.NewLocal(d.f.Entry.Pos, types.Types[types.TUINT64])
	}
}

// carry keeps the weight from before the at-th value of b on.
func (d *duplicator) carry(b *ssa.Block, at int) {
	if d.carried != nil {
		v := d.operation(b, at, b.Pos, op{kind: carry, carried: d.carried})
		ssa.DupinstAt(v, d.carried)
	}
}

// carryFollowed keeps it in a function without checks, which calls in copies lead to.
func (d *duplicator) carryFollowed() {
	first := d.nodes[0].blocks[0]
	d.carry(first, received(first))
}
