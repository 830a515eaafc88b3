package instrumentations

import (
	"errors"
	"fmt"
	"go/ast"
	"go/types"
)

// A Value says which word a site notes with each event: the dynamic part of its key is what the word
// was. A site that notes one counts where the word is to be had, in a register before the instruction
// that reads it or behind the call that returns it: no code is added for it but the probe.
type Value struct {
	Of    Operand
	Index int        // of the argument or result
	Type  types.Type // of the argument, the result or the divisor: see Noted
	Lap   ast.Stmt   // of a loop: the statement that its body begins with
}

// An Operand is what the word is of an event.
type Operand int

const (
	Nothing  Operand = iota
	Argument         // of a call that is not inlined, of what go and defer call excepted
	Result           // likewise
	MadeLen          // make: the length of a slice, the hint of a map or the size of a channel that the compiler did not know
	MadeCap          // make: the capacity of such a slice
	GrownLen         // append, where it grows the slice: how long that is to be
	GrownCap         // append, where it grows the slice: what it had room for
	MapLen           // of the map that is indexed, ranged over, cleared or deleted from, where that takes a call
	Divisor          // of / and %, where a division is made of it
	Context          // of a statement: the calling context, which is no word
	Path             // of a statement: it is no event of its own, but shows which path through its function is taken
	Across           // likewise, of a path that goes on in what the function calls
	Load             // the address of a field that a selector names, where memory is read; the Index is how many fields that it names lie in it
	Store            // likewise, where memory is written
	Trips            // of a loop, in a list of statements, that is left: how often its body was entered since control came to it
	Object           // of new, & of a composite literal, such a literal where & is left out, one of a slice, a function literal, or a variable where it is declared: that memory is asked for, and no word is noted
	Made             // of make, or a literal of a map: likewise
	Grown            // of append: that the slice is too short
)

// Allocates reports whether it is that memory is asked for.
func (o Operand) Allocates() bool { return Object <= o && o <= Grown }

// OfPath reports whether it shows a path.
func (o Operand) OfPath() bool { return o == Path || o == Across }

// A Form is what is noted of a word. The numbers stand in static data (runtime/core, table_value.go).
type Form int

const (
	int8Form Form = 1 + iota
	int16Form
	int32Form
	int64Form
	uint8Form
	uint16Form
	uint32Form
	uint64Form
	boolForm
	nilForm     // whether it is nil
	mapForm     // how many elements the map has
	codeForm    // the function that the value is
	methodsForm // the dynamic type of an interface value with methods
	anyForm     // and of one without
	contextForm
	tripsForm // how often a loop went round, or at least did
	addressForm
)

// basicForms are those of numbers of 64-bit machines.
var basicForms = map[types.BasicKind]Form{
	types.Bool: boolForm, types.UnsafePointer: nilForm,
	types.Int: int64Form, types.Int8: int8Form, types.Int16: int16Form, types.Int32: int32Form, types.Int64: int64Form,
	types.Uint: uint64Form, types.Uint8: uint8Form, types.Uint16: uint16Form, types.Uint32: uint32Form, types.Uint64: uint64Form,
	types.Uintptr: uint64Form,
}

// Noted says what is noted of a value of type t: of a number or a bool itself, of a string, slice or map
// the length, of a function which it is, of an interface its dynamic type, of a pointer or channel
// whether it is nil; and in which of the value's words it is found. Of others nothing is.
func Noted(t types.Type) (form Form, word int, ok bool) {
	if _, param := types.Unalias(t).(*types.TypeParam); param {
		return 0, 0, false
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		if t.Info()&types.IsString != 0 {
			return int64Form, 1, true
		}
		form, ok = basicForms[t.Kind()]
		return form, 0, ok
	case *types.Slice:
		return int64Form, 1, true
	case *types.Map:
		return mapForm, 0, true
	case *types.Signature:
		return codeForm, 0, true
	case *types.Pointer, *types.Chan:
		return nilForm, 0, true
	case *types.Interface:
		if t.NumMethods() > 0 {
			return methodsForm, 0, true
		}
		return anyForm, 0, true
	}
	return 0, 0, false
}

// Noted says what is noted of v, and in which of the operand's words that is found.
func (v Value) Noted() (form Form, word int, err error) {
	switch v.Of {
	case MapLen:
		return mapForm, 0, nil
	case Context:
		return contextForm, 0, nil
	case Path, Across, Object, Made, Grown:
		return 0, 0, nil
	case Load, Store:
		return addressForm, 0, nil
	case Trips:
		if v.Lap == nil {
			return 0, 0, errors.New("it does not say which statement the loop's body begins with")
		}
		return tripsForm, 0, nil
	case Argument, Result, Divisor:
		if v.Type != nil {
			if form, word, ok := Noted(v.Type); ok {
				return form, word, nil
			}
		}
		return 0, 0, fmt.Errorf("nothing can be noted of a value of type %v", v.Type)
	}
	return int64Form, 0, nil
}
