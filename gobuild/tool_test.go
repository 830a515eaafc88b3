package gobuild

import (
	"context"
	"strings"
	"testing"
)

// TestRunChanged runs a changed step with a compiler that refuses some files.
func TestRunChanged(t *testing.T) {
	t.Parallel()
	compile := func(file string) []string {
		return []string{"-c", "case $2 in bad*) echo $2:1:2: no; exit 3;; full*) echo no space; exit 1; esac", "compile", "-p=p", file}
	}
	tests := []struct {
		name, changed, own string
		code               int
		err                string
	}{
		{"takes both", "good.go", "own.go", 0, ""},
		{"refuses both", "bad.go", "bad_own.go", 3, ""},
		{"refuses what was made", "bad.go", "own.go", 1, "cannot instrument package p: the compiler takes its source, but not what was made of it"},
		{"fails for another reason", "full.go", "own.go", 1, "cannot instrument package p: the compiler failed, and names no place in the source:\nno space"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := &step{tool: "/bin/sh", args: compile(test.changed)}
			code, err := runChanged(context.Background(), s, compile(test.own))
			if code != test.code || (err == nil) != (test.err == "") || err != nil && !strings.HasPrefix(err.Error(), test.err) {
				t.Errorf("exit status %d, %v; want %d, %q", code, err, test.code, test.err)
			}
		})
	}
}
