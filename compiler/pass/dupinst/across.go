//go:build dupinst_compiler

package dupinst

import (
	"slices"

	"cmd/compile/internal/dupinst/plan"
	"cmd/compile/internal/ir"
	"cmd/compile/internal/ssa"
	"cmd/compile/internal/types"
	"cmd/internal/obj"
)

// Interprocedural paths (Shadow Profiling, CGO 2007, §4.2) are paths that go on in what is called: when one ends, the runtime
// is told which it was, and makes it part of its caller's (runtime/core, table_across.go). What a path has come by in what was
// called since it began is a word of g's. A function that calls something keeps its caller's in its frame, and begins one of its
// own; one that calls nothing adds to its caller's alone.

// An across says how an operation on a path has to do with its caller's.
type across struct {
	record *obj.LSym // of the function's paths
	how    int64     // for end: returns or not, framed or not
	enters bool      // for begin: where the function is entered
}

// How a path ends, in the lowest bits of its counter's address (runtime/core).
const (
	returns = 1 // with the function, and not where another of its paths begins
	framed  = 2 // in a function that calls something
)

// What a path has come by in what was called: nothing yet, or what is not known. Others have numbers from there on.
const (
	acrossNothing = 1
	acrossUnknown = 2
)

// findAcross says so of the function's paths, if they are to go on in what it calls.
func (d *duplicator) findAcross() {
	crosses := func(q probe) bool {
		return slices.ContainsFunc(q.op.sites, func(s Site) bool { return s.Word == Across })
	}
	for _, probes := range d.paths.passed {
		if slices.ContainsFunc(probes, crosses) {
			d.paths.across = &across{record: pathRecord(pathCounters(d.symbol()))}
			return
		}
	}
}

// frame is the frame's variable for the sum of a path, and for what its caller's had come by.
func (p *pathing) frame(f *ssa.Func) *ir.Name {
	if p.across == nil {
		return f.NewLocal(f.Entry.Pos, types.Types[types.TUINT64])
	}
	p.across.how |= framed
	return f.NewLocal(f.Entry.Pos, types.Types[types.TCOMPLEX128]) // of two words
}

// tagged reports whether sums have the number of the window, or of the sample, that they began in.
func (o *op) tagged() bool {
	return variant == plan.Windows || o.across != nil && variant == plan.Full
}

// enters is what begins paths where the function is entered.
func (d *duplicator) enters() []op {
	ops := d.begin(d.nodes[0].blocks[0])
	p := d.paths.across
	if p == nil || p.how&framed == 0 {
		return ops
	}
	if len(ops) == 0 {
		ops = []op{d.paths.op(begin, lost)} // each way is broken off
	}
	here := *p
	here.enters = true
	ops[0].across = &here
	return ops
}

// beginAcross begins a path's with nothing, and keeps its caller's where the function is entered.
func (e emitter) beginAcross(o *op) {
	if o.across == nil || o.slot == nil {
		return
	}
	if o.across.enters {
		e.move(e.word(acrossAt), local(o.slot, 8))
	}
	e.beginPath(e.word(acrossAt), acrossNothing, o)
}

// endAcross tells the runtime of a path.
func (e emitter) endAcross(o *op) {
	other := e.notePath(e.sumOf(o), o)
	leaves := o.across.how == returns|framed
	if leaves {
		e.move(local(o.slot, 8), e.word(sumAt))
	}
	e.noteSite(o.across.record, 0)
	e.call("runtime.dupinstNotePath")
	if !leaves {
		e.target(other)
		return
	}
	behind := e.jump(obj.AJMP)
	e.target(other)
	e.set(acrossUnknown, acrossAt)
	e.target(behind)
}
