package explain

import (
	"bytes"
	"flag"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/dupinst/dupinst/flow"
	"github.com/dupinst/dupinst/instrumentations"
	"github.com/dupinst/dupinst/instrumentations/all"
	"github.com/dupinst/dupinst/load"
	"github.com/dupinst/dupinst/transform"
)

var update = flag.Bool("update", false, "write what is explained to the golden files")

// explained explains one file's functions.
func explained(t *testing.T, src []byte, v transform.Variant) []*Function {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "input.go", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Instances: map[*ast.Ident]types.Instance{},
	}
	conf := types.Config{Importer: importer.Default()}
	typed, err := conf.Check("p", fset, []*ast.File{file}, info)
	if err != nil {
		t.Fatal(err)
	}
	pkg := &load.Package{Package: flow.New(fset, typed, info, []*ast.File{file}), Sources: map[*ast.File][]byte{file: src}}
	ins, err := instrumentations.Select(all.Table(), "calledge")
	if err != nil {
		t.Fatal(err)
	}
	r, err := transform.Package(&instrumentations.Unit{Package: pkg.Package, Position: fset.Position}, transform.Options{
		Variant: v, Instrumentations: ins,
		Leave:  func(*ast.File) bool { return false },
		Source: func(*ast.File) []byte { return src },
		Header: func(*ast.File) string { return "" },
	})
	if err != nil {
		t.Fatal(err)
	}
	return Functions(pkg, r.Plans)
}

// golden compares what was made with what a file has, or writes it there.
func golden(t *testing.T, name string, want, got *txtar.Archive) {
	t.Helper()
	text := txtar.Format(got)
	if *update {
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(text, txtar.Format(want)) {
		t.Errorf("differs from %s (go test ./explain -update writes it anew):\n%s", name, text)
	}
}

// TestGolden compares explanations and graphs with the golden files.
func TestGolden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("..", "testdata", "explain", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files:", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			out := &txtar.Archive{Comment: ar.Comment, Files: ar.Files[:1:1]}
			for _, v := range []transform.Variant{transform.Auto, transform.Full, transform.Partial, transform.No} {
				functions := explained(t, ar.Files[0].Data, v)
				var text bytes.Buffer
				if err := Text(&text, functions); err != nil {
					t.Fatal(err)
				}
				out.Files = append(out.Files, txtar.File{Name: string(v) + ".text", Data: text.Bytes()})
				if v != transform.Auto {
					out.Files = append(out.Files, txtar.File{Name: string(v) + ".dot", Data: []byte(DOT(functions))})
				}
			}
			golden(t, name, ar, out)
		})
	}
}

func TestNamed(t *testing.T) {
	t.Parallel()
	f := &Function{Name: "a.b/c.(*T).Method"}
	for name, want := range map[string]bool{
		"a.b/c.(*T).Method": true, "(*T).Method": true, "c.(*T).Method": true, "Method": true,
		"ethod": false, "T).Method": false, "": false, "c.(*T)": false,
	} {
		if got := f.Named(name); got != want {
			t.Errorf("%q: %t", name, got)
		}
	}
}
