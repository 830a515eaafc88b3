package transform

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/dupinst/dupinst/flow"
	"github.com/dupinst/dupinst/instrumentations"
	"github.com/dupinst/dupinst/profile/format"
)

// Options say how to instrument.
type Options struct {
	Variant          Variant
	Instrumentations []*instrumentations.Instrumentation
	Audit            bool // see Audit
	// Leave reports whether the functions of a file are to stay as they are.
	Leave func(file *ast.File) bool
	// Source returns what a file was parsed from.
	Source func(file *ast.File) []byte
	// Header returns the //line directive that heads a rewritten file.
	Header   func(file *ast.File) string
	Portable *Portable // nil: the program's package runtime is patched
}

// Portable is for source to be built by the plain go command. Functions have no copies
// then: their names would show.
type Portable struct {
	Runtime string // import path of what takes the patched runtime's place
	Build   string // the encoded format.Build
}

// runtime is the import path of the package that emitted code calls.
func (o *Options) runtime() string {
	if o.Portable != nil {
		return o.Portable.Runtime
	}
	return "runtime"
}

// A Result is an instrumented package.
type Result struct {
	// Files holds the new source of those files that change.
	Files map[*ast.File]string
	// Data is the source of a file to be added to the package, and to stand
	// first in it; "" where nothing is counted.
	Data  string
	Plans []*Plan // one for each function
}

// Package instruments a package. An error is a bug of ours: it names the phase
// and the function in which it showed.
func Package(u *instrumentations.Unit, o Options) (r *Result, err error) {
	if err := o.Variant.InSource(); err != nil {
		return nil, err
	}
	t := &transformer{
		unit: u, options: o, plans: map[*flow.Func]*Plan{}, sites: map[*flow.Func][]site{},
		names: names{prefix: freePrefix(u.Files), audit: o.Audit},
		meta:  format.Meta{Package: u.Types.Path()},
	}
	defer func() {
		if e := recover(); e != nil {
			r, err = nil, fmt.Errorf("internal error while %s: %v; please report it\n%s", t.doing, e, debug.Stack())
		}
	}()
	r = &Result{Files: map[*ast.File]string{}}
	for _, fn := range u.Funcs {
		t.doing = "finding the sites of " + fn.Name
		if err := t.find(fn); err != nil {
			return nil, err
		}
	}
	if o.Portable == nil && o.Variant != No && o.Variant != Exhaustive && !t.copyNamesTaken() {
		t.copier = newCopier(u.Package, func(fn *flow.Func) int { return len(t.sites[fn]) })
	}
	for _, fn := range u.Funcs {
		t.doing = "planning " + fn.Name
		p := t.planFunc(fn)
		t.plans[fn] = p
		r.Plans = append(r.Plans, p)
	}
	for _, f := range u.Files {
		if o.Leave(f) {
			continue
		}
		if text, changed := t.file(f); changed {
			r.Files[f] = text
		}
	}
	if len(t.meta.Sites) == 0 {
		return r, nil
	}
	t.meta.Functions = u.Named()
	t.meta.Aliases = u.Wrappers()
	r.Data = t.data()
	return r, nil
}

type transformer struct {
	unit    *instrumentations.Unit
	options Options
	names   names
	sites   map[*flow.Func][]site
	copier  *copier // nil: no function is to be transparent
	plans   map[*flow.Func]*Plan
	meta    format.Meta
	initial span   // sites of the package's initialiser, counted once
	doing   string // what to say of a panic
}

// freePrefix returns a prefix that no identifier of the files has.
func freePrefix(files []*ast.File) string {
	prefix := "dupinst_"
	for n := 2; ; n++ {
		taken := false
		for _, f := range files {
			ast.Inspect(f, func(node ast.Node) bool {
				if id, ok := node.(*ast.Ident); ok && strings.HasPrefix(id.Name, prefix) {
					taken = true
				}
				return !taken
			})
		}
		if !taken {
			return prefix
		}
		prefix = fmt.Sprintf("dupinst%d_", n)
	}
}

// find finds fn's sites.
func (t *transformer) find(fn *flow.Func) error {
	if fn.Excluded == "" {
		fn.Excluded = cmp.Or(fn.Kept, t.exclusion(fn))
	}
	if fn.Excluded != "" {
		return nil
	}
	for i, in := range t.options.Instrumentations {
		sites, err := in.Find(t.unit, fn)
		if err != nil {
			return fmt.Errorf("%s: %w", fn.Name, err)
		}
		for _, s := range sites {
			t.sites[fn] = append(t.sites[fn], site{s, i})
		}
	}
	return nil
}

// copyNamesTaken reports whether the package has names that those of copies
// might be.
func (t *transformer) copyNamesTaken() bool {
	taken := false
	for _, f := range t.unit.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && strings.HasPrefix(id.Name, "Dupinst_") {
				taken = true
			}
			return !taken
		})
	}
	return taken
}

func (t *transformer) planFunc(fn *flow.Func) *Plan {
	sites := t.sites[fn]
	calls := calls{silent: func(*ast.CallExpr) bool { return false }}
	if t.copier != nil && fn.Excluded == "" {
		t.copier.examine(fn)
		calls.direct, calls.silent = t.copier.directCalls(fn), t.copier.silent
	}
	p := plan(t.unit.Package, fn, t.options.Variant, sites, calls, len(t.meta.Sites))
	for _, s := range sites {
		t.meta.Sites = append(t.meta.Sites, format.Site{Instrumentation: s.instrumentation, Parts: s.Parts})
	}
	if fn.Kind == flow.Initialiser {
		t.initial = p.static[spot{atInit, nil}]
	}
	if t.options.Audit && p.Shape != Untouched {
		p.audit = len(t.meta.Sites)
		t.meta.Sites = append(t.meta.Sites, auditSites(len(t.options.Instrumentations), fn)...)
	}
	return p
}

// exclusion says why this package's fn is left alone.
func (t *transformer) exclusion(fn *flow.Func) string {
	if fn.Kind == flow.Initialiser {
		if !t.hasInitialiser() {
			return "the package may have no initialiser, and must not get one"
		}
		return ""
	}
	for _, f := range t.unit.Files {
		if f.FileStart <= fn.Node.Pos() && fn.Node.Pos() < f.FileEnd && t.options.Leave(f) {
			return "its file is generated by the toolchain"
		}
	}
	if t.unit.Forks(fn) {
		return "it forks, and a child process may call nothing"
	}
	if t.unit.DefersRecover(fn) {
		return "it defers the built-in recover itself, and what that recovers depends on what is inlined last"
	}
	return ""
}

// withoutInitialiser are the packages of the standard library that have none
// (go tool nm shows no inittask in their archives).
const withoutInitialiser = " C cmp container/list container/ring crypto/subtle encoding image/color image/color/palette" +
	" math/bits structs sync/atomic unicode/utf16 unicode/utf8 unsafe "

// hasInitialiser reports whether the package is certain to have an initialiser
// of its own: with one more, packages might be initialised in another order. It
// is if it has an init function, or imports a standard package that has an
// initialiser, as most do; it must then wait for that.
func (t *transformer) hasInitialiser() bool {
	own, _, _ := strings.Cut(t.unit.Types.Path(), "/")
	for _, f := range t.unit.Files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				return true
			}
		}
		for _, spec := range f.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			first, _, _ := strings.Cut(path, "/")
			if !strings.Contains(first, ".") && first != own && !strings.Contains(withoutInitialiser, " "+path+" ") {
				return true
			}
		}
	}
	return false
}

// file emits one file, and reports whether it changed.
func (t *transformer) file(f *ast.File) (string, bool) {
	src := &source{file: f, tok: t.unit.Fset.File(f.FileStart), text: t.options.Source(f)}
	e := &emitter{source: src, pkg: t.unit.Package, plans: t.plans, names: t.names, imports: map[string]string{}}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			t.doing = "emitting " + t.unit.Of(d).Name
			fn := t.unit.Of(d)
			e.function(fn)
			if t.copier != nil {
				if c := t.copier.transparent[fn]; c != nil && t.copier.called(c) {
					e.copies(fn, c)
				}
			}
		case *ast.GenDecl:
			t.doing = "emitting the package's variables"
			t.variables(e, d)
		}
	}
	if len(e.edits) == 0 {
		return "", false
	}
	if slices.ContainsFunc(e.edits, func(x edit) bool { return strings.Contains(x.text, t.names.runtime()+".") }) {
		e.insert(f.Name.End(), "; import %s %q", t.names.runtime(), t.options.runtime())
	}
	for _, path := range slices.Sorted(maps.Keys(e.imports)) {
		e.insert(f.Name.End(), "; import %s %q", e.imports[path], path)
	}
	from := src.tok.Pos(0)
	if bytes.HasPrefix(src.text, []byte("\ufeff")) {
		from = src.tok.Pos(len("\ufeff")) // may stand at the very start only
	}
	return t.options.Header(f) + src.render(from, src.tok.Pos(src.tok.Size()), e.edits), true
}

// variables emits the initialisers of package variables.
func (t *transformer) variables(e *emitter, d *ast.GenDecl) {
	if d.Tok != token.VAR {
		return
	}
	e.plan = t.plans[t.unit.Initialiser]
	m := e.plan.mode()
	for _, spec := range d.Specs {
		for _, v := range spec.(*ast.ValueSpec).Values {
			e.expr(v, m)
		}
	}
}

// hashed reports whether path is a package of the Go Cryptographic Module. It
// verifies its own initialised variables when it starts, so that none of ours
// may be among them.
func hashed(path string) bool {
	const module = "crypto/internal/fips140"
	return path == module || strings.HasPrefix(path, module+"/")
}

// data is the source of the file that holds the package's counters and, where
// its variables' initialisers have sites, the function that counts them.
func (t *transformer) data() string {
	n := t.names
	var b strings.Builder
	fmt.Fprintf(&b, "package %s; import %s %q\n\n", t.unit.Types.Name(), n.runtime(), t.options.runtime())
	// No predeclared name: the package may give it another meaning.
	fmt.Fprintf(&b, "var %s [%d]%s.DupinstCounter\n\n", n.counters(), len(t.meta.Sites), n.runtime())
	value, build := "%s.DupinstPackage{Meta: %s, First: &%s[0], N: %d%s}", ""
	if p := t.options.Portable; p != nil {
		build = ", Build: " + strconv.Quote(p.Build)
	}
	if hashed(t.unit.Types.Path()) {
		value = "%s.DupinstPackageOf(%s, &%s[0], %d%s)"
	}
	fmt.Fprintf(&b, "var %s = "+value+"\n", n.pkg(), n.runtime(), strconv.Quote(t.meta.Encode()), n.counters(), len(t.meta.Sites), build)
	p := t.plans[t.unit.Initialiser]
	check := n.check(p)
	if n.audit {
		check = n.initialEntry(p) + " && " + check
	}
	switch p.Shape {
	case Untouched:
		return b.String()
	case Lone:
		if t.initial.n == 0 {
			return b.String()
		}
		call := fmt.Sprintf("DupinstInitialEach(&%s, ", n.pkg())
		if n.audit {
			call = fmt.Sprintf("DupinstInitialEachAudited(%s, ", n.site(p.audit))
		}
		fmt.Fprintf(&b, "\nvar %s = %s.%s%d, %d)\n", n.init(), n.runtime(), call, t.initial.first, t.initial.n)
		return b.String()
	case Direct:
		check = n.runtime() + ".DupinstAlways()"
	}
	fmt.Fprintf(&b, "\nvar %s = %s.DupinstInitial(%s, &%s, %d, %d)\n", n.init(), n.runtime(), check, n.pkg(), t.initial.first, t.initial.n)
	return b.String()
}
