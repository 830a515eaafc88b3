package gobuild

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What package runtime is built from must be left alone: to call into it, it
// would have to be built before itself.
func TestRuntimeOwn(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", "runtime").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(string(out)) {
		if !RuntimeOwn(path) {
			t.Errorf("package runtime is built from %s, which is not left alone", path)
		}
	}
	for _, path := range []string{"fmt", "sync", "syscall", "errors", "runtime/debug"} {
		if RuntimeOwn(path) {
			t.Errorf("%s is left alone", path)
		}
	}
}

func TestMatchPattern(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"a/b", "a/b", true},
		{"a/b", "a/b/c", false},
		{"a/...", "a", true},
		{"a/...", "a/b/c", true},
		{"a/...", "ab", false},
		{"a...", "ab/c", true},
		{"...", "a/b", true},
		{"a.b/...", "a.b/c", true},
		{"a.b/...", "acb/c", false},
		{"a/.../c", "a/b/x/c", true},
		{"a/.../c", "a/b", false},
	} {
		if got := matchPattern(c.pattern, c.path); got != c.want {
			t.Errorf("matchPattern(%q, %q) = %v", c.pattern, c.path, got)
		}
	}
}

// A module may have a path without a dot; what is compiled of the standard library is then as for any other.
func TestReachesStd(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	src := filepath.Join(strings.TrimSpace(string(out)), "src")
	for _, c := range []struct {
		pattern string
		want    bool
	}{
		{"all", true},
		{"std", true},
		{"cmd", true},
		{"cmd/...", true},
		{"fmt", true},
		{"net/...", true},
		{"vendor/golang.org/x/net/idna", true},
		{"...", true},
		{"programs", false},
		{"programs/...", false},
		{"programs...", true},
		{"example.com/...", false},
		{"golang.org/x/net/idna", false},
	} {
		if got := (&scope{patterns: []string{"example.com/a", c.pattern}}).reachesStd(src); got != c.want {
			t.Errorf("%s: %v", c.pattern, got)
		}
		if !(&scope{patterns: []string{c.pattern}}).reachesStd(filepath.Join(src, "none")) {
			t.Errorf("%s: false without the source", c.pattern)
		}
	}
	if (&scope{}).reachesStd(src) {
		t.Error("of the main modules alone: true")
	}
}
