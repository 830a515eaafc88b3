package main_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTutorial follows docs/tutorial.md word by word. What needs the network beyond the module
// proxy is done otherwise: the program comes from the proxy, and dupinst is this one.
func TestTutorial(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it downloads a program, and builds it twice")
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "tutorial.md"))
	if err != nil {
		t.Fatal(err)
	}
	var commands []string
	for line := range strings.Lines(string(text)) {
		if m := regexp.MustCompile(`^    ((?:git|go install|DUPINST_DIR=|dupinst) ?\S.*)\n`).FindStringSubmatch(line); m != nil {
			commands = append(commands, m[1])
		}
	}
	if len(commands) != 7 || !strings.HasPrefix(commands[0], "git clone ") || !strings.HasPrefix(commands[1], "go install ") {
		t.Fatalf("the tutorial has the commands\n%s", strings.Join(commands, "\n"))
	}
	dir := t.TempDir()
	out, err := exec.Command("go", "mod", "download", "-json", "github.com/tdewolff/minify/v2@v2.24.25").Output()
	if err != nil {
		t.Fatal(err)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(module.Dir)); err != nil {
		t.Fatal(err)
	}
	if err := exec.Command("chmod", "-R", "u+w", dir).Run(); err != nil {
		t.Fatal(err)
	}
	shell := func(command string) string {
		t.Helper()
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir, cmd.Env = dir, building()
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, stderr.String())
		}
		return string(out)
	}
	for _, command := range commands[2:] {
		if !strings.Contains(command, "-http") {
			out := shell(command)
			if strings.HasPrefix(command, "dupinst compare") && !strings.Contains(out, "fieldaccess: ") {
				t.Errorf("%s:\n%s", command, out)
			}
			continue
		}
		_, url := served(t, regexp.MustCompile(`at (http://localhost:\d+);`), "sh", "-c", "cd "+dir+" && exec "+command)
		if page := get(t, url); !strings.Contains(page, "jsMinifier") {
			t.Errorf("the page has no jsMinifier: %.1000s", page)
		}
	}
	if shell("git diff --no-index --stat "+filepath.Join(module.Dir, "js", "js.go")+" js/js.go || true") == "" {
		t.Error("no order of fields was changed")
	}
	shell("cmp before.html after.html && test -s cmd/minify/default.pgo")
	if top := shell("dupinst report -n 0 before"); !strings.Contains(top, "jsMinifier") || !strings.Contains(top, "events at ") {
		t.Errorf("the report:\n%s", top)
	}
}
