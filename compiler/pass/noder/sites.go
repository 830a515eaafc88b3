//go:build dupinst_compiler

package noder

import (
	"cmd/compile/internal/dupinst"
	"cmd/compile/internal/syntax"
)

// A function's sites stand at the beginning of its body in the export data, so that
// whichever package inlines or instantiates it learns them with the body. Other readers of
// export data do not read bodies.

// dupinst writes the sites in n, a body or an initialiser, but those of function literals
// in it, which have bodies of their own.
func (w *writer) dupinst(n syntax.Node) {
	type found struct {
		pos  syntax.Pos
		site dupinst.Listed
	}
	var all []found
	if dupinst.Listing() {
		syntax.Inspect(n, func(n syntax.Node) bool {
			switch n := n.(type) {
			case nil, *syntax.FuncLit:
				return false
			case *syntax.SelectorExpr, *syntax.CallExpr:
				pos := n.Pos()
				for _, site := range dupinst.At(fileOf(pos), pos.Line(), pos.Col()) {
					all = append(all, found{pos, site})
				}
			}
			return true
		})
	}
	w.Len(len(all))
	if len(all) == 0 {
		return
	}
	w.String(w.p.curpkg.Path())
	for _, f := range all {
		w.pos(f.pos)
		w.Len(int(f.site.Class))
		w.Len(f.site.Index)
	}
}

// fileOf is the name of the file that pos is in, whatever line directives say.
func fileOf(pos syntax.Pos) string {
	b := pos.Base()
	for b != nil && !b.IsFileBase() {
		b = b.Pos().Base()
	}
	if b == nil {
		return ""
	}
	return b.Filename()
}

// dupinst reads what the writer's wrote.
func (r *reader) dupinst() {
	n := r.Len()
	if n == 0 {
		return
	}
	path := r.String()
	if path == "" {
		path = r.p.PkgPath()
	}
	for range n {
		pos := r.pos()
		dupinst.Register(pos, path, dupinst.Listed{Class: dupinst.Class(r.Len()), Index: r.Len()})
	}
}

// dupinstInlined notes which function is being inlined.
func (r *reader) dupinstInlined() { dupinst.Inlined(r.inlTreeIndex, r.inlFunc) }
