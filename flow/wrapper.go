package flow

import (
	"go/types"

	"github.com/dupinst/dupinst/profile/format"
)

// Wrappers lists the methods that the compiler may write for the package's
// types, with the names of the methods that those call: promoted methods, and
// methods of *T that a T has.
func (p *Package) Wrappers() []format.Alias {
	var out []format.Alias
	scope := p.Types.Scope()
	for _, name := range scope.Names() {
		obj, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || obj.IsAlias() || types.IsInterface(obj.Type()) {
			continue
		}
		named, ok := obj.Type().(*types.Named)
		if !ok {
			continue
		}
		for _, t := range []types.Type{named, types.NewPointer(named)} {
			set := types.NewMethodSet(t)
			for i := range set.Len() {
				m := set.At(i).Obj().(*types.Func)
				symbol := p.methodSymbol(named, t != types.Type(named), m.Name())
				if name := NameOf(m); name != symbol && !types.IsInterface(m.Signature().Recv().Type()) {
					out = append(out, format.Alias{Symbol: symbol, Name: name})
				}
			}
		}
	}
	return out
}

// methodSymbol is the symbol of a method of t, or of *t.
func (p *Package) methodSymbol(t *types.Named, star bool, method string) string {
	name := t.Obj().Name()
	if t.TypeParams().Len() > 0 {
		name += "[...]"
	}
	if star {
		name = "(*" + name + ")"
	}
	return escape(p.Types.Path()) + "." + name + "." + method
}
