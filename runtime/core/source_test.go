package core

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// What is added to a runtime declares nothing twice, and what it needs of the system.
func TestSource(t *testing.T) {
	t.Parallel()
	for _, target := range Targets() {
		for _, release := range []string{"go1.24", "go1.26", "go1.27"} {
			goos, goarch, _ := strings.Cut(target, "/")
			files, err := Source(goos, goarch, release)
			if err != nil {
				t.Fatal(err)
			}
			where := map[string]string{}
			for name, text := range files {
				f, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
				if err != nil {
					t.Fatal(err)
				}
				if f.Name.Name != "runtime" {
					t.Errorf("%s, %s: %s is of package %s", target, release, name, f.Name.Name)
				}
				for _, d := range f.Decls {
					if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
						if there := where[fn.Name.Name]; there != "" {
							t.Errorf("%s, %s: %s is in %s and in %s", target, release, fn.Name.Name, there, name)
						}
						where[fn.Name.Name] = name
					}
				}
			}
			for _, name := range []string{"dupinstCreate", "dupinstWriteFD", "dupinstClose", "dupinstRename", "dupinstUnlink", "dupinstMkdir", "dupinstAbsolute", "dupinstCPU", "dupinstErrorName", "DupinstDue"} {
				if where[name] == "" {
					t.Errorf("%s, %s: no %s", target, release, name)
				}
			}
		}
	}
	if _, err := Source("linux", "amd64", "devel"); err == nil {
		t.Error("a release without a number is accepted")
	}
}
