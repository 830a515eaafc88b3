//go:build dupinst_compiler

package ssagen

import (
	"cmd/compile/internal/base"
	"cmd/compile/internal/ssa"
	"cmd/internal/obj"
	"cmd/internal/obj/arm64"
	"cmd/internal/obj/x86"
)

// A dupinstStart is where the code of a value begins, or that of the end of a block.
type dupinstStart struct {
	v *ssa.Value
	b *ssa.Block
	p *obj.Prog
}

func (s *State) dupinstStart(f *ssa.Func, v *ssa.Value, b *ssa.Block) {
	if f.DupinstTwins != nil || f.DupinstTraps != nil {
		s.dupinst = append(s.dupinst, dupinstStart{v, b, s.pp.Next})
	}
}

// dupinstTwins pairs the instructions of originals with those of copies. Both are made of
// the same values, so that the state of the machine is the same at each. A copy's probes
// stand between values. How a block ends depends on what stands behind it: only the first
// instruction of the end has a twin.
func (s *State) dupinstTwins(f *ssa.Func, fn *obj.LSym) {
	dupinstRename(fn)
	for _, b := range f.DupinstCold {
		if p := s.bstart[b.ID]; p != nil {
			fn.Func().Dupinst.Cold = p
			break
		}
	}
	if f.DupinstTwins == nil && f.DupinstTraps == nil {
		return
	}
	values, ends := map[*ssa.Value]dupinstCode{}, map[*ssa.Block]dupinstCode{}
	for i, at := range s.dupinst {
		c := dupinstCode{at.p, s.pp.Next}
		if i+1 < len(s.dupinst) {
			c.to = s.dupinst[i+1].p
		}
		if at.v != nil {
			values[at.v] = c
		} else {
			ends[at.b] = c
		}
	}
	info := fn.Func()
	info.Dupinst.Traps = s.dupinstTraps(f, values, ends)
	if f.DupinstTwins == nil {
		return
	}
	info.Dupinst.Body = ends[f.Entry].from
	info.Dupinst.Copy = s.bstart[f.Entry.Succs[1].Block().ID]
	twins := map[*obj.Prog]*obj.Prog{}
	info.Dupinst.Twins, info.Dupinst.Nops, info.Dupinst.Behind = twins, map[*obj.Prog]bool{}, map[*obj.Prog]bool{}
	for v, c := range values {
		if v.Op == ssa.OpInlMark && v.Aux == nil {
			if p := dupinstReal(c.from, c.to); p != nil {
				info.Dupinst.Nops[p] = true
			}
		}
		original := f.DupinstTwins.Value(v)
		if original == nil {
			continue
		}
		o, ok := values[original]
		if !ok {
			continue // only a probe read it
		}
		p, q := dupinstReal(o.from, o.to), dupinstReal(c.from, c.to)
		for p != nil && q != nil && p.As == q.As {
			q = s.dupinstFollow(q, f.DupinstTwins.Followed(v), info.Dupinst.Behind)
			twins[p] = q
			p, q = dupinstReal(p.Link, o.to), dupinstReal(q.Link, c.to)
		}
		if p != nil || q != nil {
			base.Fatalf("dupinst: %s: the code of %s is not that of its copy", f.Name, original.LongString())
		}
	}
	for b, c := range ends {
		original := f.DupinstTwins.Block(b)
		if original == nil {
			continue
		}
		if p := dupinstReal(ends[original].from, ends[original].to); p != nil {
			twins[p] = c.from
		}
	}
}

// DupinstSlot is where the address of what calls in copies call stands.
var DupinstSlot func(callee *obj.LSym) *obj.LSym

// dupinstFollow lets a call in a copy lead to the callee's copy, though it has no stack check
// that would: by a word that the runtime points there (runtime/core), or where a probe has
// looked for the callee by what that has left in g. It returns the call.
func (s *State) dupinstFollow(call *obj.Prog, seen bool, behind map[*obj.Prog]bool) *obj.Prog {
	if call.As != obj.ACALL {
		return call
	}
	word := obj.Addr{Type: obj.TYPE_MEM, Reg: x86.REGG, Offset: DupinstCalleeAt}
	arm := base.Ctxt.Arch.Name == "arm64"
	static := call.To.Type == obj.TYPE_MEM && call.To.Name == obj.NAME_EXTERN
	switch {
	case seen && !static && arm:
		word.Reg = arm64.REGG
		return s.dupinstBy(word, call, behind)
	case seen && !static:
		call.To = word
		behind[call] = true
	case static && !base.Ctxt.Flag_dynlink:
		slot := DupinstSlot(call.To.Sym)
		if slot == nil {
			break
		}
		word := obj.Addr{Type: obj.TYPE_MEM, Name: obj.NAME_EXTERN, Sym: slot}
		if arm {
			return s.dupinstBy(word, call, behind)
		}
		word.Type = obj.TYPE_INDIR
		call.To = word
	}
	return call
}

// dupinstBy makes a call of what a word holds of one on arm64, where that takes an instruction
// more, and R27 is free.
func (s *State) dupinstBy(word obj.Addr, call *obj.Prog, behind map[*obj.Prog]bool) *obj.Prog {
	by := obj.Appendp(call, s.pp.NewProg)
	by.As, by.Pos = call.As, call.Pos
	by.To = obj.Addr{Type: obj.TYPE_MEM, Reg: arm64.REGTMP}
	call.As, call.From = arm64.AMOVD, word
	call.To = obj.Addr{Type: obj.TYPE_REG, Reg: arm64.REGTMP}
	behind[by] = true
	return by
}

// DupinstCalleeAt is where in g.
const DupinstCalleeAt = 56 + 24

// dupinstReal is the first instruction that is code, from one on and before another.
func dupinstReal(p, to *obj.Prog) *obj.Prog {
	for ; p != to; p = p.Link {
		if p.As != obj.APCDATA && p.As != obj.AFUNCDATA && p.As != obj.ANOP {
			return p
		}
	}
	return nil
}
