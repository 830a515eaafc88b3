package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"

	"github.com/dave/dst"
	"github.com/dave/dst/decorator"

	"github.com/dupinst/dupinst/conformance/random"
)

// randomCases lists random programs, by their seeds.
func randomCases(r *runner) ([]*Case, error) {
	var cases []*Case
	for i := range r.programs {
		seed := r.seed + uint64(i)
		cases = append(cases, &Case{Name: fmt.Sprintf("random/%d-%d", seed, r.functions), run: func(a *attempt) error {
			src, err := random.Program(seed, a.functions)
			if err != nil {
				return err
			}
			return runRandom(a, src)
		}})
	}
	return cases, nil
}

// runRandom runs a random program, and shrinks it if it differs.
func runRandom(a *attempt, src []byte) error {
	err := a.source(src)
	var plain plainError
	if err == nil || errors.As(err, &plain) || a.ctx.Err() != nil {
		return err
	}
	differs := func(src []byte) bool {
		err := a.source(src)
		return err != nil && !errors.As(err, &plain) && a.ctx.Err() == nil
	}
	a.progress.say("%s differs, and is shrunk: %v\n", a.c.Name, err)
	for _, v := range a.c.variants {
		whole := a.c
		if a.c = (&Case{Name: whole.Name, variants: []string{v}}); differs(src) {
			break // one is enough
		}
		a.c = whole
	}
	small := shrink(src, differs)
	file := filepath.Join(a.runner.dir, filepath.Base(a.c.Name)+".go")
	if err := os.WriteFile(file, small, 0o666); err != nil {
		return err
	}
	return fmt.Errorf("%w (shrunk in %s)", err, file)
}

// source compares one source file's builds.
func (a *attempt) source(src []byte) error {
	dir, err := os.MkdirTemp(a.dir, "src-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "main.go"), src, 0o666); err != nil {
		return err
	}
	if err := writeModule(dir, "random", "1.24"); err != nil {
		return err
	}
	inner := *a
	inner.dir = dir
	err = inner.program(program{dir: dir, build: []string{"."}, intervals: gorootIntervals, exact: true})
	a.log = inner.log
	return err
}

// shrinks is how many smaller programs are tried.
const shrinks = 300

// shrink removes declarations and statements from a program as long as it fails:
// many at a time at first, then fewer, and again as long as that helps. What no
// longer compiles does not fail.
func shrink(src []byte, fails func([]byte) bool) []byte {
	imports := importer.Default()
	tried := 0
	for size := 0; size != len(src); {
		size = len(src)
		for n := 512; n > 0; n /= 2 {
			for at := 0; tried < shrinks; {
				smaller, ok := without(src, at, n)
				if !ok {
					break
				}
				if !compiles(smaller, imports) {
					at += n
					continue
				}
				if tried++; fails(smaller) {
					src = smaller
				} else {
					at += n
				}
			}
		}
	}
	return src
}

// without removes n of the program's declarations and statements, from the at-th
// on, with the comments and directives that are theirs; ok is false where there is none.
func without(src []byte, at, n int) (smaller []byte, ok bool) {
	f, err := decorator.Parse(src)
	if err != nil {
		return nil, false
	}
	i := 0
	remove := func(dst.Node) bool {
		i++
		return i > at && i <= at+n
	}
	keep := func(list []dst.Stmt) (kept []dst.Stmt) {
		for i, s := range list {
			// What ends a function stays: without it nothing of it would compile.
			if _, last := s.(*dst.ReturnStmt); last && i == len(list)-1 || !remove(s) {
				kept = append(kept, s)
			}
		}
		return kept
	}
	var decls []dst.Decl
	for _, d := range f.Decls {
		if fn, ok := d.(*dst.FuncDecl); ok && fn.Name.Name != "main" && remove(d) {
			continue
		}
		decls = append(decls, d)
	}
	f.Decls = decls
	dst.Inspect(f, func(n dst.Node) bool {
		switch n := n.(type) {
		case *dst.BlockStmt:
			if len(n.List) == 0 || !clause(n.List[0]) {
				n.List = keep(n.List)
			}
		case *dst.CaseClause:
			n.Body = keep(n.Body)
		case *dst.CommClause:
			n.Body = keep(n.Body)
		}
		return true
	})
	if i <= at {
		return nil, false
	}
	var out bytes.Buffer
	if err := decorator.Fprint(&out, f); err != nil {
		return nil, false
	}
	return out.Bytes(), true
}

// compiles reports whether a program is valid Go.
func compiles(src []byte, imports types.Importer) bool {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "main.go", src, 0)
	if err != nil {
		return false
	}
	_, err = (&types.Config{Importer: imports}).Check("main", fset, []*ast.File{f}, nil)
	return err == nil
}

func clause(s dst.Stmt) bool {
	switch s.(type) {
	case *dst.CaseClause, *dst.CommClause:
		return true
	}
	return false
}
