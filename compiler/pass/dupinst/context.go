//go:build dupinst_compiler

package dupinst

import (
	"slices"

	"cmd/compile/internal/base"
	"cmd/compile/internal/ssa"
	"cmd/internal/src"
)

// Whoever asks where a context's functions have got to is told of an inlined call by an instruction that
// stands for it, which the compiler leaves out where nothing of what was inlined is left. A probe is.

// lostCalls are the inlined calls that pos is in and that no instruction of the function stands for.
func (d *duplicator) lostCalls(pos src.XPos) []int {
	if d.marked == nil {
		d.marked = map[int]bool{}
		for _, b := range d.f.Blocks {
			for _, v := range b.Values {
				if v.Op == ssa.OpInlMark && v.Aux == nil && v.AuxInt >= 0 {
					d.marked[int(v.AuxInt)] = true
				}
			}
		}
	}
	var lost []int
	for call := base.Ctxt.PosTable.Pos(pos).Base().InliningIndex(); call >= 0; call = base.Ctxt.InlTree.Parent(call) {
		if !d.marked[call] {
			lost = append(lost, call)
		}
	}
	slices.Reverse(lost)
	return lost
}
