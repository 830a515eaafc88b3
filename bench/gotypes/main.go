// Gotypes (for the paper's _213_javac) parses and type-checks packages of the
// standard library from source with go/parser and go/types.
package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"hash/crc32"
	"path/filepath"
	"slices"

	"github.com/dupinst/dupinst/bench/source"
)

func main() {
	fset := token.NewFileSet()
	build.Default.CgoEnabled = false
	imports := importer.ForCompiler(fset, "source", nil)
	sum := crc32.NewIEEE()
	for _, path := range []string{"net/http", "go/types", "encoding/xml", "text/template"} {
		var files []*ast.File
		dir := source.Near(parser.ParseFile, filepath.Join("../..", path))
		p, err := build.ImportDir(dir, 0)
		source.Check(err)
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
			source.Check(err)
			files = append(files, f)
		}
		info := &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
			Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		}
		pkg, err := (&types.Config{Importer: imports}).Check(path, fset, files, info)
		source.Check(err)
		var names []string
		for id, obj := range info.Defs {
			if obj != nil && obj.Parent() == pkg.Scope() {
				names = append(names, id.Name+" "+obj.Type().String())
			}
		}
		slices.Sort(names)
		fmt.Fprintln(sum, path, len(info.Types), len(info.Uses), names)
	}
	fmt.Printf("gotypes %08x\n", sum.Sum32())
}
