// Ssa (for the paper's opt-compiler) builds the static single assignment form
// of net/http and what it imports with golang.org/x/tools/go/ssa, and walks it.
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

	"golang.org/x/tools/go/ssa"

	"github.com/dupinst/dupinst/bench/source"
)

func main() {
	build.Default.CgoEnabled = false
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "source", nil)
	sum := crc32.NewIEEE()
	for _, path := range []string{"net/http", "go/types"} {
		dir := source.Near(parser.ParseFile, filepath.Join("../..", path))
		p, err := build.ImportDir(dir, 0)
		source.Check(err)
		var files []*ast.File
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
			source.Check(err)
			files = append(files, f)
		}
		pkg, info, err := check(path, fset, files, imports)
		source.Check(err)
		for range 8 {
			middle(fset, pkg, info, files, sum)
		}
	}
	fmt.Printf("ssa %08x\n", sum.Sum32())
}

func check(path string, fset *token.FileSet, files []*ast.File, imports types.Importer) (*types.Package, *types.Info, error) {
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Implicits: map[ast.Node]types.Object{}, Scopes: map[ast.Node]*types.Scope{},
		Instances: map[*ast.Ident]types.Instance{}, FileVersions: map[*ast.File]string{},
	}
	pkg, err := (&types.Config{Importer: imports}).Check(path, fset, files, info)
	return pkg, info, err
}

// middle builds the program anew and sums up what it consists of.
func middle(fset *token.FileSet, pkg *types.Package, info *types.Info, files []*ast.File, sum interface{ Write([]byte) (int, error) }) {
	prog := ssa.NewProgram(fset, ssa.InstantiateGenerics|ssa.BuildSerially)
	seen := map[*types.Package]bool{pkg: true}
	var imported func(p *types.Package)
	imported = func(p *types.Package) {
		for _, q := range p.Imports() {
			if !seen[q] {
				seen[q] = true
				prog.CreatePackage(q, nil, nil, true)
				imported(q)
			}
		}
	}
	imported(pkg)
	built := prog.CreatePackage(pkg, files, info, false)
	built.Build()
	var names []string
	for name, m := range built.Members {
		fn, ok := m.(*ssa.Function)
		if !ok {
			continue
		}
		instructions, phis, edges := walk(fn)
		names = append(names, fmt.Sprint(name, instructions, phis, edges))
	}
	slices.Sort(names)
	fmt.Fprintln(sum, names)
}

func walk(fn *ssa.Function) (instructions, phis, edges int) {
	for _, b := range fn.DomPreorder() {
		edges += len(b.Succs)
		for _, in := range b.Instrs {
			instructions++
			if _, ok := in.(*ssa.Phi); ok {
				phis++
			}
			for _, op := range in.Operands(nil) {
				if *op != nil && (*op).Type() != nil {
					edges++
				}
			}
		}
	}
	for _, anon := range fn.AnonFuncs {
		i, p, e := walk(anon)
		instructions, phis, edges = instructions+i, phis+p, edges+e
	}
	return instructions, phis, edges
}
