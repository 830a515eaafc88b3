package gobuild

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/dupinst/dupinst/compiler/plan"
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

// Explain returns what the compiler decides about each function of some packages.
func (c *Config) Explain(ctx context.Context, patterns []string) ([]*plan.Function, error) {
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
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-export", "-toolexec=" + toolexec, "-f", "{{.ImportPath}} {{.BuildID}}"}, patterns...)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("cannot build what is to be explained: %w\n%s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	var all []*plan.Function
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		path, id, _ := strings.Cut(line, " ")
		if id == "" || RuntimeOwn(path) || path == public {
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
		var own []*plan.Function
		if err := json.Unmarshal(text, &own); err != nil {
			return nil, fmt.Errorf("cannot read the plans of package %s: %s: %w (go clean -cache has them made anew)", path, name, err)
		}
		all = append(all, own...)
	}
	return all, nil
}
