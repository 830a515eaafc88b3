package load

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/mod/module"
)

// Sources finds files by the names that go build -trimpath gives them.
type Sources struct {
	root, cache string
	main        map[string]string // directories of main modules, by their paths
}

// FindSources asks the go command, in the current directory, where files are.
func FindSources(ctx context.Context) (*Sources, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "-json", "GOROOT", "GOMODCACHE", "GOMOD").Output()
	if err != nil {
		return nil, fmt.Errorf("cannot ask the go command for directories: %w", err)
	}
	var env struct{ GOROOT, GOMODCACHE, GOMOD string }
	if err := json.Unmarshal(out, &env); err != nil {
		return nil, fmt.Errorf("cannot read what go env prints: %w", err)
	}
	s := &Sources{root: filepath.Join(env.GOROOT, "src"), cache: env.GOMODCACHE, main: map[string]string{}}
	if env.GOMOD == "" || env.GOMOD == os.DevNull {
		return s, nil
	}
	if out, err = exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Path}}\t{{.Dir}}").Output(); err != nil {
		return nil, fmt.Errorf("cannot ask the go command for main modules: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		if path, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			s.main[path] = dir
		}
	}
	return s, nil
}

// Find returns where a file is, or its name as it is if that is not known.
func (s *Sources) Find(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	found := func(parts ...string) (string, bool) {
		file := filepath.Join(parts...)
		_, err := os.Stat(file)
		return file, err == nil
	}
	if path, rest, ok := strings.Cut(name, "@"); ok {
		version, rest, _ := strings.Cut(rest, "/")
		escaped, err := module.EscapePath(path)
		if err == nil {
			version, err = module.EscapeVersion(version)
		}
		if file, ok := found(s.cache, escaped+"@"+version, rest); err == nil && ok {
			return file
		}
		return name
	}
	for path, dir := range s.main {
		if rest, ok := strings.CutPrefix(name, path+"/"); ok {
			if file, ok := found(dir, rest); ok {
				return file
			}
		}
	}
	if file, ok := found(s.root, name); ok && name != "" {
		return file
	}
	return name
}
