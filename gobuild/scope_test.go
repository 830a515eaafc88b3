package gobuild

import (
	"os/exec"
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
