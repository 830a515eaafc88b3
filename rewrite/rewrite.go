// Package rewrite owns instrumented source on disk: what go generate makes, and the
// plain go command builds.
//
// The text is the user's own, as package transform leaves it, with every comment where
// it was. What the patched runtime would have done is done otherwise. Checks call
// runtime/core as an ordinary package, whose counters are in a table that goroutines
// share. The profile is written when main returns or panics, before each os.Exit in
// rewritten source, and periodically: nothing else hears of the end of a process.
// Functions have no copies that calls of them are directed to, whose names would show
// in stack traces, so that small functions with a check are not inlined.
package rewrite

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
	"golang.org/x/tools/go/packages"

	"github.com/dupinst/dupinst/instrumentations"
	"github.com/dupinst/dupinst/load"
	"github.com/dupinst/dupinst/runtime/core"
	"github.com/dupinst/dupinst/transform"
)

// Runtime is the package that rewritten source imports where the module can: one that has
// dupinst's own package runtime in it shares its state. Others get a copy, in a package of
// theirs.
const Runtime = "github.com/dupinst/dupinst/runtime/core"

// Options say what to rewrite, and how.
type Options struct {
	Patterns         []string // of packages, as the go command's
	Variant          transform.Variant
	Instrumentations []*instrumentations.Instrumentation
	Build            string // the encoded format.Build of the above
	Version          string // of dupinst
}

// A Source is what became of packages.
type Source struct {
	// Files are the new texts of rewritten files, and of those that are added, by the
	// names of the old, or those that the new would have beside them.
	Files map[string]string
	// Left are the packages that stay as they are, with the reasons.
	Left   []string
	module *packages.Module
	listed []*packages.Package
	tree   string // where the texts are to be, if not in an overlay
	// runtimePath is the package that they import, version dupinst's own.
	runtimePath, version string
}

// Overlay rewrites packages and writes the file that go build -overlay takes. The texts
// are in a directory beside it, which no package pattern matches: _overlay for
// overlay.json.
func Overlay(ctx context.Context, o Options, file string) (*Source, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return nil, fmt.Errorf("cannot write overlay: %w", err)
	}
	s := &Source{Files: map[string]string{}, version: o.Version}
	if err := s.rewrite(ctx, o); err != nil {
		return nil, err
	}
	base, _, _ := strings.Cut(filepath.Base(file), ".")
	dir := filepath.Join(filepath.Dir(file), "_"+base)
	if err := publish(dir, s.writeTexts); err != nil {
		return nil, fmt.Errorf("cannot write overlay: %w", err)
	}
	return s, s.writeOverlay(file, dir)
}

// Tree rewrites packages into a module of its own in dir, which has the original's path
// and, as they are, the packages that the rewritten ones need. Positions are those of
// the original, named as go build -trimpath names them.
func Tree(ctx context.Context, o Options, dir string) (*Source, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot write rewritten source: %w", err)
	}
	s := &Source{Files: map[string]string{}, tree: dir, version: o.Version}
	if err := s.rewrite(ctx, o); err != nil {
		return nil, err
	}
	if err := publish(dir, s.writeTree); err != nil {
		return nil, fmt.Errorf("cannot write rewritten source: %w", err)
	}
	return s, nil
}

// rewrite rewrites packages.
func (s *Source) rewrite(ctx context.Context, o Options) error {
	pkgs, err := load.Patterns(ctx, "", o.Patterns)
	if err != nil {
		return err
	}
	changed := false
	for _, pkg := range pkgs {
		listed := pkg.Listed
		m := listed.Module
		switch {
		case m == nil || !m.Main:
			return fmt.Errorf("cannot rewrite %s: it is not of the main module", listed.PkgPath)
		case semver.Compare("v"+m.GoVersion, "v1.18") < 0:
			return fmt.Errorf("cannot rewrite %s: its go.mod says go %s, and rewritten source needs 1.18", listed.PkgPath, m.GoVersion)
		case s.module != nil && s.module.Path != m.Path:
			return fmt.Errorf("cannot rewrite packages of two modules at once: %s and %s", s.module.Path, m.Path)
		}
		if s.module == nil {
			if s.runtimePath, err = s.runtime(ctx, m); err != nil {
				return err
			}
		}
		s.module = m
		s.listed = append(s.listed, listed)
		if !slices.Equal(listed.GoFiles, listed.CompiledGoFiles) {
			s.Left = append(s.Left, listed.PkgPath+" uses cgo")
			continue
		}
		n := len(s.Files)
		if err := s.add(pkg, o); err != nil {
			return fmt.Errorf("cannot rewrite %s: %w", listed.PkgPath, err)
		}
		changed = changed || len(s.Files) > n
	}
	if !changed {
		return fmt.Errorf("nothing to rewrite in %s", strings.Join(append(o.Patterns, s.Left...), ", "))
	}
	return nil
}

// runtime is the package that the rewritten source of a module imports. Where it is a copy, its
// files are added.
func (s *Source) runtime(ctx context.Context, m *packages.Module) (string, error) {
	found, err := packages.Load(&packages.Config{Context: ctx, Mode: packages.NeedName | packages.NeedFiles}, Runtime)
	if err != nil {
		return "", fmt.Errorf("cannot look for %s: %w", Runtime, err)
	}
	if len(found) == 1 && len(found[0].Errors) == 0 {
		return Runtime, nil
	}
	const own = "internal/dupinst"
	dir := filepath.Join(m.Dir, filepath.FromSlash(own))
	if _, err := os.Stat(dir); err == nil {
		return "", fmt.Errorf("cannot add what rewritten source needs: the module has a directory %s (or go get github.com/dupinst/dupinst)", own)
	}
	files, err := core.Portable(s.version)
	if err != nil {
		return "", fmt.Errorf("cannot add what rewritten source needs: %w", err)
	}
	for name, text := range files {
		s.Files[filepath.Join(dir, name)] = "// Code generated by dupinst rewrite; DO NOT EDIT.\n\n" + text
	}
	return m.Path + "/" + own, nil
}

// add rewrites a package.
func (s *Source) add(pkg *load.Package, o Options) error {
	name := func(f *ast.File) string { return pkg.Fset.File(f.FileStart).Name() }
	unit := &instrumentations.Unit{Package: pkg.Package, Position: func(pos token.Pos) token.Position {
		p := pkg.Fset.Position(pos)
		p.Filename = s.position(p.Filename)
		return p
	}}
	r, err := transform.Package(unit, transform.Options{
		Variant: o.Variant, Instrumentations: o.Instrumentations,
		Leave:    func(*ast.File) bool { return false },
		Source:   func(f *ast.File) []byte { return pkg.Sources[f] },
		Header:   func(*ast.File) string { return "" },
		Portable: &transform.Portable{Runtime: s.runtimePath, Build: o.Build},
	})
	if err != nil {
		return err
	}
	first := ""
	for _, f := range pkg.Files {
		text, changed := r.Files[f]
		if !changed {
			text = string(pkg.Sources[f])
		}
		ended, err := ends(text, pkg.Types.Name() == "main", s.runtimePath)
		if err != nil {
			return fmt.Errorf("%s: rewritten, it is not Go: %w; please report it", name(f), err)
		}
		if base := filepath.Base(name(f)); first == "" || base < first {
			first = base
		}
		if !changed && ended == text {
			continue
		}
		s.Files[name(f)] = s.header(name(f)) + strings.TrimPrefix(ended, "\ufeff") // may stand at the very start only
	}
	if r.Data != "" {
		data, err := dataName(first)
		if err != nil {
			return err
		}
		s.Files[filepath.Join(filepath.Dir(name(pkg.Files[0])), data)] = "// Code generated by dupinst rewrite; DO NOT EDIT.\n\n" + r.Data
	}
	return nil
}

// dataName is the name of the file with a package's counters. It must come before the
// first of the others: what it declares is initialised in the order of the files.
func dataName(first string) (string, error) {
	name := "0_dupinst.go"
	for dashes := "-"; name >= first; dashes += "-" {
		if len(dashes) > len(first) {
			return "", fmt.Errorf("no file can come before %s", first)
		}
		name = "0" + dashes + "dupinst.go"
	}
	return name, nil
}
