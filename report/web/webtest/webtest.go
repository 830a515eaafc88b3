// Package webtest has tests use a page as a person does: in a real browser, with mouse and
// keyboard, on a screen of some width, and by what assistive technology is told of it. It is for
// tests alone.
package webtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// The widths of a phone's screen and a desktop's, in pixels.
const (
	Phone   = 390
	Desktop = 1300
)

// A Browser has one tab open.
type Browser struct {
	t   *testing.T
	ctx context.Context
}

// Open starts a browser that is closed when the test ends, or after some minutes. A page whose
// script fails, or writes to the console, fails the test. Where Chromium is not installed the test
// is skipped, or fails if CI is set.
func Open(t *testing.T) *Browser {
	t.Helper()
	if _, err := exec.LookPath("chromium"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("chromium is not installed")
		}
		t.Skip("chromium is not installed")
	}
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox)...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 4*time.Minute)
	t.Cleanup(cancel)
	chromedp.ListenTarget(ctx, func(e any) {
		switch e := e.(type) {
		case *runtime.EventExceptionThrown:
			t.Errorf("the page's script failed: %s", e.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			t.Errorf("the page wrote to the console")
		}
	})
	return &Browser{t, ctx}
}

// Do does one thing after another; what is what they are for.
func (b *Browser) Do(what string, actions ...chromedp.Action) {
	b.t.Helper()
	if err := chromedp.Run(b.ctx, actions...); err != nil {
		b.t.Fatalf("%s: %v", what, err)
	}
}

// Visit opens a page on a screen of width pixels, and waits until selector can be seen.
func (b *Browser) Visit(url string, width int64, selector string) {
	b.t.Helper()
	b.Do("opening "+url, chromedp.EmulateViewport(width, 900), chromedp.Navigate(url), chromedp.WaitVisible(selector, chromedp.ByQuery))
}

// Eval evaluates an expression whose value is a string: again where the page is just being loaded.
func (b *Browser) Eval(expression string) (s string) {
	b.t.Helper()
	var err error
	for range 40 {
		if err = chromedp.Run(b.ctx, chromedp.Evaluate(expression, &s)); err == nil {
			return s
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.t.Fatalf("evaluating %s: %v", expression, err)
	return ""
}

// Text is what can be read in the first element that selector finds.
func (b *Browser) Text(selector string) string {
	b.t.Helper()
	// In one evaluation: what is found may be drawn anew, and a node be gone.
	return b.Eval(fmt.Sprintf(`document.querySelector(%q)?.innerText ?? ""`, selector))
}

// Await waits until a thing is so, which what names.
func (b *Browser) Await(what string, so func() bool) {
	b.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			b.t.Fatalf("in vain waited for: %s", what)
		}
	}
}

// Expect waits until the first element that selector finds has want in it.
func (b *Browser) Expect(selector, want string) {
	b.t.Helper()
	b.Await(fmt.Sprintf("%q in %s", want, selector), func() bool { return strings.Contains(b.Text(selector), want) })
}

// Click clicks on the first element that selector finds.
func (b *Browser) Click(selector string) {
	b.t.Helper()
	var err error
	for range 10 { // for what is drawn anew
		if err = chromedp.Run(b.ctx, chromedp.Click(selector, chromedp.ByQuery)); err == nil {
			return
		}
	}
	b.t.Fatalf("clicking %s: %v", selector, err)
}

// Tab moves by the keyboard to the element for which the expression about e, as in
// e.name === "interval", is true.
func (b *Browser) Tab(expression string) {
	b.t.Helper()
	for range 50 {
		reached := false
		b.Do("the keyboard", chromedp.KeyEvent(kb.Tab), chromedp.Evaluate(fmt.Sprintf("(e => %s)(document.activeElement)", expression), &reached))
		if reached {
			return
		}
	}
	b.t.Fatalf("the keyboard does not reach %s", expression)
}

// Check looks at what is shown, called view in errors: it is no wider than the screen, and the
// browser's accessibility tree has one main landmark, a heading, and a name for all that can be
// operated. It returns how many of each role there are.
func (b *Browser) Check(view string, width int64) map[string]int {
	b.t.Helper()
	var wide int64
	var tree accessibility
	b.Do("looking at "+view, chromedp.Evaluate("document.documentElement.scrollWidth", &wide),
		chromedp.ActionFunc(func(ctx context.Context) error { return cdp.Execute(ctx, "Accessibility.getFullAXTree", nil, &tree) }))
	if wide > width {
		b.t.Errorf("%s is %d wide on %d", view, wide, width)
	}
	roles := map[string]int{}
	for _, n := range tree.Nodes {
		if n.Ignored {
			continue
		}
		role, name := fmt.Sprint(n.Role.Value), fmt.Sprint(n.Name.Value)
		roles[role]++
		switch role {
		case "button", "link", "searchbox", "textbox", "checkbox", "slider", "image", "img", "grid", "region", "heading":
			if strings.TrimSpace(name) == "" {
				b.t.Errorf("%s: a %s has no name", view, role)
			}
		}
	}
	if roles["main"] != 1 || roles["heading"] == 0 {
		b.t.Errorf("%s has %v", view, roles)
	}
	return roles
}

// An accessibility is the browser's accessibility tree.
type accessibility struct {
	Nodes []struct {
		Ignored bool  `json:"ignored"`
		Role    value `json:"role"`
		Name    value `json:"name"`
	} `json:"nodes"`
}

type value struct {
	Value any `json:"value"`
}
