//go:build dupinst_compiler

package noder

import (
	"cmd/compile/internal/dupinst"
	"cmd/compile/internal/ir"
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
			allocating := false
			switch n.(type) {
			case *syntax.CompositeLit, *syntax.FuncLit, *syntax.Name: // where a statement may begin, too
				allocating = true
			case *syntax.SelectorExpr, *syntax.CallExpr, *syntax.IndexExpr, *syntax.Operation, *syntax.AssignStmt, *syntax.RangeClause:
			case nil:
				return false
			default:
				return true
			}
			pos := n.Pos()
			for _, site := range dupinst.At(fileOf(pos), pos.Line(), pos.Col()) {
				if !allocating || site.Class == dupinst.Allocated {
					all = append(all, found{pos, site})
				}
			}
			_, literal := n.(*syntax.FuncLit)
			return !literal
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
		w.Len(f.site.Value)
		w.Len(f.site.Word)
		w.Len(f.site.Lane)
	}
}

// A statement with sites has a tag with them in front of it, read as an empty block at
// their position, which is where the statement begins.

// stmtDupinst is the tag.
const stmtDupinst codeStmt = 1 << 10

// dupinstStmt writes the sites of a statement of a list. Those of one with a label stand
// behind the label.
func (w *writer) dupinstStmt(s syntax.Stmt) {
	if s == nil || !dupinst.Listing() {
		return
	}
	first := s.Pos()
	switch s.(type) {
	case *syntax.LabeledStmt:
		return
	case *syntax.AssignStmt, *syntax.ExprStmt, *syntax.SendStmt:
		syntax.Inspect(s, func(n syntax.Node) bool {
			if n != nil && n.Pos().Cmp(first) < 0 {
				first = n.Pos()
			}
			return n != nil
		})
	}
	w.dupinstBegin(first)
}

// dupinstLabeled writes the sites of a statement with a label, behind it.
func (w *writer) dupinstLabeled(label *syntax.Name) {
	if dupinst.Listing() {
		w.dupinstBegin(label.Pos())
	}
}

// dupinstBegin writes the sites of the statement that begins at pos.
func (w *writer) dupinstBegin(pos syntax.Pos) {
	found := dupinst.Take(fileOf(pos), pos.Line(), pos.Col())
	if len(found) == 0 {
		return
	}
	w.Code(stmtDupinst)
	w.String(w.p.curpkg.Path())
	w.pos(pos)
	w.Len(len(found))
	for _, site := range found {
		w.Len(site.Index)
		w.Len(site.Value)
		w.Len(site.Word)
		w.Len(site.Lane)
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
	path := r.dupinstPath()
	for range n {
		pos := r.pos()
		dupinst.Register(pos, path, dupinst.Listed{Class: dupinst.Class(r.Len()), Index: r.Len(), Value: r.Len(), Word: r.Len(), Lane: r.Len()})
	}
}

// dupinstPath reads the path of the package whose sites follow.
func (r *reader) dupinstPath() string {
	if path := r.String(); path != "" {
		return path
	}
	return r.p.PkgPath()
}

// dupinstStmt1 is stmt1 for tags of ours, too.
func (r *reader) dupinstStmt1(tag codeStmt, out *ir.Nodes) ir.Node {
	if tag != stmtDupinst {
		return r.stmt1(tag, out)
	}
	path, pos := r.dupinstPath(), r.pos()
	for range r.Len() {
		dupinst.Register(pos, path, dupinst.Listed{Class: dupinst.Statement, Index: r.Len(), Value: r.Len(), Word: r.Len(), Lane: r.Len()})
	}
	return ir.NewBlockStmt(pos, nil)
}

// dupinstLast is the last of some statements, or the one before it where that stands for
// sites: a loop's label is the one in front of it.
func dupinstLast(list ir.Nodes) ir.Node {
	if n := len(list); n > 1 && dupinst.Stands(list[n-1]) {
		return list[n-2]
	}
	return list[len(list)-1]
}

// dupinstInlined notes which function is being inlined.
func (r *reader) dupinstInlined() { dupinst.Inlined(r.inlTreeIndex, r.inlFunc) }
