//go:build dupinst_compiler

package dupinst

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"cmd/compile/internal/base"
	"cmd/compile/internal/dupinst/plan"
	"cmd/compile/internal/ir"
	"cmd/compile/internal/ssa"
	"cmd/internal/obj"
	"cmd/internal/src"
)

// Of a statement it may matter alone whether it is ever carried out. That is had without checks and without copies:
// the runtime puts a trap in the place of an instruction that is carried out where the statement is and nowhere
// else, and takes it away when control comes there first (runtime/core, trigger_trap.go). So what has been seen costs nothing.
// Here the instructions are listed. A block that has none gets one, and no block is made part of another's
// conditional move.

// verified reports whether the program compares fn's code with a sum, so that no traps may be put there: that of the cryptographic
// module, and what is instantiated of it elsewhere.
func verified(fn *ir.Func) bool {
	return variant == plan.Once && strings.HasPrefix(ir.LinkFuncName(fn), "crypto/internal/fips140")
}

// trap lists where the statements of blocks are passed.
func (d *duplicator) trap() {
	for _, b := range d.f.Blocks {
		for _, p := range d.probes[b] {
			if p.op.kind != add || p.op.when != nil {
				base.Fatalf("dupinst: %s: what is in %s cannot be counted once", d.f.Name, b)
			}
			t := ssa.DupinstTrap{Block: b, At: p.at}
			at := len(b.Values)
			if p.at != nil {
				at = slices.Index(b.Values, p.at)
			}
			if p.at == nil || runsDeferred(p.at) {
				// It has no position: an inlined call would take it for its own instruction.
				t.Anchor = d.operation(b, at, src.NoXPos, op{kind: anchored})
			}
			for _, s := range p.op.sites {
				t.Counter, t.Offset = s.Counters, int64(s.Index)*8
				d.f.DupinstTraps = append(d.f.DupinstTraps, t)
			}
		}
	}
}

// runsDeferred reports whether v calls what runs deferred calls: there the function goes on, too, when a panic has been
// recovered.
func runsDeferred(v *ssa.Value) bool {
	call, ok := v.Aux.(*ssa.AuxCall)
	return ok && call.Fn != nil && call.Fn.Name == "runtime.deferreturn"
}

// magic6 is the second word of the record of a function's traps (runtime/core, trigger_trap.go).
const magic6 = 0x6475_7069_6e73_7406

type trapping struct {
	function *obj.LSym
	traps    []obj.DupinstTrap
}

var (
	trapped     []trapping
	trappedLock sync.Mutex
)

func listTraps(s *obj.LSym, traps []obj.DupinstTrap) {
	trappedLock.Lock()
	trapped = append(trapped, trapping{s, traps})
	trappedLock.Unlock()
}

// endTraps writes the records: two words by which the runtime finds them, the number of traps, a word of room, and
// of each trap its address and its counter's. A function keeps its record.
func endTraps() {
	slices.SortFunc(trapped, func(a, b trapping) int {
		return cmp.Or(strings.Compare(a.function.Name, b.function.Name), cmp.Compare(a.function.ABI(), b.function.ABI()))
	})
	for _, t := range trapped {
		r := begun("dupinst.traps."+base.Ctxt.Pkgpath+"."+strings.ReplaceAll(t.function.Name, "#", "!"), magic6)
		r.word(uint64(len(t.traps)))
		r.word(0)
		for _, at := range t.traps {
			r.address(t.function, at.Place)
			r.address(at.Counter, at.Offset)
		}
		r.end(t.function, 0)
	}
}
