// Package toolchain builds and keeps the compile tool with dupinst's pass in it: the
// release's own cmd/compile, from the release's own source, with the packages of
// compiler/pass and compiler/plan added and a few hooks put into its files (hooks.go,
// where each has its reason).
//
// The tool is built in a GOROOT of links: every directory is the release's own but for
// those that change, so nothing is written where the release lies, and the build needs no
// network. It is kept in the user's cache directory under a name that all of its source
// goes into, is made by one process while others wait, and appears there whole or not at
// all.
package toolchain

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/dupinst/dupinst/compiler/pass"
	"github.com/dupinst/dupinst/compiler/plan"
)

// A Release is the toolchain that the compile tool is built from.
type Release struct {
	Root    string // its GOROOT
	Version string // as go1.26.1
}

// copied are the directories below GOROOT in which something changes.
var copied = []string{"src/cmd/compile", "src/cmd/internal/obj", "src/cmd/internal/src"}

// added are the files of ours, by their paths below GOROOT/src/cmd.
func added() map[string]string {
	out := map[string]string{}
	for _, from := range []struct {
		files fs.FS
		dir   string // below compile/internal, of what lies at the top
	}{{pass.Files, ""}, {plan.Files, "dupinst/plan"}} {
		err := fs.WalkDir(from.files, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := fs.ReadFile(from.files, name)
			if err != nil {
				return err
			}
			below := "compile/internal"
			if strings.HasPrefix(name, "obj/") {
				below = "internal"
			}
			to := path.Join(below, from.dir, path.Dir(name), "dupinst_"+path.Base(name))
			out[to] = release(string(text))
			return nil
		})
		if err != nil {
			panic(err) // the files are part of the program
		}
	}
	return out
}

// release turns a file's text into one that the toolchain builds.
func release(text string) string {
	text = strings.Replace(text, "//go:build dupinst_compiler\n", "", 1)
	text = strings.Replace(text, "//go:build dupinst_compiler && ", "//go:build ", 1)
	return strings.ReplaceAll(text, `"github.com/dupinst/dupinst/compiler/plan"`, `"cmd/compile/internal/dupinst/plan"`)
}

// ErrUnfit is wrapped by the error of a release that cannot be extended.
var ErrUnfit = errors.New("cannot extend the compiler")

// Key names what Compile makes of r: a hash of all that goes into it but the release's own
// source, which its version stands for.
func Key(r Release) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %s %s\n", r.Version, runtime.GOOS, runtime.GOARCH)
	files := added()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%q %q\n", name, files[name])
	}
	for _, k := range hooks {
		fmt.Fprintf(h, "%q %q %q %d %q\n", k.file, k.in, k.at, k.put, k.text)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Compile returns the path of the release's compile tool with the pass, and builds it first
// if it is not there: it then says so on log.
func Compile(ctx context.Context, r Release, log io.Writer) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("%w: it cannot be kept: %w", ErrUnfit, err)
	}
	return compileIn(ctx, cache, r, log)
}

// compileIn is Compile for a cache directory.
func compileIn(ctx context.Context, cache string, r Release, log io.Writer) (string, error) {
	dir := filepath.Join(cache, "dupinst", r.Version+"-"+Key(r))
	tool := filepath.Join(dir, "compile")
	if runtime.GOOS == "windows" {
		tool += ".exe"
	}
	if tool, err := kept(dir, tool); tool != "" || err != nil {
		return tool, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", fmt.Errorf("%w: it cannot be kept: %w", ErrUnfit, err)
	}
	unlock, err := lockedfile.MutexAt(filepath.Join(dir, "lock")).Lock()
	if err != nil {
		return "", fmt.Errorf("%w: it cannot be kept: %w", ErrUnfit, err)
	}
	defer unlock()
	if tool, err := kept(dir, tool); tool != "" || err != nil {
		return tool, err
	}
	if err := build(ctx, r, dir, tool, log); err != nil {
		return "", err
	}
	return tool, nil
}

// refused is the file that says why the compiler cannot be extended, in the place of the tool.
const refused = "refused"

// kept returns the tool if it is there, or why it will not be.
func kept(dir, tool string) (string, error) {
	if _, err := os.Stat(tool); err == nil {
		return tool, nil
	}
	if why, err := os.ReadFile(filepath.Join(dir, refused)); err == nil {
		return "", fmt.Errorf("%w: %s", ErrUnfit, bytes.TrimSpace(why))
	}
	return "", nil
}

// refuse keeps what the go command said of a source that does not build.
func refuse(r Release, dir string, said []byte) error {
	name := filepath.Join(dir, refused)
	why := fmt.Sprintf("that of %s does not build with dupinst's pass in it (remove %s to try again):\n%s\n", r.Version, name, bytes.TrimSpace(said))
	if err := os.WriteFile(name, []byte(why), 0o666); err != nil {
		return fmt.Errorf("cannot keep why the compiler cannot be extended: %w", err)
	}
	return fmt.Errorf("%w: %s", ErrUnfit, strings.TrimSpace(why))
}

// build makes the tool: in a directory of its own below dir, then renamed. One that was killed
// has left its directory, and dir is locked now.
func build(ctx context.Context, r Release, dir, tool string, log io.Writer) error {
	work := filepath.Join(dir, "build")
	defer os.RemoveAll(work)
	if err := os.RemoveAll(work); err != nil {
		return fmt.Errorf("cannot build the extended compiler: %w", err)
	}
	root := filepath.Join(work, "go")
	if err := lay(r, root); err != nil {
		return err
	}
	fmt.Fprintf(log, "dupinst: building the compiler of %s with dupinst in it, once (about a minute)\n", r.Version)
	made := filepath.Join(work, filepath.Base(tool))
	cmd := exec.CommandContext(ctx, filepath.Join(r.Root, "bin", "go"), "build", "-trimpath", "-o", made, "cmd/compile")
	cmd.Dir = filepath.Join(root, "src", "cmd")
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return strings.HasPrefix(name, "GO") && name != "GOCACHE" && name != "GOPATH" && name != "GOMODCACHE" ||
			strings.HasPrefix(name, "CGO_") || name == "TOOLEXEC_IMPORTPATH"
	}), "GOROOT="+root, "GOTOOLCHAIN=local", "GOENV=off", "GOFLAGS=", "GOPROXY=off", "GOWORK=off", "CGO_ENABLED=0")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.Exited() {
			return refuse(r, dir, out.Bytes())
		}
		return fmt.Errorf("cannot build the extended compiler of %s: %w", r.Version, err)
	}
	if err := os.Rename(made, tool); err != nil {
		return fmt.Errorf("cannot keep the extended compiler: %w", err)
	}
	return nil
}

// lay makes root a GOROOT that is r's but for what changes.
func lay(r Release, root string) error {
	files, err := changed(r)
	if err != nil {
		return err
	}
	for name, text := range added() {
		files[name] = text
	}
	l := &layer{from: r.Root, to: root}
	l.lay(".")
	for _, name := range slices.Sorted(maps.Keys(files)) {
		l.write("src/cmd/"+name, files[name])
	}
	if l.err != nil {
		return fmt.Errorf("cannot lay out the source of the extended compiler: %w", l.err)
	}
	return nil
}

// changed returns the toolchain's files with hooks in them.
func changed(r Release) (map[string]string, error) {
	byFile := map[string][]hook{}
	for _, h := range hooks {
		byFile[h.file] = append(byFile[h.file], h)
	}
	out := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(byFile)) {
		src, err := os.ReadFile(filepath.Join(r.Root, "src", "cmd", filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w of %s: %s has no source of it: no cmd/%s", ErrUnfit, r.Version, r.Root, name)
		}
		if err != nil {
			return nil, fmt.Errorf("cannot extend the compiler of %s: %w", r.Version, err)
		}
		text, err := apply(r.Version, name, src, byFile[name])
		if err != nil {
			return nil, err
		}
		out[name] = string(text)
	}
	return out, nil
}

// A layer makes one tree of links and copies of another. Its first error sticks.
type layer struct {
	from, to string
	err      error
}

func (l *layer) do(err error) bool {
	if l.err == nil {
		l.err = err
	}
	return l.err == nil
}

// lay makes a directory: of what is copied copies, links to the rest. The go command writes to
// pkg, which is a directory of the tree's own.
func (l *layer) lay(dir string) {
	entries, err := os.ReadDir(filepath.Join(l.from, dir))
	if !l.do(err) || !l.do(os.MkdirAll(filepath.Join(l.to, dir), 0o777)) {
		return
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		switch {
		case slices.Contains(copied, name):
			l.copy(name)
		case name == "pkg" || slices.ContainsFunc(copied, func(c string) bool { return strings.HasPrefix(c, name+"/") }):
			l.lay(name)
		default:
			l.do(os.Symlink(filepath.Join(l.from, name), filepath.Join(l.to, name)))
		}
	}
}

// copy copies the Go files of a directory and those below it, but for tests.
func (l *layer) copy(dir string) {
	from := filepath.Join(l.from, dir)
	l.do(filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(l.from, name)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "testdata" {
				return fs.SkipDir
			}
			return os.MkdirAll(filepath.Join(l.to, rel), 0o777)
		}
		if strings.HasSuffix(name, "_test.go") {
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(l.to, rel), data, 0o666)
	}))
}

// write writes a file, over one that was copied, and never through a link.
func (l *layer) write(name, text string) {
	root, err := os.OpenRoot(l.to)
	if !l.do(err) {
		return
	}
	defer root.Close()
	if l.do(root.MkdirAll(path.Dir(name), 0o777)) {
		l.do(root.WriteFile(name, []byte(text), 0o666))
	}
}
