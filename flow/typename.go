package flow

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"
)

// TypeName writes t as it can be written at pos. It reports false where it
// cannot: a name of t is hidden there, or not imported, or not exported, or t is
// of a kind that is seldom worth it (functions, structs and interfaces without a
// name).
func (p *Package) TypeName(t types.Type, pos token.Pos) (string, bool) {
	w := &typeWriter{p: p, pos: pos, scope: p.Types.Scope().Innermost(pos), ok: true}
	if w.scope == nil {
		return "", false
	}
	w.write(t)
	return w.b.String(), w.ok
}

type typeWriter struct {
	p     *Package
	pos   token.Pos
	scope *types.Scope
	b     strings.Builder
	ok    bool
}

func (w *typeWriter) write(t types.Type) {
	switch t := t.(type) {
	case *types.Basic:
		if t.Info()&types.IsUntyped != 0 || t.Kind() == types.Invalid || t.Kind() == types.UnsafePointer {
			w.ok = false
			return
		}
		w.name(types.Universe.Lookup(t.Name()))
	case *types.Alias:
		w.name(t.Obj())
		w.args(t.TypeArgs())
	case *types.Named:
		w.name(t.Obj())
		w.args(t.TypeArgs())
	case *types.TypeParam:
		w.name(t.Obj())
	case *types.Pointer:
		w.b.WriteString("*")
		w.write(t.Elem())
	case *types.Slice:
		w.b.WriteString("[]")
		w.write(t.Elem())
	case *types.Array:
		fmt.Fprintf(&w.b, "[%d]", t.Len())
		w.write(t.Elem())
	case *types.Map:
		w.b.WriteString("map[")
		w.write(t.Key())
		w.b.WriteString("]")
		w.write(t.Elem())
	default:
		w.ok = false
	}
}

// name writes the name of a type, qualified as the file imports its package.
func (w *typeWriter) name(obj types.Object) {
	if obj == nil {
		w.ok = false
		return
	}
	if w.sees(obj.Name(), obj) {
		w.b.WriteString(obj.Name())
		return
	}
	if obj.Pkg() != nil && obj.Pkg() != w.p.Types && obj.Exported() && obj.Parent() == obj.Pkg().Scope() {
		for s := w.scope; s != nil; s = s.Parent() {
			for _, name := range s.Names() {
				if imp, ok := s.Lookup(name).(*types.PkgName); ok && imp.Imported() == obj.Pkg() && w.sees(name, imp) {
					w.b.WriteString(name + "." + obj.Name())
					return
				}
			}
		}
	}
	w.ok = false
}

// sees reports whether name means obj at the position.
func (w *typeWriter) sees(name string, obj types.Object) bool {
	_, found := w.scope.LookupParent(name, w.pos)
	return found == obj
}

func (w *typeWriter) args(list *types.TypeList) {
	if list.Len() == 0 {
		return
	}
	w.b.WriteString("[")
	for i := range list.Len() {
		if i > 0 {
			w.b.WriteString(", ")
		}
		w.write(list.At(i))
	}
	w.b.WriteString("]")
}
