//go:build dupinst_compiler

package arm64

import "cmd/internal/obj"

// dupinstPreprocess lets the stack check of a function lead to its copy in a window
// (obj.DupinstEntrance).
func dupinstPreprocess(ctxt *obj.Link, cursym *obj.LSym, newprog obj.ProgAlloc) {
	obj.DupinstPreprocess(ctxt, cursym, newprog, preprocess, dupinstUnchecked, dupinstCheck)
}

// dupinstUnchecked: a leaf without a frame has no check either.
func dupinstUnchecked(s *obj.LSym) bool { return s.NoSplit() || s.NoFrame() }

func dupinstCheck(e *obj.DupinstEntrance, text, first *obj.Prog) bool {
	var load, slow *obj.Prog
	for p := text; p != first; p = p.Link {
		switch {
		case p.As == AMOVD && p.From.Type == obj.TYPE_MEM && p.From.Reg == REGG && p.To.Reg == REGRT1:
			load = p
		case p.As == ABLS:
			slow = p
		}
	}
	if load == nil || slow == nil {
		return false
	}
	e.Make(slow, func(grow *obj.Prog) {
		guard := e.Put(ACMP)
		guard.From.Type, guard.From.Offset = obj.TYPE_CONST, obj.DupinstPoison
		guard.Reg = REGRT1
		e.Jump(ABNE, grow)
	}, func(grow *obj.Prog) {
		for p := load; p != slow.Link; p = p.Link {
			switch {
			case p.As == obj.APCDATA || p.As == obj.ANOP:
			case p.To.Type == obj.TYPE_BRANCH:
				e.Jump(p.As, grow)
			default:
				c := e.Copy(p)
				if p == load {
					c.From.Offset = obj.DupinstGuardAt
				}
			}
		}
	})
	return true
}
