package transform

import (
	"fmt"
	"go/ast"
	"slices"

	"github.com/dupinst/dupinst/flow"
)

// The static cost model of Auto. It knows no profile: how often something runs
// is guessed from the loops around it.
//
// First, No against Partial: the one executes a check for each probe, the other
// at most one for each path between entry, backedges and exit. Where that makes
// no difference, a probe alone in its loop, or behind a rare branch, No is the
// smaller and needs no mode bit.
//
// Then, for each segment of a partial plan, copy or test: in one copy without
// probes and one with them, a segment costs one test of the mode bit, whatever
// the number of its probes, and its size once more. Shared, it costs a test for
// each place with probes.
const (
	loopWeight = 8    // iterations of a loop, for all we know
	maxDepth   = 6    // deeper loops weigh no more
	testCost   = 0.25 // of a test of the mode bit; a check costs 1
	sizeCost   = 0.05 // of a syntax node that is written twice
)

// weight is how often something runs that is in as many loops, for one run of
// the function.
func weight(depth int) float64 {
	w := 1.0
	for range min(depth, maxDepth) {
		w *= loopWeight
	}
	return w
}

// auto chooses between partial and no, and between copies and tests.
func (p *Plan) auto(pkg *flow.Package) {
	p.partial(pkg)
	shared := p.sharedCost()
	if p.lone <= shared {
		p.Variant, p.Shape, p.open = No, Lone, false
		clear(p.Runs)
		clear(p.Shared)
		p.Why = fmt.Sprintf("checks of its own for each probe cost %.3g, shared ones %.3g", p.lone, shared)
		return
	}
	p.Variant = Partial
	if p.Shape == Whole {
		if p.copies(p.Func.Body.List) {
			return
		}
		p.Shape = Segmented
	}
	copied := 0
	for s, run := range p.Runs {
		if p.copies(run) {
			copied++
			continue
		}
		delete(p.Runs, s)
		for _, s := range run {
			if p.probesIn(s.Pos(), s.End()) {
				p.Shared[s] = "tests of the mode bit are cheaper than a copy"
			}
		}
	}
	if len(p.Runs) == 0 || copied > 0 && len(p.Shared) > 0 {
		p.Variant = Mixed
	}
	p.Why = fmt.Sprintf("shared checks cost %.3g, one for each probe %.3g; %s", shared, p.lone, p.Why)
}

// sharedCost is the cost of a partial plan's checks.
func (p *Plan) sharedCost() float64 {
	depth := map[flow.Place]int{}
	for _, n := range p.Parts.Graph.Nodes {
		for _, e := range n.Succs {
			if _, ok := p.Checks[e.Place]; ok {
				depth[e.Place] = max(depth[e.Place], e.To.Depth)
			}
		}
	}
	cost := 0.0
	for _, d := range depth {
		cost += weight(d)
	}
	return cost
}

// copies reports whether a segment is better copied than tested.
func (p *Plan) copies(run []ast.Stmt) bool {
	size := 0
	for _, s := range run {
		ast.Inspect(s, func(n ast.Node) bool {
			if n != nil {
				size++
			}
			return true
		})
	}
	i, _ := slices.BinarySearch(p.spots, run[0].Pos())
	j, _ := slices.BinarySearch(p.spots, run[len(run)-1].End())
	tests := len(slices.Compact(slices.Clone(p.spots[i:j])))
	depth := p.Parts.Graph.Own[run[0]].Depth
	return float64(tests-1)*testCost*weight(depth) > float64(size)*sizeCost
}
