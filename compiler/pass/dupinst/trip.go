//go:build dupinst_compiler

package dupinst

import (
	"cmp"
	"maps"
	"slices"

	"cmd/compile/internal/base"
	"cmd/compile/internal/dupinst/plan"
	"cmd/compile/internal/ir"
	"cmd/compile/internal/ssa"
	"cmd/compile/internal/types"
)

// How often a loop goes round is a sum, as a path is one (path.go): it begins on the edges into the loop, the
// mark at the beginning of the body adds to it, and on the edges out of the loop it is noted as a value,
// where the loop began in a window. Where a window closes, copies lead to the original: what goes on there
// is noted as so many rounds or more, so that each loop that begins in a window is counted once, long or short.
//
// Which loop a body is of is not what the compiler says but what its blocks are in: the innermost loop around
// the mark at the body's beginning. A body that always leaves is in none of its own, and the innermost one
// is another's, in which the mark stands, too, where control comes to the loop. Loops that are entered at
// several places, by goto, are left out. A loop that ends by a fault, or by a panic
// of what it calls, is not counted.

// The sum has twice the rounds, to which one is added where the loop goes on.
const (
	eachRound  = 2
	goesOn     = 1
	mostRounds = 1<<31 - 1
)

// deepestRounds is how deep counted loops may lie within each other in a function without a frame.
const deepestRounds = 3

// A tripping is what shows the loops of a function, and those that are counted.
type tripping struct {
	comes, laps map[*ssa.Block][]probe
	loops       []*trip // the inner before the outer
}

// A trip is a loop that is counted.
type trip struct {
	site Site
	head int
	body []bool
	slot *ir.Name
	word int64
}

// op is an operation on the loop's sum.
func (t *trip) op(k kind, n int64) op {
	return op{kind: k, n: n, sites: []Site{t.site}, slot: t.slot, word: t.word}
}

// takeLoops takes what shows loops out of the probes.
func (d *duplicator) takeLoops() {
	if rounds := d.takeOut(laps); len(rounds) > 0 {
		d.trips = &tripping{laps: rounds}
	}
	if begun := d.takeOut(comes); d.trips != nil {
		d.trips.comes = begun
	}
}

// findLoops finds the loops that are counted, and puts in the additions.
func (d *duplicator) findLoops() {
	t := d.trips
	if t == nil {
		return
	}
	if v := d.plan.Variant; v != plan.Exhaustive && v != plan.Windows {
		base.Fatalf("dupinst: %s: rounds of loops are not counted under %s", d.f.Name, v)
	}
	loops := d.plan.Graph.Loops(d.plan.Back)
	size := func(head int) (n int) {
		for _, in := range loops[head] {
			if in {
				n++
			}
		}
		return n
	}
	heads := slices.SortedFunc(maps.Keys(loops), func(a, b int) int {
		return cmp.Or(cmp.Compare(size(a), size(b)), cmp.Compare(a, b))
	})
	for _, head := range heads {
		if head != 0 && !d.enteredElsewhere(head, loops[head]) {
			d.findLap(head, loops[head], func(n int) bool {
				return !slices.ContainsFunc(heads[:slices.Index(heads, head)], func(inner int) bool { return loops[inner][n] })
			})
		}
	}
	framed := slices.ContainsFunc(d.f.Blocks, returnsFromCalls)
	for _, l := range t.loops {
		if framed {
			l.slot = d.f.NewLocal(d.f.Entry.Pos, types.Types[types.TUINT64])
		} else {
			l.word = roundsAt + 8*t.depth(l)
		}
	}
	t.loops = slices.DeleteFunc(t.loops, func(l *trip) bool { return l.word >= roundsAt+8*deepestRounds })
	for _, l := range t.loops {
		d.addRounds(l)
	}
}

// enteredElsewhere reports whether control comes to a loop other than by its head.
func (d *duplicator) enteredElsewhere(head int, body []bool) bool {
	for from, succs := range d.plan.Graph.Succs {
		for _, to := range succs {
			if !body[from] && body[to] && to != head {
				return true
			}
		}
	}
	return false
}

// findLap finds the loop's body: a mark in nodes that are in no smaller loop, and not where control comes
// to the loop of the mark's.
func (d *duplicator) findLap(head int, body []bool, own func(n int) bool) {
	d.blocks(func(n int, b *ssa.Block) {
		if !body[n] || !own(n) {
			return
		}
		for _, p := range d.trips.laps[b] {
			for _, s := range p.op.sites {
				known := slices.ContainsFunc(d.trips.loops, func(l *trip) bool { return l.head == head && l.site.counts(s) })
				if p.op.when == nil && !known && !d.comesIn(s, body) {
					d.trips.loops = append(d.trips.loops, &trip{site: s, head: head, body: body})
				}
			}
		}
	})
}

// comesIn reports whether control comes to a site's loop in one of some nodes.
func (d *duplicator) comesIn(s Site, nodes []bool) (is bool) {
	d.blocks(func(n int, b *ssa.Block) {
		if !nodes[n] {
			return
		}
		for _, p := range d.trips.comes[b] {
			is = is || slices.ContainsFunc(p.op.sites, s.counts)
		}
	})
	return is
}

// counts reports whether two sites have one counter.
func (s Site) counts(as Site) bool { return s.Index == as.Index && s.Counters == as.Counters }

// depth is in how many loops that are counted one lies.
func (t *tripping) depth(l *trip) (n int64) {
	for _, outer := range t.loops {
		if outer.head != l.head && outer.body[l.head] {
			n++
		}
	}
	return n
}

// addRounds puts in the loop's additions.
func (d *duplicator) addRounds(l *trip) {
	d.blocks(func(n int, b *ssa.Block) {
		if !l.body[n] {
			return
		}
		for _, p := range d.trips.laps[b] {
			if p.op.when == nil && slices.ContainsFunc(p.op.sites, l.site.counts) {
				d.probes[b] = append(d.probes[b], probe{at: p.at, op: l.op(step, eachRound)})
			}
		}
	})
}

// putTrips puts the sums on the edges into and out of loops, of the blocks that of gives for originals.
func (d *duplicator) putTrips(of func(*ssa.Block) *ssa.Block) {
	if d.trips == nil {
		return
	}
	for n := range d.nodes {
		for i, e := range d.nodes[n].out {
			to := d.plan.Graph.Succs[n][i] // the edge may lead to an operation on a path by now
			var out, in []op
			for _, l := range d.trips.loops {
				switch {
				case l.body[n] && !l.body[to] && !recovers(e) && !faults(d.nodes[to].blocks[0]):
					out = append(out, l.op(gone, 0))
				case to == l.head && !l.body[n]:
					in = append(in, l.op(begin, 0))
				}
			}
			if ops := append(out, in...); len(ops) > 0 {
				d.putOn(of(e.from), e.from, e.i, ops)
			}
		}
	}
}

// faults reports whether a block is where the program has found a fault.
func faults(b *ssa.Block) bool {
	return b.Kind == ssa.BlockExit && !slices.ContainsFunc(b.Values, func(v *ssa.Value) bool {
		call, ok := v.Aux.(*ssa.AuxCall)
		return ok && call.Fn != nil && call.Fn.Name == "runtime.gopanic"
	})
}

// cutTrips notes the loops that a backedge goes on with where a window has closed.
func (d *duplicator) cutTrips(e plan.Edge) (ops []op) {
	if d.trips == nil {
		return nil
	}
	to := d.plan.Graph.To(e)
	for _, l := range d.trips.loops {
		if l.body[e.From] && l.body[to] {
			ops = append(ops, l.op(gone, goesOn))
		}
	}
	return ops
}
