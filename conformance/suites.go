package main

import (
	"bufio"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dupinst/dupinst/profile"
)

// Test suites: of the standard library's packages, with all of it instrumented,
// and of modules that others wrote, each with its own packages instrumented.

var suiteIntervals = []string{"1", "1000"}

const suiteLimit = 20 * time.Minute

// list is what go list prints, outside of dupinst's own module: another release of Go
// might not take that.
func (r *runner) list(args ...string) (string, error) {
	cmd := exec.CommandContext(r.ctx, "go", append([]string{"list"}, args...)...)
	cmd.Dir = r.work
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go list %v: %w: %.300s", args, err, stderr.String())
	}
	return string(out), nil
}

// standardCases lists the standard packages with tests, but for those that
// package runtime is made of, which are never instrumented.
func standardCases(r *runner) ([]*Case, error) {
	closure, err := r.list("-deps", "runtime")
	if err != nil {
		return nil, err
	}
	packages, err := r.list("-f", `{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}`, "std")
	if err != nil {
		return nil, err
	}
	var cases []*Case
	for _, p := range strings.Fields(packages) {
		counted := "std"
		if r.short { // what is not counted is compiled once for all
			counted = p
		}
		if !slices.Contains(strings.Fields(closure), p) {
			cases = append(cases, &Case{Name: "std/" + p, run: func(a *attempt) error {
				dir, err := goroot()
				if err != nil {
					return err
				}
				return a.suite(filepath.Join(dir, "src"), p, func(v string, args []string) (string, []string, error) {
					return a.dupinst, slices.Concat(a.arranged(a.backend, v), []string{"-pkgs=" + counted}, args), nil
				})
			}})
		}
	}
	return cases, nil
}

// modules.txt has a line for each module: its path and version, and why it is there.
//
//go:embed modules.txt
var modules string

// moduleCases lists the modules.
func moduleCases(*runner) ([]*Case, error) {
	return casesOfModules("modules", (*attempt).module)
}

// rewrittenCases lists the modules as dupinst rewrite writes them, built plainly.
func rewrittenCases(*runner) ([]*Case, error) {
	return casesOfModules("rewritten", (*attempt).rewritten)
}

func casesOfModules(corpus string, run func(a *attempt, module string) error) ([]*Case, error) {
	var cases []*Case
	for line := range strings.Lines(modules) {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) < 3 {
			return nil, fmt.Errorf("modules.txt: %q has no version, or no reason", strings.TrimSpace(line))
		}
		module := fields[0] + "@" + fields[1]
		cases = append(cases, &Case{Name: corpus + "/" + module, run: func(a *attempt) error { return run(a, module) }})
	}
	return cases, nil
}

// module runs the tests of all packages of a module.
func (a *attempt) module(module string) error {
	dir, err := a.download(module)
	if err != nil {
		return err
	}
	return a.suite(dir, "./...", func(v string, args []string) (string, []string, error) {
		return a.dupinst, append(a.arranged(a.backend, v), args...), nil
	})
}

// rewritten does so with their source rewritten. A test writes no profile but the
// periodic one, and may be too short for that.
func (a *attempt) rewritten(module string) error {
	dir, err := a.download(module)
	if err != nil {
		return err
	}
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/dupinst/dupinst").Output()
	if err != nil {
		return fmt.Errorf("cannot find dupinst's own module: %w", err)
	}
	edit := []string{"mod", "edit", "-go=1.26.0", "-require=github.com/dupinst/dupinst@v0.0.0", "-replace=github.com/dupinst/dupinst=" + strings.TrimSpace(string(root))}
	if out, err := a.command(buildLimit, dir, nil, "go", edit...); err != nil {
		return fmt.Errorf("go mod edit: %w: %.300s", err, out)
	}
	// Older modules do not list what the modules that they require do.
	if out, err := a.command(buildLimit, dir, nil, "go", "list", "-mod=mod", "-deps", "-test", "./...", "github.com/dupinst/dupinst/runtime/core"); err != nil {
		return fmt.Errorf("go list: %w: %.300s", err, out)
	}
	return a.suite(dir, "./...", func(v string, args []string) (string, []string, error) {
		overlay := filepath.Join(a.dir, v+".json")
		out, err := a.command(buildLimit, dir, nil, a.dupinst, "-variant="+v, "rewrite", "-overlay", overlay, "./...")
		switch {
		case err != nil && strings.Contains(out, "nothing to rewrite in") && strings.HasSuffix(strings.TrimSpace(out), "uses cgo"):
			return "", nil, skippedError{fmt.Errorf("its source is not rewritten: %s", strings.TrimSpace(out))}
		case err != nil:
			return "", nil, fmt.Errorf("dupinst rewrite: %w: %.300s", err, out)
		}
		return "go", slices.Concat(args[:1], []string{"-overlay", overlay}, args[1:]), nil
	})
}

// download copies a module to a directory where it can be built, and returns that.
func (a *attempt) download(module string) (dir string, err error) {
	out, err := a.command(buildLimit, a.dir, nil, "go", "mod", "download", "-json", module)
	if err != nil {
		return "", plainError{fmt.Errorf("cannot download %s: %w: %.300s", module, err, out)}
	}
	var downloaded struct{ Dir string }
	if err := json.Unmarshal([]byte(out), &downloaded); err != nil {
		return "", fmt.Errorf("cannot read what go mod download prints: %w", err)
	}
	dir = filepath.Join(a.dir, "src")
	if err := copyWritable(dir, downloaded.Dir); err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); errors.Is(err, fs.ErrNotExist) {
		path, _, _ := strings.Cut(module, "@")
		if err := writeModule(dir, path, "1.16"); err != nil {
			return "", err
		}
	}
	// Some modules' sums are not complete.
	if _, err := a.command(buildLimit, dir, nil, "go", "list", "-test", "-deps", "./..."); err != nil {
		if out, err := a.command(buildLimit, dir, nil, "go", "mod", "tidy"); err != nil {
			return "", plainError{fmt.Errorf("go mod tidy: %w: %.300s", err, out)}
		}
	}
	return dir, nil
}

// copyWritable copies a directory of the module cache, whose files are read-only.
func copyWritable(to, from string) error {
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o777)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, info.Mode()|0o600)
	})
}

// A test is one of a package; that without a name is all of them.
type test struct{ pkg, name string }

func (t test) String() string { return t.pkg + "." + t.name }

// top is the test that t is a part of.
func (t test) top() test {
	name, _, _ := strings.Cut(t.name, "/")
	return test{t.pkg, name}
}

// pattern is what go test takes for t alone.
func (t test) pattern() string {
	parts := strings.Split(t.name, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}

func (t test) compare(u test) int {
	return cmp.Or(strings.Compare(t.pkg, u.pkg), strings.Compare(t.name, u.name))
}

// suite runs the tests of packages plain and instrumented: what passes must pass.
// instrumented says what to run, given a variant and the arguments of the go command.
func (a *attempt) suite(dir, packages string, instrumented func(variant string, args []string) (name string, all []string, err error)) error {
	args := slices.Concat([]string{"test"}, a.flags(), a.target.exec(), []string{"-short", "-count=1", "-vet=off", "-json", packages})
	want, err := a.tests(dir, nil, "go", args)
	if err != nil {
		return plainError{err}
	}
	again, err := a.tests(dir, nil, "go", args)
	if err != nil {
		return plainError{err}
	}
	passed := 0
	for t, how := range want {
		if how != "pass" || again[t] != "pass" {
			delete(want, t) // it fails, or does so now and then
		} else {
			passed++
		}
	}
	if passed == 0 {
		return plainError{fmt.Errorf("no test passes")}
	}
	var differs []string
	for _, v := range a.c.variants {
		name, all, err := instrumented(v, args)
		if err != nil {
			return fmt.Errorf("%s: %w", v, err)
		}
		for _, interval := range intervals(v, suiteIntervals) {
			prof, how := filepath.Join(a.dir, "prof-"+v+interval), v+" at interval "+interval
			env := append([]string{"DUPINST_DIR=" + prof}, settings(v, interval)...)
			got, err := a.tests(dir, env, name, all)
			if err != nil {
				return fmt.Errorf("%s: %w", how, err)
			}
			if _, err := os.Stat(prof); err == nil || name == a.dupinst { // else a rewritten test may have ended before its first write
				if _, err := profile.ReadProfiles(prof); err != nil {
					return fmt.Errorf("%s: %w", how, err)
				}
			}
			lost, excused := a.lost(want, got, likened(v, interval))
			lost, unsteady, err := a.steady(dir, how, lost, func(t test) (bool, error) {
				got, err := a.tests(dir, env, name, slices.Concat(all[:len(all)-1], []string{"-run=" + t.pattern(), t.pkg}))
				return got[t] == "pass", err
			})
			if err != nil {
				return fmt.Errorf("%s: %w", how, err)
			}
			packages, err := failing(want, got, append(excused, unsteady...), func(p test, skip string) (bool, error) {
				got, err := a.tests(dir, env, name, slices.Concat(all[:len(all)-1], []string{"-skip=" + skip, p.pkg}))
				return got[p] == "pass", err
			})
			if err != nil {
				return fmt.Errorf("%s: %w", how, err)
			}
			lost = append(lost, packages...)
			if len(lost) > 0 {
				differs = append(differs, fmt.Sprintf("%s: %d of %d tests do not pass: %.300s", how, len(lost), len(want), fmt.Sprint(lost)))
			}
		}
	}
	if len(differs) > 0 {
		return errors.New(strings.Join(differs, "; "))
	}
	return nil
}

// lost returns the tests that passed plain, and do not in got, and apart from them those
// that are known to differ, which it notes.
func (a *attempt) lost(want, got map[test]string, interval string) (lost, excused []test) {
	for _, t := range slices.SortedFunc(maps.Keys(want), test.compare) {
		if got[t] == "pass" || t.name == "" {
			continue
		}
		if d := a.known.find(interval, t.String()); d != nil {
			a.excused = append(a.excused, interval+" "+t.String())
			excused = append(excused, t)
			continue
		}
		lost = append(lost, t)
	}
	slices.Sort(a.excused)
	return lost, excused
}

// failing returns the packages that passed plain, and do not in got. Where tests are
// excused their package fails with them, but must pass without, which again reports:
// what fails after the last test is not excused.
func failing(want, got map[test]string, excused []test, again func(p test, skip string) (bool, error)) ([]test, error) {
	var packages []test
	for _, p := range slices.SortedFunc(maps.Keys(want), test.compare) {
		if got[p] == "pass" || p.name != "" {
			continue
		}
		var skip []string
		for _, t := range excused {
			if t.pkg == p.pkg && (t == t.top() || !slices.Contains(excused, t.top())) {
				skip = append(skip, t.pattern())
			}
		}
		if len(skip) > 0 {
			passes, err := again(p, strings.Join(skip, "|"))
			if err != nil {
				return nil, fmt.Errorf("cannot run %s without the tests that are excused: %w", p.pkg, err)
			}
			if passes {
				continue
			}
		}
		packages = append(packages, p)
	}
	return packages, nil
}

// tests runs go test and returns how each test, and each package, ended.
func (a *attempt) tests(dir string, env []string, name string, args []string) (map[test]string, error) {
	out, err := a.command(suiteLimit, dir, env, name, args...)
	if a.ctx.Err() != nil {
		return nil, a.ctx.Err()
	}
	ended, said := map[test]string{}, map[test][]byte{}
	lines := bufio.NewScanner(strings.NewReader(out))
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var event struct{ Action, Package, Test, Output string }
		if json.Unmarshal(lines.Bytes(), &event) != nil {
			continue // of the go command itself
		}
		t := test{event.Package, address.ReplaceAllString(event.Test, "0x?")} // addresses differ from build to build
		switch event.Action {
		case "build-output":
			a.log.WriteString(event.Output)
		case "output":
			said[t] = append(said[t], event.Output...)
		case "pass", "fail", "skip":
			if ended[t] != "fail" { // of tests whose names differ in addresses only
				ended[t] = event.Action
			}
			if event.Action == "fail" {
				fmt.Fprintf(&a.log, "%s fails:\n%s", t, said[t])
			}
		}
	}
	for _, t := range slices.SortedFunc(maps.Keys(said), test.compare) {
		if ended[t] == "" {
			fmt.Fprintf(&a.log, "%s has not ended:\n%s", t, said[t])
		}
	}
	if len(ended) == 0 {
		return nil, fmt.Errorf("no test ran: %w: %.500s", err, out)
	}
	return ended, lines.Err()
}
