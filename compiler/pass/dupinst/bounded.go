//go:build dupinst_compiler

package dupinst

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"cmd/compile/internal/base"
	"cmd/compile/internal/dupinst/plan"
	"cmd/compile/internal/ssa"
	"cmd/compile/internal/types"
)

// Loops that go round a few times bound themselves, and need no checks (package plan). How often
// one does is seen in its head, which counts from one value to another. Where these are no
// constants, the loop has two versions: on the way in their difference is compared with
// plan.Rounds, and where it is greater, control goes to a copy of the loop that has the checks.
// Of loops with others in them only those between constants are taken for bounded, no more than two
// deep, and where the innermost goes round a few hundred times at most: what lies between two checks
// is bounded, too, and one sample is little of all. None is where a loop in it is one operation that counts once for each of its laps.

// A round is a loop that is bounded, or is where a value is small.
type round struct {
	head    *ssa.Block
	blocks  []*ssa.Block
	back    []edge
	by      *ssa.Value // it goes round so often at most; nil: it is bounded
	from    *ssa.Value // a phi that is subtracted from by first, nil for 0
	most    int64      // what is left is at most
	trips   int64      // it is taken to go round so often
	natural bool       // which is compared unsigned
	free    []int16    // for each edge into the head, a register for what is left
}

const (
	largest = 300 // values of a loop that is given two versions, at most
	// Where nothing says how often a loop goes round it is taken for this, as in Auto's weights.
	usual = 8
	// longest is how often the innermost of a nest goes round in all, at most.
	longest = 512
)

// rounds finds such loops.
func (d *duplicator) rounds(g *plan.Graph, probed []bool) []round {
	loops := g.Loops(g.Backedges())
	size := map[int]int{} // of the loops that are not idle, by their heads
	for head, body := range loops {
		nodes, idle := 0, true
		for n, in := range body {
			if in {
				nodes++
				idle = idle && !probed[n]
			}
		}
		if !idle {
			size[head] = nodes
		}
	}
	heads := slices.SortedFunc(maps.Keys(size), func(a, b int) int {
		return cmp.Or(cmp.Compare(size[a], size[b]), cmp.Compare(a, b))
	})
	place := make([]int, d.f.NumBlocks())
	for i, b := range d.f.Blocks {
		place[b.ID] = i
	}
	var out []round
	type nest struct {
		depth int
		trips int64 // of the innermost
	}
	nests := map[int]nest{} // of bounded loops, by their heads
	for _, head := range heads {
		within, others := nest{0, 1}, false
		for other := range size {
			if other != head && loops[head][other] {
				others = true
				within.depth, within.trips = max(within.depth, nests[other].depth), max(within.trips, nests[other].trips)
			}
		}
		if head == 0 || within.depth > 1 {
			continue
		}
		if r, ok := d.round(head, loops[head], place); ok && !(others && (r.by != nil || r.trips*within.trips > longest)) {
			out = append(out, r)
			nests[head] = nest{within.depth + 1, r.trips * within.trips}
		}
	}
	return out
}

// round describes the loop of a head, if it is one, given each block's place in the code.
func (d *duplicator) round(head int, body []bool, place []int) (round, bool) {
	if len(d.nodes[head].blocks) > 1 {
		return round{}, false
	}
	r := round{head: d.nodes[head].blocks[0]}
	size := 0
	for n, in := range body {
		if in {
			r.blocks = append(r.blocks, d.nodes[n].blocks...)
		}
	}
	slices.SortFunc(r.blocks, func(a, b *ssa.Block) int { return place[a.ID] - place[b.ID] })
	for _, b := range r.blocks {
		size += len(b.Values)
		if slices.ContainsFunc(d.probes[b], func(p probe) bool { return p.op.kind == cleared }) {
			return r, false // one lap counts any number of events
		}
		for i := range b.Preds {
			if p, _ := ssa.DupinstPred(b, i); b != r.head && !(d.reached(p) && body[d.of[p]]) {
				return r, false // it is entered elsewhere, too
			}
		}
	}
	in := func(b *ssa.Block) bool { return slices.Contains(r.blocks, b) }
	for i := range r.head.Preds {
		p, at := ssa.DupinstPred(r.head, i)
		switch {
		case in(p):
			r.back = append(r.back, edge{p, at})
		case d.flagsPass(p, r.head):
			return r, false
		}
	}
	switch ok := r.counts(in); {
	case !ok || r.by == nil:
		return r, ok
	case size > largest || !placed(r.by) || r.from != nil && !placed(r.from):
		return r, false
	}
	return r, r.from == nil || d.room(&r, in)
}

// room finds the registers that r needs where it is entered.
func (d *duplicator) room(r *round, in func(*ssa.Block) bool) bool {
	if d.registers == nil {
		d.registers = ssa.DupinstRegistersOf(d.f)
	}
	for at := range r.head.Preds {
		p, _ := ssa.DupinstPred(r.head, at)
		free := int16(0)
		if !in(p) {
			if free = d.registers.FreeAt(p, len(p.Values)); free == 0 {
				return false
			}
		}
		r.free = append(r.free, free)
	}
	return true
}

func (d *duplicator) reached(b *ssa.Block) bool { _, ok := d.of[b]; return ok }

// placed reports whether a value is in a register or on the stack.
func placed(v *ssa.Value) bool {
	if _, ok := ssa.DupinstRegister(v); ok {
		return true
	}
	return ssa.DupinstOnStack(v)
}

// An order is when a comparison holds.
type order struct{ less, equal, greater, unsigned bool }

func (o order) not() order { return order{!o.less, !o.equal, !o.greater, o.unsigned} }

func (o order) swapped() order { return order{o.greater, o.equal, o.less, o.unsigned} }

var orders = map[ssa.BlockKind]order{
	ssa.BlockAMD64LT: {less: true}, ssa.BlockARM64LT: {less: true},
	ssa.BlockAMD64LE: {less: true, equal: true}, ssa.BlockARM64LE: {less: true, equal: true},
	ssa.BlockAMD64GT: {greater: true}, ssa.BlockARM64GT: {greater: true},
	ssa.BlockAMD64GE: {greater: true, equal: true}, ssa.BlockARM64GE: {greater: true, equal: true},
	ssa.BlockAMD64ULT: {less: true, unsigned: true}, ssa.BlockARM64ULT: {less: true, unsigned: true},
	ssa.BlockAMD64ULE: {less: true, equal: true, unsigned: true}, ssa.BlockARM64ULE: {less: true, equal: true, unsigned: true},
	ssa.BlockAMD64UGT: {greater: true, unsigned: true}, ssa.BlockARM64UGT: {greater: true, unsigned: true},
	ssa.BlockAMD64UGE: {greater: true, equal: true, unsigned: true}, ssa.BlockARM64UGE: {greater: true, equal: true, unsigned: true},
}

// counts reports whether r's head counts, and notes how often r goes round.
func (r *round) counts(in func(*ssa.Block) bool) bool {
	o, ok := orders[r.head.Kind]
	if !ok || len(r.head.Succs) != 2 {
		return false
	}
	switch yes, no := in((edge{r.head, 0}).to()), in((edge{r.head, 1}).to()); {
	case yes == no:
		return false
	case no:
		o = o.not()
	}
	x, y, n, ok := compared(r.head.Controls[0])
	if !ok {
		return false
	}
	i := origin(x)
	if i.Op != ssa.OpPhi || i.Block != r.head {
		if y == nil {
			return false
		}
		if i = origin(y); i.Op != ssa.OpPhi || i.Block != r.head {
			return false
		}
		y, o = x, o.swapped()
	}
	if y != nil {
		if k, ok := constantOf(y); ok {
			y, n = nil, k
		}
	}
	least, most, from, to := r.steps(i, in)
	more := int64(0) // it goes round as often as its bound says, and so much more
	if o.equal {
		more = 1
	}
	r.most, r.natural, r.trips = plan.Rounds-more, o.unsigned, usual
	switch up := o.less && !o.greater; {
	case up && least > 0 && most <= plan.Rounds && from >= 0 && y == nil:
		r.trips = (n - from + more + least - 1) / least
		return n <= from+r.most*least && n < math.MaxInt32 // so that i does not wrap around
	case up && least > 0 && most <= plan.Rounds && from >= 0:
		r.by = invariant(y, in)
		return r.by != nil
	case up && least == 1 && most == 1 && !o.equal && y != nil:
		r.by, r.from, r.natural = invariant(y, in), i, true
		return r.by != nil
	case o.greater && !o.less && !o.unsigned && most < 0 && y == nil && n >= 0:
		if from < 0 || to > r.most {
			r.by = i
		} else {
			r.trips = (to - n + more - most - 1) / -most
		}
		return true
	}
	return false
}

// compared are what a value that sets the flags compares: two values, or one and a constant.
func compared(v *ssa.Value) (x, y *ssa.Value, c int64, ok bool) {
	switch v.Op {
	case ssa.OpAMD64CMPQ, ssa.OpARM64CMP:
		return v.Args[0], v.Args[1], 0, true
	case ssa.OpAMD64CMPQconst, ssa.OpARM64CMPconst:
		return v.Args[0], nil, v.AuxInt, true
	case ssa.OpAMD64TESTQ:
		return v.Args[0], nil, 0, v.Args[0] == v.Args[1]
	}
	return nil, nil, 0, false
}

// origin is where a value comes from that registers were allocated to.
func origin(v *ssa.Value) *ssa.Value {
	for v.Op == ssa.OpCopy || v.Op == ssa.OpLoadReg || v.Op == ssa.OpStoreReg {
		v = v.Args[0]
	}
	return v
}

func constantOf(v *ssa.Value) (int64, bool) {
	switch v = origin(v); v.Op {
	case ssa.OpAMD64MOVQconst, ssa.OpARM64MOVDconst:
		return v.AuxInt, true
	}
	return 0, false
}

// steps are the least and the most that i, a phi of the head, grows by each time around, both of
// one sign or 0, and the least and the largest constant that it begins with, the least negative
// if it may begin with another value.
func (r *round) steps(i *ssa.Value, in func(*ssa.Block) bool) (least, most, from, to int64) {
	from = math.MaxInt64
	for at, arg := range i.Args {
		p, _ := ssa.DupinstPred(r.head, at)
		if !in(p) {
			k, ok := constantOf(arg)
			if !ok {
				k = -1
			}
			from, to = min(from, k), max(to, k)
			continue
		}
		step := stepOf(arg, i)
		if step == 0 || least != 0 && (least < 0) != (step < 0) {
			return 0, 0, -1, 0
		}
		if least == 0 {
			least, most = step, step
		}
		least, most = min(least, step), max(most, step)
	}
	return least, most, from, to
}

// stepOf is what v is more than i, or 0 if that is not known.
func stepOf(v, i *ssa.Value) int64 {
	switch v = origin(v); v.Op {
	case ssa.OpAMD64ADDQconst, ssa.OpARM64ADDconst:
		if origin(v.Args[0]) == i {
			return v.AuxInt
		}
	case ssa.OpARM64SUBconst:
		if origin(v.Args[0]) == i {
			return -v.AuxInt
		}
	}
	return 0
}

// invariant is where a value of the head's stands on the way into the loop, nil if it may be
// another in it.
func invariant(v *ssa.Value, in func(*ssa.Block) bool) *ssa.Value {
	if in(v.Block) && v.Op == ssa.OpLoadReg {
		v = v.Args[0]
	}
	if in(v.Block) {
		return nil
	}
	return v
}

// version gives a loop a version with checks, and leads to that where the loop is not bounded.
func (d *duplicator) version(r round) {
	copies, values, source, cold := d.copies, d.values, d.source, d.cold
	d.copies, d.values, d.source, d.cold = map[*ssa.Block]*ssa.Block{}, nil, nil, nil
	clear(d.tables)
	for _, b := range r.blocks {
		d.copyBlock(b)
	}
	for _, b := range r.blocks {
		d.copyArgs(b)
		d.probes[d.copies[b]] = d.ofCopy(d.probes[b])
	}
	for _, b := range r.blocks {
		for i := range b.Succs {
			to, at := ssa.DupinstSucc(b, i)
			if c := d.copies[to]; c != nil {
				ssa.DupinstTo(d.copies[b], i, c, func(phi *ssa.Value) *ssa.Value { return d.value(d.source.get(phi).Args[at]) })
			} else {
				ssa.DupinstTo(d.copies[b], i, to, func(phi *ssa.Value) *ssa.Value { return d.value(phi.Args[at]) })
			}
		}
	}
	for at := range r.head.Preds {
		if p, i := ssa.DupinstPred(r.head, at); !slices.Contains(r.blocks, p) {
			d.compareOn(edge{p, i}, r, at)
		}
	}
	d.nameCopies()
	d.f.Blocks = append(d.f.Blocks, d.cold...)
	d.copies, d.values, d.source, d.cold = copies, values, source, cold
	clear(d.tables)
}

// compareOn compares, on the at-th edge into a loop that is being copied, how often it goes
// round.
func (d *duplicator) compareOn(e edge, r round, at int) {
	into := func(v *ssa.Value) *ssa.Value { // what v is on this edge
		if v.Op == ssa.OpPhi && v.Block == r.head {
			return v.Args[at]
		}
		return v
	}
	k := d.f.DupinstBlock(ssa.BlockPlain, e.from.Pos)
	ssa.DupinstOn(e.from, e.i, k, 1)
	ssa.DupinstTo(k, 0, d.copies[r.head], func(phi *ssa.Value) *ssa.Value { return d.source.get(phi).Args[at] })
	k.Kind, k.Likely = greater(r.natural), ssa.BranchUnlikely
	o := op{kind: limit, n: r.most}
	if r.from != nil {
		o.reg = r.free[at]
	}
	v := d.operate(k, o)
	v.Type = types.TypeFlags
	v.AddArg(into(r.by))
	if r.from != nil {
		v.AddArg(into(r.from))
		ssa.DupinstIn(v, o.reg)
	}
	k.SetControl(v)
	d.f.Blocks = slices.Insert(d.f.Blocks, slices.Index(d.f.Blocks, e.from)+1, k)
}

// greater is the kind of a block that leads to its first successor where more was compared than
// the second.
func greater(unsigned bool) ssa.BlockKind {
	switch arm := base.Ctxt.Arch.Name == "arm64"; {
	case arm && unsigned:
		return ssa.BlockARM64UGT
	case arm:
		return ssa.BlockARM64GT
	case unsigned:
		return ssa.BlockAMD64UGT
	}
	return ssa.BlockAMD64GT
}
