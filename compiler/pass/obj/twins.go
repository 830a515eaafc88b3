//go:build dupinst_compiler

package obj

import (
	"encoding/binary"

	"cmd/internal/objabi"
)

// DupinstWindows says that code is compiled for windows: control comes to copies from
// outside, and by the slow path of stack checks.
var DupinstWindows bool

// A DupinstFunc is what is known of a function that has copies.
type DupinstFunc struct {
	Twins map[*Prog]*Prog // an instruction's in the copy
	Nops  map[*Prog]bool  // instructions that do nothing, and that copies do without
	// Behind are the calls in copies that do not go where their originals do, and may be of
	// several instructions: what is behind them has a twin.
	Behind map[*Prog]bool
	Body   *Prog // behind what receives arguments
	Copy   *Prog // the same place in the copy

	Traps []DupinstTrap

	Loops     map[*Prog]*DupinstLoop // by their first instructions (x86/align.go)
	Cold      *Prog                  // where the code of copies begins, if there are any
	Assembled int                    // how often it was
	InCopies  bool                   // what is being assembled is behind that
}

// DupinstTwinTable is the number of the table that gives, for the address of an instruction,
// the distance from its end to that of its twin, and in the lowest three bits how much longer
// the twin is; 0 where it has none. A call is the one instruction that may be (ssagen), and
// where it is in DupinstFunc.Behind, the bits are DupinstBehind: only what is behind
// it has a twin. That of a function's first instruction is where calls from copies go. What
// pads an instruction is of another length in the copy; with DupinstPad, the distance is that
// from where it begins to the twin of the instruction. runtime/core has the numbers, too.
const (
	DupinstTwinTable = 7
	DupinstPad       = 6
	DupinstBehind    = 7
)

// A DupinstTrap is an instruction that may be replaced by a trap until it is first carried out, and what
// counts that.
type DupinstTrap struct {
	At      *Prog
	Place   int64 // once the function is assembled, from its beginning
	Counter *LSym
	Offset  int64
}

// DupinstTrapped is told which traps a function has, if any.
var DupinstTrapped func(s *LSym, traps []DupinstTrap)

// dupinstTable makes the table.
func dupinstTable(ctxt *Link, s *LSym) {
	f := &s.Func().Dupinst
	if len(f.Traps) > 0 {
		for i := range f.Traps {
			t := &f.Traps[i]
			if dupinstSize(s, t.At) == 0 {
				ctxt.Diag("dupinst: %s: nothing is left of %v, where a trap was to be", s.Name, t.At)
			}
			t.Place, t.At = t.At.Pc, nil
		}
		DupinstTrapped(s, f.Traps)
		f.Traps = nil
	}
	if len(f.Twins) == 0 {
		return
	}
	pcln := &s.Func().Pcln
	if len(pcln.Pcdata) > DupinstTwinTable {
		ctxt.Diag("dupinst: %s: the release has a table of its own at %d", s.Name, DupinstTwinTable)
		return
	}
	for len(pcln.Pcdata) < DupinstTwinTable {
		pcln.Pcdata = append(pcln.Pcdata, dupinstPcdata())
	}
	pcln.Pcdata = append(pcln.Pcdata, f.table(ctxt, s))
}

func dupinstPcdata() *LSym {
	return (&LSym{Type: objabi.SRODATA, Attribute: AttrContentAddressable | AttrPcdata}).dupinstAligned()
}

// table is the table, encoded as the others are (funcpctab).
func (f *DupinstFunc) table(ctxt *Link, s *LSym) *LSym {
	table := dupinstPcdata()
	type run struct {
		from  int64
		value int32
	}
	var runs []run
	set := func(from int64, value int32) {
		if n := len(runs); n > 0 && runs[n-1].from == from {
			runs = runs[:n-1]
		}
		if n := len(runs); n == 0 || runs[n-1].value != value {
			runs = append(runs, run{from, value})
		}
	}
	set(s.Func().Text.Pc, 0)
	for p := s.Func().Text; p != nil; p = p.Link {
		twin := f.Twins[p]
		size := dupinstSize(s, p)
		if to := f.padded(s, p); to != nil {
			set(p.Pc, int32(to.Pc-p.Pc)<<3|DupinstPad)
			set(p.Pc+size, 0)
			continue
		}
		if twin == nil {
			if p.As != ANOP && p.As != APCDATA && p.As != AFUNCDATA && p.As != ATEXT {
				set(p.Pc, 0)
			}
			continue
		}
		longer := dupinstSize(s, twin) - size
		switch behind := f.Behind[twin]; {
		case behind:
			set(p.Pc, int32(twin.Pc-p.Pc+longer)<<3|DupinstBehind)
		case p.As != ACALL:
			set(p.Pc, int32(twin.Pc-p.Pc)<<3)
		case longer < 0 || longer >= DupinstPad:
			ctxt.Diag("dupinst: %s: a call of %d bytes has a twin of %d", s.Name, size, size+longer)
		default:
			set(p.Pc, int32(twin.Pc-p.Pc+longer)<<3|int32(longer))
		}
		if size > 0 {
			set(p.Pc+size, 0)
		}
	}
	last := int32(-1)
	for i, r := range runs {
		to := s.Size
		if i+1 < len(runs) {
			to = runs[i+1].from
		}
		table.P = binary.AppendVarint(table.P, int64(r.value-last))
		table.P = binary.AppendUvarint(table.P, uint64(to-r.from)/uint64(ctxt.Arch.MinLC))
		last = r.value
	}
	table.P = append(table.P, 0)
	table.Size = int64(len(table.P))
	return table
}

// padded is the twin of the instruction that p pads, if it does and that has one.
func (f *DupinstFunc) padded(s *LSym, p *Prog) *Prog {
	if !f.pads(s, p) {
		return nil
	}
	for p != nil && (p.As == ANOP || p.As == APCDATA || p.As == AFUNCDATA || f.pads(s, p)) {
		p = p.Link
	}
	if twin := f.Twins[p]; twin != nil && !f.Behind[twin] {
		return twin
	}
	return nil
}

func (f *DupinstFunc) pads(s *LSym, p *Prog) bool {
	return (p.As == ANOP || f.Nops[p]) && dupinstSize(s, p) > 0
}

// dupinstSize is the size of an instruction in bytes. Not every assembler keeps it.
func dupinstSize(s *LSym, p *Prog) int64 {
	switch {
	case p.Isize > 0 || p.As == APCDATA || p.As == AFUNCDATA:
		return int64(p.Isize)
	case p.Link == nil:
		return s.Size - p.Pc
	}
	return p.Link.Pc - p.Pc
}
