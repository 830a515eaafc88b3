// Package load owns typed packages: it parses the files of a compile step and
// type-checks them against the export data of what they import.
package load

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"runtime"

	"golang.org/x/tools/go/packages"

	"github.com/dupinst/dupinst/flow"
)

// A Step is what a compile step compiles.
type Step struct {
	Path   string   // the package's, as the compiler is told
	Files  []string // Go files
	Lang   string   // language version, as go1.22; "" for the newest
	GOARCH string
	// Export opens the export data of an imported package.
	Export func(path string) (io.ReadCloser, error)
}

// A Package is a type-checked package with its sources.
type Package struct {
	*flow.Package
	Sources map[*ast.File][]byte
	Sizes   types.Sizes       // of the machine, for a step
	Listed  *packages.Package // as the go command lists it, if it was asked
}

// Load parses and type-checks a step. The first error is returned, with its
// position.
func Load(s Step) (*Package, error) {
	fset := token.NewFileSet()
	p := &Package{Sources: map[*ast.File][]byte{}}
	var files []*ast.File
	for _, name := range s.Files {
		src, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
		p.Sources[f] = src
	}
	info := &types.Info{
		Types:        map[ast.Expr]types.TypeAndValue{},
		Defs:         map[*ast.Ident]types.Object{},
		Uses:         map[*ast.Ident]types.Object{},
		Implicits:    map[ast.Node]types.Object{},
		Selections:   map[*ast.SelectorExpr]*types.Selection{},
		Instances:    map[*ast.Ident]types.Instance{},
		FileVersions: map[*ast.File]string{},
	}
	arch := s.GOARCH
	if arch == "" {
		arch = runtime.GOARCH
	}
	conf := types.Config{
		GoVersion: s.Lang,
		Importer:  importer.ForCompiler(fset, "gc", importer.Lookup(s.Export)),
		Sizes:     types.SizesFor("gc", arch),
	}
	if conf.Sizes == nil {
		return nil, fmt.Errorf("cannot type-check %s: unknown architecture %s", s.Path, arch)
	}
	pkg, err := conf.Check(s.Path, fset, files, info)
	if err != nil {
		return nil, err
	}
	p.Package = flow.New(fset, pkg, info, files)
	p.Sizes = conf.Sizes
	return p, nil
}
