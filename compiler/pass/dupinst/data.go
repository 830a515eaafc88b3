//go:build dupinst_compiler

package dupinst

import (
	"cmd/compile/internal/base"
	"cmd/internal/obj"
	"cmd/internal/objabi"
)

// magic begins a package's record. The runtime looks for records between the bounds of
// initialised data without pointers, so that no package has to announce itself when the
// program starts (runtime/core, compiled.go).
const magic0, magic1 = 0x9e3779b97f4a7c15, 0x6475_7069_6e73_7401

// End writes the package's counters and its record, of the layout of
// runtime/core.DupinstPackage.
func End() {
	endAudit()
	endSlots()
	endGroups()
	endPaths()
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
	r := base.Ctxt.Lookup(name)
	r.Pkg = "_"
	at := int64(0)
	word := func(v uint64) {
		r.WriteInt(base.Ctxt, at, 8, int64(v))
		at += 8
	}
	address := func(s *obj.LSym) {
		r.WriteAddr(base.Ctxt, at, 8, s, 0)
		at += 8
	}
	m0, m1 := uint64(magic0), uint64(magic1)
	word(m0)
	word(m1)
	address(text)
	word(uint64(len(meta)))
	address(c)
	word(uint64(n))
	for range 6 { // Build, counts, linked, next and spread
		word(0)
	}
	base.Ctxt.Globl(r, at, obj.NOPTR|flag)
	// Whatever refers to the counters keeps the record.
	c.AddRel(base.Ctxt, obj.Reloc{Type: objabi.R_KEEP, Sym: r})
}
