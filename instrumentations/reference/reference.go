// Package reference counts references to fields of structs: instructions that load a field, or a part of one, from
// memory, and those that store to it. In a window the address of each is noted, too, one after the other, as Chilimbi
// and Hirzel's bursts have them for hot data streams ("Dynamic Hot Data Stream Prefetching for General-Purpose
// Programs", PLDI 2002): which fields are accessed together, by which goroutines, on which cache lines.
//
// It is what memory sees, where instrumentation fieldaccess has what the source says: what the compiler keeps in a
// register, or has found to be read already, is no reference, and a field of several words may be one for each.
// References by code that is not the source's, as copies of whole structs and what the runtime does, are not seen, nor
// are fields that lie behind an index of an array within their struct, or on the goroutine's own stack where the compiler knows it.
package reference

import (
	"go/types"
	"strconv"

	"github.com/dupinst/dupinst/flow"
	"github.com/dupinst/dupinst/instrumentations"
	"github.com/dupinst/dupinst/instrumentations/fieldaccess"
	"github.com/dupinst/dupinst/profile/format"
)

// Instrumentation is the instrumentation of references.
var Instrumentation = &instrumentations.Instrumentation{
	Format: format.Instrumentation{
		Name:    "reference",
		Key:     "{type}.{field} {access}",
		Parts:   []string{"type", "field", "access", "offset#", "size#"},
		Dynamic: -1,
	},
	Doc:       "loads and stores of fields, with their addresses",
	Sites:     sites,
	OnDemand:  true,
	Values:    true,
	Addresses: true,
}

func sites(u *instrumentations.Unit, fn *flow.Func) []instrumentations.Site {
	var out []instrumentations.Site
	for _, a := range fieldaccess.Accesses(u, fn) {
		of := instrumentations.Nothing
		switch {
		case a.Reads():
			of = instrumentations.Load
		case a.Writes():
			of = instrumentations.Store
		default: // its address is taken
			continue
		}
		offset, size := lies(u, a.In, a.Index)
		parts := append(a.Parts(), strconv.FormatInt(offset, 10), strconv.FormatInt(size, 10))
		out = append(out, instrumentations.Site{Event: a.Event, Parts: parts, Value: instrumentations.Value{Of: of, Index: a.Inner}})
	}
	return out
}

// lies says where the i-th field lies in a struct, in bytes, and how many it takes: 0 and 0 where that depends on a
// type parameter.
func lies(u *instrumentations.Unit, t *types.Struct, i int) (offset, size int64) {
	var fields []*types.Var
	for k := range i + 1 {
		if parametrised(t.Field(k).Type()) {
			return 0, 0
		}
		fields = append(fields, t.Field(k))
	}
	return u.Sizes.Offsetsof(fields)[i], u.Sizes.Sizeof(fields[i].Type())
}

// parametrised reports whether the size of a type depends on a type parameter's.
func parametrised(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		return parametrised(t.Underlying())
	case *types.Array:
		return parametrised(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if parametrised(f.Type()) {
				return true
			}
		}
	}
	return false
}
