package main_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// need skips the test where a program is not installed; in CI, that is an error.
func need(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err == nil {
		return
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is not installed", program)
	}
	t.Skipf("%s is not installed", program)
}

// browse opens a page in headless Chromium and returns the document once its
// scripts have run, and what they wrote to the console.
func browse(t *testing.T, url string) (document, console string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(),
		"--enable-logging=stderr", "--virtual-time-budget=1500", "--dump-dom", url)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("chromium: %v\n%s", err, stderr.String())
	}
	for _, line := range strings.Split(stderr.String(), "\n") {
		if strings.Contains(line, ":CONSOLE") {
			console += line + "\n"
		}
	}
	return stdout.String(), console
}

// TestPage renders explain's page of all test programs in a browser: each
// function is there with its drawing, and nothing is written to the console. A
// page that does write there shows that it would be seen.
func TestPage(t *testing.T) {
	t.Parallel()
	need(t, "dot")
	need(t, "chromium")
	dir, names := programs(t)
	backends(t, func(t *testing.T, in func(string) string) {
		file := filepath.Join(t.TempDir(), "page.html")
		goBuild(t, dir, "dupinst", append(arranged(in("partial")), "explain", "-format=html", "-o", file, "./...")...)
		document, console := browse(t, "file://"+file)
		if console != "" {
			t.Errorf("the console says:\n%s", console)
		}
		sections, drawings := strings.Count(document, "<section"), strings.Count(document, "<svg")
		if sections < 4*len(names) || drawings < 3*len(names) || !strings.HasSuffix(strings.TrimSpace(document), "</html>") {
			t.Errorf("%d functions and %d drawings of %d programs", sections, drawings, len(names))
		}
	})
	bad := filepath.Join(t.TempDir(), "bad.html")
	if err := os.WriteFile(bad, []byte("<script>nothing.at.all()</script>"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, console := browse(t, "file://"+bad); !strings.Contains(console, "nothing is not defined") {
		t.Errorf("an error in a page is not seen; the console says %q", console)
	}
}
