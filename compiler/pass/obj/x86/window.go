//go:build dupinst_compiler

package x86

import (
	"cmd/internal/obj"
	"cmd/internal/src"
)

// What the slow path of a stack check knows of the runtime (runtime/core): the guard of a
// goroutine in a window, and where the true one is kept in g.
const (
	dupinstPoison  = -1746
	dupinstGuardAt = 136
)

// dupinstPreprocess lets the stack check of a function lead to its copy in a window: where
// the guard is the poison, the slow path checks the stack against the true guard, builds the
// frame as the prologue does, receives the arguments as the entry does, and goes on in the
// copy. That of a function without a copy goes on behind the check.
func dupinstPreprocess(ctxt *obj.Link, cursym *obj.LSym, newprog obj.ProgAlloc) {
	text := cursym.Func().Text
	if !obj.DupinstWindows || text == nil || text.Link == nil || cursym.CFunc() {
		preprocess(ctxt, cursym, newprog)
		return
	}
	first := text.Link
	preprocess(ctxt, cursym, newprog)
	f := &cursym.Func().Dupinst
	if cursym.NoSplit() && (f.Copy == nil || cursym.Wrapper()) {
		return
	}
	e := entrance{ctxt: ctxt, sym: cursym, newprog: newprog, first: first, frame: int32(text.To.Offset)}
	if cursym.NoSplit() {
		e.leaf()
		return
	}
	for p := text; p != first; p = p.Link {
		switch p.As {
		case ACMPQ:
			e.compare = p
		case AJLS:
			e.slow = p
		}
	}
	if e.compare == nil || e.slow == nil || e.compare.To.Type != obj.TYPE_MEM {
		ctxt.Diag("dupinst: %s has no stack check where one was expected", cursym.Name)
		return
	}
	e.make()
}

// An entrance is the slow path of a function's stack check.
type entrance struct {
	ctxt          *obj.Link
	sym           *obj.LSym
	newprog       obj.ProgAlloc
	first         *obj.Prog // behind the prologue
	compare, slow *obj.Prog // the check
	frame         int32
	p             *obj.Prog // the last
}

func (e *entrance) put(as obj.As) *obj.Prog {
	e.p = obj.Appendp(e.p, e.newprog)
	e.p.As = as
	e.p.Pos = e.sym.Func().Text.Pos
	return e.p
}

func (e *entrance) jump(as obj.As, to *obj.Prog) *obj.Prog {
	p := e.put(as)
	p.To.Type = obj.TYPE_BRANCH
	if to != nil {
		p.To.SetTarget(to)
	}
	return p
}

// copy appends what p is.
func (e *entrance) copy(p *obj.Prog) *obj.Prog {
	c := e.put(p.As)
	c.From, c.To, c.Reg, c.RegTo2, c.Scond, c.Spadj = p.From, p.To, p.Reg, p.RegTo2, p.Scond, p.Spadj
	c.RestArgs = append([]obj.AddrPos(nil), p.RestArgs...)
	c.Pos = p.Pos.WithXlogue(src.PosDefaultLogue).WithNotStmt()
	return c
}

func (e *entrance) make() {
	for e.p = e.slow; e.p.Link != nil; e.p = e.p.Link {
	}
	grow := e.slow.To.Target()
	behind := e.slow.Link
	e.put(obj.ANOP).Spadj = -e.frame
	e.p = e.ctxt.EmitEntryStackMap(e.sym, e.p, e.newprog)
	e.p = e.ctxt.StartUnsafePoint(e.p, e.newprog)
	began := e.p
	guard := e.put(ACMPQ)
	guard.From = e.compare.To
	guard.To.Type, guard.To.Offset = obj.TYPE_CONST, dupinstPoison
	e.jump(AJNE, grow)
	e.check(grow)
	for p := e.sym.Func().Text; p != e.slow; p = p.Link {
		if p.To.Type == obj.TYPE_BRANCH && p.To.Target() == grow {
			p.To.SetTarget(began)
		}
	}
	e.slow.To.SetTarget(began)
	f := &e.sym.Func().Dupinst
	if f.Copy == nil || e.sym.Wrapper() {
		e.jump(obj.AJMP, behind).Spadj = e.frame
		return
	}
	e.enter(behind)
}

// enter builds the frame, receives the arguments and goes on in the copy.
func (e *entrance) enter(prologue *obj.Prog) {
	f := &e.sym.Func().Dupinst
	e.copyRange(prologue, e.first)
	e.copyRange(e.first, f.Body)
	e.jump(obj.AJMP, f.Copy)
}

// leaf makes the entrance of a function without a stack check, to which calls in copies lead.
func (e *entrance) leaf() {
	text := e.sym.Func().Text
	for e.p = text; e.p.Link != nil; e.p = e.p.Link {
	}
	e.put(obj.ANOP).Spadj = -e.frame
	e.p = e.ctxt.EmitEntryStackMap(e.sym, e.p, e.newprog)
	e.p = e.ctxt.StartUnsafePoint(e.p, e.newprog)
	last := e.p
	e.enter(text.Link)
	for p := text.Link; p != nil; p = p.Link {
		if p.As != obj.APCDATA && p.As != obj.AFUNCDATA && p.As != obj.ANOP {
			e.sym.Func().Dupinst.Twins[p] = last.Link
			return
		}
	}
}

// check is the stack check once more, against the true guard.
func (e *entrance) check(grow *obj.Prog) {
	from := e.compare
	for p := e.sym.Func().Text; p != e.slow; p = p.Link {
		if p.As == ALEAQ || p.As == AMOVQ && p.From.Reg == REG_SP {
			from = p
			break
		}
	}
	for p := from; p != e.slow.Link; p = p.Link {
		switch {
		case p.As == obj.APCDATA || p.As == obj.ANOP:
		case p.To.Type == obj.TYPE_BRANCH:
			e.jump(p.As, grow)
		default:
			c := e.copy(p)
			if p == e.compare {
				c.To.Offset = dupinstGuardAt
			}
		}
	}
}

// copyRange copies instructions with the jumps among them.
func (e *entrance) copyRange(from, to *obj.Prog) {
	is := map[*obj.Prog]*obj.Prog{}
	var jumps []*obj.Prog
	for p := from; p != to; p = p.Link {
		if p.As == obj.APCDATA || p.As == obj.AFUNCDATA || p.As == obj.ANOP {
			continue
		}
		c := e.copy(p)
		is[p] = c
		if p.To.Type == obj.TYPE_BRANCH && p.To.Target() != nil {
			jumps = append(jumps, c)
		}
	}
	for _, j := range jumps {
		if c := is[j.To.Target()]; c != nil {
			j.To.SetTarget(c)
		}
	}
}
