package pprof

import (
	"fmt"
	"io"
	"math"

	"github.com/google/pprof/profile"

	ours "github.com/dupinst/dupinst/profile"
)

// WritePGO writes call edges as a default.pgo for go build -pgo. The compiler reads
// the weight of each edge between a line of a function, counted from the
// function's first, and a callee (cmd/internal/pgo); calls that start goroutines
// or are deferred are none that it could inline.
//
// It expects of weights what a CPU profile has: the time of a call with all that it leads to, for a sample counts for
// each edge of its stack. So what is written is not how often an edge was taken, by which the calls of the smallest
// functions would outweigh all others, but how many calls there were in consequence, each call being one, and what
// a function leads to being its callers' in proportion to their calls (as gprof propagates time: Graham, Kessler and
// McKusick, Symposium on Compiler Construction 1982).
func WritePGO(w io.Writer, p *ours.Profile) error {
	b := newBuilder(&profile.ValueType{Type: "samples", Unit: "count"})
	b.known = p.Functions
	b.p.Comments = []string{comment(p), "an edge's weight is how many calls it led to, itself among them"}
	g := newCallGraph()
	for i := range p.Entries {
		e := &p.Entries[i]
		if op := e.Part("op"); op == "go" || op == "defer" {
			continue
		}
		if p.Functions[e.Part("caller")].Line == 0 {
			continue // an initialiser of variables: no function of the source
		}
		locations, _, err := b.stack(e)
		if err != nil {
			return err
		}
		b.p.Sample = append(b.p.Sample, &profile.Sample{Location: locations})
		g.add(e.Part("caller"), e.Part("callee"), p.Estimate(e).N)
	}
	if len(b.p.Sample) == 0 {
		return fmt.Errorf("cannot write a profile for the compiler: no call was counted")
	}
	for i, n := range g.consequences() {
		b.p.Sample[i].Value = []int64{int64(math.Round(n))}
	}
	return b.write(w)
}

// A callGraph is functions that call each other.
type callGraph struct {
	edges []edge
	nodes map[string]int
	out   [][]int // edges, by node
	calls []float64
}

type edge struct {
	from, to int
	n        float64
}

func newCallGraph() *callGraph { return &callGraph{nodes: map[string]int{}} }

func (g *callGraph) node(name string) int {
	n, ok := g.nodes[name]
	if !ok {
		n = len(g.nodes)
		g.nodes[name] = n
		g.out, g.calls = append(g.out, nil), append(g.calls, 0)
	}
	return n
}

func (g *callGraph) add(from, to string, n float64) {
	e := edge{g.node(from), g.node(to), n}
	g.out[e.from] = append(g.out[e.from], len(g.edges))
	g.calls[e.to] += n
	g.edges = append(g.edges, e)
}

// consequences are how many calls each edge led to, itself among them. Functions that call each other in
// a circle lead to what all of them do, which is shared by the calls from outside as it is by those within.
func (g *callGraph) consequences() []float64 {
	components, of := g.components()
	entered := make([]float64, len(components))
	for _, e := range g.edges {
		if of[e.from] != of[e.to] {
			entered[of[e.to]] += e.n
		}
	}
	weights := make([]float64, len(g.edges))
	led := make([]float64, len(components))
	for c, nodes := range components {
		var within []int
		inner := 0.0
		for _, n := range nodes {
			led[c] += g.calls[n]
			for _, i := range g.out[n] {
				e := g.edges[i]
				if to := of[e.to]; to != c {
					weights[i] = led[to] * e.n / entered[to]
					led[c] += weights[i]
				} else {
					within = append(within, i)
					inner += e.n
				}
			}
		}
		for _, i := range within {
			weights[i] = led[c] * g.edges[i].n / inner
		}
	}
	return weights
}

// components are the strongly connected ones, callees before their callers, and which a node is of (Tarjan, SIAM Journal on
// Computing 1972).
func (g *callGraph) components() (components [][]int, of []int) {
	of = make([]int, len(g.out))
	at, low := make([]int, len(g.out)), make([]int, len(g.out))
	var stack []int
	visited := 0
	const done = -1
	var visit func(n int)
	visit = func(n int) {
		visited++
		at[n], low[n] = visited, visited
		stack = append(stack, n)
		for _, i := range g.out[n] {
			switch to := g.edges[i].to; {
			case at[to] == 0:
				visit(to)
				low[n] = min(low[n], low[to])
			case at[to] != done:
				low[n] = min(low[n], at[to])
			}
		}
		if low[n] != at[n] {
			return
		}
		for i := len(stack) - 1; ; i-- {
			at[stack[i]], of[stack[i]] = done, len(components)
			if stack[i] == n {
				components = append(components, append([]int(nil), stack[i:]...))
				stack = stack[:i]
				return
			}
		}
	}
	for n := range g.out {
		if at[n] == 0 {
			visit(n)
		}
	}
	return components, of
}
