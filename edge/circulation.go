package edge

import "math"

// A network is what a flow is to be found in: control goes from the entry to the exit, and from there,
// with the next call, to the entry.
type network struct {
	nodes       int
	edges       [][2]int
	entry, exit int
	measured    []measure // by node
}

// A measure is what is known of how often control comes to a node: count, and what a difference of one
// from that costs. Where nothing is known the cost is 0.
type measure struct {
	count, cost float64
}

// An arc is one of the network in which the circulation is found, with its reverse at index^1.
type arc struct {
	to         int
	room, cost float64
}

// solve returns the flow on each edge of the circulation that deviates from what is measured at the
// least cost. Each node is two, with an arc between them that has the measured flow already; what
// is too much of that on one side, or too little, is sent the cheapest way, by successive shortest
// paths, where an arc of more flow costs, and one back, of less, as much. Such a way is always there:
// all flows may be reduced to nothing.
func (n *network) solve() []float64 {
	s := &solver{out: make([][]int, 2*n.nodes+2)}
	source, sink := 2*n.nodes, 2*n.nodes+1
	in := func(v int) int { return 2 * v }
	out := func(v int) int { return 2*v + 1 }
	largest := 0.0
	least := math.Inf(1)
	for _, m := range n.measured {
		largest = max(largest, m.count)
		if m.cost > 0 {
			least = min(least, m.cost)
		}
	}
	if math.IsInf(least, 1) {
		return make([]float64, len(n.edges))
	}
	s.little = largest * 1e-12
	length := least * 1e-6 // of an edge: of ways that cost the same, the shortest is taken
	for v, m := range n.measured {
		s.arc(in(v), out(v), math.Inf(1), m.cost)
		if m.cost > 0 && m.count > 0 {
			s.arc(out(v), in(v), m.count, m.cost)
			s.arc(source, out(v), m.count, 0)
			s.arc(in(v), sink, m.count, 0)
		}
	}
	first := len(s.arcs)
	for _, e := range n.edges {
		s.arc(out(e[0]), in(e[1]), math.Inf(1), length)
	}
	s.arc(out(n.exit), in(n.entry), math.Inf(1), 0)
	for s.augment(source, sink) {
	}
	flow := make([]float64, len(n.edges))
	for i := range n.edges {
		flow[i] = s.arcs[first+2*i+1].room // what may be sent back
	}
	return flow
}

type solver struct {
	arcs   []arc
	out    [][]int // arcs, by where they begin
	little float64 // less than this is nothing
}

func (s *solver) arc(from, to int, room, cost float64) {
	s.out[from] = append(s.out[from], len(s.arcs))
	s.out[to] = append(s.out[to], len(s.arcs)+1)
	s.arcs = append(s.arcs, arc{to, room, cost}, arc{from, 0, -cost})
}

// augment sends as much as there is room for on the cheapest way, if there is one (Bellman and Ford's).
func (s *solver) augment(from, to int) bool {
	cost, by := make([]float64, len(s.out)), make([]int, len(s.out))
	waiting := make([]bool, len(s.out))
	for i := range cost {
		cost[i], by[i] = math.Inf(1), -1
	}
	cost[from] = 0
	for queue := []int{from}; len(queue) > 0; {
		v := queue[0]
		queue, waiting[v] = queue[1:], false
		for _, i := range s.out[v] {
			a := s.arcs[i]
			// No cycle is cheaper than nothing but by rounding.
			if c := cost[v] + a.cost; a.room > s.little && c < cost[a.to]-1e-9*math.Abs(cost[v]) {
				cost[a.to], by[a.to] = c, i
				if !waiting[a.to] {
					waiting[a.to] = true
					queue = append(queue, a.to)
				}
			}
		}
	}
	if by[to] < 0 {
		return false
	}
	room := math.Inf(1)
	for v := to; v != from; v = s.arcs[by[v]^1].to {
		room = min(room, s.arcs[by[v]].room)
	}
	for v := to; v != from; v = s.arcs[by[v]^1].to {
		s.arcs[by[v]].room -= room
		s.arcs[by[v]^1].room += room
	}
	return true
}
