//go:build dupinst_compiler

package dupinst

import (
	"slices"

	"cmd/compile/internal/dupinst/plan"
	"cmd/compile/internal/ir"
	"cmd/compile/internal/ssa"
	"cmd/compile/internal/types"
	"cmd/internal/obj"
	"cmd/internal/src"
)

// A reference is an instruction that loads or stores. Which field of the source's it is of is not told by its position,
// which is often that of what the value is used for, but by what the function's selectors say of where
// fields lie: so far behind what a pointer to a type leads to, or in a variable of the package's. What it reads or
// writes of a field that lies in another is a reference of both.

// A laid is a field that a selector names, where it lies.
type laid struct {
	in    *types.Type // what a pointer leads to
	of    *obj.LSym   // or a variable
	at    int64
	size  int64
	depth int // in how many fields it lies
	write bool
	pos   src.XPos
	site  Site
}

// fieldOf is an expression's selector of a field, if it is one.
func fieldOf(n ir.Node) *ir.SelectorExpr {
	switch n.Op() {
	case ir.ODOT, ir.ODOTPTR:
		return n.(*ir.SelectorExpr)
	}
	return nil
}

// place enters where the fields of a selector lie that references are noted of.
func (m *marker) place(n *ir.SelectorExpr) {
	pos := key(n.Pos())
	if m.outer != nil && m.outer.X == n && key(m.outer.Pos()) == pos {
		m.passed++
	} else {
		m.passed = 0
	}
	m.outer = n
	for _, s := range sites[pos] {
		if s.Class != Referred || s.Word>>1 != m.passed {
			continue
		}
		p := laid{at: n.Offset(), size: n.Type().Size(), write: s.Word&1 != 0, pos: pos, site: s}
		e := n
		for e.Op() == ir.ODOT {
			inner := fieldOf(e.X)
			if inner == nil {
				break
			}
			e, p.at = inner, p.at+inner.Offset()
			p.depth++
		}
		p.in = e.X.Type()
		if e.Op() == ir.ODOTPTR {
			p.in = p.in.Elem()
		} else if v, ok := e.X.(*ir.Name); ok && v.Class == ir.PEXTERN {
			p.of = v.Linksym()
		}
		m.fields = append(m.fields, p)
	}
}

// findReferences notes the references of b's that sites are of.
func (d *duplicator) findReferences(b *ssa.Block, m *marked, note func(probe)) {
	if m == nil || len(m.fields) == 0 {
		return
	}
	for _, v := range b.Values {
		a, ok := ssa.DupinstAddressOf(v)
		if !ok {
			continue
		}
		d.refer(v, a, m, note)
		if a.Second > 0 {
			a.Offset += a.Second
			d.refer(v, a, m, note)
		}
	}
}

func (d *duplicator) refer(v *ssa.Value, a ssa.DupinstAddress, m *marked, note func(probe)) {
	found := m.referred(v, a)
	switch {
	case len(found) == 0:
	case variant == plan.Windows:
		note(probe{at: v, op: op{kind: referred, sites: found, address: a}})
	default:
		note(probe{at: v, op: op{kind: add, sites: found}})
	}
}

// referred are the sites of a reference, the innermost field's first.
func (m *marked) referred(v *ssa.Value, a ssa.DupinstAddress) []Site {
	var found []laid
	for _, at := range a.Bases {
		offset, of := a.Offset, a.Sym
		for at != nil && len(found) == 0 {
			found = m.lies(at.Type, of, offset, a)
			from, more, sym := ssa.DupinstBefore(at)
			at, offset = from, offset+more
			if sym != nil {
				found = append(found, m.lies(nil, sym, offset, a)...)
			}
		}
		if len(found) > 0 {
			break
		}
	}
	slices.SortStableFunc(found, func(x, y laid) int { return y.depth - x.depth })
	var out []Site
	for i, p := range found {
		alike := func(q laid) bool {
			return q.at == p.at && q.size == p.size && q.depth == p.depth && q.write == p.write
		}
		if slices.ContainsFunc(found[:i], alike) {
			continue
		}
		// Of selectors that name the same field any does, and best the one that the instruction is of.
		if k := slices.IndexFunc(found[i:], func(q laid) bool { return alike(q) && q.pos == key(v.Pos) }); k > 0 {
			p = found[i+k]
		}
		out = append(out, p.site)
	}
	return out
}

// lies are the fields that lie at an offset of what a pointer of a type leads to, or of a variable.
func (m *marked) lies(pointer *types.Type, of *obj.LSym, offset int64, a ssa.DupinstAddress) (found []laid) {
	for _, p := range m.fields {
		at := offset
		switch {
		case p.write && !a.Write, !p.write && !a.Reads:
			continue
		case of != nil:
			if p.of != of {
				continue
			}
		case pointer == nil || !pointer.IsPtr() || pointer.Elem() != p.in:
			continue
		default: // an element of a slice, too
			if size := p.in.Size(); size > 0 {
				at = (at%size + size) % size
			}
		}
		if p.at <= at && at < p.at+p.size {
			found = append(found, p)
		}
	}
	return found
}

// refer notes an address for each site.
func (e emitter) refer(o *op) {
	for _, site := range o.sites {
		skip := e.idle(o, site.Lane)
		e.noteAt(o.address)
		e.noteValue(site)
		e.call("runtime.dupinstNoteReference")
		e.targets(skip)
	}
}
