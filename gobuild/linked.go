package gobuild

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
)

// linked says on w, when a program is linked, that none of its packages is one of those that are
// asked for: a misspelt pattern would look like a program in which nothing happens.
func (c *Config) linked(ctx context.Context, s *step, w io.Writer) error {
	if len(c.Packages) == 0 {
		return nil
	}
	sc, err := c.resolve(ctx, s.goCommand())
	if err != nil {
		return err
	}
	list, err := os.ReadFile(s.flag("importcfg"))
	if err != nil {
		return fmt.Errorf("cannot read what is linked: %w", err)
	}
	var paths []string
	for line := range strings.Lines(string(list)) {
		if rest, ok := strings.CutPrefix(line, "packagefile "); ok {
			path, _, _ := strings.Cut(rest, "=")
			paths = append(paths, path)
		}
	}
	for _, p := range sc.patterns {
		switch p {
		case "all", "std", "cmd":
			return nil
		}
		if slices.ContainsFunc(paths, func(path string) bool { return !RuntimeOwn(path) && matchPattern(p, path) }) {
			return nil
		}
	}
	if slices.Contains(paths, "command-line-arguments") {
		return nil
	}
	_, err = fmt.Fprintf(w, "dupinst: -pkgs=%s matches no package of %s: nothing in it is instrumented\n",
		strings.Join(c.Packages, ","), cmp.Or(s.importing, "the program"))
	return err
}

// identified is what tells a program its build ID when it is linked. The go command corrects that
// wherever it stands in the program.
func identified(s *step) []string {
	if id := s.flag("buildid"); id != "" {
		return []string{"-X=runtime.dupinstID=" + id}
	}
	return nil
}

// Version is dupinst's own, as the go command has it, be it the main module or what that is built with
// (package own).
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(devel)"
	}
	module := info.Main
	for _, dep := range info.Deps {
		if dep.Path == "github.com/dupinst/dupinst" {
			module = *dep
		}
	}
	return cmp.Or(module.Version, "(devel)")
}
