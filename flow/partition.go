package flow

import "go/ast"

// A Partition divides a graph for Partial-Duplication (Arnold and Ryder, PLDI
// 2001, §3.1). All of it is decided on the acyclic graph of the duplicated
// code, which is the graph without its backedges.
//
// A top-node is one without instrumentation, on no path to which there is any.
// A bottom-node is one without instrumentation from which none can be reached.
// Neither is duplicated. A check stands on each edge from a top-node to a node
// that is neither, and on each backedge to such a node. The paper names edges
// to instrumented nodes only; where paths meet before one, a path that came
// through top-nodes would then never be sampled, so the edge to the join has a
// check too.
//
// A loop without instrumentation is idle: it is taken for one step, its backedges
// for no backedges, and a sample goes on behind it. The paper ends the sample in
// it, so that what follows depends on a check in the loop; but nothing is
// recorded in it, and what stands behind it is run as often as what stands before.
//
// Property 1: all successors, on the acyclic graph, of a node that is no
// top-node are none either. So a path that starts at the entry or with a
// backedge, and ends at the next backedge or at the exit, leaves the top-nodes
// at most once, and passes at most one check: where Full-Duplication has
// exactly one. Checks executed are therefore no more than entries and
// backedges, nor than Full-Duplication's. And each path that reaches an
// instrumented node has passed one before it, so that what a sample records is
// what Full-Duplication would have recorded on that path.
type Partition struct {
	Graph  *Graph
	Probed []bool // by Node.Index: instrumented
	Top    []bool
	Bottom []bool
	// Checks are the places that have a check. Where one is Open, some paths to
	// it have passed a check already, and which is known only at run time.
	Checks map[Place]Check
	idle   map[*Node]ast.Stmt // the idle loops, by Loop.Again
}

// A Check is what stands at a place.
type Check struct{ Open bool }

// Partition divides g, whose nodes with probes are given.
func (g *Graph) Partition(probed []bool) *Partition {
	p := &Partition{Graph: g, Probed: probed, idle: map[*Node]ast.Stmt{}}
	for _, l := range g.Loops {
		if !p.probesIn(l) {
			p.idle[l.Again] = l.Stmt
		}
	}
	p.Bottom = p.unreached(probed, func(n *Node) []*Edge { return n.Preds }, func(e *Edge) *Node { return e.From })
	// Nodes treated as if they had probes, lest a place be open that need not.
	active := append([]bool(nil), probed...)
	for again := true; again; {
		p.Top = p.unreached(active, func(n *Node) []*Edge { return n.Succs }, func(e *Edge) *Node { return e.To })
		p.place()
		again = p.pin(active)
	}
	return p
}

// unreached marks the nodes that cannot be reached from the given ones over
// edges that are no backedges.
func (p *Partition) unreached(from []bool, edges func(*Node) []*Edge, end func(*Edge) *Node) []bool {
	un := make([]bool, len(p.Graph.Nodes))
	var work []*Node
	for i, n := range p.Graph.Nodes {
		un[i] = !from[i]
		if from[i] {
			work = append(work, n)
		}
	}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, e := range edges(n) {
			if to := end(e); !p.back(e) && un[to.Index] {
				un[to.Index] = false
				work = append(work, to)
			}
		}
	}
	return un
}

// back reports whether e is a backedge, of a loop that is not idle.
func (p *Partition) back(e *Edge) bool { return e.Back && p.idle[e.To] == nil }

// Idle reports whether loop is idle.
func (p *Partition) Idle(loop ast.Stmt) bool {
	for _, s := range p.idle {
		if s == loop {
			return true
		}
	}
	return false
}

// needs reports whether e has to carry a check.
func (p *Partition) needs(e *Edge) bool {
	to := e.To.Index
	return (p.back(e) || p.Top[e.From.Index]) && !p.Top[to] && !p.Bottom[to]
}

// inRow reports whether the edges of a place follow each other on one path,
// instead of being alternatives.
func inRow(kind PlaceKind) bool { return kind == Backedge || kind == Before }

// place finds the checks.
func (p *Partition) place() {
	p.Checks = map[Place]Check{}
	without := map[Place]bool{}
	for _, n := range p.Graph.Nodes {
		for _, e := range n.Succs {
			if p.needs(e) {
				p.Checks[e.Place] = Check{}
			} else if !inRow(e.Place.Kind) {
				without[e.Place] = true
			}
		}
	}
	for at := range p.Checks {
		p.Checks[at] = Check{Open: without[at]}
	}
}

// pin adds to active the loop conditions by which open places can be avoided,
// by a check on the backedge as Full-Duplication has it, and
// labels before which a check could not be put without putting it on paths that
// need none.
func (p *Partition) pin(active []bool) bool {
	pinned := false
	pin := func(n *Node) {
		if n != nil && !active[n.Index] && !p.Bottom[n.Index] {
			active[n.Index], pinned = true, true
		}
	}
	for _, l := range p.Graph.Loops {
		if p.idle[l.Again] != nil {
			continue
		}
		if p.Checks[Place{AtStart, bodyOf(l.Stmt)}].Open || p.Checks[Place{After, l.Stmt}].Open {
			pin(l.First)
			pin(l.Again)
		}
	}
	for s, join := range p.Graph.Join {
		_, checked := p.Checks[Place{Before, s}]
		if l, ok := s.(*ast.LabeledStmt); ok && checked && len(join.Preds) > 1 && Breakable(Unlabeled(l)) {
			pin(join)
		}
	}
	return pinned
}

func bodyOf(loop ast.Stmt) *ast.BlockStmt {
	if l, ok := loop.(*ast.RangeStmt); ok {
		return l.Body
	}
	return loop.(*ast.ForStmt).Body
}

// Breakable reports whether a break or continue may name s.
func Breakable(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		return true
	}
	return false
}

// probesIn reports whether anything in l, but for what it evaluates once, has
// probes.
func (p *Partition) probesIn(l *Loop) bool {
	for _, n := range p.Graph.Nodes {
		if p.Probed[n.Index] && within(l.Stmt, n.Stmt.Pos()) && (n.Stmt != ast.Node(l.Stmt) || n.Kind != NodeSimple) {
			return true
		}
	}
	return false
}
