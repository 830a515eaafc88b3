package gobuild

import (
	"context"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dupinst/dupinst/compiler/sites"
	"github.com/dupinst/dupinst/compiler/toolchain"
	"github.com/dupinst/dupinst/gobuild/importcfg"
	"github.com/dupinst/dupinst/runtime/core"
)

// A Backend is where code is duplicated.
type Backend string

// The back ends there are.
const (
	Source   Backend = "source"   // in the source, before the compiler sees it
	Compiler Backend = "compiler" // in the compiler, after it has allocated registers
)

// ParseBackend returns the back end of that name.
func ParseBackend(name string) (Backend, error) {
	if b := Backend(name); b == Source || b == Compiler {
		return b, nil
	}
	return "", fmt.Errorf("no back end %q; there are %s and %s", name, Source, Compiler)
}

// architectures are those that the compiler's pass knows.
var architectures = []string{"amd64"}

// release is the toolchain that a step's tool belongs to.
func (s *step) release(ctx context.Context) (toolchain.Release, error) {
	line, err := toolLine(ctx, s.tool)
	if err != nil {
		return toolchain.Release{}, err
	}
	r := toolchain.Release{Root: filepath.Join(filepath.Dir(s.tool), "..", "..", "..")}
	for _, f := range strings.Fields(line) {
		if strings.HasPrefix(f, "go1.") {
			r.Version = f
		}
	}
	return r, nil
}

// extend gives a compile step the compiler with the pass in it.
func (c *Config) extend(ctx context.Context, s *step) error {
	if _, goarch := target(); !slices.Contains(architectures, goarch) {
		return fmt.Errorf("cannot duplicate code in the compiler for %s: it knows %s; use -backend=source", goarch, strings.Join(architectures, ", "))
	}
	r, err := s.release(ctx)
	if err != nil {
		return err
	}
	tool, err := toolchain.Compile(ctx, r, os.Stderr)
	if err != nil {
		return fmt.Errorf("%w; -backend=source does without it", err)
	}
	s.tool = tool
	return nil
}

// pass has the extended compiler instrument the package of a compile step.
func (c *Config) pass(ctx context.Context, s *step) error {
	if err := c.extend(ctx, s); err != nil {
		return err
	}
	text := fmt.Sprintf("variant %s\n", c.Variant)
	sc, err := c.resolveFor(ctx, s)
	if err != nil {
		return err
	}
	if sc.contains(s) {
		table, err := c.table(s)
		if err != nil {
			return err
		}
		text += table.Encode()
	}
	dir, err := s.scratch()
	if err != nil {
		return err
	}
	name := filepath.Join(dir, "sites")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		return fmt.Errorf("cannot write the sites of package %s: %w", s.path(), err)
	}
	s.env = append(s.env, "DUPINST_PASS="+name)
	return nil
}

// table lists the sites of the package of a compile step.
func (c *Config) table(s *step) (*sites.Table, error) {
	cfg, err := importcfg.Read(s.flag("importcfg"))
	if err != nil {
		return nil, err
	}
	unit, pkg, err := c.load(s, cfg)
	if err != nil {
		return nil, err
	}
	table, err := sites.List(unit, sites.Options{
		Instrumentations: c.Instrumentations,
		Leave: func(f *ast.File) bool {
			return strings.HasPrefix(filepath.Base(pkg.Fset.File(f.FileStart).Name()), "_cgo_")
		},
		Source: func(f *ast.File) []byte { return pkg.Sources[f] },
	})
	if err != nil {
		return nil, fmt.Errorf("cannot instrument package %s: %w", s.path(), err)
	}
	return table, nil
}

// assemble adds dupinst's routines to an assembler step of package runtime.
func (c *Config) assemble(s *step) error {
	_, goarch := target()
	name := "asm_" + goarch + ".s"
	for i, a := range s.args {
		if filepath.Base(a) != name || strings.HasPrefix(a, "-") {
			continue
		}
		own, err := os.ReadFile(a)
		if err != nil {
			return fmt.Errorf("cannot patch package runtime: %w", err)
		}
		added, err := core.Assembly(goarch)
		if err != nil {
			return fmt.Errorf("cannot patch package runtime: %w", err)
		}
		dir, err := s.scratch()
		if err != nil {
			return err
		}
		s.args[i] = filepath.Join(dir, name)
		if err := os.WriteFile(s.args[i], append(own, added...), 0o666); err != nil {
			return fmt.Errorf("cannot patch package runtime: %w", err)
		}
	}
	return nil
}
