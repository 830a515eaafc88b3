//go:build dupinst_compiler

package dupinst

import (
	"maps"
	"slices"
	"strings"

	"cmd/compile/internal/base"
	"cmd/compile/internal/dupinst/plan"
	"cmd/compile/internal/ir"
	"cmd/compile/internal/ssa"
	"cmd/internal/obj"
)

// A function needs no check on its entry if all calls of it are known, and lead from copies to a
// copy: then what it does belongs to the check that its caller has passed, as what the caller
// does before and behind the call. So a function that only this package calls, never by a value,
// and that goes round nothing, is compiled twice: as it is, with no check at all, and again with
// probes, as what calls in copies lead to. Both have one name, position and signature. A
// copy bounds itself still, if calls do not lead from one such function back to it.

// A calling is what is known of a function before it is compiled.
type calling struct {
	calls    []*ir.Func // those that it calls, and are known
	closures []*ir.Func // those written in it, which go wherever it is inlined
	straight bool       // nothing in it goes round, nor is put off
}

var (
	known    = map[string]bool{} // functions of which the package's syntax says that all calls are known
	callings = map[*ir.Func]*calling{}
	// copiesOf are what calls in copies lead to, by what they lead to elsewhere.
	copiesOf map[*obj.LSym]*obj.LSym
	namedAs  = map[*obj.LSym]string{} // the names of copies
)

// follows reports whether calls in copies may lead to functions' copies.
func follows() bool {
	return variant == plan.Auto && elided["entries"] && bisect == nil
}

// noteCalls notes what fn calls.
func noteCalls(fn *ir.Func) {
	c := callingOf(fn)
	c.straight = true
	if parent := fn.ClosureParent; parent != nil {
		p := callingOf(parent)
		p.closures = append(p.closures, fn)
	}
	ir.VisitList(fn.Body, func(n ir.Node) {
		switch n.Op() {
		case ir.OCALLFUNC:
			if callee := ir.StaticCalleeName(n.(*ir.CallExpr).Fun); callee != nil && callee.Func != nil {
				c.calls = append(c.calls, callee.Func)
			}
		case ir.OFOR:
			c.straight = c.straight && !goesRound(n.(*ir.ForStmt).Body)
		case ir.ORANGE:
			c.straight = c.straight && !goesRound(n.(*ir.RangeStmt).Body)
		case ir.OSELECT, ir.ODEFER, ir.OGO, ir.ORECOVER, ir.OCLOSURE:
			c.straight = false
		case ir.OGOTO:
			// Where an inlined function returns is always behind.
			c.straight = c.straight && strings.HasPrefix(n.(*ir.BranchStmt).Label.Name, ".")
		}
	})
}

func callingOf(fn *ir.Func) *calling {
	if callings[fn] == nil {
		callings[fn] = &calling{}
	}
	return callings[fn]
}

// goesRound reports whether a loop may go round, which one that always ends by leaving does not
// (utf8.DecodeRune's, which is inlined).
func goesRound(body ir.Nodes) bool {
	if len(body) == 0 {
		return true
	}
	switch body[len(body)-1].Op() {
	case ir.OBREAK, ir.OGOTO, ir.ORETURN:
		return slices.ContainsFunc(body, func(s ir.Node) bool {
			return ir.Any(s, func(n ir.Node) bool { return n.Op() == ir.OCONTINUE })
		})
	}
	return true
}

// Follow decides which functions are compiled again, before any is.
func Follow() {
	if copiesOf != nil || !follows() {
		return
	}
	copiesOf = map[*obj.LSym]*obj.LSym{}
	fit := map[*ir.Func]bool{}
	for fn, c := range callings {
		fit[fn] = known[ir.LinkFuncName(fn)] && c.straight && marks[fn] != nil && leftWhy(fn) == "" && !fn.Dupok() && !fn.Wrapper() && !fn.ABIRefs.Get(obj.ABI0)
	}
	seen := map[*ir.Func]bool{}
	// spoil says that what fn calls may be called where nothing leads to copies, as where it is
	// inlined into another package.
	var spoil func(fn *ir.Func)
	spoil = func(fn *ir.Func) {
		if seen[fn] || callings[fn] == nil {
			return
		}
		seen[fn] = true
		for _, callee := range callings[fn].calls {
			delete(fit, callee)
			if callee.Inl != nil {
				spoil(callee)
			}
		}
		for _, closure := range callings[fn].closures {
			spoil(closure)
		}
	}
	for fn := range callings {
		abroad := fn.Inl != nil && !known[ir.LinkFuncName(fn)] && fn.OClosure == nil // a closure goes with what it is written in
		if abroad || leftWhy(fn) != "" || fn.Wrapper() {
			spoil(fn)
		}
	}
	maps.DeleteFunc(fit, func(_ *ir.Func, fits bool) bool { return !fits })
	byName := func(a, b *ir.Func) int { return strings.Compare(ir.LinkFuncName(a), ir.LinkFuncName(b)) }
	for _, fn := range slices.SortedFunc(maps.Keys(fit), byName) {
		if around(fn, fn, fit, map[*ir.Func]bool{}) {
			delete(fit, fn) // its check cuts what goes around
		}
	}
	for _, fn := range slices.SortedFunc(maps.Keys(fit), byName) {
		s := &obj.LSym{Name: fn.LSym.Name + ".dupinst", Pkg: fn.LSym.Pkg}
		s.SetABI(obj.ABIInternal)
		s.Set(obj.AttrStatic, true)
		base.Ctxt.InitTextSym(s, 0, fn.Pos())
		copiesOf[fn.LSym], namedAs[s] = s, fn.LSym.Name
	}
}

// around reports whether calls lead from a function that fits to another.
func around(from, to *ir.Func, fit, seen map[*ir.Func]bool) bool {
	for _, callee := range callings[from].calls {
		if callee == to {
			return true
		}
		if fit[callee] && !seen[callee] {
			seen[callee] = true
			if around(callee, to, fit, seen) {
				return true
			}
		}
	}
	return false
}

// again has compile compile fn once more if that is to be.
func again(fn *ir.Func, compile func()) {
	own := fn.LSym
	if s := copiesOf[own]; s != nil {
		fn.LSym = s
		compile()
		fn.LSym = own
	}
}

// rename gives a copy its function's name, once what is named after it has been.
func rename(s *obj.LSym) {
	if name, ok := namedAs[s]; ok {
		s.Name = name
	}
}

// followsIn reports whether b has a call that leads to a copy in copies.
func followsIn(b *ssa.Block) bool {
	return slices.ContainsFunc(b.Values, func(v *ssa.Value) bool { return copyOf(v) != nil })
}

// copyOf is what v calls in a copy, if it is a call and that is another.
func copyOf(v *ssa.Value) *obj.LSym {
	if a, ok := v.Aux.(*ssa.AuxCall); ok && a.Fn != nil {
		return copiesOf[a.Fn]
	}
	return nil
}

// follow lets a call in a copy lead to a copy.
func follow(v *ssa.Value) {
	if to := copyOf(v); to != nil {
		a := *v.Aux.(*ssa.AuxCall)
		a.Fn = to
		v.Aux = &a
	}
}
