//go:build dupinst_compiler

package dupinst

import (
	"math/bits"

	"cmd/compile/internal/dupinst/plan"
	"cmd/compile/internal/ssa"
	"cmd/compile/internal/ssagen"
	"cmd/internal/obj"
	"cmd/internal/obj/arm64"
)

// arm64Machine is for arm64, where R28 is g. R27 is free everywhere: the assembler's own,
// and no instruction that names it is a safe point.
type arm64Machine struct{ s *ssagen.State }

func (arm64Machine) word(offset int64) obj.Addr {
	return obj.Addr{Type: obj.TYPE_MEM, Reg: arm64.REGG, Offset: offset}
}

func (m arm64Machine) load(from obj.Addr, r int16) {
	p := m.s.Prog(arm64.AMOVD)
	p.From = from
	register(&p.To, r)
}

func (m arm64Machine) store(r int16, offset int64) {
	p := m.s.Prog(arm64.AMOVD)
	register(&p.From, r)
	p.To = m.word(offset)
}

// arithmetic is an operation on R27 and a constant.
func (m arm64Machine) arithmetic(as obj.As, n int64) {
	p := m.s.Prog(as)
	constant(&p.From, n)
	p.Reg = arm64.REGTMP
	register(&p.To, arm64.REGTMP)
}

func (m arm64Machine) check(n int64, reg int16) {
	if reg != 0 {
		p := m.s.Prog(arm64.ASUBS)
		constant(&p.From, n)
		p.Reg = reg
		register(&p.To, reg)
		return
	}
	m.load(m.word(counterAt), arm64.REGTMP)
	m.arithmetic(arm64.ASUBS, n)
	m.store(arm64.REGTMP, counterAt)
}

func (m arm64Machine) bump(n int64) {
	m.load(m.word(counterAt), arm64.REGTMP)
	m.arithmetic(arm64.AADD, n)
	m.store(arm64.REGTMP, counterAt)
}

func (m arm64Machine) compare(v []*ssa.Value, n int64, reg int16) {
	in := func(v *ssa.Value, or int16) int16 {
		at := home(v)
		if at.Type != obj.TYPE_REG {
			m.load(at, or)
			return or
		}
		return at.Reg
	}
	if len(v) == 1 {
		reg = in(v[0], arm64.REGTMP)
	} else {
		from, less := in(v[0], reg), in(v[1], arm64.REGTMP)
		p := m.s.Prog(arm64.ASUB)
		register(&p.From, less)
		p.Reg = from
		register(&p.To, reg)
	}
	p := m.s.Prog(arm64.ACMP)
	constant(&p.From, n)
	p.Reg = reg
}

func (m arm64Machine) compareWeight() {
	m.load(m.word(weightAt), arm64.REGTMP)
	p := m.s.Prog(arm64.ACMP)
	constant(&p.From, 0)
	p.Reg = arm64.REGTMP
}

func (m arm64Machine) hold(reg int16) { m.load(m.word(counterAt), reg) }

func (m arm64Machine) release(reg int16) { m.store(reg, counterAt) }

func (m arm64Machine) save() {
	p := m.s.Prog(arm64.AMRS)
	register(&p.From, arm64.REG_NZCV)
	register(&p.To, arm64.REGTMP)
	m.store(arm64.REGTMP, flagsAt)
}

func (m arm64Machine) restore() {
	m.load(m.word(flagsAt), arm64.REGTMP)
	p := m.s.Prog(arm64.AMSR)
	register(&p.From, arm64.REGTMP)
	register(&p.To, arm64.REG_NZCV)
}

// call jumps, and has the routine jump back: a call would change the link register, which a
// leaf keeps its return address in.
func (m arm64Machine) call(name string) {
	adr := m.s.Prog(arm64.AADR)
	adr.From.Type = obj.TYPE_BRANCH
	register(&adr.To, arm64.REGTMP)
	m.store(arm64.REGTMP, backAt)
	routine(&m.s.Prog(obj.AJMP).To, name)
	adr.From.SetTarget(m.s.Prog(obj.ANOP))
}

// weigh loads a weight.
func (m arm64Machine) weigh(w weight, r int16) {
	as := arm64.AMOVD
	if w.byte {
		as = arm64.AMOVBU
	}
	p := m.s.Prog(as)
	p.From = w.at
	register(&p.To, r)
}

func (m arm64Machine) add(weight weight, sites []Site, reg int16) {
	kept := []int16{arm64.REG_R0, arm64.REG_R1}
	if reg == 0 {
		reg = arm64.REG_R2
		kept = append(kept, reg)
	}
	for i, r := range kept {
		m.store(r, scratchAt+8*int64(i))
	}
	m.weigh(weight, reg)
	for _, site := range sites {
		m.address(site.Counters, int64(site.Index)*8, arm64.REG_R0)
		again := m.s.Prog(arm64.ALDAXR)
		again.From = obj.Addr{Type: obj.TYPE_MEM, Reg: arm64.REG_R0}
		register(&again.To, arm64.REG_R1)
		p := m.s.Prog(arm64.AADD)
		register(&p.From, reg)
		p.Reg = arm64.REG_R1
		register(&p.To, arm64.REG_R1)
		p = m.s.Prog(arm64.ASTLXR)
		register(&p.From, arm64.REG_R1)
		p.To = obj.Addr{Type: obj.TYPE_MEM, Reg: arm64.REG_R0}
		p.RegTo2 = arm64.REGTMP
		p = m.s.Prog(arm64.ACBNZ)
		register(&p.From, arm64.REGTMP)
		p.To.Type = obj.TYPE_BRANCH
		p.To.SetTarget(again)
	}
	for i, r := range kept {
		m.load(m.word(scratchAt+8*int64(i)), r)
	}
}

func (m arm64Machine) addTimes(weight weight, site Site, reg int16) {
	m.weigh(weight, arm64.REG_R2)
	m.registers(arm64.AMUL, reg, arm64.REG_R2)
	m.address(site.Counters, int64(site.Index)*8, arm64.REG_R1)
	kept := m.s.Prog(arm64.AMOVD) // by addAlone, which may be for another site
	register(&kept.From, reg)
	register(&kept.To, arm64.REG_R3)
	m.addAlone()
	if variant == plan.Windows {
		m.address(onceFor, 0, arm64.REG_R1)
		m.addAlone()
	}
	kept = m.s.Prog(arm64.AMOVD)
	register(&kept.From, arm64.REG_R3)
	register(&kept.To, reg)
}

func (m arm64Machine) tally(weight weight, sites []Site, _ int16, _ bool) {
	m.store(arm64.REG_R0, scratchAt)
	m.store(arm64.REG_R1, scratchAt+8)
	m.weigh(weight, arm64.REG_R1)
	for _, site := range sites {
		m.address(site.Counters, int64(site.Index)*8, arm64.REG_R0)
		counter := obj.Addr{Type: obj.TYPE_MEM, Reg: arm64.REG_R0}
		m.load(counter, arm64.REGTMP)
		p := m.s.Prog(arm64.AADD)
		register(&p.From, arm64.REG_R1)
		p.Reg = arm64.REGTMP
		register(&p.To, arm64.REGTMP)
		p = m.s.Prog(arm64.AMOVD)
		register(&p.From, arm64.REGTMP)
		p.To = counter
	}
	m.load(m.word(scratchAt), arm64.REG_R0)
	m.load(m.word(scratchAt+8), arm64.REG_R1)
}

// address puts an address into a register.
func (m arm64Machine) address(sym *obj.LSym, offset int64, r int16) {
	p := m.s.Prog(arm64.AMOVD)
	symbol(&p.From, sym, offset)
	p.From.Type = obj.TYPE_ADDR
	register(&p.To, r)
}

// Sums of paths may lie so deep in the frame that the assembler takes R27 for their address.

func (m arm64Machine) beginPath(sum obj.Addr, n int64, o *op) {
	m.store(arm64.REG_R0, scratchAt)
	if o.tagged() {
		m.load(m.word(beginsAt), arm64.REG_R0)
		m.plus(n, arm64.REG_R0)
	} else {
		p := m.s.Prog(arm64.AMOVD)
		constant(&p.From, n)
		register(&p.To, arm64.REG_R0)
	}
	m.keep(arm64.REG_R0, sum)
	m.load(m.word(scratchAt), arm64.REG_R0)
}

func (m arm64Machine) stepPath(sum obj.Addr, o *op) {
	m.store(arm64.REG_R0, scratchAt)
	m.load(sum, arm64.REG_R0)
	m.plus(o.n, arm64.REG_R0)
	m.keep(arm64.REG_R0, sum)
	m.load(m.word(scratchAt), arm64.REG_R0)
}

func (m arm64Machine) endPath(sum obj.Addr, weight weight, o *op) {
	for i, r := range []int16{arm64.REG_R0, arm64.REG_R1, arm64.REG_R2} {
		m.store(r, scratchAt+8*int64(i))
	}
	other := m.pathCounter(sum, o, 0)
	if variant == plan.Windows {
		p := m.s.Prog(arm64.AMOVD)
		constant(&p.From, 1)
		register(&p.To, arm64.REG_R2)
		m.addAlone()
		m.address(ended, 0, arm64.REG_R1)
	} else {
		m.weigh(weight, arm64.REG_R2)
	}
	m.addAlone()
	other.To.SetTarget(m.s.Prog(obj.ANOP))
	for i, r := range []int16{arm64.REG_R0, arm64.REG_R1, arm64.REG_R2} {
		m.load(m.word(scratchAt+8*int64(i)), r)
	}
}

func (m arm64Machine) notePath(sum obj.Addr, o *op) (other *obj.Prog) {
	m.store(arm64.REG_R0, scratchAt)
	m.store(arm64.REG_R1, scratchAt+8)
	other = m.pathCounter(sum, o, o.across.how)
	m.noteRegister(arm64.REG_R1)
	other.To.SetTarget(m.s.Prog(obj.ANOP))
	m.load(m.word(scratchAt), arm64.REG_R0)
	m.load(m.word(scratchAt+8), arm64.REG_R1)
	return m.jump(arm64.ABHS)
}

// pathCounter puts the address of the counter of the path that a sum is, and something more, into R1, and jumps where it is none's.
func (m arm64Machine) pathCounter(sum obj.Addr, o *op, more int64) (other *obj.Prog) {
	m.load(sum, arm64.REG_R0)
	if o.tagged() {
		m.load(m.word(windowAt), arm64.REG_R1)
		m.registers(arm64.ASUB, arm64.REG_R1, arm64.REG_R0)
	}
	p := m.s.Prog(arm64.AMOVD)
	constant(&p.From, o.of-o.n)
	register(&p.To, arm64.REG_R1)
	p = m.s.Prog(arm64.ACMP)
	register(&p.From, arm64.REG_R1)
	p.Reg = arm64.REG_R0
	other = m.jump(arm64.ABHS)
	m.address(o.counters, o.n*8+more, arm64.REG_R1)
	p = m.s.Prog(arm64.ALSL)
	constant(&p.From, 3)
	p.Reg = arm64.REG_R0
	register(&p.To, arm64.REG_R0)
	m.registers(arm64.AADD, arm64.REG_R0, arm64.REG_R1)
	return other
}

// plus adds a constant to a register.
func (m arm64Machine) plus(n int64, r int16) {
	p := m.s.Prog(arm64.AADD)
	constant(&p.From, n)
	register(&p.To, r)
}

// registers is an operation on two registers that leaves the result in the second.
func (m arm64Machine) registers(as obj.As, r, to int16) {
	p := m.s.Prog(as)
	register(&p.From, r)
	p.Reg = to
	register(&p.To, to)
}

// addAlone adds R2 to what R1 has the address of while nobody else does.
func (m arm64Machine) addAlone() {
	counter := obj.Addr{Type: obj.TYPE_MEM, Reg: arm64.REG_R1}
	again := m.s.Prog(arm64.ALDAXR)
	again.From = counter
	register(&again.To, arm64.REG_R0)
	m.registers(arm64.AADD, arm64.REG_R2, arm64.REG_R0)
	p := m.s.Prog(arm64.ASTLXR)
	register(&p.From, arm64.REG_R0)
	p.To = counter
	p.RegTo2 = arm64.REGTMP
	p = m.s.Prog(arm64.ACBNZ)
	register(&p.From, arm64.REGTMP)
	p.To.Type = obj.TYPE_BRANCH
	p.To.SetTarget(again)
}

func (m arm64Machine) keep(r int16, to obj.Addr) {
	p := m.s.Prog(arm64.AMOVD)
	register(&p.From, r)
	p.To = to
}

func (m arm64Machine) set(n, offset int64) {
	p := m.s.Prog(arm64.AMOVD)
	constant(&p.From, n)
	register(&p.To, arm64.REGTMP)
	m.store(arm64.REGTMP, offset)
}

func (m arm64Machine) noteRounds(sum obj.Addr, o *op) (other *obj.Prog) {
	m.store(arm64.REG_R0, scratchAt)
	m.store(arm64.REG_R1, scratchAt+8)
	m.load(sum, arm64.REG_R0)
	m.plus(o.n, arm64.REG_R0)
	if variant == plan.Windows {
		m.load(m.word(windowAt), arm64.REG_R1)
		m.registers(arm64.ASUB, arm64.REG_R1, arm64.REG_R0)
		p := m.s.Prog(arm64.AMOVD)
		constant(&p.From, mostRounds)
		register(&p.To, arm64.REG_R1)
		p = m.s.Prog(arm64.ACMP)
		register(&p.From, arm64.REG_R1)
		p.Reg = arm64.REG_R0
	}
	m.noteRegister(arm64.REG_R0)
	m.load(m.word(scratchAt), arm64.REG_R0)
	m.load(m.word(scratchAt+8), arm64.REG_R1)
	if variant == plan.Windows {
		other = m.jump(arm64.ABHI)
	}
	return other
}

func (m arm64Machine) noteRegister(r int16) { m.store(r, calleeAt) }

func (m arm64Machine) noteAt(a ssa.DupinstAddress) {
	if a.Sym != nil {
		m.noteAddress(a.Sym, a.Offset)
		return
	}
	p := m.s.Prog(arm64.AADD)
	constant(&p.From, a.Offset)
	if a.Index != 0 { // and then no offset
		shift := int64(bits.TrailingZeros64(uint64(a.Scale)))
		p.From = obj.Addr{Type: obj.TYPE_SHIFT, Offset: int64(a.Index&31)<<16 | shift<<10}
	}
	p.Reg = a.Base
	register(&p.To, arm64.REGTMP)
	m.store(arm64.REGTMP, calleeAt)
}

func (m arm64Machine) noteAddress(of *obj.LSym, offset int64) {
	m.address(of, offset, arm64.REGTMP)
	m.store(arm64.REGTMP, calleeAt)
}

func (m arm64Machine) noteSite(site *obj.LSym, offset int64) {
	m.address(site, offset, arm64.REGTMP)
	m.store(arm64.REGTMP, siteAt)
}

func (m arm64Machine) unless() *obj.Prog { return m.jump(arm64.ABGE) }

func (m arm64Machine) move(from, to obj.Addr) {
	m.store(arm64.REG_R0, scratchAt)
	m.load(from, arm64.REG_R0)
	m.keep(arm64.REG_R0, to)
	m.load(m.word(scratchAt), arm64.REG_R0)
}

func (m arm64Machine) none(at obj.Addr, bits int64) *obj.Prog {
	p := m.s.Prog(arm64.AMOVBU)
	p.From = at
	register(&p.To, arm64.REGTMP)
	p = m.s.Prog(arm64.ATST)
	constant(&p.From, bits)
	p.Reg = arm64.REGTMP
	return m.jump(arm64.ABEQ)
}

func (m arm64Machine) jump(as obj.As) *obj.Prog {
	p := m.s.Prog(as)
	p.To.Type = obj.TYPE_BRANCH
	return p
}

func (m arm64Machine) skip(w *ssa.DupinstWhen) *obj.Prog {
	jumps := arm64Jumps[w.Kind]
	if w.Not {
		return m.jump(jumps[0])
	}
	return m.jump(jumps[1])
}

// arm64Jumps are the jumps where a block of a kind leads to its first successor, and where
// it does not.
var arm64Jumps = map[ssa.BlockKind][2]obj.As{
	ssa.BlockARM64EQ: {arm64.ABEQ, arm64.ABNE}, ssa.BlockARM64NE: {arm64.ABNE, arm64.ABEQ},
	ssa.BlockARM64LT: {arm64.ABLT, arm64.ABGE}, ssa.BlockARM64LE: {arm64.ABLE, arm64.ABGT},
	ssa.BlockARM64GT: {arm64.ABGT, arm64.ABLE}, ssa.BlockARM64GE: {arm64.ABGE, arm64.ABLT},
	ssa.BlockARM64ULT: {arm64.ABLO, arm64.ABHS}, ssa.BlockARM64ULE: {arm64.ABLS, arm64.ABHI},
	ssa.BlockARM64UGT: {arm64.ABHI, arm64.ABLS}, ssa.BlockARM64UGE: {arm64.ABHS, arm64.ABLO},
	ssa.BlockARM64FLT: {arm64.ABMI, arm64.ABPL}, ssa.BlockARM64FLE: {arm64.ABLS, arm64.ABHI},
	ssa.BlockARM64FGT: {arm64.ABGT, arm64.ABLE}, ssa.BlockARM64FGE: {arm64.ABGE, arm64.ABLT},
}
