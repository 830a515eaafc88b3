package load

import (
	"path/filepath"
	"testing"
)

// What go build -trimpath names is found: files of the main module, of others, and of the standard
// library.
func TestSources(t *testing.T) {
	s, err := FindSources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Abs("sources.go")
	if err != nil {
		t.Fatal(err)
	}
	mod := filepath.Join(s.cache, "golang.org", "x", "mod@v0.42.0", "module", "module.go")
	std := filepath.Join(s.root, "fmt", "print.go")
	for name, want := range map[string]string{
		"github.com/dupinst/dupinst/load/sources.go": here,
		"golang.org/x/mod@v0.42.0/module/module.go":  mod,
		"fmt/print.go": std, "/nosuch/file.go": "/nosuch/file.go", "fmt/nosuch.go": "fmt/nosuch.go",
		"golang.org/x/mod@v0.0.1/nosuch.go": "golang.org/x/mod@v0.0.1/nosuch.go", "": "", "_cgo_gotypes.go": "_cgo_gotypes.go",
	} {
		if got := s.Find(name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}
