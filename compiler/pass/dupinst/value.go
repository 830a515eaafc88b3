//go:build dupinst_compiler

package dupinst

import (
	"slices"
	"strings"

	"cmd/compile/internal/abi"
	"cmd/compile/internal/base"
	"cmd/compile/internal/ir"
	"cmd/compile/internal/ssa"
	"cmd/internal/obj"
)

// A value is noted where it is in a register anyway: an argument before the call, a result behind it,
// the operands of what the runtime does for a make, an append or a map before the call of that, a divisor
// before the division. So nothing keeps a value longer than the plain build does, and code that is not
// copied knows nothing of it. What was inlined, or computed by the compiler, has no such instruction.

// A value is a site of the package's own that notes one.
type value struct {
	number     int // from 1
	site, form int
}

// valueSize is that of what the runtime knows of one (runtime/core, table_value.go): the address of the site's
// counter, the form, and a word for the values.
const valueSize = 24

// values is the array of a package's.
func values(path string) *obj.LSym {
	s := base.Ctxt.Lookup("dupinst.values." + path)
	s.Pkg = "_"
	return s
}

// endValues writes those of the package, whose counters are c.
func endValues(c *obj.LSym) {
	if len(noted) == 0 {
		return
	}
	s := values(base.Ctxt.Pkgpath)
	for _, v := range noted {
		at := int64(v.number-1) * valueSize
		s.WriteAddr(base.Ctxt, at, 8, c, int64(v.site)*8)
		s.WriteInt(base.Ctxt, at+8, 8, int64(v.form))
		s.WriteInt(base.Ctxt, at+16, 8, 0)
	}
	base.Ctxt.Globl(s, int64(len(noted))*valueSize, obj.NOPTR)
}

// words is how many words a value may have of which one is noted, as compiler/sites has it.
const words = 4

// made are the functions of the runtime's that have values of a class.
var made = map[Class][]string{
	Made:   {"runtime.makeslice", "runtime.makemap", "runtime.makechan"},
	Grown:  {"runtime.growslice"},
	Mapped: {"runtime.mapaccess", "runtime.mapassign", "runtime.mapdelete", "runtime.mapclear", "runtime.mapIterStart", "runtime.mapiterinit"},
}

// stands enters the values of an append and of a map's access with two results where their statement
// stands, for so do the calls that are made of them; and so those of a literal that is assigned to a variable.
func stands(stmt ir.Node) {
	var of ir.Node
	switch n := stmt.(type) {
	case *ir.AssignStmt:
		of = n.Y
	case *ir.AssignListStmt:
		if n.Op() == ir.OAS2MAPR {
			of = n.Rhs[0]
		}
	}
	for of != nil && of.Op() == ir.OCONVNOP {
		of = of.(*ir.ConvExpr).X
	}
	if of == nil {
		return
	}
	at := key(stmt.Pos())
	for _, s := range sites[key(of.Pos())] {
		if (s.Class == Grown || s.Class == Mapped || s.Class == Allocated) && !slices.Contains(sites[at], s) {
			sites[at] = append(sites[at], s)
		}
	}
}

// findValues notes the values of b's that sites are at.
func (d *duplicator) findValues(b *ssa.Block, note func(probe)) {
	for i, v := range b.Values {
		if v.Op == ssa.OpInlMark {
			continue
		}
		for _, s := range sites[key(v.Pos)] {
			if s.Value == 0 {
				continue
			}
			reg, behind := valueOf(d.f.Config, v, s)
			if reg == 0 {
				continue
			}
			p := probe{at: v, op: op{kind: valued, sites: []Site{s}, reg: reg}}
			if behind {
				p.at = afterCall(b.Values[i+1:])
			}
			note(p)
		}
	}
}

// afterCall is the first value behind a call and its results, or nil.
func afterCall(rest []*ssa.Value) *ssa.Value {
	for _, v := range rest {
		switch v.Op {
		case ssa.OpSelect0, ssa.OpSelect1, ssa.OpSelectN, ssa.OpInlMark:
			continue
		}
		return v
	}
	return nil
}

// valueOf is the register that has what s notes before v, or behind it; 0 if v has nothing of that.
func valueOf(c *ssa.Config, v *ssa.Value, s Site) (reg int16, behind bool) {
	if s.Class == Divided {
		if divides(v.Op) {
			reg, _ = ssa.DupinstRegister(v.Args[1])
		}
		return reg, false
	}
	a, ok := v.Aux.(*ssa.AuxCall)
	if !ok || !v.Op.IsCall() {
		return 0, false
	}
	operand, word := s.Word/words, s.Word%words
	switch s.Class {
	case Argument, Result:
		if a.Fn != nil && runtimeOwn(a.Fn) {
			return 0, false
		}
		if s.Class == Result {
			return inRegister(c, a.ABIInfo().OutParams(), operand, word), true
		}
		in := a.ABIInfo().InParams()
		return inRegister(c, in, len(in)-1-operand, word), false
	}
	if a.Fn == nil || !slices.ContainsFunc(made[s.Class], func(name string) bool { return strings.HasPrefix(a.Fn.Name, name) }) {
		return 0, false
	}
	return inRegister(c, a.ABIInfo().InParams(), operand, word), false
}

// inRegister is the register of a word of the i-th of some parameters, if it is in one.
func inRegister(c *ssa.Config, params []abi.ABIParamAssignment, i, word int) int16 {
	if i < 0 || i >= len(params) || word >= len(params[i].Registers) {
		return 0
	}
	return ssa.ObjRegForAbiReg(params[i].Registers[word], c)
}

// divides reports whether an operation divides whole numbers, the first operand by the second.
func divides(op ssa.Op) bool {
	switch op {
	case ssa.OpAMD64DIVQ, ssa.OpAMD64DIVL, ssa.OpAMD64DIVW, ssa.OpAMD64DIVQU, ssa.OpAMD64DIVLU, ssa.OpAMD64DIVWU,
		ssa.OpARM64DIV, ssa.OpARM64UDIV, ssa.OpARM64DIVW, ssa.OpARM64UDIVW,
		ssa.OpARM64MOD, ssa.OpARM64UMOD, ssa.OpARM64MODW, ssa.OpARM64UMODW:
		return true
	}
	return false
}
