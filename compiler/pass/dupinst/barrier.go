//go:build dupinst_compiler

package dupinst

import (
	"slices"

	"cmd/compile/internal/ssa"
)

// barriers finds the blocks that a write barrier is made of: one that branches by whether
// barriers are on, one or two that it leads to, and the one where they meet and the barrier
// ends. The collector's phase must not change between the first and the last, so nothing may
// interrupt what lies between, nor lead into it, and package liveness, which knows them by
// their shape, must find it in copies. It returns for each but the first the first, which may
// be the last of another barrier's.
func barriers(f *ssa.Func) map[*ssa.Block]*ssa.Block {
	head := map[*ssa.Block]*ssa.Block{}
	for _, end := range f.Blocks {
		if barrierEnd(end) == 0 {
			continue
		}
		c, d := end.Preds[0].Block(), end.Preds[1].Block()
		var first *ssa.Block
		switch {
		case len(c.Preds) == 1 && c.Preds[0].Block() == d:
			first = d
		case len(d.Preds) == 1 && d.Preds[0].Block() == c:
			first = c
		default:
			first = c.Preds[0].Block()
		}
		for _, b := range []*ssa.Block{c, d, end} {
			if b != first {
				head[b] = first
			}
		}
	}
	return head
}

// barrierEnd is the same of b as it was when it was first asked about, with operations of ours in it.
func (d *duplicator) barrierEnd(b *ssa.Block) int {
	v, known := d.barred[b]
	if !known {
		if end := barrierEnd(b); end > 0 {
			v = b.Values[end-1]
		}
		d.barred[b] = v
	}
	if v == nil {
		return 0
	}
	return slices.Index(b.Values, v) + 1
}

// barrierEnd is the index behind the last end of a write barrier in b, or 0.
func barrierEnd(b *ssa.Block) int {
	end := 0
	for i, v := range b.Values {
		if v.Op == ssa.OpWBend {
			end = i + 1
		}
	}
	return end
}
