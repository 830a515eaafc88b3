//go:build dupinst_compiler

package dupinst

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"sync"

	"cmd/compile/internal/base"
	"cmd/compile/internal/dupinst/plan"
	"cmd/compile/internal/ir"
	"cmd/compile/internal/ssa"
	"cmd/internal/obj"
)

// An audit counts, for each function that is instrumented, what the framework does, and
// traces it if the program is asked to (transform.Audit). Its counters are of the
// function's own, with a record of their own, so that they are known wherever the function
// is compiled.

// What is counted, in the order of a function's counters.
const (
	entries = iota
	backedges
	checked
	transfers
	nanoseconds // which are not
	belongs     // traced alone: an entry without a check, which belongs to the caller's
)

var auditEvents = []string{"entry", "backedge", "check", "transfer", "nanosecond", "belongs"}

// How a note is taken.
const (
	counted = 1 << iota
	traced
)

// audit is the index of the instrumentation that audits are, or -1.
var audit = -1

// audited are the functions that have counters.
var (
	audited     = map[string]bool{}
	auditedLock sync.Mutex
)

func auditCounters(name string) *obj.LSym {
	s := base.Ctxt.Lookup("dupinst.audit." + name)
	s.Pkg = "_"
	return s
}

// auditName is the name of a function in keys: an instance's is that of all instances.
func auditName(fn *ir.Func) string {
	name := nameOf(fn)
	from, to := strings.Index(name, "["), strings.LastIndex(name, "]")
	if from < 0 || to < from {
		return name
	}
	return name[:from] + "[...]" + name[to+1:]
}

// note is an operation that counts an event of the function's in an audit.
func (d *duplicator) note(event, how int) op {
	name := auditName(d.f.Frontend().Func())
	auditedLock.Lock()
	audited[name] = true
	auditedLock.Unlock()
	return op{kind: note, how: how, sites: []Site{{Listed: Listed{Index: event}, Counters: auditCounters(name)}}}
}

// auditEntry counts the function's entries.
func (d *duplicator) auditEntry() {
	at := 0
	for i, v := range d.f.Entry.Values {
		if shared(v) {
			at = i + 1
		}
	}
	put := func(o op) {
		o.flags = flagsLive(d.f.Entry, at)
		d.operation(d.f.Entry, at, d.f.Entry.Pos, o)
	}
	if d.plan.Variant == plan.Followed {
		put(d.note(belongs, traced))
		put(d.note(entries, counted))
		return
	}
	put(d.note(entries, counted|traced))
}

// auditBackedges puts a block on each backedge that has no check, and enters it where a
// copy's backedge finds it. Idle ones end no sample, and are not traced.
func (d *duplicator) auditBackedges(checks map[plan.Edge]*ssa.Block) {
	if audit < 0 {
		return
	}
	for n := range d.nodes {
		for i := range d.nodes[n].out {
			if e := (plan.Edge{From: n, I: i}); d.plan.Back[e] && checks[e] == nil {
				checks[e] = d.noteOn(d.nodes[n].out[i], d.note(backedges, counted|traced))
			}
		}
	}
}

// auditIdle does so for idle backedges of originals and copies.
func (d *duplicator) auditIdle() {
	for _, e := range d.plan.Idle {
		at := d.nodes[e.From].out[e.I]
		if c := d.copies[at.from]; c != nil {
			d.noteOn(edge{c, at.i}, d.note(backedges, counted))
		}
		d.noteOn(at, d.note(backedges, counted))
	}
}

// noteOn puts a block with a note on an edge.
func (d *duplicator) noteOn(e edge, o op) *ssa.Block {
	to := e.to()
	keep := d.flagsPass(e.from, to)
	k := d.f.DupinstBlock(ssa.BlockPlain, e.from.Pos)
	ssa.DupinstOn(e.from, e.i, k, 0)
	k.FlagsLiveAtEnd, o.flags = keep, keep
	d.operate(k, o)
	d.after[e.from] = append([]*ssa.Block{k}, d.after[e.from]...)
	return k
}

// separate makes probes of one site each, so that each has a check of its own where it has one.
func (d *duplicator) separate() {
	for b, probes := range d.probes {
		var out []probe
		for _, p := range probes {
			for _, s := range p.op.sites {
				one := p
				one.op.sites = []Site{s}
				out = append(out, one)
			}
		}
		d.probes[b] = out
	}
}

// tracing are the operations that trace what probes count.
func tracing(probes []probe) []probe {
	out := slices.Clone(probes)
	for i := range out {
		o := &out[i].op
		*o = op{kind: note, how: traced, sites: o.sites, call: o.call, when: o.when}
	}
	return out
}

// packageOf is the path of the package that a function's name begins with.
func packageOf(name string) string {
	end := strings.IndexAny(name, "[(")
	if end < 0 {
		end = len(name)
	}
	slash := strings.LastIndexByte(name[:end], '/') + 1
	path, _, _ := strings.Cut(name[slash:end], ".")
	return name[:slash] + path
}

// endAudit writes the counters of audited functions, and their records.
func endAudit() {
	for _, name := range slices.Sorted(maps.Keys(audited)) {
		c := auditCounters(name)
		base.Ctxt.Globl(c, int64(len(auditEvents))*8, obj.NOPTR|obj.DUPOK)
		record("dupinst.audited."+name, auditMeta(name), c, len(auditEvents), obj.DUPOK)
	}
}

// auditMeta describes the counters of a function, as profile/format encodes it. It is the same wherever
// the function is compiled: of records that differ the linker takes the parts that are largest.
func auditMeta(name string) string {
	str := func(b []byte, s string) []byte { return append(binary.AppendUvarint(b, uint64(len(s))), s...) }
	b := str(nil, packageOf(name))
	b = binary.AppendUvarint(b, uint64(1+len(auditEvents)))
	b = str(b, name)
	for _, event := range auditEvents {
		b = str(b, event)
	}
	b = binary.AppendUvarint(b, uint64(len(auditEvents)))
	for i := range auditEvents {
		for _, n := range []int{audit, 2, 0, 1 + i} { // the instrumentation, parts, and which
			b = binary.AppendUvarint(b, uint64(n))
		}
	}
	return string(append(b, 0, 0)) // no functions, no aliases
}
