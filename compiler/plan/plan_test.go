package plan

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestPlans(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		succs   [][]int
		probed  []int
		variant Variant
		want    string
	}{
		{"acyclic, full", [][]int{{1}, {}}, []int{1}, Full, `
			full: Full-Duplication is asked for
			check on the entry
			0 copied ->1
			1 probed copied`},
		{"top- and bottom-nodes", [][]int{{1, 2}, {3}, {3}, {}}, []int{1}, Partial, `
			partial: Partial-Duplication is asked for
			0 ->1 check ->2
			1 probed copied ->3
			2 ->3
			3`},
		{"a loop", [][]int{{1}, {2, 3}, {1}, {}}, []int{2}, Partial, `
			partial: Partial-Duplication is asked for
			0 ->1
			1 ->2 check ->3
			2 probed copied ->1 back
			3`},
		{"an idle loop between probes", [][]int{{1}, {1, 2}, {}}, []int{0, 2}, Partial, `
			partial: Partial-Duplication is asked for
			check on the entry
			0 probed copied ->1
			1 copied ->1 ->2
			2 probed copied`},
		{"auto: one probe under a condition", [][]int{{1, 2}, {2}, {3, 4}, {4}, {}}, []int{1}, Auto, `
			partial: its checks weigh 1, those of No-Duplication 1
			0 ->1 check ->2
			1 probed copied ->2
			2 ->3 ->4
			3 ->4
			4`},
		{"auto: a bounded loop", [][]int{{1}, {2, 3}, {1}, {}}, []int{2}, Auto, `
			partial: its checks weigh 1, those of No-Duplication 8
			0 ->1 check
			1 copied ->2 ->3
			2 probed copied ->1
			3`},
		{"auto: a cold function", [][]int{{1, 2}, {2}, {}}, []int{0, 1}, Auto, `
			no: the profile of an earlier run has nothing of it
			0 probed alone ->1 ->2
			1 probed alone ->2
			2`},
		{"auto: a cold function that calls what is followed", [][]int{{1, 2}, {2}, {}}, []int{0, 1}, Auto, `
			partial: its checks weigh 1, those of No-Duplication 2
			check on the entry
			0 probed copied ->1 ->2
			1 probed copied ->2
			2`},
	}
	bounded := map[string][]Edge{"auto: a bounded loop": {{2, 0}}}
	cold := map[string]bool{"auto: a cold function": true, "auto: a cold function that calls what is followed": true}
	follows := map[string]bool{"auto: a cold function that calls what is followed": true}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			probed := make([]bool, len(test.succs))
			for _, n := range test.probed {
				probed[n] = true
			}
			g := &Graph{Succs: test.succs, Bounded: map[Edge]bool{}, Cold: cold[test.name], Follows: follows[test.name]}
			for _, e := range bounded[test.name] {
				g.Bounded[e] = true
			}
			p := Make(g, probed, test.variant)
			var b strings.Builder
			p.Fprint(&b)
			if got, want := strings.Join(strings.Fields(b.String()), " "), strings.Join(strings.Fields(test.want), " "); got != want {
				t.Errorf("got:\n%s\nwant:%s", b.String(), test.want)
			}
			if err := p.Verify(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestNests(t *testing.T) {
	t.Parallel()
	// 0 leads to a loop of 1, 2 and 3 with one of 2 in it, and that to another, of 5.
	g := &Graph{Succs: [][]int{{1}, {2, 4}, {2, 3}, {1}, {5}, {5, 6}, {}}}
	all := []int{0, 1, 2, 3, 4, 5, 6}
	for _, test := range []struct {
		name          string
		quiet, probed []int
		variant       Variant
		want          []Nest
	}{
		{"nests", all, all, Full, []Nest{{[]int{1, 2, 3}, 2}, {[]int{5}, 1}}},
		{"a call in the outer loop", []int{0, 1, 2, 4, 5}, all, Full, []Nest{{[]int{2}, 1}, {[]int{5}, 1}}},
		{"no check in the first", all, []int{5}, Partial, []Nest{{[]int{5}, 1}}},
		{"probes alone", all, []int{2}, No, []Nest{{[]int{1, 2, 3}, 2}}},
		{"calls everywhere", nil, all, Full, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			quiet, probed := make([]bool, len(all)), make([]bool, len(all))
			for _, n := range test.quiet {
				quiet[n] = true
			}
			for _, n := range test.probed {
				probed[n] = true
			}
			if got := Make(g, probed, test.variant).Nests(quiet); fmt.Sprint(got) != fmt.Sprint(test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// random returns a graph all of whose nodes are reachable, and probes in it.
func random(r *rand.Rand) (*Graph, []bool) {
	n := 1 + r.IntN(12)
	g := &Graph{Succs: make([][]int, n)}
	for i := 1; i < n; i++ {
		from := r.IntN(i)
		g.Succs[from] = append(g.Succs[from], i)
	}
	for range r.IntN(2 * n) {
		from := r.IntN(n)
		g.Succs[from] = append(g.Succs[from], r.IntN(n))
	}
	probed := make([]bool, n)
	for i := range probed {
		probed[i] = r.IntN(3) == 0
	}
	return g, probed
}

// On random walks through random graphs, checks are no more than entries and backedges
// (Property 1), and what a sample records that begins at each of Full's checks is what one
// records that begins at each of Partial's.
func TestProperties(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20_000) {
		r := rand.New(rand.NewPCG(seed, 1))
		g, probed := random(r)
		full, partial := Make(g, probed, Full), Make(g, probed, Partial)
		some := &Graph{Succs: g.Succs, Bounded: map[Edge]bool{}}
		for e := range g.Backedges() {
			some.Bounded[e] = r.IntN(2) == 0
		}
		for _, p := range []*Plan{full, partial, Make(g, probed, Auto), Make(some, probed, Auto)} {
			if err := p.Verify(); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		quiet := make([]bool, len(probed))
		for n := range quiet {
			quiet[n] = r.IntN(4) > 0
		}
		nested := make([]bool, len(probed))
		for _, nest := range full.Nests(quiet) {
			for _, n := range nest.Nodes {
				if !quiet[n] || n == 0 || nested[n] {
					t.Fatalf("seed %d: nests %v with node %d", seed, full.Nests(quiet), n)
				}
				nested[n] = true
			}
		}
		checked := map[Edge]bool{}
		for _, e := range partial.Checks {
			checked[e] = true
		}
		entered, checks, copying := 1, 0, false
		pass := func(e Edge) {
			to := g.To(e)
			if full.Back[e] {
				entered++
			}
			if checked[e] {
				checks++
				copying = true
			} else if partial.Back[e] || !partial.Copied[to] {
				copying = false
			}
			if probed[to] && !copying {
				t.Fatalf("seed %d: a probe at %d is not recorded at interval 1", seed, to)
			}
		}
		pass(Entry)
		for n, steps := 0, 0; len(g.Succs[n]) > 0 && steps < 200; steps++ {
			e := Edge{n, r.IntN(len(g.Succs[n]))}
			pass(e)
			n = g.To(e)
		}
		if checks > entered {
			t.Fatalf("seed %d: %d checks, %d entries and backedges", seed, checks, entered)
		}
	}
}
