package transform_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/dupinst/dupinst/flow"
	"github.com/dupinst/dupinst/instrumentations"
	"github.com/dupinst/dupinst/instrumentations/all"
	"github.com/dupinst/dupinst/transform"
)

var update = flag.Bool("update", false, "write what is emitted to the golden files")

// typed type-checks one file without imports but those of the standard library.
func typed(t testing.TB, src []byte) (*instrumentations.Unit, *ast.File, error) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "input.go", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	for _, spec := range file.Imports {
		if path, _ := strconv.Unquote(spec.Path.Value); !strings.Contains(" fmt errors sort strings sync iter maps slices os runtime cmp path/filepath sync/atomic runtime/debug ", " "+path+" ") {
			return nil, nil, fmt.Errorf("import of %q", path) // lest a fuzzed path be looked for
		}
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Instances: map[*ast.Ident]types.Instance{},
	}
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", nil)}
	pkg, err := conf.Check("p", fset, []*ast.File{file}, info)
	if err != nil {
		return nil, nil, err
	}
	return &instrumentations.Unit{Package: flow.New(fset, pkg, info, []*ast.File{file}), Position: fset.Position}, file, nil
}

func options(src []byte, v transform.Variant) transform.Options {
	return transform.Options{
		Variant: v, Instrumentations: instrumentations.Default(all.Table()),
		Leave:  func(*ast.File) bool { return false },
		Source: func(*ast.File) []byte { return src },
		Header: func(*ast.File) string { return "" },
	}
}

// bare are the variants that are for measuring checks.
var bare = []transform.Variant{transform.Entries, transform.Backedges}

// TestGolden compares plans and emitted source with the golden files: one
// archive a behaviour, its comment saying why.
func TestGolden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("..", "testdata", "transform", "*.txtar"))
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
			src := ar.Files[0].Data
			variants := transform.Variants()
			if filepath.Base(name) == "checks.txtar" {
				variants = bare
			}
			for _, v := range variants {
				unit, file, err := typed(t, src)
				if err != nil {
					t.Fatal(err)
				}
				r, err := transform.Package(unit, options(src, v))
				if err != nil {
					t.Fatal(err)
				}
				var plan bytes.Buffer
				for _, p := range r.Plans {
					p.Fprint(&plan, unit.Package)
				}
				out.Files = append(out.Files,
					txtar.File{Name: string(v) + ".plan", Data: plan.Bytes()},
					txtar.File{Name: string(v) + ".go", Data: []byte(r.Files[file])})
			}
			got := txtar.Format(out)
			if *update {
				if err := os.WriteFile(name, got, 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := txtar.Format(ar); !bytes.Equal(got, want) {
				t.Errorf("differs from %s (go test ./transform -update writes it anew):\n%s", name, got)
			}
		})
	}
}

// FuzzPackage gives the rewriter any source that type-checks: what it emits
// must parse, with its lines where they were.
func FuzzPackage(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("..", "testdata", "programs", "*", "main.go"))
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, v := range append(transform.Variants(), bare...) {
			unit, file, err := typed(t, src)
			if err != nil {
				return
			}
			r, err := transform.Package(unit, options(src, v))
			if err != nil {
				t.Fatal(err)
			}
			text, changed := r.Files[file]
			if !changed {
				continue
			}
			fset := token.NewFileSet()
			again, err := parser.ParseFile(fset, "output.go", text, 0)
			if err != nil {
				t.Fatalf("%s: %v\n%s", v, err, text)
			}
			sameLines(t, unit.Fset, file, fset, again)
		}
	})
}

// sameLines demands that every declaration still stands on its line.
func sameLines(t *testing.T, fset *token.FileSet, a *ast.File, fset2 *token.FileSet, b *ast.File) {
	t.Helper()
	var emitted []ast.Decl
	for _, d := range b.Decls {
		if imp, ok := d.(*ast.GenDecl); ok && imp.Tok == token.IMPORT && len(emitted) == 0 && strings.HasPrefix(imp.Specs[0].(*ast.ImportSpec).Name.String(), "dupinst") {
			continue
		}
		emitted = append(emitted, d)
	}
	if len(emitted) != len(a.Decls) {
		t.Fatalf("%d declarations became %d", len(a.Decls), len(emitted))
	}
	for i, d := range a.Decls {
		if was, is := fset.Position(d.End()), fset2.Position(emitted[i].End()); was.Line != is.Line {
			t.Fatalf("declaration %d ended on line %d, now on %d", i, was.Line, is.Line)
		}
	}
}

// A function without probes stands in the output as it stood in the input, byte
// for byte, in every variant.
func TestUntouched(t *testing.T) {
	t.Parallel()
	src := []byte(`package p

type t struct{ n int }

func (x *t) hit() int { x.n++; return x.n }

// pure has a loop, a closure and a switch, but nothing to count.
func pure(list []int) (s int) {
	add := func(n int) { s += n } //nothing
	for i := range list {
		switch {
		case i%2 == 0:
			s += list[i]
		}
	}
	_ = add
	return s
}

func both(x *t) int {	return x.hit() }
`)
	const want = "func pure(list []int) (s int) {\n\tadd := func(n int) { s += n } //nothing\n\tfor i := range list {\n\t\tswitch {\n\t\tcase i%2 == 0:\n\t\t\ts += list[i]\n\t\t}\n\t}\n\t_ = add\n\treturn s\n}\n"
	for _, v := range transform.Variants() {
		unit, file, err := typed(t, src)
		if err != nil {
			t.Fatal(err)
		}
		r, err := transform.Package(unit, options(src, v))
		if err != nil {
			t.Fatal(err)
		}
		if out := r.Files[file]; !strings.Contains(out, want) || out == string(src) {
			t.Errorf("%s: the function without probes changed, or none did:\n%s", v, out)
		}
	}
}

// A bug shows as an error that names the function, not as a panic.
func TestInternalError(t *testing.T) {
	t.Parallel()
	src := []byte("package p\n\nfunc f() {}\n\nfunc g() { f() }\n")
	unit, _, err := typed(t, src)
	if err != nil {
		t.Fatal(err)
	}
	broken := &instrumentations.Instrumentation{Sites: func(*instrumentations.Unit, *flow.Func) []instrumentations.Site {
		return []instrumentations.Site{{Event: &ast.Ident{Name: "nowhere"}}}
	}}
	o := options(src, transform.Full)
	o.Instrumentations = []*instrumentations.Instrumentation{broken}
	if _, err := transform.Package(unit, o); err == nil || !strings.Contains(err.Error(), "internal error while planning p.f: ") {
		t.Errorf("error %v", err)
	}
}
