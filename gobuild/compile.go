package gobuild

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/version"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dupinst/dupinst/gobuild/importcfg"
	"github.com/dupinst/dupinst/gobuild/patch"
	"github.com/dupinst/dupinst/instrumentations"
	"github.com/dupinst/dupinst/load"
	"github.com/dupinst/dupinst/runtime/core"
	"github.com/dupinst/dupinst/transform"
)

// errNotTyped wraps the error of a package that does not type-check.
var errNotTyped = errors.New("cannot type-check the package")

// compile rewrites a compile step. It reports whether it changed anything.
func (c *Config) compile(ctx context.Context, s *step) (bool, error) {
	if s.std() && RuntimeOwn(s.path()) {
		// A profile given with -pgo would make these archives differ from
		// those that archive asks for, and one program would have both.
		s.drop("pgoprofile")
		c.uncounted(s)
		switch s.path() {
		case "runtime":
			return true, c.patchRuntime(s)
		case described:
			return true, c.describe(s)
		}
		return true, nil
	}
	if s.path() == public {
		return true, c.link(ctx, s)
	}
	if c.Backend == Compiler {
		return true, c.pass(ctx, s)
	}
	sc, err := c.resolveFor(ctx, s)
	if err != nil {
		return false, err
	}
	if !sc.contains(s) {
		return false, nil
	}
	return c.rewrite(ctx, s)
}

// public is the package with which programs control profiling. It is never
// instrumented.
const public = "github.com/dupinst/dupinst/runtime"

// link gives the public package its way to the patched runtime.
func (c *Config) link(ctx context.Context, s *step) error {
	cfg, err := importcfg.Read(s.flag("importcfg"))
	if err != nil {
		return err
	}
	w, err := newRewrite(s)
	if err != nil {
		return err
	}
	if err := c.importRuntime(ctx, w, cfg); err != nil {
		return err
	}
	for _, name := range s.files() {
		if filepath.Base(name) == "plain.go" {
			w.replace(name, core.Linked())
			return w.finish()
		}
	}
	return fmt.Errorf("cannot link package %s: it has no plain.go; its version is not this dupinst's", public)
}

// resolveFor is resolve, but asks nothing where the step cannot be in scope.
func (c *Config) resolveFor(ctx context.Context, s *step) (*scope, error) {
	if len(c.Packages) == 0 && s.std() {
		return &scope{}, nil
	}
	return c.resolve(ctx, s.goCommand())
}

// described is a package that the runtime imports, and that has in a variable how the program is built: what it exports says nothing of
// that, so that the runtime, which takes as long to compile as all the rest of a small program, is the same for many builds.
const described = "internal/goos"

func (c *Config) describe(s *step) error {
	w, err := newRewrite(s)
	if err != nil {
		return err
	}
	w.add("dupinst_build.go", fmt.Sprintf("package goos\n\n// DupinstBuild is an encoded format.Build.\nvar DupinstBuild = %q\n\n// DupinstLanes are instrumentations, with commas, by the bytes of the weight that they count.\nvar DupinstLanes = %q\n", c.Build(), c.lanes()))
	return w.finish()
}

// patchRuntime adds dupinst's part to package runtime.
func (c *Config) patchRuntime(s *step) error {
	goos, goarch := target()
	if targets := core.Targets(); !slices.Contains(targets, goos+"/"+goarch) {
		return fmt.Errorf("cannot instrument for %s/%s: profiles can be written on %s only", goos, goarch, strings.Join(targets, ", "))
	}
	added, err := core.Source(goos, goarch, version.Lang(s.flag("goversion")))
	if err != nil {
		return fmt.Errorf("cannot patch package runtime: %w", err)
	}
	var files []patch.File
	for _, name := range s.files() {
		src, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("cannot patch package runtime: %w", err)
		}
		files = append(files, patch.File{Name: name, Source: src})
	}
	patched, err := patch.Apply(goos, files)
	if err != nil {
		return err
	}
	w, err := newRewrite(s)
	if err != nil {
		return err
	}
	for _, f := range files {
		if text, ok := patched[f.Name]; ok {
			w.replace(f.Name, header(f.Name)+text)
		}
	}
	added["build.go"] = fmt.Sprintf("package runtime\n\nimport %q\n\nfunc dupinstBuild() string { return goos.DupinstBuild }\n\nfunc dupinstLaneNames() string { return goos.DupinstLanes }\n\nconst dupinstAudited = %t\nconst dupinstExhaustive = %t\nconst dupinstTrapping = %t\nconst dupinstWindowed = %t\nconst dupinstByTimer = %t\nconst dupinstPhasable = %t\nconst dupinstVersion = %q\n", described, c.Audit, c.Variant == transform.Exhaustive, c.Variant == transform.Once, c.Trigger == Window, c.Trigger == Timer, c.Phasable(), Version())
	for _, name := range slices.Sorted(maps.Keys(added)) {
		w.add("dupinst_"+name, added[name])
	}
	return w.finish()
}

// target is what the go command compiles for; the compiler, too, reads it from
// the environment.
func target() (goos, goarch string) {
	return envOr("GOOS", hostOS), envOr("GOARCH", hostArch)
}

func envOr(name, otherwise string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return otherwise
}

// header is the directive that makes a rewritten file's lines those of name.
func header(name string) string { return "//line " + name + ":1:1\n" }

// rewrite instruments the package of a compile step.
func (c *Config) rewrite(ctx context.Context, s *step) (bool, error) {
	cfg, err := importcfg.Read(s.flag("importcfg"))
	if err != nil {
		return false, err
	}
	unit, pkg, err := c.load(s, cfg)
	if err != nil {
		return false, err
	}
	name := func(f *ast.File) string { return pkg.Fset.File(f.FileStart).Name() }
	result, err := transform.Package(unit, transform.Options{
		Variant: c.Variant, Instrumentations: c.Instrumentations, Audit: c.Audit,
		Leave:  func(f *ast.File) bool { return strings.HasPrefix(filepath.Base(name(f)), "_cgo_") },
		Source: func(f *ast.File) []byte { return pkg.Sources[f] },
		Header: func(f *ast.File) string { return header(name(f)) },
	})
	if err != nil {
		return false, fmt.Errorf("cannot instrument package %s: %w", s.path(), err)
	}
	if len(result.Files) == 0 && result.Data == "" {
		return false, nil
	}
	w, err := newRewrite(s)
	if err != nil {
		return false, err
	}
	for f, text := range result.Files {
		w.replace(name(f), text)
	}
	if result.Data != "" {
		w.first("dupinst_data.go", result.Data)
	}
	if err := c.importRuntime(ctx, w, cfg); err != nil {
		return false, err
	}
	raiseLanguage(s, s.flag("lang"))
	return true, w.finish()
}

// load type-checks the package of a compile step.
func (c *Config) load(s *step, cfg *importcfg.Config) (*instrumentations.Unit, *load.Package, error) {
	_, goarch := target()
	pkg, err := load.Load(load.Step{Path: s.path(), Files: s.files(), Lang: s.flag("lang"), GOARCH: goarch, Export: cfg.Open})
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errNotTyped, err)
	}
	trim := parseTrimpath(s.flag("trimpath"))
	return &instrumentations.Unit{Package: pkg.Package, Sizes: pkg.Sizes, Position: func(pos token.Pos) token.Position {
		p := pkg.Fset.Position(pos)
		p.Filename = trim.apply(p.Filename)
		return p
	}}, pkg, nil
}

// importRuntime lets the step's package import package runtime.
func (c *Config) importRuntime(ctx context.Context, w *rewrite, cfg *importcfg.Config) error {
	if cfg.Has("runtime") {
		return nil
	}
	archive, err := c.archive(ctx, w.s)
	if err != nil {
		return err
	}
	cfg.Add("runtime", archive)
	if err := cfg.Write(w.path("importcfg")); err != nil {
		return err
	}
	w.s.setFlag("importcfg", w.path("importcfg"))
	return nil
}

// raiseLanguage lets emitted code call generic functions in a package of a
// language before go1.18. No later feature changes what a program of such a
// language means, and the package has been type-checked as what it is.
func raiseLanguage(s *step, lang string) {
	for _, old := range []string{"go1.17", "go1.16", "go1.15", "go1.14", "go1.13", "go1.12", "go1.11", "go1.10", "go1.9", "go1.8", "go1.7", "go1.6", "go1.5", "go1.4", "go1.3", "go1.2", "go1.1", "go1"} {
		if lang == old {
			s.setFlag("lang", "go1.18")
		}
	}
}

// A rewrite is a compile step's new files, in a directory of their own.
type rewrite struct {
	s     *step
	dir   string
	files []string // the step's, with those replaced that are
	texts map[string]string
}

func newRewrite(s *step) (*rewrite, error) {
	dir, err := s.scratch()
	if err != nil {
		return nil, err
	}
	return &rewrite{s, dir, append([]string(nil), s.files()...), map[string]string{}}, nil
}

func (w *rewrite) path(name string) string { return filepath.Join(w.dir, name) }

// replace gives the step's file of that name another source.
func (w *rewrite) replace(name, text string) {
	for i, f := range w.files {
		if f == name {
			w.files[i] = w.path(filepath.Base(name))
			w.texts[w.files[i]] = text
		}
	}
}

func (w *rewrite) add(name, text string) {
	w.files = append(w.files, w.path(name))
	w.texts[w.path(name)] = text
}

func (w *rewrite) first(name, text string) {
	w.files = append([]string{w.path(name)}, w.files...)
	w.texts[w.path(name)] = text
}

// finish writes the files and points the step at them.
func (w *rewrite) finish() error {
	for name, text := range w.texts {
		f, err := os.Create(name)
		if err != nil {
			return fmt.Errorf("cannot write rewritten file: %w", err)
		}
		_, err = io.WriteString(f, text)
		if e := f.Close(); err == nil {
			err = e
		}
		if err != nil {
			return fmt.Errorf("cannot write rewritten file: %w", err)
		}
	}
	w.s.setFiles(w.files)
	return nil
}

// A trimpath is the compiler's flag of that name.
type trimpath [][2]string

func parseTrimpath(flag string) trimpath {
	var t trimpath
	for _, r := range strings.Split(flag, ";") {
		from, to, _ := strings.Cut(r, "=>")
		if from != "" {
			t = append(t, [2]string{from, to})
		}
	}
	return t
}

// apply rewrites a file's name as the compiler does (cmd/internal/objabi,
// ApplyRewrites).
func (t trimpath) apply(name string) string {
	for _, r := range t {
		rest, ok := strings.CutPrefix(name, r[0])
		if !ok || rest != "" && rest[0] != '/' && rest[0] != '\\' {
			continue
		}
		if r[1] == "" {
			return strings.TrimLeft(rest, `/\`)
		}
		return r[1] + rest
	}
	return name
}
