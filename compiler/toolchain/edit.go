package toolchain

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// A Misfit is the error of a hook that does not fit a release.
type Misfit struct {
	Release, File, In, At string
	Found                 int // places there are; one is wanted
}

func (m *Misfit) Error() string {
	return fmt.Sprintf("cannot extend the compiler of %s: cmd/%s: in %s: %d places are %q, where one is wanted", m.Release, m.File, m.In, m.Found, m.At)
}

func (m *Misfit) Unwrap() error { return ErrUnfit }

// apply makes the changes of a file's hooks, given its source. Lines stay where they were.
func apply(release, file string, src []byte, hooks []hook) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("cannot extend the compiler of %s: %w", release, err)
	}
	offset := func(p token.Pos) int { return fset.Position(p).Offset }
	type edit struct {
		from, to int
		text     string
	}
	var edits []edit
	for _, h := range hooks {
		places := find(fset, f, h)
		if len(places) != 1 {
			return nil, &Misfit{release, file, h.in, h.at, len(places)}
		}
		n := places[0]
		from, to := offset(n.Pos()), offset(n.End())
		if c, ok := n.(*ast.CaseClause); ok {
			to = offset(c.Colon) + 1
		}
		e := edit{from, from, h.text}
		switch h.put {
		case after:
			e.from, e.to = to, to
		case instead:
			e.to = to
		}
		edits = append(edits, e)
	}
	if path := imports[file]; path != "" {
		end := offset(f.Name.End())
		edits = append(edits, edit{end, end, fmt.Sprintf("; import %q", path)})
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return a.from - b.from })
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		out.Write(src[at:e.from])
		out.WriteString(e.text)
		at = e.to
	}
	out.Write(src[at:])
	return out.Bytes(), nil
}

// find returns the places of a hook, outermost first where several end in one.
func find(fset *token.FileSet, f *ast.File, h hook) []ast.Node {
	var found []ast.Node
	for _, d := range f.Decls {
		body := declared(d, h.in)
		if body == nil && h.was != "" {
			body = declared(d, h.was)
		}
		if body == nil {
			continue
		}
		ast.Inspect(body, func(n ast.Node) bool {
			if n == nil || !placeable(n) || printed(fset, n) != h.at {
				return true
			}
			found = append(found, n)
			return false // an expression statement prints as its expression does
		})
	}
	return found
}

// placeable reports whether n is a statement or an expression, which are all that is looked for.
func placeable(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return false
	case ast.Stmt, ast.Expr:
		return n != nil
	}
	return false
}

// printed is a node's source on one line; of a case, what stands before its statements.
func printed(fset *token.FileSet, n ast.Node) string {
	var b bytes.Buffer
	if c, ok := n.(*ast.CaseClause); ok {
		n = &ast.CaseClause{Case: c.Case, List: c.List, Colon: c.Colon}
	}
	if err := format.Node(&b, fset, n); err != nil {
		return ""
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// declared returns what d declares under a name, if it does.
func declared(d ast.Decl, name string) ast.Node {
	switch d := d.(type) {
	case *ast.FuncDecl:
		full := d.Name.Name
		if d.Recv != nil {
			t := d.Recv.List[0].Type
			if star, ok := t.(*ast.StarExpr); ok {
				t = star.X
			}
			if id, ok := t.(*ast.Ident); ok {
				full = id.Name + "." + full
			}
		}
		if full == name && d.Body != nil {
			return d.Body
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.ValueSpec:
				if s.Names[0].Name == name {
					return s
				}
			case *ast.TypeSpec:
				if s.Name.Name == name {
					return s
				}
			}
		}
	}
	return nil
}
