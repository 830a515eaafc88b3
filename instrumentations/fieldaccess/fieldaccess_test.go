package fieldaccess

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/dupinst/dupinst/flow"
	"github.com/dupinst/dupinst/instrumentations"
)

const declarations = `package p

type in struct{ v int; arr [2]in2; ptr *in2; sl []in2; m map[string]in2 }
type in2 struct{ w int }
func (in) val()  {}
func (*in) addr() {}
type out struct { in; *emb; n in; p *in; self *out }
type emb struct{ e int }
func (emb) eval()  {}
func (*emb) eaddr() {}
type gen[T any] struct{ t T }
var o out
var q *out
var g gen[int]
var i int
func seq(yield func(int) bool) {}
func f() {
	`

// TestSites gives statements and the accesses they are.
func TestSites(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ stmt, want string }{
		{"_ = o.n.v", "in.v read, out.n read"},
		{"o.n.v = 1", "in.v write, out.n write"},
		{"o.n.v++", "in.v read, in.v write, out.n read, out.n write"},
		{"o.n.v += o.p.v", "in.v read, in.v read, in.v write, out.n read, out.n write, out.p read"},
		{"o.p.v = 1", "in.v write, out.p read"},
		{"q.self.n.v = 1", "in.v write, out.n write, out.self read"},
		{"_ = &o.n.v", "in.v addr, out.n addr"},
		{"_ = o.v", "in.v read, out.in read"},
		{"o.v = 2", "in.v write, out.in write"},
		{"_ = o.e", "emb.e read, out.emb read"},
		{"o.e = 2", "emb.e write, out.emb read"},
		{"o.n.arr[i].w = 1", "in.arr write, in2.w write, out.n write"},
		{"o.n.sl[i].w = 1", "in.sl read, in2.w write, out.n read"},
		{"_ = o.n.arr[:]", "in.arr addr, out.n addr"},
		{"_ = o.n.sl[:]", "in.sl read, out.n read"},
		{"_ = o.n.m[\"x\"].w", "in.m read, in2.w read, out.n read"},
		{"(*o.p).v = 3", "in.v write, out.p read"},
		{"(o.n).v = 3", "in.v write, out.n write"},
		{"o.n.val()", "out.n read"},
		{"o.n.addr()", "out.n addr"},
		{"o.p.addr()", "out.p read"},
		{"o.val()", "out.in read"},
		{"o.addr()", "out.in addr"},
		{"q.addr()", "out.in addr"},
		{"o.eval()", "out.emb read"},
		{"o.eaddr()", "out.emb read"},
		{"_ = o.n.addr", "out.n addr"},
		{"g.t = 1", "gen[...].t write"},
		{"_ = len(o.n.arr)", ""},
		{"for range o.n.arr {}", ""},
		{"for range o.n.sl {}", "in.sl read, out.n read"},
		{"for o.n.v = range 3 {}", "in.v write, out.n write"},
		{"for range seq { o.n.v = 1 }", ""},
		{"o.n.v, i = i, o.n.v", "in.v read, in.v write, out.n read, out.n write"},
		{"_ = struct{ a int }{1}.a", "struct{a int}.a read"},
		{"_ = in{v: 1}", ""},
		{"_ = func() { o.n.v = 1 }", ""},
	} {
		got, err := accesses(c.stmt)
		if err != nil {
			t.Fatalf("%s: %v", c.stmt, err)
		}
		if got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.stmt, got, c.want)
		}
	}
}

// accesses returns the sites of a function with that statement.
func accesses(stmt string) (string, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", declarations+stmt+"\n}", 0)
	if err != nil {
		return "", err
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	pkg, err := (&types.Config{}).Check("p", fset, []*ast.File{file}, info)
	if err != nil {
		return "", err
	}
	unit := &instrumentations.Unit{Package: flow.New(fset, pkg, info, []*ast.File{file}), Position: fset.Position}
	i := slices.IndexFunc(unit.Funcs, func(fn *flow.Func) bool { return fn.Name == "p.f" })
	var out []string
	for _, s := range sites(unit, unit.Funcs[i]) {
		out = append(out, strings.TrimPrefix(s.Parts[0], "p.")+"."+s.Parts[1]+" "+s.Parts[2])
	}
	slices.Sort(out)
	return strings.Join(out, ", "), nil
}
