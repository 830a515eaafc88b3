//go:build dupinst_compiler

package obj

import "cmd/internal/src"

// What the slow path of a stack check knows of the runtime (runtime/core): the guard of a
// goroutine in a window, and where the true one is kept in g.
const (
	DupinstPoison  = -1746
	DupinstGuardAt = 136
)

// A DupinstEntrance is the slow path of a function's stack check, which leads to the function's
// copy in a window: where the guard is the poison, it checks the stack against the true guard,
// builds the frame as the prologue does, receives the arguments as the entry does, and goes on
// in the copy; in a function without a copy, behind the check. It grows at the function's end.
type DupinstEntrance struct {
	ctxt    *Link
	sym     *LSym
	newprog ProgAlloc
	first   *Prog // behind the prologue
	frame   int32
	p       *Prog // the last
}

// DupinstPreprocess is an architecture's preprocess, which makes prologues, and then has check
// make the entrance of the stack check that stands between the function's text and first, or
// say that there is none where one is expected. unchecked says of a function that has none.
func DupinstPreprocess(ctxt *Link, sym *LSym, newprog ProgAlloc, preprocess func(*Link, *LSym, ProgAlloc), unchecked func(*LSym) bool, check func(e *DupinstEntrance, text, first *Prog) bool) {
	text := sym.Func().Text
	if !DupinstWindows || text == nil || text.Link == nil || sym.CFunc() {
		preprocess(ctxt, sym, newprog)
		return
	}
	first := text.Link
	preprocess(ctxt, sym, newprog)
	e := &DupinstEntrance{ctxt: ctxt, sym: sym, newprog: newprog, first: first, frame: int32(text.To.Offset)}
	switch {
	case unchecked(sym):
		e.leaf()
	case !check(e, text, first):
		ctxt.Diag("dupinst: %s has no stack check where one was expected", sym.Name)
	}
}

// Make makes it of the check, which jumps to its slow path by slow: guard compares the guard
// with the poison and jumps where it is another, and check is the check against the true guard.
func (e *DupinstEntrance) Make(slow *Prog, guard, check func(grow *Prog)) {
	grow := slow.To.Target()
	began := e.begin()
	guard(grow)
	check(grow)
	for p := e.sym.Func().Text; p != slow; p = p.Link {
		if p.To.Type == TYPE_BRANCH && p.To.Target() == grow {
			p.To.SetTarget(began)
		}
	}
	slow.To.SetTarget(began)
	if e.sym.Func().Dupinst.Copy == nil || e.sym.Wrapper() {
		e.Jump(AJMP, slow.Link).Spadj = e.frame
		return
	}
	e.enter(slow.Link)
}

// leaf makes the entrance of a function without a stack check, to which calls in copies lead,
// if it has a copy.
func (e *DupinstEntrance) leaf() {
	text := e.sym.Func().Text
	if e.sym.Func().Dupinst.Copy == nil || e.sym.Wrapper() {
		return
	}
	last := e.begin()
	e.enter(text.Link)
	for p := text.Link; p != nil; p = p.Link {
		if p.As != APCDATA && p.As != AFUNCDATA && p.As != ANOP {
			e.sym.Func().Dupinst.Twins[p] = last.Link
			return
		}
	}
}

// begin goes to the function's end, where the stack is again as at its beginning.
func (e *DupinstEntrance) begin() *Prog {
	for e.p = e.sym.Func().Text; e.p.Link != nil; e.p = e.p.Link {
	}
	e.Put(ANOP).Spadj = -e.frame
	e.p = e.ctxt.EmitEntryStackMap(e.sym, e.p, e.newprog)
	e.p = e.ctxt.StartUnsafePoint(e.p, e.newprog)
	return e.p
}

// Put appends an instruction.
func (e *DupinstEntrance) Put(as As) *Prog {
	e.p = Appendp(e.p, e.newprog)
	e.p.As = as
	e.p.Pos = e.sym.Func().Text.Pos
	return e.p
}

// Jump appends a jump.
func (e *DupinstEntrance) Jump(as As, to *Prog) *Prog {
	p := e.Put(as)
	p.To.Type = TYPE_BRANCH
	if to != nil {
		p.To.SetTarget(to)
	}
	return p
}

// Copy appends what p is.
func (e *DupinstEntrance) Copy(p *Prog) *Prog {
	c := e.Put(p.As)
	c.From, c.To, c.Reg, c.RegTo2, c.Scond, c.Spadj = p.From, p.To, p.Reg, p.RegTo2, p.Scond, p.Spadj
	c.RestArgs = append([]AddrPos(nil), p.RestArgs...)
	c.Pos = p.Pos.WithXlogue(src.PosDefaultLogue).WithNotStmt()
	return c
}

// Entered is the runtime's counter of entries in windows (runtime/core), for one takes as long as several probes. It is nil
// where an address has to be loaded first, for which no register is free.
func (e *DupinstEntrance) Entered() *LSym {
	if e.ctxt.Flag_dynlink {
		return nil
	}
	s := e.ctxt.Lookup("runtime.dupinstEntered")
	s.Pkg = "_"
	return s
}

// enter builds the frame, receives the arguments and goes on in the copy.
func (e *DupinstEntrance) enter(prologue *Prog) {
	f := &e.sym.Func().Dupinst
	e.copyRange(prologue, e.first)
	e.copyRange(e.first, f.Body)
	e.Jump(AJMP, f.Copy)
}

// copyRange copies instructions with the jumps among them.
func (e *DupinstEntrance) copyRange(from, to *Prog) {
	is := map[*Prog]*Prog{}
	var jumps []*Prog
	for p := from; p != to; p = p.Link {
		if p.As == APCDATA || p.As == AFUNCDATA || p.As == ANOP {
			continue
		}
		c := e.Copy(p)
		is[p] = c
		if p.To.Type == TYPE_BRANCH && p.To.Target() != nil {
			jumps = append(jumps, c)
		}
	}
	for _, j := range jumps {
		if c := is[j.To.Target()]; c != nil {
			j.To.SetTarget(c)
		}
	}
}
