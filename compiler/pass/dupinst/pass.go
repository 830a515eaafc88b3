//go:build dupinst_compiler

package dupinst

import (
	"slices"
	"strings"

	"cmd/compile/internal/base"
	"cmd/compile/internal/dupinst/plan"
	"cmd/compile/internal/ir"
	"cmd/compile/internal/ssa"
	"cmd/internal/obj"
	"cmd/internal/src"
)

// A kind says what an operation is.
type kind byte

const (
	check    kind = iota // count down, and set the flags by what is left
	fire                 // begin a sample
	add                  // count one event at each site
	seen                 // and note the callee of a call whose callee is known at run time
	valued               // and note what is in a register
	passes               // show which path is taken (path.go); it is no operation, nor are the next two
	comes                // show where a loop begins (trip.go)
	laps                 // or a round of it
	begin                // a path's sum
	step                 // add to it
	end                  // count the path that it is
	referred             // note the address of a reference
	gone                 // note how often the loop has gone round that it is the sum of
	stacked              // and note the calling context
	each                 // fire and add for each site that is due, of those that a check took at once
	save                 // keep the flags
	restore
	note // count or trace something in an audit
	load // the counter into a register
	store
	closed   // set the flags to unequal while a window is open
	limit    // compare an argument, or in a register what it is more than another, with n
	anchored // nothing, with an instruction
	carry    // keep the sample's weight in the frame
	cleared  // add as often as a register says, behind which none holds anything
)

// An op is an operation, the Aux of an ssa.OpInlMark.
type op struct {
	kind   kind
	n      int64      // checks at once; for limit: what is compared with; for begin, step and end: what is added to the sum
	reg    int16      // where the counter is, 0: in memory; for add and limit: one that holds nothing, or 0; for valued: the value's
	sites  []Site     // to be counted
	call   *ssa.Value // for seen: the call
	callee *obj.LSym  // for seen: the callee, where it is no longer a call at run time
	pos    src.XPos   // for stacked: where it is said to be
	flags  bool       // the flags are to be kept
	when   *ssa.DupinstWhen
	how    int // for note
	// For begin, step, end and gone: where the sum is, in a slot or a word of g's. For end: another register that
	// holds nothing, or 0; the counters of paths, and how many there are.
	slot     *ir.Name
	word     int64
	lane     int // for end
	other    int16
	counters *obj.LSym
	of       int64
	across   *across            // of a path that goes on in what is called, or nil
	address  ssa.DupinstAddress // for referred
	carried  *ir.Name           // where the frame keeps the sample's weight, or nil (lane.go)
	// For stacked: the inlined calls, by their index in the inlining tree, that no instruction stands for.
	calls []int
}

func (*op) CanBeAnSSAAux() {}

// opOf is v's operation, if it is one of ours.
func opOf(v *ssa.Value) *op {
	o, _ := v.Aux.(*op)
	return o
}

// A duplicator works on one function.
type duplicator struct {
	f       *ssa.Func
	variant plan.Variant
	nodes   []node // of the plan
	of      map[*ssa.Block]int
	probes  map[*ssa.Block][]probe
	plan    *plan.Plan
	copies  map[*ssa.Block]*ssa.Block
	values  ofValue                     // copies
	source  ofValue                     // what they are copies of
	tables  map[*obj.LSym]*obj.LSym     // jump tables of copies, by those of originals
	after   map[*ssa.Block][]*ssa.Block // blocks that stand right behind another
	cold    []*ssa.Block                // those behind all originals
	held    map[*ssa.Block]int16        // the register that the counter is in (held.go)
	moved   map[*ssa.Block]bool         // blocks that begin with a move of it
	live    *ssa.DupinstRegisters       // where probes are put
	// registers are those of the function as it was, before anything was added.
	registers *ssa.DupinstRegisters
	groups    [][]Site       // those that a counter of their own counts for (group.go)
	groupsOf  map[Site][]int // by their first sites
	// barred are the last ends of write barriers in blocks, or nil (barrier.go).
	barred map[*ssa.Block]*ssa.Value
	// marked are the inlined calls that an instruction stands for, by their index in the inlining tree.
	marked map[int]bool
	paths  *pathing // nil: none are counted
	trips  *tripping
	// carried is where the frame keeps the sample's weight, or nil (lane.go).
	carried *ir.Name
}

// An ofValue holds a value of each, by the other's ID: there are many.
type ofValue []*ssa.Value

func (o ofValue) get(v *ssa.Value) *ssa.Value {
	if int(v.ID) < len(o) {
		return o[v.ID]
	}
	return nil
}

func (o *ofValue) set(v, is *ssa.Value) {
	if n := int(v.ID) + 1 - len(*o); n > 0 {
		*o = append(*o, make([]*ssa.Value, n)...)
	}
	(*o)[v.ID] = is
}

// A node is what is copied or not as a whole: blocks that are entered at the first.
type node struct {
	blocks []*ssa.Block
	out    []edge // to nodes
}

// An edge is the i-th out of a block.
type edge struct {
	from *ssa.Block
	i    int
}

func (e edge) to() *ssa.Block {
	to, _ := ssa.DupinstSucc(e.from, e.i)
	return to
}

// A probe is put in front of a value of its block, or at its end where that is nil.
type probe struct {
	at    *ssa.Value
	op    op
	flags *ssa.Value // those that op.when is read from
	index int        // for No-Duplication: where at is
}

// pass is the compiler's pass.
func pass(f *ssa.Func) {
	d := &duplicator{
		f: f, probes: map[*ssa.Block][]probe{},
		copies: map[*ssa.Block]*ssa.Block{}, tables: map[*obj.LSym]*obj.LSym{}, after: map[*ssa.Block][]*ssa.Block{},
		held: map[*ssa.Block]int16{}, moved: map[*ssa.Block]bool{}, groupsOf: map[Site][]int{}, barred: map[*ssa.Block]*ssa.Value{},
	}
	d.variant = variant
	followed := copiesOf[f.OwnAux.Fn] != nil // it has no checks, and a copy of its own
	if followed || namedAs[f.OwnAux.Fn] != "" {
		d.variant = plan.Followed
	}
	d.find(marks[f.Frontend().Func()])
	d.takePassed()
	d.takeLoops()
	d.followCalls()
	if followed && audit < 0 {
		return
	}
	if why := d.left(); why != "" {
		d.explainLeft(why)
		return
	}
	if d.variant == plan.Once {
		d.trap()
		return
	}
	if audit >= 0 {
		d.separate()
	}
	d.decide()
	d.carries()
	d.numberPaths()
	d.findLoops()
	outline := d.outline()
	d.hold()
	switch d.plan.Variant {
	case plan.Exhaustive, plan.Followed:
		d.live = ssa.DupinstRegistersOf(d.f)
		d.blocks(func(_ int, b *ssa.Block) {
			if followed {
				d.insert(b, tracing(d.probes[b]))
				return
			}
			d.insert(b, d.probes[b])
			for _, v := range b.Values {
				follow(v)
			}
		})
		d.putPaths(func(b *ssa.Block) *ssa.Block { return b })
		d.putTrips(func(b *ssa.Block) *ssa.Block { return b })
		if d.plan.Variant == plan.Followed {
			d.carryFollowed()
		}
	case plan.No:
		d.guard()
	default:
		d.duplicate()
	}
	if audit >= 0 {
		d.auditEntry()
	}
	d.listGroups()
	d.move()
	d.f.DupinstList(d.order())
	if v := d.plan.Variant; v != plan.Windows && v != plan.Copies { // which leave what is before as it is
		d.f.DupinstCold = d.cold
	}
	if err := d.verify(); err != nil {
		d.fail(err)
	}
	d.explain(outline)
}

// left says why the function is left alone, if it is. The sites of one that forks are not
// listed.
func (d *duplicator) left() string {
	fn := d.f.Frontend().Func()
	switch why := leftWhy(fn); {
	case len(d.probes) == 0 && d.paths == nil && d.trips == nil && !left[ir.LinkFuncName(fn)] && !slices.ContainsFunc(d.f.Blocks, followsIn) && !leadsOn(d.f):
		return "there is nothing to count"
	case why != "":
		return why
	case d.f.NoSplit:
		return "the compiler counts its stack"
	case bisect != nil && !bisect.MatchPkgFunc(base.Ctxt.Pkgpath, d.f.Name, nil):
		return "DUPINST_BISECT leaves it out"
	}
	return ""
}

// blocks calls do with each block that is reachable, and its node.
func (d *duplicator) blocks(do func(n int, b *ssa.Block)) {
	for n := range d.nodes {
		for _, b := range d.nodes[n].blocks {
			do(n, b)
		}
	}
}

// take takes marks out of a function before values are moved and scheduled and registers
// allocated, where each value counts, and notes which call of their block they stand before,
// or that they stand at its end. What marks count is counted together, up to the next call.
// Those with a condition stay, for its flags.
func take(f *ssa.Func) {
	m := marks[f.Frontend().Func()]
	if m == nil {
		return
	}
	m.taken = map[*ssa.Block][]probe{}
	for _, b := range f.Blocks {
		var plain, bound []*ssa.Value
		b.Values = slices.DeleteFunc(b.Values, func(v *ssa.Value) bool {
			switch {
			case v.Op != ssa.OpInlMark || v.AuxInt >= -1:
				return false
			case v.Aux != nil:
				bound = append(bound, v)
				return false
			}
			plain = append(plain, v)
			return true
		})
		if len(plain)+len(bound) == 0 {
			continue
		}
		next := map[*ssa.Value]*ssa.Value{} // the call behind one, or behind none
		for _, v := range b.Values {
			if v.Op.IsCall() {
				next[callBefore(v)] = v
			}
		}
		m.taken[b] = m.take(plain, next)
		for _, v := range bound {
			postpone(v, next[callBefore(v)])
		}
	}
}

// take returns the probes of marks, which stand before the next call each.
func (m *marked) take(found []*ssa.Value, next map[*ssa.Value]*ssa.Value) []probe {
	counted := map[*ssa.Value][]Site{}
	var at []*ssa.Value
	for _, v := range found {
		call := next[callBefore(v)]
		if counted[call] == nil {
			at = append(at, call)
		}
		counted[call] = append(counted[call], m.marks[-2-v.AuxInt]...)
		ssa.DupinstDrop(v)
	}
	var out []probe
	for _, call := range at {
		for _, o := range ops(counted[call]) {
			out = append(out, probe{at: call, op: o})
		}
	}
	return out
}

// postpone lets a mark with a condition, which may come of what was stored since the last call,
// stand right before the next one, or at its block's end.
func postpone(v, call *ssa.Value) {
	var mem *ssa.Value
	if call != nil {
		mem = call.MemoryArg()
	} else {
		mem = lastMemory(v.Block)
	}
	if cond := v.Args[0]; mem != nil {
		v.SetArgs2(cond, mem)
	} else {
		v.SetArgs1(cond)
	}
}

// lastMemory is the memory at b's end, if it is of b.
func lastMemory(b *ssa.Block) *ssa.Value {
	over := map[*ssa.Value]bool{}
	for _, v := range b.Values {
		if v.Type.IsMemory() && v.Op != ssa.OpPhi {
			over[v.MemoryArg()] = true
		}
	}
	for _, v := range b.Values {
		if v.Type.IsMemory() && !over[v] {
			return v
		}
	}
	return nil
}

// callBefore is the last call of v's block before v, by the memory that v takes, or nil.
func callBefore(v *ssa.Value) *ssa.Value {
	for m := v.MemoryArg(); m != nil && m.Block == v.Block && m.Op != ssa.OpPhi; m = m.MemoryArg() {
		if m.Op.IsCall() {
			return m
		}
	}
	return nil
}

// find notes what marks and dynamic calls count, and takes the marks that are left out.
func (d *duplicator) find(m *marked) {
	for _, b := range d.f.Blocks {
		note := func(p probe) { d.probes[b] = append(d.probes[b], p) }
		// Before what notes a callee, which is to stand right before the call.
		d.findValues(b, note)
		d.findReferences(b, m, note)
		d.findAllocations(b, note)
		if m != nil {
			for _, p := range m.taken[b] {
				note(p)
			}
			d.findCleared(b, m, note) // behind what is counted before a fault in front of it
		}
		kept := b.Values[:0]
		var when []probe // on conditions, which are read where they stand
		for _, v := range b.Values {
			if v.Op == ssa.OpInlMark && v.AuxInt < -1 {
				for _, o := range ops(m.marks[-2-v.AuxInt]) {
					o.when = v.Aux.(*ssa.DupinstWhen)
					when = append(when, probe{op: o, flags: v.Args[0]})
				}
				ssa.DupinstDrop(v)
				continue
			}
			kept = append(kept, v)
			if v.Op == ssa.OpInlMark {
				continue // it is not copied
			}
			for _, p := range when {
				p.at = v
				note(p)
			}
			when = nil
			if v.Op.IsCall() {
				if s := m.dynamic(v); s != nil {
					note(probe{at: v, op: op{kind: seen, sites: s, call: v}})
				}
			}
		}
		for _, p := range when {
			note(p)
		}
		clear(b.Values[len(kept):])
		b.Values = kept
	}
}

// ops are the operations that count sites.
func ops(found []Site) []op {
	var out []op
	var plain []Site
	shown := map[kind][]Site{}
	for _, s := range found {
		switch {
		case s.Class == Statement && s.Word > 0:
			k := [...]kind{Passed: passes, Come: comes, Lap: laps, Across: passes}[s.Word]
			shown[k] = append(shown[k], s)
		case s.callee != nil:
			out = append(out, op{kind: seen, sites: []Site{s}, callee: s.callee})
		case s.Values != nil:
			out = append(out, op{kind: stacked, sites: []Site{s}, pos: s.pos})
		default:
			plain = append(plain, s)
		}
	}
	if len(plain) > 0 {
		out = append(out, op{kind: add, sites: plain})
	}
	for _, k := range []kind{passes, comes, laps} {
		if len(shown[k]) > 0 {
			out = append(out, op{kind: k, sites: shown[k]})
		}
	}
	return out
}

// dynamic returns the sites of a call whose callee is known only at run time, or was until
// the compiler found it out. What calls the callee in a wrapper of its that was inlined has
// the call's position, too.
func (m *marked) dynamic(v *ssa.Value) []Site {
	var out []Site
	for _, s := range sites[key(v.Pos)] {
		if s.Class != Dynamic {
			continue
		}
		if a, ok := v.Aux.(*ssa.AuxCall); ok && (a.Fn == nil || !runtimeOwn(a.Fn) && (m == nil || !m.inlined[key(v.Pos)])) {
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

// fail ends the compiler with what is wrong with the function, and its plan.
func (d *duplicator) fail(err error) {
	var b strings.Builder
	d.plan.Fprint(&b)
	base.Fatalf("dupinst: %s: %v\n%s", d.f.Name, err, b.String())
}

// decide makes the plan.
func (d *duplicator) decide() {
	g, probed := d.graph()
	var loops []round
	if d.variant == plan.Auto && elided["bounded"] {
		loops = d.rounds(g, probed)
		g.Bounded = d.bounds(loops)
	}
	g.Cold = d.variant == plan.Auto && cold(ir.LinkFuncName(d.f.Frontend().Func()))
	d.plan = plan.Make(g, probed, d.variant)
	if d.plan.Variant == plan.Partial && slices.ContainsFunc(loops, func(r round) bool { return r.by != nil }) {
		why := d.plan.Why
		for _, r := range loops {
			if r.by != nil {
				d.version(r)
			}
		}
		g, probed = d.graph()
		g.Bounded = d.bounds(loops)
		d.plan = plan.Make(g, probed, plan.Partial)
		d.plan.Why = why
	}
	if err := d.plan.Verify(); err != nil {
		d.fail(err)
	}
}

// graph is the function's, and which nodes have probes.
func (d *duplicator) graph() (g *plan.Graph, probed []bool) {
	d.divide()
	g = &plan.Graph{Succs: make([][]int, len(d.nodes))}
	probed = make([]bool, len(d.nodes))
	for n := range d.nodes {
		for _, e := range d.nodes[n].out {
			g.Succs[n] = append(g.Succs[n], d.of[e.to()])
		}
	}
	d.blocks(func(n int, b *ssa.Block) {
		follows := followsIn(b)
		probed[n] = probed[n] || follows || len(d.probes[b]) > 0 || d.paths != nil && len(d.paths.passed[b]) > 0 || d.trips != nil && len(d.trips.laps[b]) > 0
		g.Follows = g.Follows || follows
	})
	return g, probed
}

// bounds are the backedges of bounded loops.
func (d *duplicator) bounds(loops []round) map[plan.Edge]bool {
	edges := d.edges()
	out := map[plan.Edge]bool{}
	for _, r := range loops {
		for _, e := range r.back {
			out[edges[e]] = true
		}
	}
	return out
}

// divide makes nodes of the blocks that are reachable, the entry's first.
func (d *duplicator) divide() {
	head := barriers(d.f)
	root := func(b *ssa.Block) *ssa.Block {
		for head[b] != nil {
			b = head[b]
		}
		return b
	}
	d.nodes, d.of = nil, map[*ssa.Block]int{}
	reached := map[*ssa.Block]bool{d.f.Entry: true}
	for work := []*ssa.Block{d.f.Entry}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		n, ok := d.of[root(b)]
		if !ok {
			n = len(d.nodes)
			d.nodes = append(d.nodes, node{})
			d.of[root(b)] = n
		}
		d.of[b] = n
		d.nodes[n].blocks = append(d.nodes[n].blocks, b)
		for i := range b.Succs {
			e := edge{b, i}
			to := e.to()
			if to == root(to) || root(to) != root(b) {
				d.nodes[n].out = append(d.nodes[n].out, e)
			}
			if !reached[to] {
				reached[to] = true
				work = append(work, to)
			}
		}
	}
}

// edges numbers the edges between nodes as the plan does.
func (d *duplicator) edges() map[edge]plan.Edge {
	out := map[edge]plan.Edge{}
	for n := range d.nodes {
		for i, e := range d.nodes[n].out {
			out[e] = plan.Edge{From: n, I: i}
		}
	}
	return out
}

// order is that of the blocks' code: originals as they were, and behind them the copies.
func (d *duplicator) order() []*ssa.Block {
	var out []*ssa.Block
	var put func(b *ssa.Block)
	put = func(b *ssa.Block) {
		out = append(out, b)
		for _, n := range d.after[b] {
			put(n)
		}
	}
	for _, b := range append(slices.Clone(d.f.Blocks), d.cold...) {
		put(b)
	}
	return out
}
