package transform

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"

	"github.com/dupinst/dupinst/flow"
)

// The static cost model of Auto. It knows no profile: how often something runs
// is guessed from the loops around it. A cost is what runs, in checks, plus
// what is written, in bytes of machine code times sizeCost.
//
// First, the checks. No executes one for each place with probes (adjacent checks
// are one subtraction), Partial at most one for each path between entry, backedges
// and exit, Full exactly one, wherever it leads; the last two test the mode bit at
// each place with probes. A probe alone in its loop, or a few outside of loops, are
// smaller with a check each; Partial executes fewest; where many branches have
// probes, one check on the entry is smaller than one on each branch.
//
// Then, for each segment of a plan with a mode bit, copy or test: in one copy without
// probes and one with them, a segment costs one test of the mode bit, whatever
// the number of its probes, and its size once more. Shared, it costs a test for
// each place with probes.
const (
	loopWeight = 8    // iterations of a loop, for all we know
	maxDepth   = 6    // deeper loops weigh no more
	testCost   = 0.25 // of a test of the mode bit; a check costs 1
	spillCost  = 3    // of a call of the runtime, though not taken, where nothing else is called
	sizeCost   = 0.02 // of a byte of code: speed comes first

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

// A probeSpot is a place with probes, as the cost model sees it.
type probeSpot struct {
	pos    token.Pos
	weight float64
	spill  float64 // what the probe's call costs where it is not taken
}

// addSpot enters the place of an event.
func (p *Plan) addSpot(where spot, event ast.Node) {
	if where.node == nil || p.Parts == nil {
		return // of the initialiser
	}
	s := probeSpot{where.node.Pos(), weight(p.Parts.Graph.Of(event)[0].Depth), spillCost}
	switch event.(type) {
	case *ast.CallExpr, *ast.RangeStmt:
		s.spill = 0 // a call stands there anyway
	}
	p.spots = append(p.spots, s)
}

// spotsIn are the places with probes between from and to.
func (p *Plan) spotsIn(from, to token.Pos) []probeSpot {
	by := func(s probeSpot, pos token.Pos) int { return cmp.Compare(s.pos, pos) }
	i, _ := slices.BinarySearchFunc(p.spots, from, by)
	j, _ := slices.BinarySearchFunc(p.spots, to, by)
	return p.spots[i:j]
}

// auto chooses the arrangement of checks that costs least, then between copies
// and tests.
func (p *Plan) auto(pkg *flow.Package) {
	p.full(pkg)
	full := p.cost()
	p.partial(pkg)
	partial := p.cost()
	lone := 0.0
	for _, s := range p.spots {
		lone += s.weight*(1+s.spill) + sizeCost*loneSize
	}
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
	p.Why = why
	if p.Shape == Whole {
		run := p.Func.Body.List
		if p.copyCost(run) <= p.testsCost(run[0].Pos(), run[len(run)-1].End()) {
			return
		}
		p.Shape = Segmented
		p.Runs[run[0]] = run
	}
	for s, run := range p.Runs {
		if p.copyCost(run) <= p.testsCost(run[0].Pos(), run[len(run)-1].End()) {
			continue
		}
		p.Variant = Mixed
		delete(p.Runs, s)
		for _, s := range run {
			if p.probesIn(s.Pos(), s.End()) {
				p.Shared[s] = "tests of the mode bit are cheaper than a copy"
			}
		}
	}
}

// cost is the cost of a plan's checks, and of the cheaper of a copy and tests of
// each segment.
func (p *Plan) cost() float64 {
	depth := map[flow.Place]int{}
	for _, n := range p.Parts.Graph.Nodes {
		for _, e := range n.Succs {
			if _, ok := p.Checks[e.Place]; ok {
				depth[e.Place] = max(depth[e.Place], e.To.Depth)
			}
		}
	}
	cost := sizeCost * float64(checkSize*len(depth))
	for _, d := range depth {
		cost += weight(d)
	}
	runs := slices.Collect(maps.Values(p.Runs))
	slices.SortFunc(runs, func(a, b []ast.Stmt) int { return cmp.Compare(a[0].Pos(), b[0].Pos()) }) // sums round
	if p.Shape == Whole {
		runs = [][]ast.Stmt{p.Func.Body.List}
	}
	cost += p.testsCost(p.Func.Body.Pos(), p.Func.Body.End())
	for _, run := range runs {
		cost -= max(0, p.testsCost(run[0].Pos(), run[len(run)-1].End())-p.copyCost(run))
	}
	return cost
}

// testsCost is the cost of tests of the mode bit at all places with probes
// between from and to.
func (p *Plan) testsCost(from, to token.Pos) float64 {
	cost := 0.0
	for _, s := range p.spotsIn(from, to) {
		cost += s.weight*(testCost+s.spill) + sizeCost*testSize
	}
	return cost
}

// copyCost is the cost of a segment that is written twice.
func (p *Plan) copyCost(run []ast.Stmt) float64 {
	size := testSize
	for _, s := range run {
		size += nodeSize * nodes(s)
	}
	return testCost*weight(p.Parts.Graph.Own[run[0]].Depth) + sizeCost*float64(size)
}

// nodes counts the syntax nodes below n, n included.
func nodes(n ast.Node) int {
	count := 0
	ast.Inspect(n, func(n ast.Node) bool {
		if n != nil {
			count++
		}
		return true
	})
	return count
}
