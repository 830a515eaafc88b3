//go:build dupinst_compiler

package dupinst

import (
	"cmd/compile/internal/base"
	"cmd/internal/obj"
	"cmd/internal/objabi"
)

// magic begins a package's record. The runtime looks for records between the bounds of
// initialised data without pointers, so that no package has to announce itself when the
// program starts (runtime/core, trigger_compiled.go).
const magic0, magic1 = 0x9e3779b97f4a7c15, 0x6475_7069_6e73_7401

// End writes the package's counters and its record, of the layout of
// runtime/core.DupinstPackage.
func End() {
	endAudit()
	endSlots()
	endGroups()
	endPaths()
	endTraps()
	writePlans()
	if count > 0 {
		c := counters(base.Ctxt.Pkgpath)
		base.Ctxt.Globl(c, int64(count)*8, obj.NOPTR)
		endValues(c)
		record("dupinst.package."+base.Ctxt.Pkgpath, meta, c, count, 0)
	}
}

// record writes the record of n counters c that meta describes.
func record(name, meta string, c *obj.LSym, n int, flag int) {
	text := base.Ctxt.Lookup(name + ".meta")
	text.Pkg = "_"
	text.WriteString(base.Ctxt, 0, len(meta), meta)
	base.Ctxt.Globl(text, int64(len(meta)), obj.RODATA|flag)
	r := begun(name, magic1)
	r.address(text, 0)
	r.word(uint64(len(meta)))
	r.address(c, 0)
	r.word(uint64(n))
	for range 6 { // Build, counts, linked, next and spread
		r.word(0)
	}
	r.end(c, flag)
}

// A writer writes a record word by word.
type writer struct {
	sym *obj.LSym
	at  int64
}

// begun is a record that has the two words by which the runtime finds it.
func begun(name string, kind uint64) *writer {
	w := &writer{sym: base.Ctxt.Lookup(name)}
	w.sym.Pkg = "_"
	w.word(magic0)
	w.word(kind)
	return w
}

func (w *writer) word(v uint64) {
	w.sym.WriteInt(base.Ctxt, w.at, 8, int64(v))
	w.at += 8
}

func (w *writer) address(s *obj.LSym, offset int64) {
	w.sym.WriteAddr(base.Ctxt, w.at, 8, s, offset)
	w.at += 8
}

// end ends the record. Whatever refers to the counters keeps it.
func (w *writer) end(counters *obj.LSym, flag int) {
	base.Ctxt.Globl(w.sym, w.at, obj.NOPTR|flag)
	counters.AddRel(base.Ctxt, obj.Reloc{Type: objabi.R_KEEP, Sym: w.sym})
}
