package main_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/dupinst/dupinst/report/web/webtest"
)

// TestLivePage uses the page of a service that is profiled while it serves: on a phone and on a
// desktop, where the keyboard alone sets the interval, and by the mouse.
func TestLivePage(t *testing.T) {
	t.Parallel()
	b := webtest.Open(t)
	bin := t.TempDir()
	goBuild(t, filepath.Join("..", ".."), "dupinst", "-pkgs=github.com/dupinst/dupinst/testdata/control", "build", "-o", filepath.Join(bin, "control"), "./testdata/control")
	_, url := served(t, serving, "env", "DUPINST_DIR="+filepath.Join(bin, "prof"), "DUPINST_INTERVAL=off", filepath.Join(bin, "control"))
	page := url + "/debug/dupinst/"
	work := func() {
		t.Helper()
		if text, code, err := request("GET", url+"/work?n=22"); err != nil || code != http.StatusOK {
			t.Fatalf("work: %v, %d, %s", err, code, text)
		}
	}

	b.Visit(page, webtest.Desktop, "#state")
	b.Expect("#state", "no samples are taken")
	b.Tab(`e.name === "interval"`)
	b.Do("the keyboard", chromedp.KeyEvent("x"), chromedp.KeyEvent(kb.Enter))
	if s := b.Eval(`document.querySelector("[name=interval]").validity.patternMismatch ? "refused" : ""`); s != "refused" {
		t.Error("the page takes an interval that is no number")
	}
	b.Do("the keyboard", chromedp.KeyEvent("a", chromedp.KeyModifiers(2)), chromedp.KeyEvent("100"), chromedp.KeyEvent(kb.Enter))
	b.Expect("#state", "samples so far")
	b.Await("the hottest call", func() bool { work(); return strings.Contains(b.Text("#profiles tbody tr"), "call main.fib") })
	b.Expect("#profiles", "calledge")
	if text, _, err := request("GET", page); err != nil || !strings.Contains(text, `"interval":100`) {
		t.Errorf("the keyboard set 100: %v, %s", err, text)
	}
	b.Check("live", webtest.Desktop)

	b.Visit(page, webtest.Phone, "#profiles tbody tr")
	b.Check("live", webtest.Phone)
	b.Do("a wrong cost", chromedp.SendKeys("[name=overhead]", "5", chromedp.ByQuery))
	b.Click("#set button")
	b.Expect("#error", `overhead="5" is not a percentage`)
	b.Check("live, with an error", webtest.Phone)

	b.Click("#pause")
	b.Click("#reset")
	b.Await("an answer", func() bool { return b.Text("#error") == "" })
	work()
	shown := b.Text("#profiles")
	b.Do("holding still", chromedp.Sleep(2500*time.Millisecond)) // it asks every two seconds
	if now := b.Text("#profiles"); now != shown {
		t.Errorf("held still, it changed from %q to %q", shown, now)
	}
	b.Click("#pause")
	b.Expect("#state", "samples so far")
	b.Await("what was begun anew", func() bool { return b.Text("#profiles") != shown })
}

// TestNewer has a page that is served open while its directory grows: it is loaded again, but where
// somebody searches, who is asked.
func TestNewer(t *testing.T) {
	t.Parallel()
	b := webtest.Open(t)
	prof := t.TempDir()
	execute(t, built(t, "auto", false, "transparent"), prof, "1")
	_, url := served(t, reporting, "dupinst", "report", "-http=:0", prof)

	b.Visit(url+"#calls", webtest.Desktop, ".row")
	b.Do("marking the document", chromedp.Evaluate(`window.first = "first"`, nil))
	execute(t, built(t, "auto", false, "transparent"), prof, "1")
	b.Await("another document", func() bool { return b.Eval(`window.first ?? ""`) == "" })
	b.Do("waiting", chromedp.WaitVisible(".row", chromedp.ByQuery), chromedp.SendKeys("input[type=search]", "main", chromedp.ByQuery))
	const stamp = `document.querySelector("meta[name=stamp]")?.content ?? ""`
	before := b.Eval(stamp)
	execute(t, built(t, "auto", false, "transparent"), prof, "1")
	b.Expect("#newer", "newer counts")
	b.Click("#newer")
	b.Await("the newer counts", func() bool { now := b.Eval(stamp); return now != "" && now != before })
}
