// Package plan decides what becomes of a function, given its control-flow graph and the
// nodes that have probes: which nodes are copied, and which edges have a check. It is the
// framework of Arnold and Ryder (PLDI 2001, §2 and §3) on a plain graph, and knows nothing
// of the compiler that it is linked into.
//
// # Backedges
//
// They are the edges that lead up in a depth-first walk from the entry. Without them the
// graph is acyclic, whether it is reducible or not, so that duplicated code, whose
// backedges lead back to checking code, is bounded.
//
// # Full-Duplication
//
// Every node is copied, and a check stands on the entry and on each backedge.
//
// # Partial-Duplication
//
// A top-node is one without probes that no probe comes before; a bottom-node one without
// probes that none comes after, both in the graph without its backedges. Neither is
// copied. A check stands on each edge from a top-node, and on each backedge, to a node
// that is neither; the function's entry counts as an edge from a top-node. A loop without
// probes is idle: its backedges are taken for ordinary edges, and a sample goes on behind
// it. Package flow has the same on syntax, with the proof of Property 1, which holds here
// word for word.
//
// # No-Duplication
//
// Nothing is copied; each node with probes has a check in front of them.
//
// # Auto
//
// Partial's checks or No's, whichever are expected to be executed less often: each node is
// weighed by the depth of its loop. Where the profile of an earlier run has nothing of a function, No's, which take less
// room: how often they are executed does not matter.
//
// # Bounded loops
//
// Checks on backedges are there to bound duplicated code. A loop that goes round no more often
// than is known, at most Rounds times, bounds itself: under auto its backedges need no check,
// and are taken for ordinary edges, as idle ones are. Which loops those are depends on what the
// program computes and not on samples, so that the checks that are left are merely fewer, and
// what lies between two of them longer: each piece of code still belongs to one check, the last
// that its activation passed, and is sampled whenever that begins a sample, which is as likely
// for each. So counts stay in proportion, while those of one sample are less independent. The
// program's traces show where the checks are, and package simulate predicts from them what is
// counted.
package plan

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Graph is a control-flow graph. Its nodes are numbered, 0 is the entry, and all are
// reachable from it.
type Graph struct {
	Succs   [][]int
	Follows bool          // calls lead from copies to copies, which No-Duplication has none of
	Cold    bool          // an earlier run has left a profile that has nothing of it
	Bounded map[Edge]bool // backedges of bounded loops, which auto gives no checks
}

// Rounds is how often a bounded loop goes round at most.
const Rounds = 128

// An Edge is the I-th edge out of a node.
type Edge struct{ From, I int }

// Entry is the edge that leads to node 0 from outside.
var Entry = Edge{-1, 0}

// To returns the node that e leads to.
func (g *Graph) To(e Edge) int {
	if e == Entry {
		return 0
	}
	return g.Succs[e.From][e.I]
}

// A Variant is a way to arrange checks and copies.
type Variant string

// The variants there are.
const (
	Auto       Variant = "auto"
	Full       Variant = "full"
	Partial    Variant = "partial"
	No         Variant = "no"
	Exhaustive Variant = "exhaustive" // probes and nothing else
	Entries    Variant = "entries"    // a check on the entry, and nothing behind it
	Backedges  Variant = "backedges"  // the same on backedges
	Copies     Variant = "copies"     // copies of everything, and no check that leads to them
	Followed   Variant = "followed"   // as exhaustive: calls in copies lead here, under auto
	Once       Variant = "once"       // no probes: the runtime puts traps into the code
	Windows    Variant = "windows"    // the same as copies, with probes, where windows lead control into copies
)

// A Plan is all that is decided about a function.
type Plan struct {
	Variant Variant // never Auto
	Why     string
	Graph   *Graph
	Probed  []bool
	Back    map[Edge]bool
	Idle    []Edge // backedges that end no sample, sorted: of loops without probes, and bounded ones
	Copied  []bool // nodes that have a copy, which has their probes
	Checks  []Edge // that lead to a copy, sorted
	Alone   []bool // nodes whose probes have a check of their own
}

// Make decides about a function, nodes of which are probed.
func Make(g *Graph, probed []bool, v Variant) *Plan {
	p := &Plan{Variant: v, Graph: g, Probed: probed, Back: g.Backedges(), Copied: make([]bool, len(g.Succs)), Alone: make([]bool, len(g.Succs))}
	switch v {
	case Exhaustive:
		p.Why = "exhaustive instrumentation has no framework"
	case Followed:
		p.Why = "all calls of it are known, and lead from copies to a copy of it"
	case Entries:
		p.Why = "checks on entries alone are asked for"
		p.Checks = []Edge{Entry}
	case Backedges:
		p.Why = "checks on backedges alone are asked for"
		p.check(func(e Edge) bool { return p.Back[e] })
	case Copies:
		p.Why = "copies alone are asked for"
		p.copyAll()
	case Windows:
		p.Why = "windows lead into copies of everything"
		p.copyAll()
	case Full:
		p.Why = "Full-Duplication is asked for"
		p.full()
	case Partial:
		p.Why = "Partial-Duplication is asked for"
		p.partial()
	case No:
		p.Why = "No-Duplication is asked for"
		copy(p.Alone, probed)
	default:
		p.auto()
	}
	return p
}

func (p *Plan) copyAll() {
	for i := range p.Copied {
		p.Copied[i] = true
	}
}

func (p *Plan) full() {
	p.copyAll()
	p.check(func(e Edge) bool { return e == Entry || p.Back[e] })
}

// check puts checks on the edges that need one.
func (p *Plan) check(needs func(Edge) bool) {
	if needs(Entry) {
		p.Checks = append(p.Checks, Entry)
	}
	for from, succs := range p.Graph.Succs {
		for i := range succs {
			if e := (Edge{from, i}); needs(e) {
				p.Checks = append(p.Checks, e)
			}
		}
	}
}

func (p *Plan) partial() {
	idle := p.idle()
	back := func(e Edge) bool { return p.Back[e] && !idle[p.Graph.To(e)] && !p.Graph.Bounded[e] }
	above := p.reached(back, false) // a probe comes before
	below := p.reached(back, true)  // a probe comes after
	for i := range p.Copied {
		p.Copied[i] = above[i] && below[i]
	}
	p.check(func(e Edge) bool {
		return p.Copied[p.Graph.To(e)] && (e == Entry || back(e) || !above[e.From])
	})
	for from, succs := range p.Graph.Succs {
		for i := range succs {
			if e := (Edge{from, i}); p.Back[e] && !back(e) {
				delete(p.Back, e)
				p.Idle = append(p.Idle, e)
			}
		}
	}
}

// reached marks the probed nodes and those from which one can be reached, up or down, over
// edges that are not back.
func (p *Plan) reached(back func(Edge) bool, up bool) []bool {
	next := make([][]int, len(p.Graph.Succs))
	for from, succs := range p.Graph.Succs {
		for i, to := range succs {
			switch {
			case back(Edge{from, i}):
			case up:
				next[to] = append(next[to], from)
			default:
				next[from] = append(next[from], to)
			}
		}
	}
	return spread(p.Probed, next)
}

// spread marks the nodes that are marked, and those that next leads to from them.
func spread(marked []bool, next [][]int) []bool {
	out := append([]bool(nil), marked...)
	var work []int
	for i, m := range out {
		if m {
			work = append(work, i)
		}
	}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, to := range next[n] {
			if !out[to] {
				out[to] = true
				work = append(work, to)
			}
		}
	}
	return out
}

// idle returns the heads of loops without probes.
func (p *Plan) idle() map[int]bool {
	idle := map[int]bool{}
	for head, body := range p.Graph.Loops(p.Back) {
		idle[head] = true
		for n, in := range body {
			if in && p.Probed[n] {
				idle[head] = false
			}
		}
	}
	return idle
}

// Loops returns the natural loops of the targets of backedges: by head, the nodes from
// which one of its backedges is reached without passing it.
func (g *Graph) Loops(back map[Edge]bool) map[int][]bool {
	preds := make([][]int, len(g.Succs))
	for from, succs := range g.Succs {
		for _, to := range succs {
			preds[to] = append(preds[to], from)
		}
	}
	loops := map[int][]bool{}
	for e := range back {
		head := g.To(e)
		body := loops[head]
		if body == nil {
			body = make([]bool, len(g.Succs))
			body[head] = true
			loops[head] = body
		}
		for work := []int{e.From}; len(work) > 0; {
			n := work[len(work)-1]
			work = work[:len(work)-1]
			if !body[n] {
				body[n] = true
				work = append(work, preds[n]...)
			}
		}
	}
	return loops
}

// A Nest is a loop with those in it.
type Nest struct {
	Nodes []int
	Loops int
}

// Nests returns the largest nests that are made of quiet nodes and have a check within. None
// shares a node with another.
func (p *Plan) Nests(quiet []bool) []Nest {
	loops := p.Graph.Loops(p.Graph.Backedges())
	var nests []Nest
	for _, body := range loops {
		var nest Nest
		fits, checked := true, false
		for n, in := range body {
			if in {
				nest.Nodes = append(nest.Nodes, n)
				fits = fits && quiet[n] && n != 0
				checked = checked || p.Alone[n]
				if loops[n] != nil {
					nest.Loops++
				}
			}
		}
		for _, e := range p.Checks {
			checked = checked || e != Entry && body[e.From] && body[p.Graph.To(e)]
		}
		if fits && checked {
			nests = append(nests, nest)
		}
	}
	slices.SortFunc(nests, func(a, b Nest) int {
		return cmp.Or(cmp.Compare(len(b.Nodes), len(a.Nodes)), slices.Compare(a.Nodes, b.Nodes))
	})
	taken := make([]bool, len(quiet))
	return slices.DeleteFunc(nests, func(nest Nest) bool {
		if slices.ContainsFunc(nest.Nodes, func(n int) bool { return taken[n] }) {
			return true
		}
		for _, n := range nest.Nodes {
			taken[n] = true
		}
		return false
	})
}

// Backedges returns the edges that lead up in a depth-first walk.
func (g *Graph) Backedges() map[Edge]bool {
	const open, done = 1, 2
	back := map[Edge]bool{}
	state := make([]byte, len(g.Succs))
	walk := []Edge{{0, 0}} // the next edge of each node on the way
	state[0] = open
	for len(walk) > 0 {
		e := &walk[len(walk)-1]
		if e.I == len(g.Succs[e.From]) {
			state[e.From] = done
			walk = walk[:len(walk)-1]
			continue
		}
		to := g.Succs[e.From][e.I]
		switch state[to] {
		case open:
			back[*e] = true
		case 0:
			state[to] = open
			e.I++
			walk = append(walk, Edge{to, 0})
			continue
		}
		e.I++
	}
	return back
}

// deepest is the depth beyond which loops weigh no more.
const deepest = 6

// auto takes Partial's checks or No's.
func (p *Plan) auto() {
	weight := make([]int, len(p.Graph.Succs))
	for i := range weight {
		weight[i] = 1
	}
	for _, body := range p.Graph.Loops(p.Back) {
		for n, in := range body {
			if in && weight[n] < 1<<(3*deepest) {
				weight[n] <<= 3
			}
		}
	}
	alone := 0
	for n, probed := range p.Probed {
		if probed {
			alone += weight[n]
		}
	}
	p.partial()
	checked := 0
	for _, e := range p.Checks {
		switch {
		case e == Entry:
			checked++
		case weight[e.From] < weight[p.Graph.To(e)]:
			checked += weight[e.From]
		default:
			checked += weight[p.Graph.To(e)]
		}
	}
	p.Variant, p.Why = Partial, fmt.Sprintf("its checks weigh %d, those of No-Duplication %d", checked, alone)
	if (alone < checked || p.Graph.Cold && alone > 0) && !p.Graph.Follows {
		p.Variant, p.Why = No, fmt.Sprintf("its checks weigh %d, those of Partial-Duplication %d", alone, checked)
		if p.Graph.Cold {
			p.Why = "the profile of an earlier run has nothing of it"
		}
		p.Checks, p.Idle, p.Back = nil, nil, p.Graph.Backedges()
		clear(p.Copied)
		copy(p.Alone, p.Probed)
	}
}

// Fprint writes the plan, a line for each node.
func (p *Plan) Fprint(w io.Writer) {
	fmt.Fprintf(w, "%s: %s\n", p.Variant, p.Why)
	checked := map[Edge]bool{}
	for _, e := range p.Checks {
		checked[e] = true
	}
	if checked[Entry] {
		fmt.Fprintf(w, "\tcheck on the entry\n")
	}
	for n, succs := range p.Graph.Succs {
		var b strings.Builder
		fmt.Fprintf(&b, "\t%d", n)
		for _, is := range []struct {
			of   []bool
			what string
		}{{p.Probed, "probed"}, {p.Copied, "copied"}, {p.Alone, "alone"}} {
			if is.of[n] {
				b.WriteString(" " + is.what)
			}
		}
		for i, to := range succs {
			e := Edge{n, i}
			fmt.Fprintf(&b, " ->%d", to)
			if p.Back[e] {
				b.WriteString(" back")
			}
			if checked[e] {
				b.WriteString(" check")
			}
		}
		fmt.Fprintln(w, b.String())
	}
}

// Verify says what is wrong with a plan, if anything is: each way to a probed node passes
// one check since the entry or the last backedge, none passes two, and copies without
// backedges are left for copies or for checking code.
func (p *Plan) Verify() error {
	if p.Variant != Full && p.Variant != Partial {
		return nil
	}
	checked := map[Edge]bool{}
	for _, e := range p.Checks {
		checked[e] = true
		if !p.Copied[p.Graph.To(e)] {
			return fmt.Errorf("the check on %v leads to node %d, which has no copy", e, p.Graph.To(e))
		}
	}
	if p.Probed[0] && !checked[Entry] {
		return fmt.Errorf("the entry has probes and no check")
	}
	for from, succs := range p.Graph.Succs {
		if p.Probed[from] && !p.Copied[from] {
			return fmt.Errorf("node %d has probes and no copy", from)
		}
		for i, to := range succs {
			e := Edge{from, i}
			switch {
			case p.Back[e]:
				if p.Copied[to] && !checked[e] {
					return fmt.Errorf("the backedge %v leads to a copied node and has no check", e)
				}
			case p.Copied[from] && checked[e]:
				return fmt.Errorf("the edge %v has a check, and comes after one", e)
			case !p.Copied[from] && p.Copied[to] && !checked[e]:
				return fmt.Errorf("the edge %v leads to a copied node and has no check", e)
			}
		}
	}
	return nil
}
