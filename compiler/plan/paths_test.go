package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomPaths is a graph all of whose nodes are reached from 0.
func randomPaths(r *rand.Rand) *PathGraph {
	n := 1 + r.IntN(14)
	g := &PathGraph{Succs: make([][]int, n), Sites: make([]bool, n), Ends: make([]bool, n), Whole: make([]bool, n)}
	for v := 1; v < n; v++ {
		from := r.IntN(v)
		g.Succs[from] = append(g.Succs[from], v)
	}
	for range r.IntN(2 * n) {
		from := r.IntN(n)
		g.Succs[from] = append(g.Succs[from], r.IntN(n))
	}
	for v := range g.Succs {
		r.Shuffle(len(g.Succs[v]), func(i, j int) { g.Succs[v][i], g.Succs[v][j] = g.Succs[v][j], g.Succs[v][i] })
		g.Sites[v] = r.IntN(3) > 0
		g.Ends[v] = r.IntN(4) > 0
		g.Whole[v] = r.IntN(4) == 0
	}
	g.Back, g.Lost = (&Graph{Succs: g.Succs}).Backedges(), map[Edge]bool{}
	for v, succs := range g.Succs {
		for i := range succs {
			g.Lost[Edge{v, i}] = r.IntN(10) == 0
		}
	}
	return g
}

// shown are the nodes with sites that a path comes by.
func (p *Paths) shown(g *PathGraph, number int) []int {
	at := len(p.Starts) - 1
	for p.Begin[p.Starts[at]] > number {
		at--
	}
	v := p.Starts[at]
	number -= p.Begin[v]
	var out []int
	for v >= 0 {
		if g.Sites[v] {
			out = append(out, v)
		}
		ways := p.Ways[v]
		if len(ways) == 0 {
			break
		}
		i := len(ways) - 1
		for ways[i].Step > number {
			i--
		}
		number -= ways[i].Step
		v = ways[i].To
	}
	return out
}

// Each way through the graph sums up to a number that tells which nodes with sites it came by, and no
// number is without one.
func TestPaths(t *testing.T) {
	t.Parallel()
	cut := 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		g := randomPaths(r)
		limit := 1 << r.IntN(10)
		p := Number(g, limit)
		used := map[int]bool{}
		var walk func(v, sum int, came []int)
		walk = func(v, sum int, came []int) {
			if g.Sites[v] {
				came = append(came[:len(came):len(came)], v)
			}
			end := func(sum int) {
				if sum < 0 || sum >= p.N {
					t.Fatalf("seed %d: a path with number %d of %d", seed, sum, p.N)
				}
				used[sum] = true
				if got := p.shown(g, sum); !slices.Equal(got, came) {
					t.Fatalf("seed %d: path %d comes by %d, and says %d\n%+v\n%+v", seed, sum, came, got, g, p)
				}
			}
			if len(g.Succs[v]) == 0 && g.Ends[v] {
				end(sum)
			}
			for i, to := range g.Succs[v] {
				e := Edge{v, i}
				switch {
				case g.Lost[e]:
				case p.Ends[e]:
					end(sum + p.Step[e])
				default:
					walk(to, sum+p.Step[e], came)
				}
			}
		}
		for e := range p.Ends {
			if !g.Back[e] {
				cut++
			}
		}
		for _, v := range p.Starts {
			walk(v, p.Begin[v], nil)
		}
		if len(used) != p.N {
			t.Fatalf("seed %d: there are %d paths, and %d numbers", seed, len(used), p.N)
		}
	}
	if cut == 0 {
		t.Error("no path was cut")
	}
}

// A chain of many choices has more paths than can be counted.
func TestPathsCut(t *testing.T) {
	t.Parallel()
	const choices, limit = 300, 1000
	g := &PathGraph{Back: map[Edge]bool{}}
	for i := range choices {
		g.Succs = append(g.Succs, []int{3*i + 1, 3*i + 2}, []int{3*i + 3}, []int{3*i + 3})
	}
	g.Succs = append(g.Succs, nil)
	n := len(g.Succs)
	g.Sites, g.Ends, g.Whole = make([]bool, n), make([]bool, n), make([]bool, n)
	for v := range g.Sites {
		g.Sites[v] = true
	}
	g.Ends[n-1] = true
	p := Number(g, limit)
	if p.N > 4*limit || len(p.Starts) > choices {
		t.Errorf("there are %d paths from %d nodes", p.N, len(p.Starts))
	}
}

func ExampleNumber() {
	// if a { b } c, in a loop
	g := &PathGraph{
		Succs: [][]int{{1, 4}, {2, 3}, {3}, {0}, nil},
		Sites: []bool{false, true, true, true, true}, Ends: []bool{4: true}, Whole: make([]bool, 5),
	}
	g.Back = (&Graph{Succs: g.Succs}).Backedges()
	p := Number(g, 100)
	for n := range p.N {
		fmt.Println(n, p.shown(g, n))
	}
	// Output:
	// 0 [1 2 3]
	// 1 [1 3]
	// 2 [4]
}
