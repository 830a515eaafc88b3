package main_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// served starts a command that serves a page, and returns its address, found in
// what it prints.
func served(t *testing.T, address *regexp.Regexp, name string, args ...string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // the go command starts what serves
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = in, in
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	t.Cleanup(func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		out.Close()
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if m := address.FindStringSubmatch(lines.Text()); m != nil {
			return cmd, m[1]
		}
	}
	t.Fatalf("%v printed no address", cmd)
	return nil, ""
}

// get returns a page, which may take a moment to be there.
func get(t *testing.T, url string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		req, err := http.NewRequestWithContext(ctx, "GET", url, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			if ctx.Err() != nil {
				t.Fatal(err)
			}
			time.Sleep(50 * time.Millisecond)
			continue
		}
		text, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatal(res.Status, err)
		}
		return string(text)
	}
}

// reporting is what dupinst report says that serves its page.
var reporting = regexp.MustCompile(`at (http://localhost:\d+);`)

// TestServe serves a profile: dupinst's own page, and pprof's, in the browser.
func TestServe(t *testing.T) {
	t.Parallel()
	need(t, "chromium")
	need(t, "dot")
	prof := t.TempDir()
	execute(t, built(t, "auto", false, "transparent"), prof, "1")

	cmd, url := served(t, reporting, "dupinst", "report", "-http=:0", "-against", prof, prof)
	if document, console := browse(t, url); console != "" || !strings.Contains(document, "every event") && !strings.Contains(document, "exact") || !strings.Contains(document, `href="#compare"`) {
		t.Errorf("console: %s\n%s", console, document[:min(len(document), 2000)])
	}
	// The page follows the directory.
	page, stamp := get(t, url), get(t, url+"/stamp")
	if !strings.Contains(page, `<meta name="stamp" content="`+stamp+`">`) {
		t.Errorf("the page has not the stamp %s", stamp)
	}
	execute(t, built(t, "auto", false, "transparent"), prof, "1")
	if again := get(t, url+"/stamp"); again == stamp {
		t.Errorf("the stamp stays %s as the directory grows", stamp)
	}
	if again := get(t, url); again == page {
		t.Error("the page stays the same as the directory grows")
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("interrupted: %v", err)
	}

	file := filepath.Join(prof, "calls.pb.gz")
	goBuild(t, ".", "dupinst", "export", "-format=pprof", "-o", file, prof)
	_, url = served(t, regexp.MustCompile(`on (http://\S+)`), "go", "tool", "pprof", "-no_browser", "-http=localhost:", file)
	if page := get(t, url+"/ui/top"); !strings.Contains(page, "main.loops") {
		t.Errorf("no call in pprof's table:\n%.2000s", page)
	}
	if document, _ := browse(t, url+"/ui/graph"); !strings.Contains(document, "<svg") {
		t.Errorf("no graph in pprof's page:\n%.2000s", document)
	}
}
