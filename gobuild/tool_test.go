package gobuild

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRunChanged runs a changed step with a compiler that refuses some files.
func TestRunChanged(t *testing.T) {
	t.Parallel()
	compiler := filepath.Join(t.TempDir(), "compile")
	script := "#!/bin/sh\nfor f; do case $f in bad*) exit 3; esac; done\n"
	if err := os.WriteFile(compiler, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, changed, own string
		code               int
		err                string
	}{
		{"takes both", "good.go", "own.go", 0, ""},
		{"refuses both", "bad.go", "bad_own.go", 3, ""},
		{"refuses what was made", "bad.go", "own.go", 1, "cannot instrument package p: the compiler takes its source, but not what was made of it"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := &step{tool: compiler, args: []string{"-p=p", test.changed}}
			code, err := runChanged(context.Background(), s, []string{"-p=p", test.own})
			if code != test.code || (err == nil) != (test.err == "") || err != nil && !strings.HasPrefix(err.Error(), test.err) {
				t.Errorf("exit status %d, %v; want %d, %q", code, err, test.code, test.err)
			}
		})
	}
}
