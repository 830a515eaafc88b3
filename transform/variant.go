package transform

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"

	"github.com/dupinst/dupinst/flow"
)

// A Variant is a way to arrange checks and instrumentation.
type Variant string

// The variants there are.
const (
	Auto       Variant = "auto"       // Partial: the cheapest of the three for each function in the compiler alone
	Full       Variant = "full"       // Full-Duplication
	Partial    Variant = "partial"    // Partial-Duplication
	No         Variant = "no"         // No-Duplication
	Exhaustive Variant = "exhaustive" // the instrumentation with no framework
	Entries    Variant = "entries"    // Full's checks on entries alone, and nothing else
	Backedges  Variant = "backedges"  // Full's checks on backedges alone, and nothing else
	Copies     Variant = "copies"     // Full's copies and no way into them: the compiler's pass has it
	Once       Variant = "once"       // nothing: traps in the code count what is come to first, which the compiler's pass lists
)

// Variants lists those that make profiles.
func Variants() []Variant { return []Variant{Auto, Full, Partial, No, Exhaustive} }

// bare reports whether v has checks and nothing behind them, to tell what they
// cost alone (Arnold and Ryder, PLDI 2001, Table 2).
func (v Variant) bare() bool { return v == Entries || v == Backedges }

// InSource says why v cannot be made in the source, if that is so.
func (v Variant) InSource() error {
	switch v {
	case Copies:
		return fmt.Errorf("cannot make variant %s in the source: there, what nothing leads to is not compiled; -backend=compiler can", v)
	case Once:
		return fmt.Errorf("cannot make variant %s in the source, which knows no instructions; -backend=compiler can", v)
	}
	return nil
}

// ParseVariant returns the variant of that name.
func ParseVariant(name string) (Variant, error) {
	all := append(Variants(), Once, Entries, Backedges, Copies)
	if v := Variant(name); slices.Contains(all, v) {
		return v, nil
	}
	return "", fmt.Errorf("no variant %q; there are %v", name, all)
}

// decide chooses the shape of a function that has probes.
func (p *Plan) decide(pkg *flow.Package, variant Variant) {
	p.Variant = variant
	switch {
	case variant == Exhaustive:
		p.Shape, p.Why = Direct, "exhaustive instrumentation has no framework"
	case variant.bare():
		p.bare(pkg, variant)
	case variant == No:
		p.Shape, p.Why = Lone, "No-Duplication is asked for"
	case p.Func.Kind == flow.Initialiser:
		if variant == Auto {
			p.Variant = Full // one check, on the entry
		}
		p.Shape, p.Why = Segmented, "an initialiser has no body to copy"
	case variant == Full:
		p.full(pkg)
	default:
		p.Variant = Partial
		p.partial(pkg)
	}
}

// full is Full-Duplication: a check on the entry and on each backedge.
func (p *Plan) full(pkg *flow.Package) {
	p.reset()
	p.Checks[flow.Place{Kind: flow.AtStart, Node: p.Func.Body}] = flow.Check{}
	for _, n := range p.Parts.Graph.Nodes {
		for _, e := range n.Succs {
			if e.Back {
				p.Checks[e.Place] = flow.Check{}
			}
		}
	}
	why := p.obstacle(pkg)
	if why == "" {
		p.Shape, p.Why = Whole, "it is acyclic"
		return
	}
	p.Shape, p.Why = Segmented, "it has "+why
	p.segments(pkg, func(ast.Stmt) string { return "" })
}

// bare is Full-Duplication with one kind of checks left, and no probes.
func (p *Plan) bare(pkg *flow.Package, variant Variant) {
	p.static, p.early, p.callee, p.late = map[spot]span{}, map[spot][]dynamicSite{}, map[ast.Node]dynamicSite{}, map[ast.Node]dynamicSite{}
	if p.Func.Kind == flow.Initialiser {
		p.Shape, p.Why = Segmented, "its check is an entry check"
		if variant == Backedges {
			p.Shape, p.Why = Untouched, "it has no backedges"
		}
		return
	}
	p.full(pkg)
	entry := flow.Place{Kind: flow.AtStart, Node: p.Func.Body}
	maps.DeleteFunc(p.Checks, func(at flow.Place, _ flow.Check) bool {
		return (at == entry) != (variant == Entries)
	})
	if p.Shape == Whole && variant == Backedges {
		p.Shape, p.Runs = Segmented, map[ast.Stmt][]ast.Stmt{}
		if list := p.Func.Body.List; len(list) > 0 {
			p.Runs[list[0]] = list
		}
	}
}

// partial is Partial-Duplication.
func (p *Plan) partial(pkg *flow.Package) {
	p.reset()
	p.divide()
	p.Shape = Segmented
	p.segments(pkg, p.keep)
	list := p.Func.Body.List
	_, atStart := p.Checks[flow.Place{Kind: flow.AtStart, Node: p.Func.Body}]
	first := atStart || len(list) > 0 && p.startsWithCheck(list[0])
	switch {
	case len(list) > 0 && first && len(p.Runs[list[0]]) == len(list) && p.obstacle(pkg) == "":
		p.Shape, p.Why = Whole, "no part of it is a top- or bottom-node"
	case len(p.Runs) == 0:
		p.Why = "nothing of it can be duplicated"
	default:
		p.Why = p.countParts()
	}
}

// reset takes back what has been decided.
func (p *Plan) reset() {
	p.Parts = &flow.Partition{Graph: p.Parts.Graph, Probed: p.Parts.Probed}
	p.Checks, p.open = map[flow.Place]flow.Check{}, false
	p.Runs, p.Shared = map[ast.Stmt][]ast.Stmt{}, map[ast.Stmt]string{}
}

// divide finds top- and bottom-nodes and the places of checks.
func (p *Plan) divide() {
	p.Parts = p.Parts.Graph.Partition(p.Parts.Probed)
	p.Checks = p.Parts.Checks
	for _, c := range p.Checks {
		p.open = p.open || c.Open
	}
	p.bottoms = nil
	for _, n := range p.Parts.Graph.Nodes {
		if p.Parts.Bottom[n.Index] && n.Kind == flow.NodeSimple && !leaves(n.Stmt) {
			p.bottoms = append(p.bottoms, n.Stmt.Pos())
		}
	}
	slices.Sort(p.bottoms)
}

func (p *Plan) startsWithCheck(s ast.Stmt) bool {
	_, ok := p.Checks[flow.Place{Kind: flow.Before, Node: s}]
	return ok
}

// countParts says how much of the function is left out of duplicated code.
func (p *Plan) countParts() string {
	top, bottom, all := 0, 0, 0
	for _, n := range p.Parts.Graph.Nodes {
		if n.Kind != flow.NodeSimple {
			continue
		}
		all++
		switch {
		case p.Parts.Top[n.Index]:
			top++
		case p.Parts.Bottom[n.Index]:
			bottom++
		}
	}
	return fmt.Sprintf("%d of its %d nodes are top-nodes, %d bottom-nodes", top, all, bottom)
}

// keep says why a partial plan does not duplicate s: it begins or ends with
// nodes that are not to be duplicated. A jump or return that ends a path stays
// with the copy that it ends: there is no way to it from there.
func (p *Plan) keep(s ast.Stmt) string {
	own := p.Parts.Graph.Own[s].Index
	switch {
	case p.Parts.Top[own]:
		return "it begins with a top-node"
	case p.Parts.Bottom[own]:
		return "it is a bottom-node"
	}
	if i, _ := slices.BinarySearch(p.bottoms, s.Pos()); i < len(p.bottoms) && p.bottoms[i] < s.End() {
		return "a part of it is a bottom-node"
	}
	return ""
}

// leaves reports whether n is a jump or return.
func leaves(n ast.Node) bool {
	switch n.(type) {
	case *ast.BranchStmt, *ast.ReturnStmt:
		return true
	}
	return false
}
