package gobuild

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/dupinst/dupinst/compiler/plan"
)

// Plans are kept in the user's cache directory, one file a package, named by the part of its
// build ID that names what it was made of: so they are there as long as the go command takes
// its archive from the build cache. Those that nobody asked for in a month are removed, as the
// go command's cache does in five days.
const plansKept = 30 * 24 * time.Hour

// errNoPlans wraps the error of plans that are not there, though the archive is.
var errNoPlans = errors.New("cannot read the plans")

func plansDir() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("cannot keep plans: %w", err)
	}
	dir := filepath.Join(cache, "dupinst", "plans")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", fmt.Errorf("cannot keep plans: %w", err)
	}
	return dir, nil
}

// plansFile is where the plans of a package are.
func plansFile(buildID string) (string, error) {
	dir, err := plansDir()
	if err != nil {
		return "", err
	}
	action, _, _ := strings.Cut(buildID, "/")
	return filepath.Join(dir, action), nil
}

// Explain returns what the compiler decides about each function of some packages.
func (c *Config) Explain(ctx context.Context, patterns []string) ([]*plan.Function, error) {
	if err := forgetPlans(time.Now().Add(-plansKept)); err != nil {
		return nil, err
	}
	plans, err := c.explain(ctx, patterns)
	if errors.Is(err, errNoPlans) {
		plans, err = c.explain(ctx, patterns, "-a")
	}
	return plans, err
}

// forgetPlans removes the plans that nobody asked for since then.
func forgetPlans(since time.Time) error {
	dir, err := plansDir()
	if err != nil {
		return err
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("cannot look through the plans: %w", err)
	}
	for _, f := range files {
		info, err := f.Info()
		if err == nil && info.ModTime().Before(since) {
			err = os.Remove(filepath.Join(dir, f.Name()))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // another process may have removed it
			return fmt.Errorf("cannot remove old plans: %w", err)
		}
	}
	return nil
}

// explain has the go command list packages, with flags, and reads their plans.
func (c *Config) explain(ctx context.Context, patterns []string, flags ...string) ([]*plan.Function, error) {
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
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-export", "-toolexec=" + toolexec, "-f", "{{.ImportPath}} {{.BuildID}} {{if .Standard}}{{.Root}}{{end}}"}, append(flags, patterns...)...)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("cannot build what is to be explained: %w\n%s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	var all []*plan.Function
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		path, rest, _ := strings.Cut(line, " ")
		id, root, _ := strings.Cut(rest, " ")
		if id == "" || RuntimeOwn(path) || path == public {
			continue
		}
		own, err := readPlans(id)
		if err != nil {
			return nil, fmt.Errorf("package %s: %w", path, err)
		}
		for _, f := range own { // the compiler names the standard library's files so
			f.File = strings.Replace(f.File, "$GOROOT", root, 1)
			f.Source = strings.Replace(f.Source, "$GOROOT", root, 1)
		}
		all = append(all, own...)
	}
	return all, nil
}

// readPlans reads the plans of a package, and notes that they were asked for.
func readPlans(buildID string) ([]*plan.Function, error) {
	name, err := plansFile(buildID)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoPlans, err)
	}
	var plans []*plan.Function
	if err := json.Unmarshal(text, &plans); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", errNoPlans, name, err)
	}
	now := time.Now()
	if err := os.Chtimes(name, now, now); err != nil {
		return nil, fmt.Errorf("cannot keep plans: %w", err)
	}
	return plans, nil
}
