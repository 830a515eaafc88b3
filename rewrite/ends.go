package rewrite

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// ends makes a file's text write the profile where the program ends: in main, and in
// the argument of os.Exit, by package core. No line becomes another.
func ends(text string, isMain bool, core string) (string, error) {
	fset := token.NewFileSet()
	// Resolved, an identifier that something in the file declares has an object.
	f, err := parser.ParseFile(fset, "", text, parser.ParseComments)
	if err != nil {
		return "", err
	}
	runtime, osName := imports(f, core)
	imported := runtime != ""
	if !imported {
		runtime = "dupinst_rt"
		for strings.Contains(text, runtime) {
			runtime += "_"
		}
	}
	type insertion struct {
		at   int
		text string
	}
	var found []insertion
	insert := func(pos token.Pos, text string) {
		found = append(found, insertion{fset.PositionFor(pos, false).Offset, text})
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if isMain && n.Recv == nil && n.Name.Name == "main" && n.Body != nil {
				insert(n.Body.Lbrace+1, fmt.Sprintf(" defer %s.DupinstMain()(); ", runtime))
			}
		case *ast.CallExpr:
			if osName != "" && isExit(n.Fun, osName) && len(n.Args) == 1 {
				insert(n.Args[0].Pos(), runtime+".DupinstExit(")
				insert(n.Args[0].End(), ")")
			}
		}
		return true
	})
	if len(found) == 0 {
		return text, nil
	}
	if !imported {
		insert(f.Name.End(), fmt.Sprintf("; import %s %q", runtime, core))
	}
	slices.SortStableFunc(found, func(a, b insertion) int { return a.at - b.at })
	var b strings.Builder
	at := 0
	for _, i := range found {
		b.WriteString(text[at:i.at] + i.text)
		at = i.at
	}
	b.WriteString(text[at:])
	return b.String(), nil
}

// imports returns the names under which f imports the runtime and package os, "" for
// what it does not.
func imports(f *ast.File, core string) (runtime, osName string) {
	for _, spec := range f.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		switch {
		case path == core && spec.Name != nil:
			runtime = spec.Name.Name
		case path == "os" && spec.Name == nil:
			osName = "os"
		case path == "os" && spec.Name.Name != "_" && spec.Name.Name != ".":
			osName = spec.Name.Name
		}
	}
	return runtime, osName
}

// isExit reports whether fun is os.Exit.
func isExit(fun ast.Expr, osName string) bool {
	sel, ok := fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Exit" {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	return ok && id.Name == osName && id.Obj == nil
}
