//go:build dupinst_compiler

package dupinst

import (
	"cmd/compile/internal/base"
	"cmd/compile/internal/dupinst/plan"
	"cmd/compile/internal/ssa"
	"cmd/compile/internal/ssagen"
	"cmd/internal/obj"
	"cmd/internal/obj/x86"
)

// Offsets in the runtime's g (runtime/core, doc.go): what is known of it before it is
// compiled. The runtime's compile step checks them.
const (
	counterAt = 56
	weightAt  = counterAt + 16
	calleeAt  = counterAt + 24
	siteAt    = counterAt + 32
	scratchAt = counterAt + 40
	flagsAt   = counterAt + 64
)

// emit emits an operation.
func emit(s *ssagen.State, v *ssa.Value) {
	o := opOf(v)
	if o == nil {
		base.Fatalf("dupinst: a mark is left: %s", v.LongString())
	}
	e := amd64{s}
	switch o.kind {
	case check:
		e.check(o.n)
	case fire:
		e.call("runtime.dupinstFire")
	case save:
		e.save()
	case restore:
		e.restore()
	case add, seen:
		e.probe(o)
	case each:
		e.each(o.sites)
	case note:
		e.probe(o)
	}
}

// amd64 emits instructions of amd64, where R14 is g.
type amd64 struct{ s *ssagen.State }

func (e amd64) check(n int64) {
	if n == 1 {
		p := e.s.Prog(x86.ADECQ)
		field(&p.To, counterAt)
		return
	}
	e.bump(-n)
}

// bump adds a constant to the counter.
func (e amd64) bump(n int64) {
	p := e.s.Prog(x86.AADDQ)
	p.From.Type, p.From.Offset = obj.TYPE_CONST, n
	field(&p.To, counterAt)
}

// field makes a a field of g.
func field(a *obj.Addr, offset int64) {
	a.Type, a.Reg, a.Offset = obj.TYPE_MEM, x86.REGG, offset
}

func register(a *obj.Addr, r int16) { a.Type, a.Reg = obj.TYPE_REG, r }

// call calls a routine of the runtime's that keeps all registers but the flags.
func (e amd64) call(name string) {
	p := e.s.Prog(obj.ACALL)
	p.To.Type, p.To.Name, p.To.Sym = obj.TYPE_MEM, obj.NAME_EXTERN, base.Ctxt.LookupABI(name, obj.ABI0)
}

// move moves a word between a register and a field of g.
func (e amd64) load(offset int64, r int16) {
	p := e.s.Prog(x86.AMOVQ)
	field(&p.From, offset)
	register(&p.To, r)
}

func (e amd64) store(r int16, offset int64) {
	p := e.s.Prog(x86.AMOVQ)
	register(&p.From, r)
	field(&p.To, offset)
}

// save keeps the flags. The stack is where it was after each of its instructions but one,
// so that what is kept on one way may be restored on several.
func (e amd64) save() {
	e.s.Prog(x86.APUSHFQ)
	field(&e.s.Prog(x86.APOPQ).To, flagsAt)
}

func (e amd64) restore() {
	field(&e.s.Prog(x86.APUSHQ).From, flagsAt)
	e.s.Prog(x86.APOPFQ)
}

// without are the jumps where a block of a kind does not lead to its first successor, and
// where it does.
var without = map[ssa.BlockKind][2]obj.As{
	ssa.BlockAMD64EQ: {x86.AJNE, x86.AJEQ}, ssa.BlockAMD64NE: {x86.AJEQ, x86.AJNE},
	ssa.BlockAMD64LT: {x86.AJGE, x86.AJLT}, ssa.BlockAMD64LE: {x86.AJGT, x86.AJLE},
	ssa.BlockAMD64GT: {x86.AJLE, x86.AJGT}, ssa.BlockAMD64GE: {x86.AJLT, x86.AJGE},
	ssa.BlockAMD64ULT: {x86.AJCC, x86.AJCS}, ssa.BlockAMD64ULE: {x86.AJHI, x86.AJLS},
	ssa.BlockAMD64UGT: {x86.AJLS, x86.AJHI}, ssa.BlockAMD64UGE: {x86.AJCS, x86.AJCC},
}

// probe counts what o does, where it does.
func (e amd64) probe(o *op) {
	e.s.DupinstUnsafe()
	var skip *obj.Prog
	if w := o.when; w != nil {
		jump := 0
		if w.Not {
			jump = 1
		}
		skip = e.s.Prog(without[w.Kind][jump])
		skip.To.Type = obj.TYPE_BRANCH
	}
	if o.flags {
		e.save()
	}
	switch o.kind {
	case add:
		e.add(o.sites)
	case seen:
		e.seen(o)
	case note:
		e.note(o)
	}
	if o.flags {
		e.restore()
	}
	if skip != nil {
		skip.To.SetTarget(e.s.Prog(obj.ANOP))
	}
}

// add adds the sample's weight to counters.
func (e amd64) add(sites []Site) {
	e.store(x86.REG_AX, scratchAt)
	if variant == plan.Exhaustive {
		p := e.s.Prog(x86.AMOVQ)
		p.From.Type, p.From.Name, p.From.Sym = obj.TYPE_MEM, obj.NAME_EXTERN, every
		register(&p.To, x86.REG_AX)
	} else {
		e.load(weightAt, x86.REG_AX)
	}
	for _, site := range sites {
		e.s.Prog(x86.ALOCK)
		p := e.s.Prog(x86.AADDQ)
		register(&p.From, x86.REG_AX)
		counter(&p.To, site)
	}
	e.load(scratchAt, x86.REG_AX)
}

func counter(a *obj.Addr, site Site) {
	a.Type, a.Name, a.Sym, a.Offset = obj.TYPE_MEM, obj.NAME_EXTERN, site.Counters, int64(site.Index)*8
}

// seen counts a call and notes its callee: the code that the call jumps to.
func (e amd64) seen(o *op) {
	callee := o.callee
	if o.call != nil {
		callee = o.call.Aux.(*ssa.AuxCall).Fn
	}
	for _, site := range o.sites {
		if callee == nil {
			e.store(o.call.Args[0].Reg(), calleeAt)
		}
		e.store(x86.REG_R12, scratchAt)
		if callee != nil {
			e.address(callee, 0)
			e.store(x86.REG_R12, calleeAt)
		}
		e.address(site.Counters, int64(site.Index)*8)
		e.store(x86.REG_R12, siteAt)
		e.call("runtime.dupinstSee") // which restores R12
	}
}

// note counts or traces events of an audit.
func (e amd64) note(o *op) {
	for _, site := range o.sites {
		p := e.s.Prog(x86.AMOVQ)
		p.From.Type, p.From.Offset = obj.TYPE_CONST, int64(o.how)
		field(&p.To, calleeAt)
		e.store(x86.REG_R12, scratchAt)
		e.address(site.Counters, int64(site.Index)*8)
		e.store(x86.REG_R12, siteAt)
		e.call("runtime.dupinstNote") // which restores R12
	}
}

// address puts an address into R12.
func (e amd64) address(sym *obj.LSym, offset int64) {
	p := e.s.Prog(x86.ALEAQ)
	p.From.Type, p.From.Name, p.From.Sym, p.From.Offset = obj.TYPE_MEM, obj.NAME_EXTERN, sym, offset
	register(&p.To, x86.REG_R12)
}

// each takes checks one by one that were counted down at once.
func (e amd64) each(sites []Site) {
	e.bump(int64(len(sites)))
	for _, site := range sites {
		e.check(1)
		skip := e.s.Prog(x86.AJGE)
		skip.To.Type = obj.TYPE_BRANCH
		e.call("runtime.dupinstFire")
		e.add([]Site{site})
		skip.To.SetTarget(e.s.Prog(obj.ANOP))
	}
}
