package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/tools/go/packages"
)

// Patterns loads the packages that match the go command's patterns in dir, as
// their compile steps would be loaded.
func Patterns(ctx context.Context, dir string, patterns []string) ([]*Package, error) {
	found, err := packages.Load(&packages.Config{
		Context: ctx, Dir: dir,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedEmbedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps | packages.NeedExportFile | packages.NeedModule,
	}, patterns...)
	if err != nil {
		return nil, fmt.Errorf("cannot list packages: %w", err)
	}
	var out []*Package
	for _, p := range found {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("cannot load %s: %w", p.PkgPath, Located(p.Errors[0]))
		}
		if len(p.CompiledGoFiles) == 0 {
			continue
		}
		loaded, err := Load(step(p))
		if err != nil {
			return nil, fmt.Errorf("cannot type-check %s: %w", p.PkgPath, err)
		}
		loaded.Listed = p
		out = append(out, loaded)
	}
	return out, nil
}

// Located is an error with its place, if it has one: package packages writes "-" for none.
func Located(err packages.Error) error {
	if err.Pos == "" || err.Pos == "-" {
		return errors.New(err.Msg)
	}
	return err
}

// step is p's compile step.
func step(p *packages.Package) Step {
	s := Step{Path: p.PkgPath, Export: func(path string) (io.ReadCloser, error) {
		dep := p.Imports[path]
		if dep == nil || dep.ExportFile == "" {
			return nil, fmt.Errorf("no export data of %s", path)
		}
		return os.Open(dep.ExportFile)
	}}
	if p.Name == "main" {
		s.Path = "main"
	}
	for _, f := range p.CompiledGoFiles {
		if ext := filepath.Ext(f); ext == ".go" || ext == "" { // what cgo generates lies in the build cache, under a hash
			s.Files = append(s.Files, f)
		}
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		s.Lang = "go" + p.Module.GoVersion
	}
	return s
}
