//go:build dupinst_compiler

package dupinst

import (
	"slices"
	"strings"

	"cmd/compile/internal/ssa"
)

// An allocation is a call of the runtime's that stands where the source has what makes the object. Where there is none, the
// object is on the stack, or nowhere.

// allocating are the runtime's functions that put an object on the heap, by the beginnings of their names, for each word of a
// site. The numbers stand in compiler/sites.
var allocating = map[int][]string{
	1: {"runtime.newobject", "runtime.mallocgc"},
	2: {"runtime.makeslice", "runtime.makemap", "runtime.makechan"},
	3: {"runtime.growslice"},
}

// findAllocations notes the calls of b's that sites of allocations are at.
func (d *duplicator) findAllocations(b *ssa.Block, note func(probe)) {
	for _, v := range b.Values {
		a, ok := v.Aux.(*ssa.AuxCall)
		if !ok || a.Fn == nil || !v.Op.IsCall() {
			continue
		}
		var found []Site
		for _, s := range sites[key(v.Pos)] {
			if s.Class == Allocated && slices.ContainsFunc(allocating[s.Word], func(name string) bool { return strings.HasPrefix(a.Fn.Name, name) }) {
				found = append(found, s)
			}
		}
		if len(found) > 0 {
			note(probe{at: v, op: op{kind: add, sites: found}})
		}
	}
}
