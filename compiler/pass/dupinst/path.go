//go:build dupinst_compiler

package dupinst

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"cmd/compile/internal/base"
	"cmd/compile/internal/dupinst/plan"
	"cmd/compile/internal/ir"
	"cmd/compile/internal/ssa"
	"cmd/internal/obj"
)

// Paths are counted by sums (package plan, paths.go). A sum is a word of the function's frame, so that
// calls, panics and goroutines leave it alone, or where a function calls nothing a word of g's, so that
// no frame is made for it. Code outside of copies does not know it: the frame is a word larger, and that
// is all. So where a window leads a frame into its copy the word is whatever was there, and what a path
// begins with has a number of the window's that begins (runtime/core) in its upper half: a path that has
// another one at its end did not begin in that window, and is not counted. One that did is, though the
// window may have closed since: so a long path is counted as often as a short one.
//
// A path that passes one site in a block on a condition, for the branch was made a move, adds on that
// condition. Paths that a panic ends are not counted, but where the function has come to a panic of its
// own.

// mostPaths is how many paths of a function are told apart: beyond that they are cut. Where a block has more
// than mostChoices on conditions, each of the others is a path of its own.
const (
	mostPaths   = 4096
	mostChoices = 6
)

// A pathing is what there is to number of a function, and its numbers.
type pathing struct {
	slot     *ir.Name // where the sum is in the frame, or nil: in g
	counters *obj.LSym
	across   *across                // whether they go on in what is called, or nil
	lane     int                    // of the weight that they count
	passed   map[*ssa.Block][]probe // what shows the path, of those with a condition each a choice
	sites    [][]Site               // of the graph's nodes
	last     []int                  // by the function's node the one of the graph that its edges come from
	numbers  *plan.Paths
	apart    []passing // numbered behind them
}

// paths is how many there are.
func (p *pathing) paths() int { return p.numbers.N + len(p.apart) }

// takePassed takes what shows which path is taken out of the probes.
func (d *duplicator) takePassed() {
	if passed := d.takeOut(passes); len(passed) > 0 {
		d.paths = &pathing{passed: passed}
		for _, probes := range passed {
			d.paths.lane = probes[0].op.sites[0].Lane
		}
		d.findAcross()
	}
}

// takeOut takes those of a kind out of the probes.
func (d *duplicator) takeOut(of kind) map[*ssa.Block][]probe {
	out := map[*ssa.Block][]probe{}
	for b, probes := range d.probes {
		var rest []probe
		for _, p := range probes {
			if p.op.kind == of {
				out[b] = append(out[b], p)
			} else {
				rest = append(rest, p)
			}
		}
		if d.probes[b] = rest; len(rest) == 0 {
			delete(d.probes, b)
		}
	}
	return out
}

// numberPaths numbers the paths between the plan's nodes, and puts in the additions on conditions.
func (d *duplicator) numberPaths() {
	p := d.paths
	if p == nil {
		return
	}
	if v := d.plan.Variant; v != plan.Exhaustive && v != plan.Full && v != plan.Windows {
		base.Fatalf("dupinst: %s: paths are not counted under %s", d.f.Name, v)
	}
	g, steps := d.pathGraph()
	p.numbers = plan.Number(g, mostPaths)
	if p.paths() == 0 {
		d.paths = nil
		return
	}
	if slices.ContainsFunc(d.f.Blocks, returnsFromCalls) {
		p.slot = p.frame(d.f)
	}
	for _, s := range steps {
		if n := p.numbers.Step[plan.Edge{From: s.from, I: 1}]; n > 0 {
			s.probe.op = op{kind: step, n: int64(n), when: s.probe.op.when, slot: p.slot, word: sumAt}
			d.probes[s.block] = append(d.probes[s.block], s.probe)
		}
	}
	p.counters = pathCounters(d.symbol())
	for i, s := range p.apart {
		s.probe.op = op{kind: add, sites: []Site{{Listed: Listed{Index: p.numbers.N + i, Lane: p.lane}, Counters: p.counters}}, when: s.probe.op.when}
		d.probes[s.block] = append(d.probes[s.block], s.probe)
	}
	listPaths(d.symbol(), p)
}

// returnsFromCalls reports whether a block calls something and goes on.
func returnsFromCalls(b *ssa.Block) bool {
	return b.Kind != ssa.BlockExit && slices.ContainsFunc(b.Values, func(v *ssa.Value) bool { return v.Op.IsCall() })
}

// A passing is what shows the path in a block: sites that are passed, perhaps on a condition.
type passing struct {
	block *ssa.Block
	probe probe
	from  int // on a condition: the graph's node whose second edge leads to it
}

// passedIn is what shows the path in a node, in the source's order: of sites on conditions the block knows
// no more than what they are read from.
func (d *duplicator) passedIn(n int) (out []passing) {
	for _, b := range d.nodes[n].blocks {
		for _, q := range d.paths.passed[b] {
			sites := q.op.sites
			if q.op.when != nil {
				out = append(out, passing{block: b, probe: q})
				continue
			}
			for i := range sites {
				q.op.sites = sites[i : i+1]
				out = append(out, passing{block: b, probe: q})
			}
		}
	}
	for i := range out {
		for j := i; j > 0 && out[j].before(out[j-1]); j-- {
			out[j], out[j-1] = out[j-1], out[j]
		}
	}
	return out
}

// before reports whether p is of the same code as q, and before it.
func (p passing) before(q passing) bool {
	a, b := base.Ctxt.PosTable.Pos(p.probe.op.sites[0].pos), base.Ctxt.PosTable.Pos(q.probe.op.sites[0].pos)
	return a.Base() == b.Base() && a.Before(b)
}

// pathGraph is the graph of nodes with choices within them, and the choices.
func (d *duplicator) pathGraph() (*plan.PathGraph, []passing) {
	p := d.paths
	g := &plan.PathGraph{Succs: make([][]int, len(d.nodes)), Back: map[plan.Edge]bool{}, Lost: map[plan.Edge]bool{}}
	p.sites, p.last = make([][]Site, len(d.nodes)), make([]int, len(d.nodes))
	var steps []passing
	for n := range d.nodes {
		at, choices := n, 0
		for _, s := range d.passedIn(n) {
			if s.probe.op.when == nil {
				p.sites[at] = append(p.sites[at], s.probe.op.sites...)
				continue
			}
			if choices++; choices > mostChoices {
				p.apart = append(p.apart, s)
				continue
			}
			with, behind := len(g.Succs), len(g.Succs)+1
			p.sites = append(p.sites, s.probe.op.sites, nil)
			g.Succs = append(g.Succs, []int{behind}, nil)
			g.Succs[at] = []int{behind, with}
			s.from = at
			steps = append(steps, s)
			at = behind
		}
		p.last[n] = at
	}
	g.Ends, g.Whole, g.Sites = make([]bool, len(g.Succs)), make([]bool, len(g.Succs)), make([]bool, len(g.Succs))
	for n := range d.nodes {
		at := p.last[n]
		for i, e := range d.nodes[n].out {
			g.Succs[at] = append(g.Succs[at], d.of[e.to()])
			g.Back[plan.Edge{From: at, I: i}] = d.plan.Back[plan.Edge{From: n, I: i}]
			g.Lost[plan.Edge{From: at, I: i}] = recovers(e)
		}
		for _, b := range d.nodes[n].blocks {
			g.Ends[at] = g.Ends[at] || len(b.Succs) == 0 && (b.Kind != ssa.BlockExit || len(p.passed[b]) > 0)
		}
	}
	for n := range g.Succs {
		g.Sites[n] = len(p.sites[n]) > 0
		g.Whole[n] = n >= len(d.nodes)
	}
	return g, steps
}

// recovers reports whether control takes an edge when a panic has been recovered, wherever that was.
func recovers(e edge) bool { return e.from.Kind == ssa.BlockDefer && e.i == 1 }

// lost is a sum that is no path's, and becomes none.
const lost = 1 << 30

// putPaths puts the sums into the blocks that of gives for originals, and on their edges.
func (d *duplicator) putPaths(of func(*ssa.Block) *ssa.Block) {
	p := d.paths
	if p == nil {
		return
	}
	for n := range d.nodes {
		for _, b := range d.nodes[n].blocks {
			if len(b.Succs) == 0 && (b.Kind != ssa.BlockExit || len(p.passed[b]) > 0) {
				d.endPath(of(b))
			}
		}
		for i, e := range d.nodes[n].out {
			at := plan.Edge{From: p.last[n], I: i}
			var ops []op
			if s := p.numbers.Step[at]; recovers(e) {
				ops = append(ops, p.op(begin, lost))
			} else if p.numbers.Ends[at] {
				ops = append(ops, p.op(end, s))
				if !d.leavesCopies(plan.Edge{From: n, I: i}) {
					ops = append(ops, d.begin(e.to())...)
				}
			} else if s > 0 {
				ops = append(ops, p.op(step, s))
			}
			if len(ops) > 0 {
				d.putOn(of(e.from), e.from, e.i, ops)
			}
		}
	}
	first := of(d.nodes[0].blocks[0])
	at := received(first)
	for _, o := range d.enters() {
		d.putSum(first, at, o)
	}
}

// received is the index in a first block behind what receives arguments.
func received(b *ssa.Block) (at int) {
	for at < len(b.Values) && (shared(b.Values[at]) || b.Values[at].Op == ssa.OpPhi) {
		at++
	}
	return at
}

// op is an operation on the sum.
func (p *pathing) op(k kind, n int) op {
	return op{kind: k, n: int64(n), slot: p.slot, word: sumAt, counters: p.counters, of: int64(p.numbers.N), across: p.across, lane: p.lane}
}

// leavesCopies reports whether the copy of an edge leads to checking code.
func (d *duplicator) leavesCopies(e plan.Edge) bool {
	return d.plan.Variant == plan.Full && d.plan.Back[e]
}

// begin begins a path at a node's first block, if paths from there are counted.
func (d *duplicator) begin(first *ssa.Block) []op {
	if d.paths == nil {
		return nil
	}
	if n, ok := d.paths.numbers.Begin[d.of[first]]; ok {
		return []op{d.paths.op(begin, n)}
	}
	return nil
}

// endPath ends a path where the function ends, or before the panic that it ends by, or deferred calls, for
// there the function is gone on with when a panic has been recovered.
func (d *duplicator) endPath(b *ssa.Block) {
	at := len(b.Values)
	for i, v := range b.Values {
		if v.Op.IsCall() && (b.Kind == ssa.BlockExit || runsDeferred(v)) {
			at = i
		}
	}
	o := d.paths.op(end, 0)
	if p := o.across; p != nil {
		o.across = &across{record: p.record, how: p.how | returns}
	}
	d.putSum(b, at, o)
}

// putOn puts operations on the i-th edge out of b, or out of a copy of it.
func (d *duplicator) putOn(b, original *ssa.Block, i int, ops []op) {
	on := b
	if len(b.Succs) > 1 || len(b.ControlValues()) > 0 {
		to, _ := ssa.DupinstSucc(b, i)
		on = d.f.DupinstBlock(ssa.BlockPlain, b.Pos)
		on.FlagsLiveAtEnd = d.flagsPass(b, to)
		ssa.DupinstOn(b, i, on, 0)
		d.after[b] = append([]*ssa.Block{on}, d.after[b]...)
		d.live.Same(on, original)
	}
	for _, o := range ops {
		d.putSum(on, len(on.Values), o)
	}
}

// putSum puts an operation on a sum before the at-th value of b.
func (d *duplicator) putSum(b *ssa.Block, at int, o op) {
	o.flags, o.carried = flagsLive(b, at), d.carried
	if o.reg = d.free(b, at); o.kind == end && o.reg != 0 {
		o.other = d.live.FreeAt(b, at, o.reg, d.held[b])
	}
	v := d.operation(b, at, b.Pos, o)
	switch {
	case o.slot != nil && o.kind == begin:
		ssa.DupinstAt(v, o.slot)
	case o.reg != 0:
		ssa.DupinstIn(v, o.reg)
	}
}

// pathCounters is the array of the counters of a function's paths.
func pathCounters(function string) *obj.LSym {
	s := base.Ctxt.Lookup("dupinst.paths." + base.Ctxt.Pkgpath + "." + function)
	s.Pkg = "_"
	return s
}

// pathRecord is what says which they are.
func pathRecord(counters *obj.LSym) *obj.LSym {
	s := base.Ctxt.Lookup(counters.Name + ".sites")
	s.Pkg = "_"
	return s
}

// magic5 is the second word of the record of a function's paths (runtime/core, table_path.go).
const magic5 = 0x6475_7069_6e73_7405

var (
	pathed     = map[string]*pathing{} // by function's symbol
	pathedLock sync.Mutex
)

func listPaths(function string, p *pathing) {
	pathedLock.Lock()
	pathed[function] = p
	pathedLock.Unlock()
}

// endPaths writes the counters of paths and what paths there are, by function: two words by which the
// runtime finds that, the number of paths, the address of their counters, how many there are from the
// function's beginning, which are the first, room for two words; then
// nodes, the first of which leads to those at which paths begin. A node is the number of its sites, the
// addresses of their counters, the number of ways, and of each in ascending order what it adds, in the
// upper half of a word, and in the lower the place of the node that it leads to, in words from the
// record's beginning, or 0 where the path ends.
func endPaths() {
	for _, function := range slices.Sorted(maps.Keys(pathed)) {
		p := pathed[function]
		base.Ctxt.Globl(p.counters, int64(p.paths())*8, obj.NOPTR)
		w := begun(pathRecord(p.counters).Name, magic5)
		w.word(uint64(p.paths()))
		w.address(p.counters, 0)
		w.word(uint64(p.numbers.From(0)))
		w.word(0)
		w.word(0)
		w.nodes(p)
		w.end(p.counters, 0)
	}
}

// nodes writes those that paths come by.
func (w *writer) nodes(p *pathing) {
	var starts []plan.PathWay
	for _, v := range p.numbers.Starts {
		starts = append(starts, plan.PathWay{Step: p.numbers.Begin[v], To: v})
	}
	slices.SortFunc(starts, func(a, b plan.PathWay) int { return cmp.Compare(a.Step, b.Step) })
	sites, ways := p.sites, p.numbers.Ways
	for i, s := range p.apart {
		starts = append(starts, plan.PathWay{Step: p.numbers.N + i, To: len(sites)})
		sites, ways = append(sites, s.probe.op.sites), append(ways, nil)
	}
	place := map[int]int64{-1: 0} // in words
	at := w.at/8 + 2 + int64(len(starts))
	var order []int
	var visit func(ways []plan.PathWay)
	visit = func(to []plan.PathWay) {
		for _, way := range to {
			if _, known := place[way.To]; known {
				continue
			}
			place[way.To] = at
			at += 2 + int64(len(sites[way.To])+len(ways[way.To]))
			order = append(order, way.To)
			visit(ways[way.To])
		}
	}
	visit(starts)
	w.node(nil, starts, place)
	for _, n := range order {
		w.node(sites[n], ways[n], place)
	}
}

func (w *writer) node(sites []Site, ways []plan.PathWay, place map[int]int64) {
	w.word(uint64(len(sites)))
	for _, s := range sites {
		w.address(s.Counters, int64(s.Index)*8)
	}
	w.word(uint64(len(ways)))
	for _, way := range ways {
		w.word(uint64(way.Step)<<32 | uint64(place[way.To]))
	}
}
