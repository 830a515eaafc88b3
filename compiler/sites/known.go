package sites

import (
	"go/ast"
	"go/types"
	"strings"
)

// known returns the functions all calls of which the package's syntax shows: those that are
// neither exported nor generic, are never a value, nor a method that an interface of the package
// may find, and are called from declared functions that are instrumented and not generic, but by
// no go or defer statement. What assembly calls, or a linkname gives away, is none of them.
func (l *lister) known() []string {
	u := l.unit
	fits := map[*types.Func]string{}
	for _, fn := range u.Funcs {
		decl, ok := fn.Node.(*ast.FuncDecl)
		if !ok || fn.Excluded != "" || l.left(fn) || u.Forks(fn) || decl.Name.IsExported() || generic(decl) {
			continue
		}
		if f, ok := u.Info.Defs[decl.Name].(*types.Func); ok && f.Name() != "_" && f.Name() != "init" && f.Name() != "main" {
			fits[f] = fn.Name
		}
	}
	hidden := l.hidden()
	for f := range fits {
		if hidden[f.Name()] {
			delete(fits, f)
		}
	}
	for _, fn := range u.Funcs {
		if decl, ok := fn.Node.(*ast.FuncDecl); ok && fn.Excluded == "" && !l.left(fn) && !generic(decl) && decl.Body != nil {
			l.called(decl)
		}
	}
	for id, o := range u.Info.Uses {
		if f, ok := o.(*types.Func); ok && !l.calls[id] {
			delete(fits, f.Origin())
		}
	}
	var names []string
	for _, fn := range u.Funcs {
		if decl, ok := fn.Node.(*ast.FuncDecl); ok {
			if f, ok := u.Info.Defs[decl.Name].(*types.Func); ok && fits[f] != "" {
				names = append(names, fn.Name)
			}
		}
	}
	return names
}

// called notes the names in a declared function that are called.
func (l *lister) called(decl *ast.FuncDecl) {
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if l.launched[n] {
				return true
			}
			switch fun := ast.Unparen(n.Fun).(type) {
			case *ast.Ident:
				l.calls[fun] = true
			case *ast.SelectorExpr:
				if s := l.unit.Info.Selections[fun]; s == nil || s.Kind() == types.MethodVal {
					l.calls[fun.Sel] = true
				}
			}
		}
		return true
	})
}

// hidden are the names by which functions may be called where no syntax shows it.
func (l *lister) hidden() map[string]bool {
	out := map[string]bool{}
	for _, name := range l.options.Assembly {
		out[name] = true
	}
	for _, f := range l.unit.Files {
		for _, group := range f.Comments {
			for _, c := range group.List {
				if fields := strings.Fields(c.Text); len(fields) > 1 && (fields[0] == "//go:linkname" || fields[0] == "//export") {
					out[fields[1]] = true
				}
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if i, ok := n.(*ast.InterfaceType); ok {
				for _, m := range i.Methods.List {
					for _, name := range m.Names {
						out[name.Name] = true
					}
				}
			}
			return true
		})
	}
	return out
}

func generic(decl *ast.FuncDecl) bool {
	if decl.Type.TypeParams != nil {
		return true
	}
	if decl.Recv == nil || len(decl.Recv.List) == 0 {
		return false
	}
	t := decl.Recv.List[0].Type
	if star, ok := ast.Unparen(t).(*ast.StarExpr); ok {
		t = star.X
	}
	switch ast.Unparen(t).(type) {
	case *ast.IndexExpr, *ast.IndexListExpr:
		return true
	}
	return false
}
