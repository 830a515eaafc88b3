package gobuild

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// A scope decides which packages are instrumented.
type scope struct {
	modules  []module // the main modules, where they matter
	patterns []string // resolved; none: all packages of the main modules
	// apart: no directory that has packages in scope has one that is not in that of another
	// build with the same key.
	apart bool
}

type module struct {
	path, dir string
}

// resolve finds the scope that c describes when the go command runs in the
// current directory. go is the go command.
func (c *Config) resolve(ctx context.Context, goCommand string) (*scope, error) {
	s := &scope{}
	if slices.Contains(c.Packages, "all") {
		s.patterns = []string{"all"}
		return s, nil
	}
	relative := slices.ContainsFunc(c.Packages, isRelative)
	if len(c.Packages) == 0 || relative {
		var err error
		if s.modules, s.apart, err = mainModules(ctx, goCommand); err != nil {
			return nil, err
		}
	}
	for _, p := range c.Packages {
		if isRelative(p) {
			var err error
			if p, err = s.absolute(p); err != nil {
				return nil, err
			}
		}
		s.patterns = append(s.patterns, p)
	}
	return s, nil
}

// key describes s for the version line. Directories are not part of it: builds
// in different ones are to be alike. Nor are main modules, if that is all that is asked for
// and what is no main module's comes from the module cache: the go command knows a package
// by its directory, so that none that is in scope in one build is taken for one that is not
// in another, and all main modules share what is built of the standard library.
func (s *scope) key() string {
	if len(s.patterns) == 0 && s.apart {
		return "main modules"
	}
	var paths []string
	for _, m := range s.modules {
		paths = append(paths, m.path)
	}
	return fmt.Sprintf("%q %q", paths, s.patterns)
}

// mainModules asks the go command for its main modules, and reports whether they lie apart
// from what they need: none in the module cache, and nothing that they need elsewhere.
func mainModules(ctx context.Context, goCommand string) (modules []module, apart bool, err error) {
	out, err := exec.CommandContext(ctx, goCommand, "env", "-json", "GOMOD", "GOWORK", "GOMODCACHE").Output()
	if err != nil {
		return nil, false, fmt.Errorf("cannot ask %s for the main module: %w", goCommand, err)
	}
	var env struct{ GOMOD, GOWORK, GOMODCACHE string }
	if err := json.Unmarshal(out, &env); err != nil {
		return nil, false, fmt.Errorf("cannot read what %s env prints: %w", goCommand, err)
	}
	apart = true
	files := []string{env.GOMOD}
	if env.GOWORK != "" && env.GOWORK != "off" {
		data, err := os.ReadFile(env.GOWORK)
		if err != nil {
			return nil, false, fmt.Errorf("cannot read the workspace: %w", err)
		}
		work, err := modfile.ParseWork(env.GOWORK, data, nil)
		if err != nil {
			return nil, false, fmt.Errorf("cannot read the workspace: %w", err)
		}
		files, apart = nil, !replaced(work.Replace)
		for _, u := range work.Use {
			dir := u.Path
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(filepath.Dir(env.GOWORK), dir)
			}
			files = append(files, filepath.Join(dir, "go.mod"))
		}
	}
	for _, f := range files {
		if f == "" || f == os.DevNull {
			continue
		}
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, false, fmt.Errorf("cannot read the main module: %w", err)
		}
		modules = append(modules, module{modfile.ModulePath(data), filepath.Dir(f)})
		file, err := modfile.Parse(f, data, nil)
		apart = apart && err == nil && !replaced(file.Replace) && !strings.HasPrefix(f, env.GOMODCACHE+string(filepath.Separator))
	}
	return modules, apart, nil
}

// replaced reports whether a module is replaced by a directory.
func replaced(list []*modfile.Replace) bool {
	return slices.ContainsFunc(list, func(r *modfile.Replace) bool { return r.New.Version == "" })
}

func isRelative(pattern string) bool {
	return pattern == "." || pattern == ".." || strings.HasPrefix(pattern, "./") || strings.HasPrefix(pattern, "../")
}

// absolute turns a pattern relative to the current directory into one of
// import paths.
func (s *scope) absolute(pattern string) (string, error) {
	dir, err := filepath.Abs(pattern)
	if err != nil {
		return "", fmt.Errorf("cannot resolve pattern %s: %w", pattern, err)
	}
	best := ""
	found := 0
	for _, m := range s.modules {
		rel, err := filepath.Rel(m.dir, dir)
		if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) || len(m.dir) < found {
			continue
		}
		found = len(m.dir)
		best = m.path
		if rel != "." {
			best += "/" + filepath.ToSlash(rel)
		}
	}
	if best == "" {
		return "", fmt.Errorf("cannot resolve pattern %s: it lies in no main module", pattern)
	}
	return best, nil
}

// contains reports whether the package of a compile step is in scope.
func (s *scope) contains(st *step) bool {
	path := st.importPath()
	if st.path() == "unsafe" || st.std() && (RuntimeOwn(st.path()) || len(s.patterns) == 0) || st.testMain() {
		return false
	}
	if path == "command-line-arguments" {
		return true
	}
	if len(s.patterns) == 0 {
		return s.inMain(path, st)
	}
	for _, p := range s.patterns {
		switch {
		case p == "all", p == "std" && st.std() && !strings.HasPrefix(path, "cmd/"), p == "cmd" && strings.HasPrefix(path, "cmd/"):
			return true
		case p != "std" && matchPattern(p, path):
			return true
		}
	}
	return false
}

// reachesStd reports whether a package of the standard library may be in scope, whose source is in src: its paths begin
// with a directory of that. Those of other modules mostly have a dot there, but need not. Without that source any may be.
func (s *scope) reachesStd(src string) bool {
	if _, err := os.Stat(src); err != nil {
		return len(s.patterns) != 0
	}
	return slices.ContainsFunc(s.patterns, func(p string) bool {
		first, _, _ := strings.Cut(p, "/")
		if p == "all" || p == "std" || strings.Contains(first, "...") {
			return true
		}
		_, err := os.Stat(filepath.Join(src, first))
		return !errors.Is(err, fs.ErrNotExist)
	})
}

// inMain reports whether path is a package of a main module, and of no module
// nested in one.
func (s *scope) inMain(path string, st *step) bool {
	for _, m := range s.modules {
		if path != m.path && !strings.HasPrefix(path, m.path+"/") {
			continue
		}
		dir := filepath.Join(m.dir, filepath.FromSlash(strings.TrimPrefix(strings.TrimPrefix(path, m.path), "/")))
		if !st.liesIn(dir) {
			continue
		}
		for dir != m.dir {
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
				return false
			}
			dir = filepath.Dir(dir)
		}
		return true
	}
	return false
}

// matchPattern is the go command's: "..." stands for any string, and a final
// "/..." also for nothing.
func matchPattern(pattern, path string) bool {
	re := regexp.QuoteMeta(pattern)
	re = strings.ReplaceAll(re, `\.\.\.`, `.*`)
	if strings.HasSuffix(re, `/.*`) {
		re = strings.TrimSuffix(re, `/.*`) + `(/.*)?`
	}
	ok, err := regexp.MatchString(`^`+re+`$`, path)
	return err == nil && ok
}

// RuntimeOwn reports whether path is package runtime or one it is made of,
// which cannot call into it. A test holds it against go list -deps runtime.
func RuntimeOwn(path string) bool {
	switch path {
	case "runtime", "unsafe", "internal/abi", "internal/asan", "internal/bytealg", "internal/byteorder",
		"internal/chacha8rand", "internal/coverage/rtcov", "internal/cpu", "internal/goarch",
		"internal/godebugs", "internal/goexperiment", "internal/goos", "internal/msan",
		"internal/profilerecord", "internal/race", "internal/strconv", "internal/stringslite",
		"internal/trace/tracev2", "math/bits",
		"runtime/asan", "runtime/cgo", "runtime/msan", "runtime/race":
		return true
	}
	return strings.HasPrefix(path, "internal/runtime/") || strings.HasPrefix(path, "runtime/internal/") || strings.HasPrefix(path, "runtime/race/")
}
