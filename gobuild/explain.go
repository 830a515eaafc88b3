package gobuild

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// plansFile is where the plans of a package are kept, whose build ID names what it was made of
// as the go command does, so that they are there whenever its archive is taken from the
// build cache.
func plansFile(buildID string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("cannot keep plans: %w", err)
	}
	dir := filepath.Join(cache, "dupinst", "plans")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", fmt.Errorf("cannot keep plans: %w", err)
	}
	action, _, _ := strings.Cut(buildID, "/")
	return filepath.Join(dir, action), nil
}

// Explain returns what the compiler decides about each function of some packages that has
// probes: a paragraph for each, whose first line is its name and where it is.
func (c *Config) Explain(ctx context.Context, patterns []string) ([]string, error) {
	explaining := *c
	explaining.Plans = true
	explaining.Self = append(append([]string(nil), c.Self...), "-plans")
	if len(c.Packages) == 0 {
		explaining.Self = append(explaining.Self, "-pkgs="+strings.Join(patterns, ","))
	}
	toolexec, err := explaining.toolexec()
	if err != nil {
		return nil, err
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-export", "-toolexec=" + toolexec, "-f", "{{.BuildID}} {{.ImportPath}}"}, patterns...)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("cannot build what is to be explained: %w\n%s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	var all []string
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		id, path, _ := strings.Cut(line, " ")
		if id == "" || RuntimeOwn(path) {
			continue
		}
		name, err := plansFile(id)
		if err != nil {
			return nil, err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("cannot read the plans of package %s (go clean -cache has them made anew): %w", path, err)
		}
		if len(text) > 0 {
			all = append(all, strings.Split(strings.TrimSuffix(string(text), "\n"), "\n\n")...)
		}
	}
	return all, nil
}
