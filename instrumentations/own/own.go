// Package own owns how an instrumentation that is no part of dupinst gets into it. It is a package of
// the user's, anywhere in a module that requires dupinst, and has
//
//	var Instrumentation = &instrumentations.Instrumentation{…}
//
// as those of dupinst's own have (packages calledge, fieldaccess and block beside this one are
// examples). -instrument names it by its import path or, from where the go command would find it,
// by its directory. A dupinst that has it is built then, of the version that its module requires:
// a main package that the go command is shown by -overlay, and that is nowhere on the disk; what it
// makes is kept in the user's cache directory. What does not compile is the go command's to say.
package own

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/dupinst/dupinst/instrumentations"
)

// An Instrumentation is one of a user's.
type Instrumentation struct {
	Path string // of its package
	*instrumentations.Instrumentation
}

// IsPackage reports whether what -instrument names is a package.
func IsPackage(name string) bool { return strings.HasPrefix(name, ".") || strings.Contains(name, "/") }

// A listed is a package as the go command lists it.
type listed struct {
	ImportPath, Dir, Name string
	Module                *struct {
		Path, Dir string
		Main      bool
	}
}

// Build returns the path of a dupinst that has the instrumentations of some packages, and the
// packages' import paths.
func Build(ctx context.Context, packages []string) (exe string, paths []string, err error) {
	list, err := find(ctx, packages)
	if err != nil {
		return "", nil, err
	}
	for _, p := range list {
		paths = append(paths, p.ImportPath)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", nil, fmt.Errorf("cannot keep a dupinst with %s: %w", strings.Join(paths, ", "), err)
	}
	dir := filepath.Join(cache, "dupinst", fmt.Sprintf("own-%x", sha256.Sum256(fmt.Appendf(nil, "%q %q", list[0].Module.Dir, paths)))[:20])
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", nil, fmt.Errorf("cannot keep a dupinst with %s: %w", strings.Join(paths, ", "), err)
	}
	unlock, err := lockedfile.MutexAt(filepath.Join(dir, "lock")).Lock()
	if err != nil {
		return "", nil, fmt.Errorf("cannot keep a dupinst with %s: %w", strings.Join(paths, ", "), err)
	}
	defer unlock()
	exe = filepath.Join(dir, "dupinst")
	if runtime.GOOS == "windows" {
		exe += ".exe"
	}
	return exe, paths, build(ctx, list, dir, exe)
}

// find lists the packages, which are of one main module or of what that requires.
func find(ctx context.Context, packages []string) ([]listed, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-json=ImportPath,Dir,Name,Module", "--"}, packages...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("cannot find %s: %w\n%s", strings.Join(packages, ", "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	var list []listed
	for d := json.NewDecoder(&stdout); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("cannot read what the go command lists: %w", err)
		}
		switch {
		case p.Module == nil:
			return nil, fmt.Errorf("%s is of no module: an instrumentation's module requires github.com/dupinst/dupinst", p.ImportPath)
		case p.Name == "main":
			return nil, fmt.Errorf("%s is a program: an instrumentation is a package to be imported", p.ImportPath)
		}
		list = append(list, p)
	}
	if len(list) != len(packages) {
		return nil, fmt.Errorf("%s are %d packages; each is to be named by its own", strings.Join(packages, ", "), len(list))
	}
	return list, nil
}

// build makes exe. Its main package is shown to the go command right below the first package, so that
// what is internal to where that lies may be imported, or in the main module.
func build(ctx context.Context, list []listed, dir, exe string) error {
	var source bytes.Buffer
	source.WriteString("package main\n\nimport (\n\t\"github.com/dupinst/dupinst/command\"\n\t\"github.com/dupinst/dupinst/instrumentations/own\"\n\n")
	for i, p := range list {
		fmt.Fprintf(&source, "\town%d %q\n", i, p.ImportPath)
	}
	source.WriteString(")\n\nfunc main() {\n\tcommand.Main(\n")
	for i, p := range list {
		fmt.Fprintf(&source, "\t\town.Instrumentation{Path: %q, Instrumentation: own%d.Instrumentation},\n", p.ImportPath, i)
	}
	source.WriteString("\t)\n}\n")
	below, err := shown(ctx, list[0])
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp(dir, "build-")
	if err != nil {
		return fmt.Errorf("cannot build dupinst: %w", err)
	}
	defer os.RemoveAll(work)
	file, overlay := filepath.Join(work, "main.go"), filepath.Join(work, "overlay.json")
	at := filepath.Join(below, "dupinst_with_own")
	text, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(at, "main.go"): file}})
	if err == nil {
		err = errors.Join(os.WriteFile(file, source.Bytes(), 0o666), os.WriteFile(overlay, text, 0o666))
	}
	if err != nil {
		return fmt.Errorf("cannot build dupinst: %w", err)
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-overlay", overlay, "-o", exe, at)
	// It runs here, whatever is built with it.
	cmd.Env = append(os.Environ(), "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	if out, err := cmd.CombinedOutput(); err != nil {
		advice := ""
		if bytes.Contains(out, []byte("missing go.sum entry")) || bytes.Contains(out, []byte("no required module provides package github.com/dupinst/dupinst/")) {
			advice = "\ndupinst is to be a tool of the module: go get -tool github.com/dupinst/dupinst/cmd/dupinst"
		}
		return fmt.Errorf("cannot build dupinst with %s: %w\n%s%s", list[0].ImportPath, err, bytes.TrimSpace(out), advice)
	}
	return nil
}

// shown is the directory below which the main package is shown.
func shown(ctx context.Context, p listed) (string, error) {
	if p.Module.Main {
		return p.Dir, nil
	}
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("cannot find the main module: %w", err)
	}
	dir, _, _ := strings.Cut(string(out), "\n")
	return dir, nil
}
