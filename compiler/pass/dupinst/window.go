//go:build dupinst_compiler

package dupinst

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"cmd/compile/internal/base"
	"cmd/compile/internal/dupinst/plan"
	"cmd/compile/internal/ssa"
	"cmd/compile/internal/types"
	"cmd/internal/obj"
)

// Windows need no check to get into copies: a signal handler moves the program counter and
// return addresses to their twins, and the slow path of stack checks leads into copies
// (obj/entrance.go). What is left to do here is the way out.

// twins says what the copies of a function are copies of.
type twins struct {
	source   ofValue
	blocks   map[*ssa.Block]*ssa.Block
	followed map[*ssa.Value]bool
}

func (t *twins) Value(copy *ssa.Value) *ssa.Value { return t.source.get(copy) }

func (t *twins) Block(copy *ssa.Block) *ssa.Block { return t.blocks[copy] }

func (t *twins) Followed(copy *ssa.Value) bool { return t.followed[copy] }

// followCalls has calls looked into whose callee is known only at run time, at which nothing is counted:
// it may be a leaf without a stack check.
func (d *duplicator) followCalls() {
	if variant != plan.Windows || inMaps() {
		return
	}
	for _, b := range d.f.Blocks {
		for _, v := range b.Values {
			a, ok := v.Aux.(*ssa.AuxCall)
			if !v.Op.IsCall() || !ok || a.Fn != nil || slices.ContainsFunc(d.probes[b], func(p probe) bool { return p.op.call == v }) {
				continue
			}
			d.probes[b] = append(d.probes[b], probe{at: v, op: op{kind: seen, sites: []Site{{Counters: uncounted}}, call: v}})
		}
	}
}

// inMaps says of the package of maps, whose functions call hashes and comparisons of types, which are the runtime's or the
// compiler's own and never lead to a function of the program's.
func inMaps() bool { return base.Ctxt.Pkgpath == "internal/runtime/maps" }

// followed are the copies of calls that a probe sees.
func (d *duplicator) followed() map[*ssa.Value]bool {
	out := map[*ssa.Value]bool{}
	for _, probes := range d.probes {
		for _, p := range probes {
			if p.op.call != nil && p.op.call.Aux.(*ssa.AuxCall).Fn == nil {
				out[d.value(p.op.call)] = true
			}
		}
	}
	return out
}

func (d *duplicator) originals() map[*ssa.Block]*ssa.Block {
	out := map[*ssa.Block]*ssa.Block{}
	for b, c := range d.copies {
		out[c] = b
	}
	return out
}

// close puts a test on each backedge of copies: where the window has closed, it leads to the
// original.
func (d *duplicator) close(edges map[edge]plan.Edge) {
	d.copied(func(b *ssa.Block) {
		c := d.copies[b]
		for i := range b.Succs {
			if e, between := edges[edge{b, i}]; between && d.plan.Back[e] {
				d.closeOn(c, b, i, e)
			}
		}
	})
}

// closeOn puts the test on the i-th edge out of c, which leads to the original as b's does.
func (d *duplicator) closeOn(c, b *ssa.Block, i int, e plan.Edge) {
	to, at := ssa.DupinstSucc(b, i)
	keep := d.flagsPass(c, to)
	k := d.f.DupinstBlock(ssa.BlockPlain, c.Pos)
	ssa.DupinstOn(c, i, k, 1)
	k.Kind, k.Likely = d.unequal(), ssa.BranchLikely
	behind := []*ssa.Block{k}
	in, out := k, 0
	if keep {
		pass := d.f.DupinstBlock(ssa.BlockPlain, c.Pos)
		pass.FlagsLiveAtEnd = true
		ssa.DupinstTo(k, 0, pass, nil)
		d.operate(pass, op{kind: restore})
		in = pass
		behind = append(behind, pass)
		d.operate(k, op{kind: save})
	}
	if cut := d.cutTrips(e); keep || len(cut) > 0 {
		leave := d.f.DupinstBlock(ssa.BlockPlain, c.Pos)
		leave.FlagsLiveAtEnd = keep
		ssa.DupinstOn(k, 1, leave, 0)
		d.live.Same(leave, b)
		if keep {
			d.operate(leave, op{kind: restore})
		}
		for at, o := range cut {
			d.putSum(leave, at, o)
		}
		behind = append(behind, leave)
	}
	v := d.operate(k, op{kind: closed})
	v.Type = types.TypeFlags
	k.SetControl(v)
	for _, s := range k.Values {
		if o := opOf(s); o != nil && o.kind == save && len(s.Args) == 0 {
			s.AddArg(v)
		}
	}
	if head := d.copies[to]; head != nil {
		ssa.DupinstTo(in, out, head, func(phi *ssa.Value) *ssa.Value { return d.value(d.source.get(phi).Args[at]) })
	}
	d.after[c] = append(behind, d.after[c]...)
}

func (d *duplicator) unequal() ssa.BlockKind {
	if d.less() == ssa.BlockARM64LT {
		return ssa.BlockARM64NE
	}
	return ssa.BlockAMD64NE
}

// magic3 ends a slot: the address of a function, magic0, and that. The runtime looks for
// slots as for records, and puts the address of the function's copy there if calls do not lead
// to that by themselves (runtime/core).
const magic3 = 0x9216d5d98979fb1b

var (
	slots     = map[*obj.LSym]*obj.LSym{}
	slotsLock sync.Mutex
)

// mayHaveCopy reports whether calls in copies are to look for a callee's. One that makes a package's map does not:
// the linker leaves it out with the map, unless anything else than the call leads to it (ssagen, weakenGlobalMapInitRelocs).
func mayHaveCopy(callee *obj.LSym) bool {
	return callee.ABI() == obj.ABIInternal && !runtimeOwn(callee) && !makesMap(callee)
}

func makesMap(callee *obj.LSym) bool {
	_, name, _ := strings.Cut(callee.Name[strings.LastIndex(callee.Name, "/")+1:], ".")
	return strings.HasPrefix(name, "map.init.")
}

// leadsOn reports whether a function calls what may have a copy to which nothing leads but calls in copies: a leaf
// without a stack check. So a function is copied in which nothing is counted.
func leadsOn(f *ssa.Func) bool {
	return variant == plan.Windows && !inMaps() && slices.ContainsFunc(f.Blocks, func(b *ssa.Block) bool {
		return slices.ContainsFunc(b.Values, func(v *ssa.Value) bool {
			a, ok := v.Aux.(*ssa.AuxCall)
			return ok && v.Op.IsCall() && a.Fn != nil && mayHaveCopy(a.Fn)
		})
	})
}

// slot is that of a callee, if it is one that may have a copy.
func slot(callee *obj.LSym) *obj.LSym {
	if !mayHaveCopy(callee) {
		return nil
	}
	s := base.Ctxt.Lookup("dupinst.slot." + callee.Name)
	slotsLock.Lock()
	slots[callee] = s
	slotsLock.Unlock()
	return s
}

// endSlots writes the slots.
func endSlots() {
	byName := func(a, b *obj.LSym) int { return strings.Compare(a.Name, b.Name) }
	for _, callee := range slices.SortedFunc(maps.Keys(slots), byName) {
		s := slots[callee]
		m0, m3 := uint64(magic0), uint64(magic3)
		s.WriteAddr(base.Ctxt, 0, 8, callee, 0)
		s.WriteInt(base.Ctxt, 8, 8, int64(m0))
		s.WriteInt(base.Ctxt, 16, 8, int64(m3))
		base.Ctxt.Globl(s, 24, obj.NOPTR|obj.DUPOK)
	}
}
