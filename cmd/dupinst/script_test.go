package main_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// bin is a directory with dupinst itself: the go command runs it as a program.
var bin string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if bin, err = os.MkdirTemp("", "dupinst-bin-"); err == nil {
			defer os.RemoveAll(bin)
			err = build(bin)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		os.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
		return m.Run()
	}())
}

// build builds dupinst into dir.
func build(dir string) error {
	out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "dupinst"), ".").CombinedOutput()
	if err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}

// goenv are the variables that a script's go command shares with ours, so that
// both use one cache.
func goenv() ([]string, error) {
	var env []string
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOTOOLCHAIN", "GOSUMDB", "GOFLAGS"} {
		v, err := exec.Command("go", "env", name).Output()
		if err != nil {
			return nil, fmt.Errorf("go env %s: %w", name, err)
		}
		env = append(env, name+"="+string(v[:max(0, len(v)-1)]))
	}
	// The extended compiler is kept in one place, too.
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	return append(env, "XDG_CACHE_HOME="+cache), nil
}

// TestScripts runs testdata/scripts. Their modules have the path of testdata/programs, and
// so have others in these tests, where there is no reason for another one: what is built
// of the standard library can be shared, for the main module's path is in its key.
func TestScripts(t *testing.T) { scripts(t, bin) }

// TestScriptsInSource runs them in the source's back end, but for backend.txtar, which is
// about the choice, and those about windows, lanes, timers and traps, which need the compiler's.
func TestScriptsInSource(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs each script a second time; other tests with -short have both back ends")
	}
	dir := t.TempDir()
	source := fmt.Sprintf("#!/bin/sh\nexec %s -backend=source \"$@\"\n", filepath.Join(bin, "dupinst"))
	if err := os.WriteFile(filepath.Join(dir, "dupinst"), []byte(source), 0o777); err != nil {
		t.Fatal(err)
	}
	scripts(t, dir, "backend.txtar", "trigger.txtar", "apart.txtar", "timer.txtar", "once.txtar")
}

// runs386 reports whether the system takes programs for 386, which some virtual machines' does not. It has one that ends at once.
func runs386(t *testing.T) (bool, error) {
	const at = 0x8048000
	program := append([]byte("\x7fELF\x01\x01\x01"), make([]byte, 9)...)
	program = append(program, 2, 0, 3, 0)
	for _, word := range []uint32{1, at + 84, 52, 0, 0, 52 | 32<<16, 1, 0, 1, 0, at, at, 93, 93, 5, 0x1000} {
		program = binary.LittleEndian.AppendUint32(program, word)
	}
	program = append(program, 0xb8, 1, 0, 0, 0, 0x31, 0xdb, 0xcd, 0x80) // exit(0)
	name := filepath.Join(t.TempDir(), "exits")
	if err := os.WriteFile(name, program, 0o777); err != nil {
		t.Fatal(err)
	}
	err := exec.Command(name).Run()
	if errors.Is(err, syscall.ENOEXEC) {
		return false, nil
	}
	return err == nil, err
}

// scripts runs all scripts but some, for which dupinst is what dir has.
func scripts(t *testing.T, dir string, except ...string) {
	env, err := goenv()
	if err != nil {
		t.Fatal(err)
	}
	module, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(module, "testdata", "scripts", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts:", err)
	}
	files = slices.DeleteFunc(files, func(name string) bool { return slices.Contains(except, filepath.Base(name)) })
	testscript.Run(t, testscript.Params{
		Files: files,
		Condition: func(cond string) (bool, error) {
			if cond != "runs386" {
				return false, fmt.Errorf("no condition %q", cond)
			}
			return runs386(t)
		},
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, env...)
			// For a search path without Graphviz: the go command alone.
			nodot := filepath.Join(e.WorkDir, ".nodot")
			gocmd, err := exec.LookPath("go")
			if err != nil {
				return err
			}
			if err := os.Mkdir(nodot, 0o777); err != nil {
				return err
			}
			e.Vars = append(e.Vars, "GOGC=400") // most of their time goes to compiling
			e.Setenv("PATH", dir+string(filepath.ListSeparator)+e.Getenv("PATH"))
			e.Vars = append(e.Vars, "NODOT="+nodot, "MODULE="+module, "DUPINST="+filepath.Join(dir, "dupinst"))
			return os.Symlink(gocmd, filepath.Join(nodot, "go"))
		},
	})
}
