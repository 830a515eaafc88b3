package sites

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"testing"

	"github.com/dupinst/dupinst/flow"
	"github.com/dupinst/dupinst/instrumentations"
)

// Functions whose name begins with known are those that are.
const source = `package p

import _ "unsafe"

type t struct{ n int }

type g[T any] struct{ v T }

type finds interface{ found(); knownNot() }

func (x *t) known() { knownToo(x) }
func (x *t) found() {}
func (x g[T]) inGeneric() {}
func (x *t) method() {}
func knownToo(x *t) { x.n++ }
func knownByGroup(x *t) int { return x.n }
func value(x *t) {}
func started() {}
func deferred() {}
func knownInLiteral() {}
func inGenericFunction() {}
func generic[T any](v T) { inGenericFunction() }
func inAssembly() {}
//go:linkname linked
func linked() {}
//go:nosplit
func split() {}
func fromSplit() {}
//go:nosplit
func splits() { fromSplit() }
func Exported() {}
func initial() int { return 1 }
func init() { linked(); inAssembly(); split(); splits(); generic(1); main() }
func main() {}
func knownUncalled() {}

var v = initial()

func All(x *t, y g[int]) (func(*t), func()) {
	x.known()
	knownToo(x)
	if (knownByGroup)(x) > 0 {
		x.found()
		y.inGeneric()
		value(x)
		started()
		deferred()
		knownInLiteral()
		Exported()
	}
	go started()
	defer deferred()
	func() { knownInLiteral() }()
	return value, x.method
}
`

func TestKnown(t *testing.T) {
	t.Parallel()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{},
		Instances: map[*ast.Ident]types.Instance{}, Implicits: map[ast.Node]types.Object{},
	}
	config := types.Config{Importer: importer.Default()}
	pkg, err := config.Check("p", fset, []*ast.File{file}, info)
	if err != nil {
		t.Fatal(err)
	}
	unit := &instrumentations.Unit{
		Package:  flow.New(fset, pkg, info, []*ast.File{file}),
		Position: func(pos token.Pos) token.Position { return fset.Position(pos) },
	}
	table, err := List(unit, Options{
		Leave:    func(*ast.File) bool { return false },
		Assembly: []string{"inAssembly"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"p.(*t).known", "p.knownToo", "p.knownByGroup", "p.knownInLiteral", "p.knownUncalled"}
	if !slices.Equal(table.known, want) {
		t.Errorf("got %q, want %q", table.known, want)
	}
}
