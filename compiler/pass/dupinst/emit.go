//go:build dupinst_compiler

package dupinst

import (
	"cmd/compile/internal/base"
	"cmd/compile/internal/dupinst/plan"
	"cmd/compile/internal/ir"
	"cmd/compile/internal/ssa"
	"cmd/compile/internal/ssagen"
	"cmd/internal/obj"
)

// Offsets in the runtime's g (runtime/core, doc.go): what is known of it before it is
// compiled. The runtime's compile step checks them.
const (
	counterAt = 56
	weightAt  = counterAt + 16
	calleeAt  = ssagen.DupinstCalleeAt
	siteAt    = counterAt + 32
	scratchAt = counterAt + 40
	sumAt     = counterAt + 104 // of a path
	roundsAt  = counterAt + 128 // of loops, by how deep they lie
	windowAt  = counterAt + 112 // its number, which sums have that are counted
	beginsAt  = counterAt + 120 // the number that sums begin with
	acrossAt  = counterAt + 152 // what a path has come by in what was called (across.go)
	flagsAt   = counterAt + 64
	backAt    = counterAt + 72
)

// A machine emits an architecture's instructions. None changes a register but the flags, and
// those only in check, bump, call and what is said to.
type machine interface {
	// check counts down by n, in a register or, if that is 0, in memory, and sets the flags to
	// less where a sample is due.
	check(n int64, reg int16)
	// compare compares a value with a constant, less another value if there is one, in a
	// register that holds nothing.
	compare(v []*ssa.Value, n int64, reg int16)
	// compareWeight compares the weight of what is counted with 0.
	compareWeight()
	// hold loads the counter into a register, and release stores it.
	hold(reg int16)
	release(reg int16)
	// bump adds to the counter.
	bump(n int64)
	// save and restore keep the flags. The stack is where it was behind each of them, so
	// that what is kept on one way may be restored on several.
	save()
	restore()
	// call calls a routine of the runtime's that keeps all registers but the flags. The
	// function that does so may be a leaf, and stays one.
	call(name string)
	// add adds a weight to counters. The register, if there is one, holds nothing.
	add(weight weight, sites []Site, reg int16)
	// addTimes adds a weight as often as a register says. No register but g's holds anything behind it.
	addTimes(weight weight, site Site, reg int16)
	// tally adds a weight to counters where one thread at a time has a weight, or each counters of its own, and
	// keeps the flags if it is to. The register, if there is one, holds nothing.
	tally(weight weight, sites []Site, reg int16, flags bool)
	// beginPath sets a path's sum, stepPath adds to it, and endPath counts the path that it is. The
	// registers, if they are given, hold nothing.
	beginPath(sum obj.Addr, n int64, o *op)
	stepPath(sum obj.Addr, o *op)
	endPath(sum obj.Addr, weight weight, o *op)
	// notePath notes the path that a sum is and how it ends, and jumps where it did not begin in the window or sample.
	notePath(sum obj.Addr, o *op) *obj.Prog
	// noteRounds notes the sum of a loop as a value, and jumps where it did not begin in the window.
	noteRounds(sum obj.Addr, o *op) *obj.Prog
	// set puts a constant into a word of g's.
	set(n, offset int64)
	// note puts a word and the address of a site into g: the address of a symbol or what is in a register.
	noteAddress(of *obj.LSym, offset int64)
	noteRegister(r int16)
	noteAt(a ssa.DupinstAddress) // or what an instruction refers to
	noteSite(site *obj.LSym, offset int64)
	// skip jumps if there is nothing to count, and unless jumps if the check before has
	// found that no sample is due. The jump's target is to be set.
	skip(w *ssa.DupinstWhen) *obj.Prog
	unless() *obj.Prog
	// none jumps if none of some bits are set in a byte. The jump's target is to be set.
	none(at obj.Addr, bits int64) *obj.Prog
	jump(as obj.As) *obj.Prog
	// move moves a word.
	move(from, to obj.Addr)
	// word is a word of g's.
	word(offset int64) obj.Addr
}

// machineOf is the machine of the architecture that is compiled for.
func machineOf(s *ssagen.State) machine {
	if base.Ctxt.Arch.Name == "arm64" {
		return arm64Machine{s}
	}
	return amd64Machine{s}
}

// emit emits an operation.
func emit(s *ssagen.State, v *ssa.Value) {
	o := opOf(v)
	if o == nil {
		base.Fatalf("dupinst: a mark is left: %s", v.LongString())
	}
	e := emitter{machineOf(s), s}
	switch o.kind {
	case check:
		e.check(o.n, o.reg)
	case closed:
		e.compareWeight()
	case limit:
		e.compare(v.Args, o.n, o.reg)
	case load:
		e.hold(o.reg)
	case store:
		e.release(o.reg)
	case fire:
		e.call("runtime.dupinstFire")
	case carry:
		e.move(e.word(weightAt), local(o.carried, 0))
	case save:
		e.save()
	case restore:
		e.restore()
	case add, cleared, seen, valued, stacked, referred, note, begin, step, end, gone:
		e.probe(o)
	case each:
		e.each(o)
	case anchored:
		s.DupinstAnchor()
	}
}

type emitter struct {
	machine
	s *ssagen.State
}

// target lets a jump lead to here.
func (e emitter) target(jump *obj.Prog) { jump.To.SetTarget(e.s.Prog(obj.ANOP)) }

// probe counts what o does, where it does.
func (e emitter) probe(o *op) {
	for _, call := range o.calls {
		e.s.DupinstInlined(call)
	}
	e.s.DupinstUnsafe()
	var skip *obj.Prog
	if o.when != nil {
		skip = e.skip(o.when)
	}
	if o.kind == add && variant == plan.Windows {
		for _, sites := range byLane(o.sites) {
			e.tally(e.weight(o, sites[0].Lane), sites, o.reg, o.flags)
		}
	} else {
		e.counted(o)
	}
	if skip != nil {
		e.target(skip)
	}
}

// counted counts with the flags kept, if they are to be.
func (e emitter) counted(o *op) {
	flags := o.flags && o.kind != begin && o.kind != step // which leave them alone, if they are to
	if flags {
		e.save()
	}
	switch o.kind {
	case add:
		e.count(o, o.sites)
	case cleared:
		for _, site := range o.sites {
			e.addTimes(e.weight(o, site.Lane), site, o.reg)
		}
	case seen:
		e.seen(o)
	case valued:
		for _, site := range o.sites {
			skip := e.idle(o, site.Lane)
			e.noteRegister(o.reg)
			e.noteValue(site)
			e.call("runtime.dupinstNoteValue")
			e.targets(skip)
		}
	case referred:
		e.refer(o)
	case stacked:
		for _, site := range o.sites {
			skip := e.idle(o, site.Lane)
			e.noteValue(site)
			e.call("runtime.dupinstNoteStack")
			e.targets(skip)
		}
	case begin:
		e.beginPath(e.sumOf(o), o.n, o)
		e.beginAcross(o)
	case step:
		e.stepPath(e.sumOf(o), o)
	case end:
		if o.across != nil {
			e.endAcross(o)
			break
		}
		skip := e.elsewhere(o.lane)
		e.endPath(e.sumOf(o), e.weight(o, o.lane), o)
		e.targets(skip)
	case gone:
		skip := e.elsewhere(o.sites[0].Lane)
		other := e.noteRounds(e.sumOf(o), o)
		for _, site := range o.sites {
			e.noteValue(site)
			e.call("runtime.dupinstNoteValue")
		}
		e.targets(other, skip)
	case note:
		for _, site := range o.sites {
			e.set(int64(o.how), calleeAt)
			e.noteCounter(site)
			e.call("runtime.dupinstNote")
		}
	}
	if flags {
		e.restore()
	}
}

// count adds the sample's weight to counters.
func (e emitter) count(o *op, sites []Site) {
	for _, alike := range byLane(sites) {
		e.add(e.weight(o, alike[0].Lane), alike, o.reg)
	}
}

// targets lets jumps lead to here, of which some may be none.
func (e emitter) targets(jumps ...*obj.Prog) {
	for _, jump := range jumps {
		if jump != nil {
			e.target(jump)
		}
	}
}

// sumOf is where o's sum of a path is.
func (e emitter) sumOf(o *op) obj.Addr {
	if o.slot == nil {
		return e.word(o.word)
	}
	return local(o.slot, 0)
}

// local is in a variable of the frame's.
func local(n *ir.Name, offset int64) obj.Addr {
	return obj.Addr{Type: obj.TYPE_MEM, Name: obj.NAME_AUTO, Sym: n.Linksym(), Reg: int16(ssagen.Arch.REGSP), Offset: n.FrameOffset() + offset}
}

// seen counts a call and notes its callee: the code that the call jumps to.
func (e emitter) seen(o *op) {
	callee := o.callee
	if o.call != nil {
		callee = o.call.Aux.(*ssa.AuxCall).Fn
	}
	for _, site := range o.sites {
		if site.Counters == uncounted {
			e.see(o, callee, site)
			continue
		}
		other := e.idle(o, site.Lane)
		e.see(o, callee, site)
		if other == nil {
			continue
		}
		if variant != plan.Windows || callee != nil {
			e.target(other)
			continue
		}
		behind := e.s.Prog(obj.AJMP)
		behind.To.Type = obj.TYPE_BRANCH
		e.target(other)
		e.see(o, callee, Site{Counters: uncounted}) // it is followed all the same
		e.target(behind)
	}
}

func (e emitter) see(o *op, callee *obj.LSym, site Site) {
	if callee == nil {
		e.noteRegister(o.call.Args[0].Reg())
	} else {
		e.noteAddress(callee, 0)
	}
	e.noteCounter(site)
	e.call("runtime.dupinstSee")
}

// noteCounter notes a site by its counter.
func (e emitter) noteCounter(site Site) { e.noteSite(site.Counters, int64(site.Index)*8) }

// noteValue notes a site by what the runtime knows of its value.
func (e emitter) noteValue(site Site) { e.noteSite(site.Values, int64(site.Value-1)*valueSize) }

// each takes checks one by one that were counted down at once.
func (e emitter) each(o *op) {
	e.bump(int64(len(o.sites)))
	for _, site := range o.sites {
		e.check(1, 0)
		skip := e.unless()
		e.call("runtime.dupinstFire")
		e.count(o, []Site{site})
		e.target(skip)
	}
}

// home is where a value is: in a register or on the stack.
func home(v *ssa.Value) (a obj.Addr) {
	if r, ok := ssa.DupinstRegister(v); ok {
		register(&a, r)
	} else {
		ssagen.AddrAuto(&a, v)
	}
	return a
}

func register(a *obj.Addr, r int16) { a.Type, a.Reg = obj.TYPE_REG, r }

func constant(a *obj.Addr, n int64) { a.Type, a.Offset = obj.TYPE_CONST, n }

func symbol(a *obj.Addr, sym *obj.LSym, offset int64) {
	a.Type, a.Name, a.Sym, a.Offset = obj.TYPE_MEM, obj.NAME_EXTERN, sym, offset
}

// routine is the operand of a call of the runtime's.
func routine(a *obj.Addr, name string) { symbol(a, base.Ctxt.LookupABI(name, obj.ABI0), 0) }
