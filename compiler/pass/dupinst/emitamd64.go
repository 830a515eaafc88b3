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

// amd64Machine is for amd64, where R14 is g. AX and R12 are kept in g meanwhile.
type amd64Machine struct{ s *ssagen.State }

func (amd64Machine) word(offset int64) obj.Addr {
	return obj.Addr{Type: obj.TYPE_MEM, Reg: x86.REGG, Offset: offset}
}

func (m amd64Machine) check(n int64, reg int16) {
	counter := m.word(counterAt)
	if reg != 0 {
		counter = obj.Addr{Type: obj.TYPE_REG, Reg: reg}
	}
	if n == 1 && reg != 0 {
		m.s.Prog(x86.ADECQ).To = counter
		return
	}
	// The assembler takes DECQ of memory for one that the machine fuses with the jump behind it,
	// and pads both where they cross 32 bytes.
	p := m.s.Prog(x86.ASUBQ)
	constant(&p.From, n)
	p.To = counter
}

func (m amd64Machine) bump(n int64) {
	p := m.s.Prog(x86.AADDQ)
	constant(&p.From, n)
	p.To = m.word(counterAt)
}

func (m amd64Machine) compare(v []*ssa.Value, n int64, reg int16) {
	what := home(v[0])
	if len(v) > 1 {
		m.load(what, reg)
		what = obj.Addr{}
		register(&what, reg)
		p := m.s.Prog(x86.ASUBQ)
		p.From, p.To = home(v[1]), what
	}
	p := m.s.Prog(x86.ACMPQ)
	p.From = what
	constant(&p.To, n)
}

func (m amd64Machine) compareWeight() {
	p := m.s.Prog(x86.ACMPQ)
	p.From = m.word(weightAt)
	constant(&p.To, 0)
}

func (m amd64Machine) hold(reg int16) { m.load(m.word(counterAt), reg) }

func (m amd64Machine) release(reg int16) { m.store(reg, counterAt) }

func (m amd64Machine) save() {
	m.s.Prog(x86.APUSHFQ)
	m.s.Prog(x86.APOPQ).To = m.word(flagsAt)
}

func (m amd64Machine) restore() {
	m.s.Prog(x86.APUSHQ).From = m.word(flagsAt)
	m.s.Prog(x86.APOPFQ)
}

// call: the assembler knows the routines as ones that need no frame (compiler/toolchain,
// hooks.go).
func (m amd64Machine) call(name string) { routine(&m.s.Prog(obj.ACALL).To, name) }

// store keeps a register in g.
func (m amd64Machine) store(r int16, offset int64) {
	p := m.s.Prog(x86.AMOVQ)
	register(&p.From, r)
	p.To = m.word(offset)
}

func (m amd64Machine) load(from obj.Addr, r int16) {
	p := m.s.Prog(x86.AMOVQ)
	p.From = from
	register(&p.To, r)
}

// weigh loads a weight.
func (m amd64Machine) weigh(w weight, r int16) {
	as := x86.AMOVQ
	if w.byte {
		as = x86.AMOVBQZX
	}
	p := m.s.Prog(as)
	p.From = w.at
	register(&p.To, r)
}

func (m amd64Machine) add(weight weight, sites []Site, reg int16) {
	kept := m.borrow(&reg, x86.REG_AX, scratchAt)
	m.weigh(weight, reg)
	for _, site := range sites {
		counter := m.counter(site)
		m.s.Prog(x86.ALOCK)
		p := m.s.Prog(x86.AADDQ)
		register(&p.From, reg)
		p.To = counter
	}
	m.giveBack(kept, scratchAt)
}

func (m amd64Machine) addTimes(weight weight, site Site, reg int16) {
	m.weigh(weight, x86.REG_R12)
	p := m.s.Prog(x86.AIMULQ)
	register(&p.From, reg)
	register(&p.To, x86.REG_R12)
	counter := m.counter(site)
	if variant == plan.Windows {
		m.own()
	} else {
		m.s.Prog(x86.ALOCK)
	}
	p = m.s.Prog(x86.AADDQ)
	register(&p.From, x86.REG_R12)
	p.To = counter
	if variant == plan.Windows {
		m.address(onceFor, 0, x86.REG_R13)
		m.own()
		p = m.s.Prog(x86.AADDQ)
		register(&p.From, x86.REG_R12)
		p.To = obj.Addr{Type: obj.TYPE_MEM, Reg: x86.REG_R13}
	}
}

// counter is a site's counter. Where its address stands in a table, R15 is kept free for that,
// and the assembler would load it between LOCK and what is to be locked.
func (m amd64Machine) counter(site Site) (a obj.Addr) {
	symbol(&a, site.Counters, int64(site.Index)*8)
	if base.Ctxt.Flag_dynlink {
		m.address(a.Sym, a.Offset, x86.REG_R15)
		a = obj.Addr{Type: obj.TYPE_MEM, Reg: x86.REG_R15}
	}
	return a
}

// own is the prefix of an instruction that counts in a window: several threads may, each in an area of
// its own (runtime/core, window_area.go). A plugin's variables are in none.
func (m amd64Machine) own() {
	const gs = 0x65
	if !base.Ctxt.Flag_dynlink {
		constant(&m.s.Prog(x86.ABYTE).From, gs)
	}
}

func (m amd64Machine) tally(w weight, sites []Site, weight int16, flags bool) {
	kept := weight == 0
	if kept {
		weight = x86.REG_AX
		m.store(weight, scratchAt)
	}
	m.weigh(w, weight)
	if flags {
		m.store(x86.REG_R12, scratchAt+8)
	}
	for _, site := range sites {
		counter := m.counter(site)
		if !flags {
			m.own()
			p := m.s.Prog(x86.AADDQ)
			register(&p.From, weight)
			p.To = counter
			continue
		}
		m.own()
		m.load(counter, x86.REG_R12)
		p := m.s.Prog(x86.ALEAQ)
		p.From = obj.Addr{Type: obj.TYPE_MEM, Reg: x86.REG_R12, Index: weight, Scale: 1}
		register(&p.To, x86.REG_R12)
		m.own()
		p = m.s.Prog(x86.AMOVQ)
		register(&p.From, x86.REG_R12)
		p.To = counter
	}
	if flags {
		m.load(m.word(scratchAt+8), x86.REG_R12)
	}
	if kept {
		m.load(m.word(scratchAt), weight)
	}
}

func (m amd64Machine) beginPath(sum obj.Addr, n int64, o *op) {
	if !o.tagged() {
		p := m.s.Prog(x86.AMOVQ)
		constant(&p.From, n)
		p.To = sum
		return
	}
	reg := o.reg
	kept := m.borrow(&reg, x86.REG_AX, scratchAt)
	m.load(m.word(beginsAt), reg)
	if n > 0 {
		m.sum(reg, n)
	}
	m.keep(reg, sum)
	m.giveBack(kept, scratchAt)
}

func (m amd64Machine) stepPath(sum obj.Addr, o *op) {
	if !o.flags {
		p := m.s.Prog(x86.AADDQ)
		constant(&p.From, o.n)
		p.To = sum
		return
	}
	reg := o.reg
	kept := m.borrow(&reg, x86.REG_AX, scratchAt)
	m.load(sum, reg)
	m.sum(reg, o.n)
	m.keep(reg, sum)
	m.giveBack(kept, scratchAt)
}

func (m amd64Machine) endPath(sum obj.Addr, weight weight, o *op) {
	number, counter := o.reg, o.other
	keptNumber := m.borrow(&number, x86.REG_AX, scratchAt)
	keptCounter := m.borrow(&counter, x86.REG_R12, scratchAt+8)
	if number == counter {
		base.Fatalf("dupinst: a path's number and its counter are both in register %d", number)
	}
	m.load(sum, number)
	if variant == plan.Windows {
		p := m.s.Prog(x86.ASUBQ)
		p.From = m.word(windowAt)
		register(&p.To, number)
	}
	p := m.s.Prog(x86.ACMPQ)
	register(&p.From, number)
	constant(&p.To, o.of-o.n)
	other := m.jump(x86.AJCC)
	m.address(o.counters, o.n*8, counter)
	at := obj.Addr{Type: obj.TYPE_MEM, Reg: counter, Index: number, Scale: 8}
	if variant == plan.Windows {
		m.own()
		m.s.Prog(x86.AINCQ).To = at
		m.address(ended, 0, counter)
		m.own()
		m.s.Prog(x86.AINCQ).To = obj.Addr{Type: obj.TYPE_MEM, Reg: counter}
	} else {
		p = m.s.Prog(x86.ALEAQ)
		p.From = at
		register(&p.To, counter)
		m.weigh(weight, number)
		m.s.Prog(x86.ALOCK)
		p = m.s.Prog(x86.AADDQ)
		register(&p.From, number)
		p.To = obj.Addr{Type: obj.TYPE_MEM, Reg: counter}
	}
	other.To.SetTarget(m.s.Prog(obj.ANOP))
	m.giveBack(keptCounter, scratchAt+8)
	m.giveBack(keptNumber, scratchAt)
}

func (m amd64Machine) notePath(sum obj.Addr, o *op) (other *obj.Prog) {
	number, counter := o.reg, o.other
	keptNumber := m.borrow(&number, x86.REG_AX, scratchAt)
	keptCounter := m.borrow(&counter, x86.REG_R12, scratchAt+8)
	m.load(sum, number)
	if o.tagged() {
		p := m.s.Prog(x86.ASUBQ)
		p.From = m.word(windowAt)
		register(&p.To, number)
	}
	m.address(o.counters, o.n*8+o.across.how, counter)
	p := m.s.Prog(x86.ALEAQ)
	p.From = obj.Addr{Type: obj.TYPE_MEM, Reg: counter, Index: number, Scale: 8}
	register(&p.To, counter)
	m.noteRegister(counter)
	p = m.s.Prog(x86.ACMPQ)
	register(&p.From, number)
	constant(&p.To, o.of-o.n)
	m.giveBack(keptCounter, scratchAt+8)
	m.giveBack(keptNumber, scratchAt)
	return m.jump(x86.AJCC)
}

func (m amd64Machine) noteRounds(sum obj.Addr, o *op) (other *obj.Prog) {
	reg := o.reg
	kept := m.borrow(&reg, x86.REG_AX, scratchAt+8)
	m.load(sum, reg)
	if o.n > 0 {
		m.sum(reg, o.n)
	}
	if variant == plan.Windows {
		p := m.s.Prog(x86.ASUBQ)
		p.From = m.word(windowAt)
		register(&p.To, reg)
		p = m.s.Prog(x86.ACMPQ)
		register(&p.From, reg)
		constant(&p.To, mostRounds)
	}
	m.noteRegister(reg)
	m.giveBack(kept, scratchAt+8)
	if variant == plan.Windows {
		other = m.jump(x86.AJHI)
	}
	return other
}

// borrow makes a register of r where that is none, and returns it, or 0.
func (m amd64Machine) borrow(r *int16, from int16, keptAt int64) int16 {
	if *r != 0 {
		return 0
	}
	*r = from
	m.store(from, keptAt)
	return from
}

func (m amd64Machine) giveBack(r int16, keptAt int64) {
	if r != 0 {
		m.load(m.word(keptAt), r)
	}
}

// sum adds a constant to a register.
func (m amd64Machine) sum(r int16, n int64) {
	p := m.s.Prog(x86.ALEAQ)
	p.From = obj.Addr{Type: obj.TYPE_MEM, Reg: r, Offset: n}
	register(&p.To, r)
}

func (m amd64Machine) keep(r int16, to obj.Addr) {
	p := m.s.Prog(x86.AMOVQ)
	register(&p.From, r)
	p.To = to
}

func (m amd64Machine) set(n, offset int64) {
	p := m.s.Prog(x86.AMOVQ)
	constant(&p.From, n)
	p.To = m.word(offset)
}

func (m amd64Machine) noteRegister(r int16) { m.store(r, calleeAt) }

func (m amd64Machine) noteAt(a ssa.DupinstAddress) {
	if a.Sym != nil {
		m.noteAddress(a.Sym, a.Offset)
		return
	}
	m.store(x86.REG_R12, scratchAt)
	p := m.s.Prog(x86.ALEAQ)
	p.From = obj.Addr{Type: obj.TYPE_MEM, Reg: a.Base, Index: a.Index, Offset: a.Offset}
	if a.Index != 0 {
		p.From.Scale = int16(a.Scale)
	}
	register(&p.To, x86.REG_R12)
	m.store(x86.REG_R12, calleeAt)
	m.load(m.word(scratchAt), x86.REG_R12)
}

func (m amd64Machine) noteAddress(of *obj.LSym, offset int64) {
	m.store(x86.REG_R12, scratchAt)
	m.address(of, offset, x86.REG_R12)
	m.store(x86.REG_R12, calleeAt)
	m.load(m.word(scratchAt), x86.REG_R12)
}

// noteSite leaves R12 to the routine that is called next, which restores it.
func (m amd64Machine) noteSite(site *obj.LSym, offset int64) {
	m.store(x86.REG_R12, scratchAt)
	m.address(site, offset, x86.REG_R12)
	m.store(x86.REG_R12, siteAt)
}

// address puts an address into a register.
func (m amd64Machine) address(sym *obj.LSym, offset int64, r int16) {
	p := m.s.Prog(x86.ALEAQ)
	symbol(&p.From, sym, offset)
	register(&p.To, r)
}

func (m amd64Machine) unless() *obj.Prog { return m.jump(x86.AJGE) }

func (m amd64Machine) move(from, to obj.Addr) {
	m.store(x86.REG_AX, scratchAt)
	m.load(from, x86.REG_AX)
	m.keep(x86.REG_AX, to)
	m.load(m.word(scratchAt), x86.REG_AX)
}

func (m amd64Machine) none(at obj.Addr, bits int64) *obj.Prog {
	p := m.s.Prog(x86.ATESTB)
	constant(&p.From, bits)
	p.To = at
	return m.jump(x86.AJEQ)
}

func (m amd64Machine) jump(as obj.As) *obj.Prog {
	p := m.s.Prog(as)
	p.To.Type = obj.TYPE_BRANCH
	return p
}

func (m amd64Machine) skip(w *ssa.DupinstWhen) *obj.Prog {
	jumps := amd64Jumps[w.Kind]
	if w.Not {
		return m.jump(jumps[0])
	}
	return m.jump(jumps[1])
}

// amd64Jumps are the jumps where a block of a kind leads to its first successor, and where
// it does not.
var amd64Jumps = map[ssa.BlockKind][2]obj.As{
	ssa.BlockAMD64EQ: {x86.AJEQ, x86.AJNE}, ssa.BlockAMD64NE: {x86.AJNE, x86.AJEQ},
	ssa.BlockAMD64LT: {x86.AJLT, x86.AJGE}, ssa.BlockAMD64LE: {x86.AJLE, x86.AJGT},
	ssa.BlockAMD64GT: {x86.AJGT, x86.AJLE}, ssa.BlockAMD64GE: {x86.AJGE, x86.AJLT},
	ssa.BlockAMD64ULT: {x86.AJCS, x86.AJCC}, ssa.BlockAMD64ULE: {x86.AJLS, x86.AJHI},
	ssa.BlockAMD64UGT: {x86.AJHI, x86.AJLS}, ssa.BlockAMD64UGE: {x86.AJCC, x86.AJCS},
}
