package instrumentations

import (
	"go/token"
	"go/types"
	"testing"
)

// What is noted of a type, and where: in the first word, but for lengths, which stand in the second.
func TestNoted(t *testing.T) {
	t.Parallel()
	basic := func(kind types.BasicKind) types.Type { return types.Typ[kind] }
	method := types.NewFunc(token.NoPos, nil, "M", types.NewSignatureType(nil, nil, nil, nil, nil, false))
	param := types.NewTypeParam(types.NewTypeName(token.NoPos, nil, "T", nil), types.NewInterfaceType(nil, nil))
	named := types.NewNamed(types.NewTypeName(token.NoPos, nil, "N", nil), basic(types.Uint16), nil)
	for _, c := range []struct {
		of   types.Type
		form Form
		word int
	}{
		{basic(types.Int), int64Form, 0}, {basic(types.Int8), int8Form, 0}, {basic(types.Uintptr), uint64Form, 0},
		{basic(types.Bool), boolForm, 0}, {basic(types.UnsafePointer), nilForm, 0}, {basic(types.String), int64Form, 1},
		{named, uint16Form, 0}, {types.NewSlice(basic(types.Int)), int64Form, 1}, {types.NewPointer(named), nilForm, 0},
		{types.NewMap(named, named), mapForm, 0}, {types.NewChan(types.SendRecv, named), nilForm, 0},
		{types.NewSignatureType(nil, nil, nil, nil, nil, false), codeForm, 0},
		{types.NewInterfaceType(nil, nil), anyForm, 0},
		{types.NewInterfaceType([]*types.Func{method}, nil), methodsForm, 0},
		{basic(types.Float64), 0, 0}, {basic(types.Complex128), 0, 0}, {types.NewStruct(nil, nil), 0, 0},
		{types.NewArray(named, 1), 0, 0}, {param, 0, 0},
	} {
		form, word, ok := Noted(c.of)
		if form != c.form || word != c.word || ok != (c.form != 0) {
			t.Errorf("%v: form %d in word %d, %t; want %d in %d", c.of, form, word, ok, c.form, c.word)
		}
	}
}
