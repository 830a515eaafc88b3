package edge

import (
	"math"
	"math/rand/v2"
	"testing"
)

// random is a control-flow graph with a flow on it: walks from the entry to the exit.
func random(r *rand.Rand, nodes int) (*network, []float64) {
	n := &network{nodes: nodes, entry: 0, exit: nodes - 1, measured: make([]measure, nodes)}
	out := make([][]int, nodes)
	add := func(from, to int) {
		out[from] = append(out[from], len(n.edges))
		n.edges = append(n.edges, [2]int{from, to})
	}
	for v := range nodes - 1 {
		add(v, v+1)
		if r.IntN(2) == 0 {
			add(v, 1+r.IntN(nodes-1)) // back, too, but not to the entry
		}
	}
	flow := make([]float64, len(n.edges))
	for range 50 {
		for v, steps := 0, 0; v != n.exit; steps++ {
			i := out[v][r.IntN(len(out[v]))]
			if steps > 1000 {
				i = out[v][0] // onwards
			}
			flow[i]++
			v = n.edges[i][1]
		}
	}
	return n, flow
}

// through is the flow that comes to each node.
func (n *network) through(flow []float64) []float64 {
	sum := make([]float64, n.nodes)
	for i, e := range n.edges {
		sum[e[1]] += flow[i]
	}
	return sum
}

// balanced reports whether as much leaves each node as comes to it.
func (n *network) balanced(flow []float64) bool {
	sum := make([]float64, n.nodes)
	largest := 1.0
	for i, e := range n.edges {
		sum[e[1]] += flow[i]
		sum[e[0]] -= flow[i]
		largest = max(largest, flow[i])
		if flow[i] < 0 {
			return false
		}
	}
	for v, d := range sum {
		if v != n.entry && v != n.exit && math.Abs(d) > 1e-6*largest {
			return false
		}
	}
	return true
}

func (n *network) deviation(flow []float64) (sum float64) {
	for v, c := range n.through(flow) {
		sum += n.measured[v].cost * math.Abs(c-n.measured[v].count)
	}
	return sum
}

// Counts that agree are left as they are, and others changed by no more than the truth differs from
// them; what comes out is a flow in any case.
func TestSolve(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		n, truth := random(r, 3+r.IntN(20))
		exact := n.through(truth)
		for v := 1; v < n.nodes; v++ {
			if r.IntN(3) > 0 {
				n.measured[v] = measure{exact[v], 1}
			}
		}
		flow := n.solve()
		if d := n.deviation(flow); !n.balanced(flow) || d > 1e-6 {
			t.Errorf("seed %d: exact counts: off by %g, %v", seed, d, flow)
		}
		for v := range n.measured {
			if m := &n.measured[v]; m.cost > 0 {
				m.count = math.Round(m.count * (0.5 + r.Float64()))
				m.cost = 0.1 + r.Float64()
			}
		}
		flow = n.solve()
		if !n.balanced(flow) {
			t.Errorf("seed %d: %v", seed, flow)
		}
		if d, most := n.deviation(flow), n.deviation(truth); d > most*(1+1e-6)+1e-6 {
			t.Errorf("seed %d: it deviates by %g, where the truth does by %g", seed, d, most)
		}
	}
}

// A way that has no block of its own is known from what is around it.
func TestSolveElse(t *testing.T) {
	t.Parallel()
	// 0 entry, 1 if, 2 then, 3 behind, 4 exit
	n := &network{nodes: 5, edges: [][2]int{{0, 1}, {1, 2}, {1, 3}, {2, 3}, {3, 4}}, entry: 0, exit: 4, measured: make([]measure, 5)}
	n.measured[1], n.measured[2] = measure{100, 1}, measure{30, 1}
	if flow := n.solve(); flow[1] != 30 || flow[2] != 70 {
		t.Errorf("%v", flow)
	}
	n.measured[3] = measure{90, 0.1} // which is less sure
	if flow := n.solve(); flow[1] != 30 || flow[2] != 70 {
		t.Errorf("%v", flow)
	}
	n.measured = make([]measure, 5)
	if flow := n.solve(); flow[0] != 0 {
		t.Errorf("of nothing: %v", flow)
	}
}
