// Package fieldaccess counts accesses of struct fields by struct type, field
// and kind of access, the second of the paper's two example instrumentations
// (Arnold and Ryder, PLDI 2001, §4.2).
//
// Every evaluation of a selector that names a field is an access, and so is
// each embedded field that a promoted selector passes through: a.b.c touches
// two fields. Its kind is
//
//	read   the field's value, or part of it, is used
//	write  the field, or part of it, is assigned to
//	addr   its address is taken: &a.b, a slice of an array, a method call with
//	       a pointer receiver on it
//
// and x.f += 1 is a read and a write. Where a struct lies within a struct, the
// access of the inner field is one of the outer field too, of the same kind;
// before a pointer, slice or map it is a read. Operands of && and || that are
// not evaluated are not counted, nor are whole structs that are copied,
// compared or made by a literal: no field of them is named.
package fieldaccess

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/dupinst/dupinst/flow"
	"github.com/dupinst/dupinst/instrumentations"
	"github.com/dupinst/dupinst/profile/format"
)

// Instrumentation is the field-access instrumentation.
var Instrumentation = &instrumentations.Instrumentation{
	Format: format.Instrumentation{
		Name:    "fieldaccess",
		Key:     "{type}.{field} {access}",
		Parts:   []string{"type", "field", "access"},
		Dynamic: -1,
	},
	Doc:   "reads and writes, by struct type and field",
	Sites: sites,
}

const (
	read  = "read"
	write = "write"
	addr  = "addr"
)

func sites(u *instrumentations.Unit, fn *flow.Func) []instrumentations.Site {
	var out []instrumentations.Site
	for _, a := range Accesses(u, fn) {
		out = append(out, instrumentations.Site{Event: a.Event, Parts: a.Parts()})
	}
	return out
}

// An Access is one of a field.
type Access struct {
	Event             ast.Expr // the selector
	Type, Field, Kind string
	// The field is the one of that index in a struct.
	In    *types.Struct
	Index int
	// Inner is how many fields the selector names that lie in this one.
	Inner int
}

// Parts is the access's key.
func (a Access) Parts() []string { return []string{a.Type, a.Field, a.Kind} }

// Reads and Writes report the access's kind.
func (a Access) Reads() bool  { return a.Kind == read }
func (a Access) Writes() bool { return a.Kind == write }

// Accesses are those in a function.
func Accesses(u *instrumentations.Unit, fn *flow.Func) []Access {
	f := &finder{u: u, kinds: map[ast.Expr][]string{}}
	if fn.Kind == flow.Range {
		loop := fn.Node.(*ast.RangeStmt)
		f.assigned(loop.Key, loop.Value)
	}
	u.InspectFunc(fn, f.visit)
	return f.found
}

type finder struct {
	u     *instrumentations.Unit
	kinds map[ast.Expr][]string // of expressions that are not just read
	found []Access
}

// visit sees statements and operators before their operands, and so knows how
// an operand is used when it comes to it.
func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		kinds := []string{write}
		if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
			kinds = []string{read, write}
		}
		for _, e := range n.Lhs {
			f.use(e, kinds...)
		}
	case *ast.IncDecStmt:
		f.use(n.X, read, write)
	case *ast.RangeStmt:
		if !f.u.RangesFunc(n) {
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if e != nil {
					f.use(e, write)
				}
			}
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			f.use(n.X, addr)
		}
	case *ast.SliceExpr:
		if isArray(f.u.Info.TypeOf(n.X)) {
			f.use(n.X, addr)
		}
	case *ast.IndexExpr:
		f.through(n, n.X, isArray(f.u.Info.TypeOf(n.X)))
	case *ast.ParenExpr:
		f.through(n, n.X, true)
	case *ast.SelectorExpr:
		f.selector(n)
	}
	return true
}

// assigned enters the operands that a range-over-func loop assigns to, which
// its body does at its start.
func (f *finder) assigned(operands ...ast.Expr) {
	for _, e := range operands {
		if e != nil {
			f.use(e, write)
			f.u.Inspect(e, f.visit)
		}
	}
}

// use notes how e is used.
func (f *finder) use(e ast.Expr, kinds ...string) { f.kinds[e] = kinds }

// kindsOf returns how e is used; what is not noted is read.
func (f *finder) kindsOf(e ast.Expr) []string {
	if k := f.kinds[e]; k != nil {
		return k
	}
	return []string{read}
}

// through passes the use of outer on to inner where outer is part of it.
func (f *finder) through(outer, inner ast.Expr, part bool) {
	if k := f.kinds[outer]; part && k != nil {
		f.kinds[inner] = k
	}
}

// selector enters the fields that x.f names: the embedded ones it passes
// through and f itself.
func (f *finder) selector(e *ast.SelectorExpr) {
	sel := f.u.Info.Selections[e]
	if sel == nil || sel.Kind() == types.MethodExpr {
		return
	}
	fields := sel.Index()
	kinds := f.kindsOf(e)
	if sel.Kind() == types.MethodVal {
		fields = fields[:len(fields)-1]
		kinds = []string{read}
		if pointerReceiver(sel) && !isPointer(along(sel.Recv(), fields)) {
			kinds = []string{addr}
		}
	}
	kinds = f.fields(e, sel.Recv(), fields, kinds)
	if !isPointer(sel.Recv()) {
		f.use(e.X, kinds...)
	}
}

// fields enters the accesses of a path of fields from a value of type t, the
// last of which is used as kinds says. It returns how the value itself is used.
func (f *finder) fields(event ast.Expr, t types.Type, path []int, kinds []string) []string {
	if len(path) == 0 {
		return kinds
	}
	owner := t
	if p, ok := t.Underlying().(*types.Pointer); ok {
		owner = p.Elem()
	}
	field := structOf(owner).Field(path[0])
	inner := f.fields(event, field.Type(), path[1:], kinds)
	if len(path) > 1 && isPointer(field.Type()) {
		inner = []string{read}
	}
	for _, k := range inner {
		f.found = append(f.found, Access{Event: event, Type: TypeName(owner), Field: field.Name(), Kind: k, In: structOf(owner), Index: path[0], Inner: len(path) - 1})
	}
	return inner
}

// TypeName names a struct type: a defined one by its package's path and name,
// as in the source, without type arguments; another by its fields.
func TypeName(t types.Type) string {
	if named, ok := types.Unalias(t).(*types.Named); ok {
		obj := named.Origin().Obj()
		name := obj.Name()
		if named.TypeArgs().Len() > 0 || named.TypeParams().Len() > 0 {
			name += "[...]"
		}
		if obj.Pkg() != nil {
			return obj.Pkg().Path() + "." + name
		}
		return name
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return types.TypeString(t, nil)
	}
	return types.TypeString(t, func(p *types.Package) string { return p.Path() })
}

// along returns the type at the end of a path of fields from t.
func along(t types.Type, path []int) types.Type {
	for _, i := range path {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		t = structOf(t).Field(i).Type()
	}
	return t
}

func structOf(t types.Type) *types.Struct {
	if s, ok := t.Underlying().(*types.Struct); ok {
		return s
	}
	return nil
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

func isArray(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Array)
	return ok
}

// pointerReceiver reports whether the method that sel denotes takes the address
// of the value it is selected from.
func pointerReceiver(sel *types.Selection) bool {
	m := sel.Obj().(*types.Func)
	return isPointer(m.Signature().Recv().Type()) && !types.IsInterface(m.Signature().Recv().Type())
}
