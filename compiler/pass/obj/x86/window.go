//go:build dupinst_compiler

package x86

import "cmd/internal/obj"

// dupinstPreprocess lets the stack check of a function lead to its copy in a window
// (obj.DupinstEntrance).
func dupinstPreprocess(ctxt *obj.Link, cursym *obj.LSym, newprog obj.ProgAlloc) {
	obj.DupinstPreprocess(ctxt, cursym, newprog, preprocess, dupinstUnchecked, dupinstCheck)
}

func dupinstUnchecked(s *obj.LSym) bool { return s.NoSplit() }

// dupinstEntered counts an entry in a window, as copies count.
func dupinstEntered(e *obj.DupinstEntrance) {
	entered := e.Entered()
	if entered == nil {
		return
	}
	const gs = 0x65
	own := e.Put(ABYTE)
	own.From.Type, own.From.Offset = obj.TYPE_CONST, gs
	p := e.Put(AINCQ)
	p.To.Type, p.To.Name, p.To.Sym = obj.TYPE_MEM, obj.NAME_EXTERN, entered
}

func dupinstCheck(e *obj.DupinstEntrance, text, first *obj.Prog) bool {
	var compare, slow *obj.Prog
	for p := text; p != first; p = p.Link {
		switch p.As {
		case ACMPQ:
			compare = p
		case AJLS:
			slow = p
		}
	}
	if compare == nil || slow == nil || compare.To.Type != obj.TYPE_MEM {
		return false
	}
	e.Make(slow, func(grow *obj.Prog) {
		guard := e.Put(ACMPQ)
		guard.From = compare.To
		guard.To.Type, guard.To.Offset = obj.TYPE_CONST, obj.DupinstPoison
		e.Jump(AJNE, grow)
	}, func(grow *obj.Prog) {
		from := compare
		for p := text; p != slow; p = p.Link {
			if p.As == ALEAQ || p.As == AMOVQ && p.From.Reg == REG_SP {
				from = p
				break
			}
		}
		for p := from; p != slow.Link; p = p.Link {
			switch {
			case p.As == obj.APCDATA || p.As == obj.ANOP:
			case p.To.Type == obj.TYPE_BRANCH:
				e.Jump(p.As, grow)
			default:
				c := e.Copy(p)
				if p == compare {
					c.To.Offset = obj.DupinstGuardAt
				}
			}
		}
		dupinstEntered(e)
	})
	return true
}
