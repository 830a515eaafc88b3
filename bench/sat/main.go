// Sat (for the paper's _202_jess, a rule engine) lets crillab/gophersat derive
// clauses: that pigeons do not fit into fewer holes, and colourings of graphs.
package main

import (
	"fmt"
	"hash/crc32"
	"math/rand"

	"github.com/crillab/gophersat/solver"
)

func main() {
	sum := crc32.NewIEEE()
	solve := func(name string, clauses [][]int) {
		s := solver.New(solver.ParseSlice(clauses))
		status := s.Solve()
		fmt.Fprintln(sum, name, status, s.Stats.NbConflicts, s.Stats.NbDecisions, s.Stats.NbRestarts)
		if status == solver.Sat {
			fmt.Fprintln(sum, s.Model())
		}
	}
	solve("pigeons", pigeons(9, 8))
	for seed := range int64(20) {
		solve("colours", colours(rand.New(rand.NewSource(seed)), 150, 3, 340))
		solve("random", random(rand.New(rand.NewSource(seed)), 150, 639))
	}
	fmt.Printf("sat %08x\n", sum.Sum32())
}

// pigeons says that each of n pigeons is in one of the holes, alone.
func pigeons(n, holes int) (clauses [][]int) {
	at := func(pigeon, hole int) int { return pigeon*holes + hole + 1 }
	for p := range n {
		var somewhere []int
		for h := range holes {
			somewhere = append(somewhere, at(p, h))
			for q := range p {
				clauses = append(clauses, []int{-at(p, h), -at(q, h)})
			}
		}
		clauses = append(clauses, somewhere)
	}
	return clauses
}

// colours says that the ends of each of a graph's edges differ.
func colours(r *rand.Rand, nodes, colours, edges int) (clauses [][]int) {
	is := func(node, colour int) int { return node*colours + colour + 1 }
	for n := range nodes {
		var some []int
		for c := range colours {
			some = append(some, is(n, c))
		}
		clauses = append(clauses, some)
	}
	for range edges {
		a, b := r.Intn(nodes), r.Intn(nodes-1)
		if b >= a {
			b++
		}
		for c := range colours {
			clauses = append(clauses, []int{-is(a, c), -is(b, c)})
		}
	}
	return clauses
}

// random makes clauses of three literals.
func random(r *rand.Rand, vars, n int) (clauses [][]int) {
	for range n {
		var clause []int
		for _, v := range r.Perm(vars)[:3] {
			clause = append(clause, (v+1)*(1-2*r.Intn(2)))
		}
		clauses = append(clauses, clause)
	}
	return clauses
}
