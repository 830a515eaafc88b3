//go:build dupinst_compiler

package dupinst

import (
	"maps"
	"slices"

	"cmd/compile/internal/dupinst/plan"
	"cmd/compile/internal/ssa"
)

// A loop with a check on each way around need not count each time. When it has gone around once, it
// takes several checks at once, if none of them would begin a sample, and goes on in a fast version,
// which is unrolled and has no checks; where control leaves that in between, those that were
// not passed are given back. Where one of them would begin a sample, control stays in the loop as it
// was, which takes them one by one. So samples begin where they would otherwise, and a loop that
// does not go around costs nothing more.
//
// What the loop calls, and loops in it that have checks, must find as many left as there are: the
// fast version is of the blocks between, and what leads to those leaves it.

// A lap is the part of a loop that a fast version is made of.
type lap struct {
	head   *ssa.Block
	blocks []*ssa.Block // as their code is to stand, the head first
	back   []edge       // that lead around
	// passed are the checks on the way from the loop's beginning to a block, the same on all.
	passed map[*ssa.Block]int
	inside map[int]bool // the loop's nodes
	size   int          // values
	leaves int          // edges from it to the rest of the loop
}

const (
	// A lap of at most so many values is repeated as often as the other says.
	shortLap, shortLaps = 16, 8
	longLap, longLaps   = 80, 4
	// So many edges may leave it for the rest of the loop, which costs more than it saves where
	// control takes them often: branches to calls are rarely taken (Ball and Larus, PLDI 1993, §4.2).
	leaving = 1
)

// laps is how often l is repeated.
func (l *lap) laps() int {
	if l.size <= shortLap {
		return shortLaps
	}
	return longLaps
}

// unrolls reports whether loops of the function may be unrolled. An audit has each check where
// it stands, and the same checks.
func (d *duplicator) unrolls() bool {
	return d.variant == plan.Auto && d.plan.Variant == plan.Partial && elided["unrolled"] && audit < 0
}

// unroll gives loops fast versions.
func (d *duplicator) unroll() {
	if !d.unrolls() {
		return
	}
	loops := d.plan.Graph.Loops(d.plan.Graph.Backedges())
	checked := map[int]bool{} // heads of loops whose checks are their own
	for e := range d.plan.Back {
		checked[d.plan.Graph.To(e)] = true
	}
	var fast []*ssa.Block
	var all []repeat
	for _, head := range slices.Sorted(maps.Keys(loops)) {
		if l := d.lapOf(head, loops[head], checked); l != nil {
			all = append(all, d.speed(l, &fast)...)
		}
	}
	var values []ofValue
	for i := range all {
		values = append(values, all[i].values)
	}
	d.settle(fast, values...)
	for i := range all {
		d.nameCopies(all[i].values, all[i].source)
	}
}

// lapOf is the lap of a loop, of which these are the nodes, or nil if none fits.
func (d *duplicator) lapOf(head int, nodes []bool, checked map[int]bool) *lap {
	if head == 0 || len(d.nodes[head].blocks) > 1 {
		return nil
	}
	first := d.nodes[head].blocks[0]
	l := &lap{head: first, passed: map[*ssa.Block]int{first: 0}, inside: map[int]bool{}}
	for n, in := range nodes {
		if in {
			l.inside[n] = true
		}
	}
	may := func(b *ssa.Block) bool {
		n, ok := d.of[b]
		return ok && l.inside[n] && !checked[n] && len(d.nodes[n].blocks) == 1 && !calls(b)
	}
	if calls(first) {
		return nil
	}
	for work := []*ssa.Block{first}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		l.blocks = append(l.blocks, b)
		for _, v := range b.Values {
			if v.Op != ssa.OpPhi {
				l.size++
			}
		}
		for i := range b.Succs {
			to, n := d.past(b, i)
			before, seen := l.passed[to]
			switch n += l.passed[b]; {
			case to == first && n != 1, to != first && seen && n != before:
				return nil
			case to != first && seen:
				continue
			case to != first && may(to):
				l.passed[to] = n
				work = append(work, to)
				continue
			case to == first:
				l.back = append(l.back, edge{b, i})
			default:
				if node, ok := d.of[to]; ok && l.inside[node] {
					l.leaves++
				}
			}
			if next := (edge{b, i}).to(); b.FlagsLiveAtEnd && flagsLive(next, 0) {
				return nil
			}
		}
	}
	if len(l.back) == 0 || l.size > longLap || l.leaves > leaving {
		return nil
	}
	l.arrange(d.f.Blocks)
	return l
}

// past is where the i-th edge out of b leads to behind a check, and how many it has.
func (d *duplicator) past(b *ssa.Block, i int) (*ssa.Block, int) {
	to, _ := ssa.DupinstSucc(b, i)
	if d.checks[to] {
		to, _ = ssa.DupinstSucc(to, 1)
		return to, 1
	}
	return to, 0
}

// arrange puts l's blocks into the order of the code, which may begin within the loop.
func (l *lap) arrange(code []*ssa.Block) {
	place := map[*ssa.Block]int{}
	for i, b := range code {
		place[b] = i
	}
	slices.SortFunc(l.blocks, func(a, b *ssa.Block) int { return place[a] - place[b] })
	at := slices.Index(l.blocks, l.head)
	l.blocks = slices.Concat(l.blocks[at:], l.blocks[:at])
}

// A repeat is one of the copies of a lap.
type repeat struct {
	of             map[*ssa.Block]*ssa.Block
	values, source ofValue
}

func (r *repeat) value(v *ssa.Value) *ssa.Value {
	if c := r.values.get(v); c != nil {
		return c
	}
	return v
}

// speed makes the fast version of l's loop, behind the loop, and lists its blocks.
func (d *duplicator) speed(l *lap, all *[]*ssa.Block) []repeat {
	n := l.laps()
	repeats := make([]repeat, n)
	var fast []*ssa.Block
	for i := range repeats {
		repeats[i] = d.repeat(l, &fast)
	}
	*all = append(*all, fast...)
	refunds := map[refund]*ssa.Block{}
	var back []edge // the last one's, that lead around
	for i := range repeats {
		for _, b := range l.blocks {
			back = append(back, d.repeatEdges(l, repeats, i, b, refunds)...)
		}
	}
	last := 0
	for i, b := range d.f.Blocks {
		if slices.Contains(l.blocks, b) {
			last = i
		}
	}
	d.f.Blocks = slices.Insert(d.f.Blocks, last+1, fast...)
	for _, e := range append(l.back, back...) {
		d.gate(e, n, l, repeats[0])
	}
	return repeats
}

// repeat copies l's blocks, and lists them.
func (d *duplicator) repeat(l *lap, fast *[]*ssa.Block) repeat {
	copies, values, source, cold := d.copies, d.values, d.source, d.cold
	d.copies, d.values, d.source, d.cold = map[*ssa.Block]*ssa.Block{}, nil, nil, nil
	clear(d.tables)
	for _, b := range l.blocks {
		d.copyBlock(b)
	}
	for _, b := range l.blocks {
		d.copyArgs(b)
	}
	*fast = append(*fast, d.cold...)
	r := repeat{d.copies, d.values, d.source}
	d.copies, d.values, d.source, d.cold = copies, values, source, cold
	clear(d.tables)
	return r
}

// A refund is what gives checks back on the way out.
type refund struct {
	to *ssa.Block
	n  int
}

// repeatEdges gives the i-th copy of b its edges, and returns those that lead back to the loop.
func (d *duplicator) repeatEdges(l *lap, repeats []repeat, i int, b *ssa.Block, refunds map[refund]*ssa.Block) (back []edge) {
	r := &repeats[i]
	c := r.of[b]
	for j := range b.Succs {
		next, at := ssa.DupinstSucc(b, j)
		to, _ := d.past(b, j)
		within := to == l.head || r.of[to] != nil
		if within && next != to {
			_, at = ssa.DupinstSucc(next, 1) // there is no check
		}
		into := &repeats[i]
		switch {
		case within && to == l.head && i == len(repeats)-1:
			back = append(back, edge{c, j})
			ssa.DupinstTo(c, j, to, func(phi *ssa.Value) *ssa.Value { return r.value(phi.Args[at]) })
		case within:
			if to == l.head {
				into = &repeats[i+1]
			}
			ssa.DupinstTo(c, j, into.of[to], func(phi *ssa.Value) *ssa.Value { return r.value(into.source.get(phi).Args[at]) })
		default:
			d.leaveLap(c, j, refund{next, len(repeats) - i - l.passed[b]}, at, r, refunds)
		}
	}
	return back
}

// leaveLap leads the j-th edge out of c to where f says, its at-th, and gives back as many checks.
func (d *duplicator) leaveLap(c *ssa.Block, j int, f refund, at int, r *repeat, refunds map[refund]*ssa.Block) {
	arg := func(phi *ssa.Value) *ssa.Value { return r.value(phi.Args[at]) }
	if f.n == 0 {
		ssa.DupinstTo(c, j, f.to, arg)
		return
	}
	e := refunds[f]
	if e == nil {
		e = d.f.DupinstBlock(ssa.BlockPlain, c.Pos)
		d.likewise(e, c)
		d.operate(e, op{kind: giveBack, n: int64(f.n), reg: d.held[e]})
		ssa.DupinstTo(e, 0, f.to, arg)
		d.cold = append(d.cold, e)
		if !slices.ContainsFunc(f.to.Values, func(v *ssa.Value) bool { return v.Op == ssa.OpPhi }) {
			refunds[f] = e // others may come by
		}
	}
	ssa.DupinstTo(c, j, e, nil)
}

// gate has e, on the way around l's loop, take the checks of n laps at once, and its own, and go on
// in the fast version, whose first copy is r, if none of them begins a sample.
func (d *duplicator) gate(e edge, n int, l *lap, r repeat) {
	to, at := ssa.DupinstSucc(e.from, e.i)
	if d.checks[to] {
		n++
		_, at = ssa.DupinstSucc(to, 1)
	}
	k, slow := d.f.DupinstBlock(ssa.BlockPlain, e.from.Pos), d.f.DupinstBlock(ssa.BlockPlain, e.from.Pos)
	ssa.DupinstOn(e.from, e.i, slow, 0)
	ssa.DupinstOn(e.from, e.i, k, 0)
	d.likewise(k, l.head)
	d.likewise(slow, l.head)
	d.checkIn(k, int64(n))
	d.operate(slow, op{kind: giveBack, n: int64(n), reg: d.held[slow]})
	ssa.DupinstTo(k, 1, r.of[l.head], func(phi *ssa.Value) *ssa.Value { return r.source.get(phi).Args[at] })
	d.after[e.from] = append([]*ssa.Block{k, slow}, d.after[e.from]...)
}
