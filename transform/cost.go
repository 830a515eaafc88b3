package transform

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"

	"github.com/dupinst/dupinst/flow"
)

// The static cost model of Auto. It knows no profile: how often something runs
// is guessed from the loops around it. A cost is what runs, in checks, plus
// what is written, in bytes of machine code times sizeCost.
//
// First, the checks. No executes one for each place with probes (adjacent checks
// are one subtraction), Partial at most one for each
// path between entry, backedges and exit, Full exactly one, wherever it leads;
// the last two test the mode bit at each place with probes. A probe alone in its
// loop, or a few outside of loops, are smaller with a check each; Partial
// executes fewest; where many branches have probes, one check on the entry is
// smaller than one on each branch.
//
// Then, for each segment of a plan with a mode bit, copy or test: in one copy without
// probes and one with them, a segment costs one test of the mode bit, whatever
// the number of its probes, and its size once more. Shared, it costs a test for
// each place with probes.
const (
	loopWeight = 8    // iterations of a loop, for all we know
	maxDepth   = 6    // deeper loops weigh no more
	testCost   = 0.25 // of a test of the mode bit; a check costs 1
	sizeCost   = 0.06 // of a byte of code

	// Bytes, read off amd64 code.
	checkSize = 45 // a check that sets the mode bit, with its call of the slow path
	testSize  = 9  // a test of the mode bit
	loneSize  = 22 // checks that guard one place, the call of its probes aside
	nodeSize  = 4  // a syntax node
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

// weightAt is the weight of what stands at pos, in a function with a body.
func (p *Plan) weightAt(pos token.Pos) float64 {
	if p.Parts == nil {
		return 0
	}
	return weight(p.Parts.Graph.At(pos)[0].Depth)
}

// auto chooses the arrangement of checks that costs least, then between copies
// and tests.
func (p *Plan) auto(pkg *flow.Package) {
	lone := p.lone + sizeCost*loneSize*float64(p.tests(0, token.Pos(1<<62)))
	p.full(pkg)
	full := p.sharedCost()
	p.partial(pkg)
	partial := p.sharedCost()
	why := fmt.Sprintf("checks cost %.3g as in No-Duplication, %.3g as in Partial-, %.3g as in Full-Duplication", lone, partial, full)
	switch {
	case lone <= min(partial, full):
		p.reset()
		p.Variant, p.Shape, p.Why = No, Lone, why
		return
	case full < partial:
		p.full(pkg)
		p.Variant = Full
	default:
		p.Variant = Partial
	}
	if p.Shape == Whole && !p.copies(p.Func.Body.List) {
		p.Shape = Segmented
		p.Runs[p.Func.Body.List[0]] = p.Func.Body.List
	}
	tested := 0
	for s, run := range p.Runs {
		if p.copies(run) {
			continue
		}
		tested++
		delete(p.Runs, s)
		for _, s := range run {
			if p.probesIn(s.Pos(), s.End()) {
				p.Shared[s] = "tests of the mode bit are cheaper than a copy"
			}
		}
	}
	if tested > 0 {
		p.Variant = Mixed
	}
	p.Why = why
}

// sharedCost is the cost of a plan's checks, and of tests at all places with
// probes.
func (p *Plan) sharedCost() float64 {
	depth := map[flow.Place]int{}
	cost := 0.0
	for _, n := range p.Parts.Graph.Nodes {
		for _, e := range n.Succs {
			if _, ok := p.Checks[e.Place]; ok {
				depth[e.Place] = max(depth[e.Place], e.To.Depth)
			}
		}
		if p.Parts.Probed[n.Index] && n.Kind != flow.NodeFirst {
			cost += testCost * weight(n.Depth)
		}
	}
	for _, d := range depth {
		cost += weight(d)
	}
	return cost + sizeCost*float64(checkSize*len(depth)+testSize*p.tests(0, token.Pos(1<<62)))
}

// tests is the number of places with probes between from and to.
func (p *Plan) tests(from, to token.Pos) int {
	i, _ := slices.BinarySearch(p.spots, from)
	j, _ := slices.BinarySearch(p.spots, to)
	return len(slices.Compact(slices.Clone(p.spots[i:j])))
}

// copies reports whether a segment is better copied than tested.
func (p *Plan) copies(run []ast.Stmt) bool {
	nodes := 0
	for _, s := range run {
		ast.Inspect(s, func(n ast.Node) bool {
			if n != nil {
				nodes++
			}
			return true
		})
	}
	tests := float64(p.tests(run[0].Pos(), run[len(run)-1].End()) - 1)
	saved := tests * (testCost*weight(p.Parts.Graph.Own[run[0]].Depth) + sizeCost*testSize)
	return saved > sizeCost*nodeSize*float64(nodes)
}
