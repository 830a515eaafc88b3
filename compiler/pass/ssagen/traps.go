//go:build dupinst_compiler

package ssagen

import (
	"cmd/compile/internal/base"
	"cmd/compile/internal/ssa"
	"cmd/internal/obj"
)

// dupinstCode is the instructions from one on and before another.
type dupinstCode struct{ from, to *obj.Prog }

// DupinstAnchor emits an instruction that does nothing.
func (s *State) DupinstAnchor() { Arch.Ginsnop(s.pp) }

// dupinstTraps finds an instruction for each trap, which is carried out where its site is passed and nowhere else.
// Anchors that none needs are taken out.
func (s *State) dupinstTraps(f *ssa.Func, values map[*ssa.Value]dupinstCode, ends map[*ssa.Block]dupinstCode) (out []obj.DupinstTrap) {
	anchors := map[*obj.Prog]bool{}
	for _, t := range f.DupinstTraps {
		if t.Anchor != nil {
			anchors[values[t.Anchor].from] = false
		}
	}
	for _, t := range f.DupinstTraps {
		p := dupinstPassing(t, values, ends, anchors)
		switch {
		case p == nil && t.Anchor == nil:
			base.Fatalf("dupinst: %s: a statement in %s, before %v, has no instruction", f.Name, t.Block, t.At)
		case p == nil:
			p = values[t.Anchor].from
			anchors[p] = true
		}
		out = append(out, obj.DupinstTrap{At: p, Counter: t.Counter, Offset: t.Offset})
	}
	for p, needed := range anchors {
		if !needed {
			p.As, p.From, p.To = obj.ANOP, obj.Addr{}, obj.Addr{}
		}
	}
	return out
}

// dupinstPassing is the first instruction of a trap's site that is no anchor, or nil. Of a block's end none but the first
// is sure to be carried out, and what is behind the last block is not of it. A jump does not serve: one to what is
// behind it goes.
func dupinstPassing(t ssa.DupinstTrap, values map[*ssa.Value]dupinstCode, ends map[*ssa.Block]dupinstCode, anchors map[*obj.Prog]bool) (first *obj.Prog) {
	find := func(c dupinstCode) {
		for p := dupinstReal(c.from, c.to); p != nil && first == nil; p = dupinstReal(p.Link, c.to) {
			if _, anchor := anchors[p]; !anchor {
				first = p
			}
		}
	}
	for _, v := range t.Block.Values {
		switch {
		case v == t.At && t.Anchor == nil:
			find(values[v])
			return first
		case v == t.At:
			return first
		}
		if v.Op.IsCall() {
			first = nil
		} else {
			find(values[v])
		}
	}
	if end := dupinstReal(ends[t.Block].from, ends[t.Block].to); first == nil && end != nil && end.As != obj.AJMP && t.Block.Kind != ssa.BlockExit {
		return end
	}
	return first
}
