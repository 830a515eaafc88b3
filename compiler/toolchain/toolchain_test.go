package toolchain

import (
	"bytes"
	"context"
	"errors"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// installed returns a release, the own one if it is named "".
func installed(t *testing.T, version string) Release {
	t.Helper()
	cmd := exec.Command("go", "env", "GOROOT", "GOVERSION")
	cmd.Dir = t.TempDir() // no go.mod asks for another
	if version != "" {
		cmd.Env = append(os.Environ(), "GOTOOLCHAIN="+version)
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	f := strings.Fields(string(out))
	return Release{f[0], f[1]}
}

// Every hook fits, and what is made of its file is Go. Without -short, in older releases,
// too.
func TestHooks(t *testing.T) {
	t.Parallel()
	versions := []string{""}
	if !testing.Short() {
		versions = append(versions, "go1.24.0", "go1.24.13", "go1.25.0", "go1.25.14", "go1.26.0", "go1.27.0", "go1.27.1")
	}
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			files, err := changed(installed(t, version))
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range files {
				if _, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// What is written goes to the tree, and never to what it is made of.
func TestWrite(t *testing.T) {
	t.Parallel()
	for name, isCopied := range map[string]bool{copied[0] + "/a.go": true, "src/other/a.go": false} {
		l := &layer{from: t.TempDir(), to: filepath.Join(t.TempDir(), "go")}
		file := filepath.Join(l.from, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte("original"), 0o666)); err != nil {
			t.Fatal(err)
		}
		l.lay(".")
		l.write(name, "changed")
		if isCopied != (l.err == nil) {
			t.Errorf("%s: %v", name, l.err)
		}
		if changed, err := os.ReadFile(filepath.Join(l.to, name)); isCopied && string(changed) != "changed" {
			t.Errorf("%s: %q, %v", name, changed, err)
		}
		if original, err := os.ReadFile(file); string(original) != "original" {
			t.Errorf("%s: the original is %q, %v", name, original, err)
		}
	}
}

// A release that a hook does not fit is refused: the error says which, where, and what was
// looked for.
func TestMisfit(t *testing.T) {
	t.Parallel()
	own := installed(t, "")
	const file, place = "compile/internal/ssa/compile.go", `{name: "trim", fn: trim}`
	for _, c := range []struct {
		name, with, want string
	}{
		{"none", `{name: "prune", fn: trim}`, "0 places are"},
		{"two", place + ", " + place, "2 places are"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			for _, h := range hooks {
				src, err := os.ReadFile(filepath.Join(own.Root, "src", "cmd", h.file))
				if err != nil {
					t.Fatal(err)
				}
				if h.file == file {
					src = bytes.Replace(src, []byte(place), []byte(c.with), 1)
				}
				name := filepath.Join(root, "src", "cmd", h.file)
				if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, src, 0o666)); err != nil {
					t.Fatal(err)
				}
			}
			_, err := compileIn(context.Background(), t.TempDir(), Release{root, "go9"}, &bytes.Buffer{})
			var misfit *Misfit
			if !errors.As(err, &misfit) || !errors.Is(err, ErrUnfit) {
				t.Fatalf("error %v", err)
			}
			for _, part := range []string{"go9", "cmd/" + file, "in passes", "trim", c.want} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
		})
	}
	_, err := compileIn(context.Background(), t.TempDir(), Release{t.TempDir(), "go9"}, &bytes.Buffer{})
	if !errors.Is(err, ErrUnfit) || !strings.Contains(err.Error(), "has no source of it") {
		t.Errorf("without source: %v", err)
	}
}

// A refusal is kept, and says how to try again.
func TestRefuse(t *testing.T) {
	t.Parallel()
	cache, r := t.TempDir(), Release{t.TempDir(), "go9"}
	dir := filepath.Join(cache, "dupinst", "go9-"+Key(r))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	first := refuse(r, dir, []byte("x.go:1:1: no\n"))
	_, second := compileIn(context.Background(), cache, r, &bytes.Buffer{})
	for _, err := range []error{first, second} {
		if !errors.Is(err, ErrUnfit) || !strings.Contains(err.Error(), "x.go:1:1: no") || !strings.Contains(err.Error(), "remove "+dir) {
			t.Errorf("error %v", err)
		}
	}
}

// runs checks that a tool is the release's compiler.
func runs(t *testing.T, tool string, r Release) {
	t.Helper()
	out, err := exec.Command(tool, "-V").Output()
	if err != nil || !strings.Contains(string(out), r.Version) {
		t.Errorf("the compiler says %q (%v)", out, err)
	}
}

func TestCompile(t *testing.T) {
	t.Parallel()
	own := installed(t, "")
	tool, err := Compile(context.Background(), own, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	runs(t, tool, own)
}

// A build that was ended leaves nothing that harms the next, and of two at once one makes
// the tool, which says so.
func TestCompileOnce(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it builds the compiler twice")
	}
	own, cache := installed(t, ""), t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := compileIn(ctx, cache, own, writer(func() { cancel() })); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	dir := filepath.Join(cache, "dupinst", own.Version+"-"+Key(own))
	// As one that was killed leaves it.
	if err := os.MkdirAll(filepath.Join(dir, "build", "go", "src"), 0o777); err != nil {
		t.Fatal(err)
	}
	said := 0
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			tool, err := compileIn(context.Background(), cache, own, writer(func() { said++ }))
			if err != nil {
				t.Error(err)
				return
			}
			runs(t, tool, own)
		})
	}
	both.Wait()
	if said != 1 {
		t.Errorf("%d lines say that the compiler is built", said)
	}
	if _, err := os.Stat(filepath.Join(dir, "build")); !os.IsNotExist(err) {
		t.Errorf("the build's directory is left: %v", err)
	}
}

// A writer calls a function for each write.
type writer func()

func (w writer) Write(b []byte) (int, error) {
	w()
	return len(b), nil
}
