//go:build dupinst_compiler

package ssa

import (
	"strings"

	"cmd/compile/internal/ir"
	"cmd/internal/obj"
)

// dupinstPairs are instructions for two words, and how far apart these are.
var dupinstPairs = map[string]int64{
	"LDP": 8, "STP": 8, "FLDPD": 8, "FSTPD": 8, "MOVQstorezero": 8, "MOVOstoreconst": 8,
	"LDPW": 4, "LDPSW": 4, "STPW": 4, "FLDPS": 4, "FSTPS": 4,
}

// A DupinstAddress is where in memory an instruction loads or stores: a register, or what a symbol stands for, more
// an index times a scale, more an offset.
type DupinstAddress struct {
	Base, Index  int16 // as the assembler numbers registers; 0 where there is none
	Scale        int64
	Offset       int64
	Sym          *obj.LSym
	Reads, Write bool
	Second       int64 // how far behind the first word another is, which the same instruction loads or stores; 0: there is none
	// What the base, and an index that may as well be one, were computed by.
	Bases []*Value
}

// DupinstAddressOf is that of v, whose registers are allocated. It reports false where v is no such instruction, or
// one of the function's own frame.
func DupinstAddressOf(v *Value) (a DupinstAddress, ok bool) {
	info := &opcodeTable[v.Op]
	base, indexed := 0, info.scale > 0
	switch info.symEffect {
	case SymRead, SymWrite, SymRdWr:
		a.Reads, a.Write = info.symEffect&SymRead != 0, info.symEffect&SymWrite != 0
		a.Scale = int64(info.scale)
	default:
		// On arm64 instructions with an index have no symbol.
		is, scale, found := strings.Cut(info.name, "idx")
		if !found || info.generic || info.call {
			return a, false
		}
		a.Reads, a.Write = strings.HasSuffix(is, "load"), strings.HasSuffix(is, "store") || strings.HasSuffix(is, "storezero")
		if a.Reads == a.Write {
			return a, false
		}
		indexed, a.Scale = true, 1
		if scale != "" {
			a.Scale = int64(scale[0] - '0')
		}
	}
	switch {
	case indexed && info.resultInArg0, info.faultOnNilArg1:
		base = 1
	case !indexed && !info.faultOnNilArg0:
		return a, false
	}
	a.Second = dupinstPairs[info.name]
	switch info.auxType {
	case auxSymOff:
		a.Offset = v.AuxInt
	case auxSymValAndOff:
		a.Offset = v.AuxValAndOff().Off64()
	}
	switch sym := v.Aux.(type) {
	case nil:
	case *obj.LSym:
		a.Sym = sym
	default: // a variable of the frame
		return a, false
	}
	p := v.Args[base]
	a.Bases = []*Value{p}
	if p.Op != OpSB {
		if a.Base, ok = DupinstRegister(p); !ok || p.Op == OpSP {
			return a, false
		}
	}
	if indexed {
		if a.Sym != nil { // no machine has both
			return a, false
		}
		i := v.Args[base+1]
		if a.Index, ok = DupinstRegister(i); !ok || i.Op == OpSP || i.Op == OpSB {
			return a, false
		}
		if a.Scale == 1 {
			a.Bases = append(a.Bases, i)
		}
	}
	return a, (a.Base != 0) != (a.Sym != nil)
}

// DupinstBefore is what a pointer was computed from by adding a constant, that, and the symbol whose address it is, if it is
// one's.
func DupinstBefore(p *Value) (from *Value, offset int64, of *obj.LSym) {
	info := &opcodeTable[p.Op]
	switch {
	case p.Op == OpCopy || p.Op == OpLoadReg || p.Op == OpStoreReg:
		return p.Args[0], 0, nil
	case info.symEffect == SymAddr && info.auxType == auxSymOff && len(p.Args) > 0:
		switch sym := p.Aux.(type) {
		case *ir.Name:
			return nil, 0, nil
		case *obj.LSym:
			return nil, p.AuxInt, sym
		}
		return p.Args[0], p.AuxInt, nil
	case info.name == "ADDQconst" || info.name == "ADDconst":
		return p.Args[0], p.AuxInt, nil
	}
	return nil, 0, nil
}
