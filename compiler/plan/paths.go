package plan

import "slices"

// Paths numbers the acyclic paths of a function (Ball and Larus, MICRO 1996): a path begins at
// the entry or behind a backedge, and ends on a backedge or where the function does. Each begins
// with a number, to which the edges that it goes along add theirs, and the sum at its end is the
// path's own. The paper looks for edges that are passed seldom to put the additions on; here the
// first edge out of a node adds nothing, whichever that is, for what is counted runs a small part
// of the time.
//
// Two edges between which no site tells a difference have one number: of the ways to a node through
// others without sites there is one path, and so few paths are numbered twice. Where a function has
// too many, paths are cut in two where others join them.

// A PathGraph is what there is to number.
type PathGraph struct {
	Succs [][]int       // all nodes are reached from 0
	Back  map[Edge]bool // without these it is acyclic
	Lost  map[Edge]bool // on these a path is broken off, and none begins
	Sites []bool        // nodes that show which path it is
	Ends  []bool        // of nodes that lead nowhere: those at which paths end, and are not broken off
	Whole []bool        // nodes at which no path is cut
}

// Paths are numbered.
type Paths struct {
	N      int           // how many there are
	Starts []int         // nodes at which paths begin, in ascending order
	Begin  map[int]int   // what a path that begins at one of them begins with
	Step   map[Edge]int  // what an edge adds, if it is not 0
	Ends   map[Edge]bool // edges on which a path ends, behind the addition, and another begins
	// Ways are, of each node, those that tell one path from another, in the order of what they add.
	Ways [][]PathWay
}

// A PathWay is one or several edges that make no difference.
type PathWay struct {
	Step int
	To   int // the next node that has sites or several ways, or -1: the path ends
}

// Number numbers the paths. Where there are more than limit they are cut, until there are no more or
// they are as short as is of use.
func Number(g *PathGraph, limit int) *Paths {
	const shortest = 16 // paths from one node
	p := number(g, limit)
	for from := limit / 4; p.N > limit && from >= shortest; from /= 4 {
		p = number(g, from)
	}
	return p
}

// number cuts paths where there are more than limit from one node.
func number(g *PathGraph, limit int) *Paths {
	n := &numberer{PathGraph: g, limit: limit, cut: make([]bool, len(g.Succs))}
	for n.count() {
	}
	p := &Paths{Begin: map[int]int{}, Step: map[Edge]int{}, Ends: map[Edge]bool{}, Ways: n.ways}
	starts := map[int]bool{0: true}
	for from, succs := range g.Succs {
		for i, to := range succs {
			e := Edge{from, i}
			if n.ends(e) && !g.Lost[e] {
				p.Ends[e] = true
				starts[to] = true
			}
			if s := n.step[from][i]; s > 0 {
				p.Step[e] = s
			}
		}
	}
	for v := range g.Succs {
		if starts[v] && n.paths[v] > 0 {
			p.Starts = append(p.Starts, v)
			p.Begin[v] = p.N
			p.N += n.paths[v]
		}
	}
	return p
}

// From is how many of the paths begin at v.
func (p *Paths) From(v int) int {
	first, some := p.Begin[v]
	if !some {
		return 0
	}
	end := p.N
	for _, other := range p.Begin {
		if other > first {
			end = min(end, other)
		}
	}
	return end - first
}

// A numberer counts paths from behind.
type numberer struct {
	*PathGraph
	limit int
	cut   []bool // nodes that paths do not lead through
	order []int  // successors before predecessors
	paths []int  // from each node to ends, as many as make a difference
	step  [][]int
	ways  [][]PathWay
}

// ends reports whether a path ends on e.
func (n *numberer) ends(e Edge) bool { return n.Back[e] || n.cut[n.Succs[e.From][e.I]] }

// count counts the paths from each node, and reports whether it has cut some, after which it is to
// count again.
func (n *numberer) count() (again bool) {
	if n.order == nil {
		n.order = n.postorder()
	}
	n.paths, n.step, n.ways = make([]int, len(n.Succs)), make([][]int, len(n.Succs)), make([][]PathWay, len(n.Succs))
	for _, v := range n.order {
		n.countFrom(v)
		for n.paths[v] > n.limit && n.cutBehind(v) {
			again = true
			n.countFrom(v)
		}
	}
	return again
}

// countFrom counts the paths from v.
func (n *numberer) countFrom(v int) {
	n.paths[v], n.ways[v], n.step[v] = 0, nil, make([]int, len(n.Succs[v]))
	if len(n.Succs[v]) == 0 && n.Ends[v] {
		n.paths[v] = 1
	}
	for i, to := range n.Succs[v] {
		next, more := -1, 1
		switch e := (Edge{v, i}); {
		case n.Lost[e]:
			continue
		case !n.ends(e):
			if n.paths[to] == 0 {
				continue // whatever leads there is broken off
			}
			next, more = n.next(to)
		}
		at := slices.IndexFunc(n.ways[v], func(w PathWay) bool { return w.To == next })
		if at < 0 {
			at = len(n.ways[v])
			n.ways[v] = append(n.ways[v], PathWay{n.paths[v], next})
			n.paths[v] += more
		}
		n.step[v][i] = n.ways[v][at].Step
	}
}

// next is the first node from v on that has sites or several ways, or -1 where there is none before
// the end, and how many paths there are from it.
func (n *numberer) next(v int) (node, paths int) {
	for !n.Sites[v] && len(n.ways[v]) <= 1 {
		if len(n.ways[v]) == 0 || n.ways[v][0].To < 0 {
			return -1, 1
		}
		v = n.ways[v][0].To
	}
	return v, n.paths[v]
}

// cutBehind cuts paths from v at the nodes behind it, or before it where that is of no use. It reports
// whether there is anything that it has cut.
func (n *numberer) cutBehind(v int) bool {
	done := false
	for _, w := range n.ways[v] {
		if w.To >= 0 && n.paths[w.To] > 1 && !n.Whole[w.To] && !n.cut[w.To] {
			n.cut[w.To], done = true, true
		}
	}
	if !done && v != 0 && !n.Whole[v] && !n.cut[v] {
		n.cut[v] = true
	}
	return done
}

// postorder is of the graph without backedges.
func (n *numberer) postorder() []int {
	var order []int
	seen := make([]bool, len(n.Succs))
	seen[0] = true
	for walk := []Edge{{0, 0}}; len(walk) > 0; {
		e := &walk[len(walk)-1]
		if e.I == len(n.Succs[e.From]) {
			order = append(order, e.From)
			walk = walk[:len(walk)-1]
			continue
		}
		at := *e
		e.I++
		if to := n.Succs[at.From][at.I]; !n.Back[at] && !seen[to] {
			seen[to] = true
			walk = append(walk, Edge{to, 0})
		}
	}
	return order
}
