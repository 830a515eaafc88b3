package random

import (
	"bytes"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"
)

// TestProgram type-checks programs, and makes one twice.
func TestProgram(t *testing.T) {
	t.Parallel()
	imports := importer.Default()
	for seed := range uint64(20) {
		src, err := Program(seed, 50)
		if err != nil {
			t.Fatal(err)
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "main.go", src, 0)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		config := types.Config{Importer: imports}
		if _, err := config.Check("main", fset, []*ast.File{f}, nil); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		if again, _ := Program(seed, 50); !bytes.Equal(src, again) {
			t.Errorf("seed %d: the program differs when made again", seed)
		}
	}
}
