package main_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// documents are the README and the pages of docs, by name.
func documents(t *testing.T) map[string]string {
	t.Helper()
	root := filepath.Join("..", "..")
	names, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(names) < 10 {
		t.Fatal(names, err)
	}
	out := map[string]string{}
	for _, name := range append(names, filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(name)] = string(text)
	}
	return out
}

var (
	commandLine = regexp.MustCompile(`^    ((?:dupinst|[A-Z_]+=\S+|go (?:build|run|test|vet|tool)|kill|curl|bench/\S+|demo/\S+)(?: .*)?)$`)
	quoted      = regexp.MustCompile("`([^`]*)`")
)

// shown are the commands of a page, by the blocks that they stand in.
func shown(text string) [][]string {
	var blocks [][]string
	inside := false
	for line := range strings.Lines(text) {
		m := commandLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			inside = inside && strings.HasPrefix(line, "    ")
			continue
		}
		if !inside {
			blocks = append(blocks, nil)
		}
		inside = true
		last := &blocks[len(blocks)-1]
		command, _, _ := strings.Cut(m[1], " #")
		*last = append(*last, strings.TrimSpace(command))
	}
	return blocks
}

// measures says of a command that it is one of those that take minutes, and of which TestNamed says alone that
// there are such.
func measures(command string) bool {
	return regexp.MustCompile(`(^|&& )(bench/|demo/|go run |go test )`).MatchString(command)
}

// TestDocumented carries out the commands that the README and docs show but for those that measure, each page's in a module
// of its own (testdata/documented). What would go on for ever is looked at and ended, and no browser is opened.
// TestTutorial has the tutorial's, TestInstall that dupinst can be installed.
func TestDocumented(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it builds the standard library for each instrumentation")
	}
	layout := t.TempDir()
	goBuild(t, filepath.Join("..", ".."), "go", "build", "-o", layout+"/", "./cmd/dupinst-layout")
	n := 0
	for name, text := range documents(t) {
		blocks := shown(text)
		if name == "tutorial.md" || len(blocks) == 0 {
			continue
		}
		n++
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &document{T: t, path: layout}
			if name == "instrumentations.md" {
				d.dir = ownModule(t)
			} else {
				d.dir = t.TempDir()
				if err := os.CopyFS(d.dir, os.DirFS(filepath.Join("..", "..", "testdata", "documented"))); err != nil {
					t.Fatal(err)
				}
				d.shell("dupinst build -o prog ./cmd/prog && DUPINST_DIR=prof ./prog")
			}
			for _, block := range blocks {
				d.block(block)
			}
		})
	}
	if n < 8 {
		t.Errorf("%d pages have commands", n)
	}
}

// A document is one whose commands are carried out in a directory.
type document struct {
	*testing.T
	dir, path string
	services  map[string]string // where each serves, by how it is built
}

// block carries out the commands of one. What a program is built anew in has no profiles of the one before.
func (d *document) block(commands []string) {
	if strings.Contains(commands[0], " build -o ") {
		if err := os.RemoveAll(filepath.Join(d.dir, "prof")); err != nil {
			d.Fatal(err)
		}
	}
	if slices.ContainsFunc(commands, func(c string) bool { return strings.Contains(c, "PID") }) {
		rest := strings.ReplaceAll(strings.Join(commands[1:], "; sleep 0.3; "), "PID", "$PID")
		d.shell("WORK=2s " + commands[0] + " & PID=$!; sleep 0.3; " + rest + "; wait $PID")
		return
	}
	for _, command := range commands {
		switch served := regexp.MustCompile(`'http://[^/]*/debug/dupinst/([^']*)'`).FindStringSubmatch(command); {
		case measures(command):
		case served != nil:
			d.asks(command, served[1])
		case strings.Contains(command, "-http=:0"):
			d.page(command)
		default:
			d.shell(command)
		}
	}
}

// shell has a command carried out that must not fail; go vet must, for it finds something.
func (d *document) shell(command string) {
	d.Helper()
	command = strings.ReplaceAll(command, "go tool pprof -http=: ", "go tool pprof -top ")
	command = strings.ReplaceAll(command, "go tool cover -html=cover.out", "go tool cover -html=cover.out -o cover.html")
	cmd := exec.Command("sh", "-ec", command)
	cmd.Dir = d.dir
	cmd.Env = append(building(), "PATH="+d.path+string(filepath.ListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if finds := strings.HasPrefix(command, "go vet "); finds != (err != nil) || finds && !strings.Contains(string(out), "fields of item") {
		d.Fatalf("%s: %v\n%s", command, err, out)
	}
}

// page looks at what a command serves.
func (d *document) page(command string) {
	d.Helper()
	_, url := served(d.T, regexp.MustCompile(`at (http://localhost:\d+);`), "sh", "-c", "cd "+d.dir+" && exec "+command)
	if page := get(d.T, url); !strings.Contains(page, "</html>") {
		d.Errorf("%s serves no page: %.1000s", command, page)
	}
}

// asks has a command speak to a service under load, which is built for windows if that is what it speaks of.
func (d *document) asks(command, path string) {
	d.Helper()
	built := "-trigger=counter"
	switch {
	case strings.Contains(path, "windows="):
		built = "-trigger=window"
	case strings.Contains(path, "apart="):
		built = "-trigger=window -apart -instrument=calledge,value"
	}
	if d.services == nil {
		d.services = map[string]string{}
	}
	if d.services[built] == "" {
		root, bin := filepath.Join("..", ".."), filepath.Join(d.TempDir(), "control")
		goBuild(d.T, root, "dupinst", append(strings.Fields(built), "-pkgs=github.com/dupinst/dupinst/testdata/control", "build", "-o", bin, "./testdata/control")...)
		_, url := served(d.T, serving, "env", "DUPINST_DIR="+filepath.Join(d.TempDir(), "prof"), bin)
		underLoad(d.T, url+"/work?n=20", "10945 20\n")
		d.services[built] = url
	}
	url := d.services[built] + "/debug/dupinst/" + regexp.MustCompile(`seconds=\d+`).ReplaceAllString(path, "seconds=1")
	switch {
	case strings.HasPrefix(command, "curl -X POST "):
		if text, code, err := request("POST", url); err != nil || code != http.StatusOK {
			d.Errorf("%s: %v, %d, %s", command, err, code, text)
		}
	case strings.HasPrefix(command, "go tool pprof "):
		if out, err := exec.Command("go", "tool", "pprof", "-top", url).CombinedOutput(); err != nil || !strings.Contains(string(out), "main.fib") {
			d.Errorf("%s: %v\n%s", command, err, out)
		}
	default:
		d.Errorf("%s: what is it to do?", command)
	}
}

// TestNamed has all commands that the README and docs name, in a sentence or in a block: what they are is there,
// and has the flags that they are given.
func TestNamed(t *testing.T) {
	t.Parallel()
	n := 0
	for name, text := range documents(t) {
		var commands []string
		for _, block := range shown(text) {
			commands = append(commands, block...)
		}
		for _, m := range quoted.FindAllStringSubmatch(text, -1) {
			commands = append(commands, m[1])
		}
		for _, command := range commands {
			for part := range strings.SplitSeq(command, "&&") {
				if err := named(strings.Fields(part)); err != nil {
					t.Errorf("%s: %s: %v", name, command, err)
				}
				n++
			}
		}
	}
	if n < 200 {
		t.Errorf("%d commands are named", n)
	}
}

var assignment = regexp.MustCompile(`^[A-Z_]+=`)

// named reports what a command names that is not there.
func named(words []string) error {
	for len(words) > 0 && assignment.MatchString(words[0]) {
		words = words[1:]
	}
	if len(words) < 2 {
		return nil
	}
	root := filepath.Join("..", "..")
	switch first := words[0]; {
	case first == "dupinst":
		return namedOfDupinst(words[1:])
	case strings.HasPrefix(first, "bench/") || strings.HasPrefix(first, "demo/"):
		return flagsIn(filepath.Join(root, first), words[1:])
	case first == "go" && words[1] == "run" && len(words) > 2 && strings.HasPrefix(words[2], "./"):
		dir := filepath.Join(root, words[2])
		if _, err := os.Stat(dir); err != nil {
			dir = filepath.Join(root, "bench", words[2])
		}
		return flagsIn(dir, words[3:])
	case first == "go" && words[1] == "test" && slices.Contains(words, "./cmd/dupinst"):
		if i := slices.Index(words, "-run"); i >= 0 && i+1 < len(words) {
			for test := range strings.SplitSeq(strings.Trim(words[i+1], "'"), "|") {
				declared := "func " + strings.TrimPrefix(test, "^")
				if whole, anchored := strings.CutSuffix(declared, "$"); anchored {
					declared = whole + "("
				}
				if out, err := exec.Command("grep", "-rqsF", declared, ".").CombinedOutput(); err != nil {
					return fmt.Errorf("there is no test %s %s", test, out)
				}
			}
		}
	}
	return nil
}

// flagsIn looks for the flags among words in a script, or in a directory's Go files, as they are written there.
func flagsIn(name string, words []string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	names, written := []string{name}, "-%s"
	if info.IsDir() {
		written = "%q"
		if names, err = filepath.Glob(filepath.Join(name, "*.go")); err != nil {
			return err
		}
	}
	text := ""
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		text += string(b)
	}
	for _, word := range words {
		if f, ok := flagName(word); ok && !strings.Contains(text, fmt.Sprintf(written, f)) {
			return fmt.Errorf("%s has no flag -%s", name, f)
		}
	}
	return nil
}

// flagName is that of a flag, if word is one.
func flagName(word string) (string, bool) {
	word = strings.Trim(word, "[]")
	if len(word) < 2 || word[0] != '-' || word == "--" {
		return "", false
	}
	name, _, _ := strings.Cut(word[1:], "=")
	return name, true
}

// namedOfDupinst reports what is not known of flags, a command and its flags.
func namedOfDupinst(words []string) error {
	help := func(topic ...string) (string, error) {
		out, err := exec.Command("dupinst", append([]string{"help"}, topic...)...).CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("%w: %s", err, out)
		}
		return string(out), nil
	}
	text, err := help()
	if err != nil {
		return err
	}
	for i, word := range words {
		f, ok := flagName(word)
		if !ok {
			switch word {
			case "build", "test", "run", "install", "version", "help", "COMMAND", "…":
				return nil // other flags are the go command's
			}
			if text, err = help(word); err != nil {
				return err
			}
			words = words[i+1:]
			break
		}
		if !strings.Contains(text, "-"+f) {
			return fmt.Errorf("dupinst has no flag -%s", f)
		}
	}
	for _, word := range words {
		if f, ok := flagName(word); ok && !strings.Contains(text, "-"+f) {
			return fmt.Errorf("there is no flag -%s", f)
		}
	}
	return nil
}

// TestFigures runs the tests of the figures' program, which is of the workloads' module.
func TestFigures(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it builds a library for plots")
	}
	goBuild(t, filepath.Join("..", "..", "bench"), "go", "test", "./figures")
}
