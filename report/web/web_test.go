package web_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/dupinst/dupinst/layout"
	"github.com/dupinst/dupinst/profile"
	"github.com/dupinst/dupinst/profile/format"
	"github.com/dupinst/dupinst/report/web"
)

// profiles makes a profile of n call edges: main.f<i> calls main.g at line i of
// file, and main.g calls each main.h<i> once; and one of fields.
func profiles(file string, n int, variant string, interval uint64) []*profile.Profile {
	calls := &profile.Profile{Instrumentation: "calledge", Variant: variant, Interval: interval, Checks: 10_000_000, Samples: 100_000, Functions: map[string]profile.Function{"main.g": {File: file, Line: 3}}}
	edge := func(caller string, line int, callee string, count uint64) {
		at := strconv.Itoa(line)
		calls.Total += count
		calls.Entries = append(calls.Entries, profile.Entry{
			Key: caller + " " + file + ":" + at + ":1 call " + callee, Count: count,
			Parts: []profile.Part{{Name: "caller", Value: caller}, {Name: "file", Value: file}, {Name: "line", Value: at, Number: true}, {Name: "col", Value: "1", Number: true}, {Name: "op", Value: "call"}, {Name: "callee", Value: callee}},
		})
	}
	for i := range n / 2 {
		edge(fmt.Sprintf("main.f%d", i), i+1, "main.g", uint64(2*n-i))
	}
	for i := range n / 2 {
		edge("main.g", 4, fmt.Sprintf("main.h%d", i), uint64(n/2-i))
	}
	fields := &profile.Profile{Instrumentation: "fieldaccess", Variant: variant, Interval: interval, Checks: 10_000_000, Samples: 100_000, Total: 9, Functions: calls.Functions}
	for i, access := range []string{"read", "write"} {
		fields.Entries = append(fields.Entries, profile.Entry{Key: "p.T<script>.x " + access, Count: uint64(6 - 3*i), Parts: []profile.Part{{Name: "type", Value: "p.T<script>"}, {Name: "field", Value: "x"}, {Name: "access", Value: access}}})
	}
	return []*profile.Profile{calls, fields}
}

func write(t *testing.T, p *web.Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// combined is what a program leaves whose interval was changed.
func combined(file string, n int) []*profile.Profile {
	return profile.Combine(append(profiles(file, n, "auto", 100), profiles(file, n, "auto", 10)...))
}

// A page names nothing outside of itself, and what profiles name cannot become
// part of it.
func TestSelfContained(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(write(t, &web.Page{Title: "<b>", Profiles: profiles("/none.go", 10, "auto", 100)}))
	if err != nil {
		t.Fatal(err)
	}
	if m := regexp.MustCompile(`(?i)\ssrc=|href="[^#d]|\burl\(|@import|<b>|T<script>`).Find(text); m != nil {
		t.Errorf("the page has %q", m)
	}
}

// TestPerson uses the page as a person would: a profile of 100,000 keys, looked at,
// searched, sorted, followed from call to call, with mouse and keyboard.
func TestPerson(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("chromium"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("chromium is not installed")
		}
		t.Skip("chromium is not installed")
	}
	source := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(source, []byte("package main\n\nfunc g() {\n\th() // <hot>\n}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	const keys = 100_000
	x, y := layout.Field{Name: "x", Size: 8, Hot: true}, layout.Field{Name: "y", Size: 64}
	at := func(f layout.Field, offset int64) layout.Field { f.Offset = offset; return f }
	file := write(t, &web.Page{
		Title: "test", Profiles: profiles(source, keys, "auto", 100), Against: profiles(source, keys, "exhaustive", 0),
		Structs: []*layout.Struct{{
			Name:     "p.T<script>",
			Now:      layout.Order{Fields: []layout.Field{at(y, 0), at(x, 64)}, Size: 72, Lines: 2},
			Proposed: &layout.Order{Fields: []layout.Field{at(x, 0), at(y, 8)}, Size: 72, Lines: 1},
		}},
	})

	allocator, cancel := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.WindowSize(1300, 900))...)
	defer cancel()
	ctx, cancel := chromedp.NewContext(allocator)
	defer cancel()
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	chromedp.ListenTarget(ctx, func(e any) {
		switch e := e.(type) {
		case *runtime.EventExceptionThrown:
			t.Errorf("the page's script failed: %s", e.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			t.Errorf("the page wrote to the console")
		}
	})
	step := func(what string, actions ...chromedp.Action) {
		t.Helper()
		if err := chromedp.Run(ctx, actions...); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	text := func(selector string) (s string) {
		t.Helper()
		// In one evaluation: rows are drawn anew, and a node may be gone.
		step("reading "+selector, chromedp.Evaluate(fmt.Sprintf(`document.querySelector(%q)?.innerText ?? ""`, selector), &s))
		return s
	}
	expect := func(selector, want string) {
		t.Helper()
		got := ""
		for range 100 {
			if got = text(selector); strings.Contains(got, want) {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Errorf("%s says %q, want %q in it", selector, got, want)
	}
	click := func(selector string) {
		t.Helper()
		var err error
		for range 10 { // for the same reason
			if err = chromedp.Run(ctx, chromedp.Click(selector, chromedp.ByQuery)); err == nil {
				return
			}
		}
		t.Fatalf("clicking %s: %v", selector, err)
	}

	step("opening", chromedp.Navigate("file://"+file), chromedp.WaitVisible(".row", chromedp.ByQuery))
	expect("#view .card", "auto, interval 100")
	expect("#view .card", "of as many independent samples")
	expect("#view .row", "main.f0")

	click(`#tabs a[href="#calls"]`)
	expect("[role=status]", "100,000 of 100,000")
	drawn := 0
	step("counting rows", chromedp.Evaluate(`document.querySelectorAll(".row").length`, &drawn))
	if drawn == 0 || drawn > 200 {
		t.Errorf("%d rows are drawn", drawn)
	}
	step("scrolling", chromedp.Evaluate(`document.querySelector(".grid").scrollTop = 1e6`, nil))
	expect(".row:nth-child(30)", "main.f384")
	step("searching", chromedp.SendKeys("input[type=search]", "f749", chromedp.ByQuery))
	expect("[role=status]", "of 100,000")
	expect(".row", "main.f749")
	step("sorting", chromedp.Click(`//button[text()="caller"]`, chromedp.BySearch))
	expect(".row:nth-child(2)", "main.f7490")
	step("sorting the other way", chromedp.Click(`//button[text()="caller"]`, chromedp.BySearch))
	expect(".row", "main.f7499")
	click(".row:nth-child(3) span:nth-child(4) a") // the callee
	expect("#view h2", "main.g")
	expect("#view .note", "called ")
	expect(".source tr.at", "func g() {")
	expect(".source tr.hot:nth-child(4)", "h() // <hot>")

	step("the keyboard", chromedp.KeyEvent("4"))
	expect(".struct summary", "p.T<script>")
	expect(".struct .field", "read 600, write 300")
	expect(".order", "now: 72 bytes, hot fields on 2 of 2 cache lines")
	expect(".order .line:nth-child(3)", "x")
	expect(".order:last-child", "proposed: 72 bytes, hot fields on 1 of 2 cache lines")
	expect(".order:last-child .hot", "x")
	step("the keyboard", chromedp.KeyEvent("2"), chromedp.WaitVisible(".row", chromedp.ByQuery), chromedp.KeyEvent("j"), chromedp.KeyEvent("j"), chromedp.KeyEvent(kb.Enter))
	expect("#view h2", "main.g")
	step("the keyboard", chromedp.KeyEvent("3"), chromedp.WaitVisible("svg .node", chromedp.ByQuery))
	step("following the graph", chromedp.Click("svg .node", chromedp.ByQuery))
	expect("#view h2", "main.")
	click(`#tabs a[href="#packages"]`)
	expect("#view .row", "100.00 %")
	expect("#view .row", "main")
	expect("[role=status]", "2 of 2")
	click(`#tabs a[href="#compare"]`)
	expect("#view dl", "100.00 %")
	expect("#view dl", "differ by more than chance\n0 keys")
	expect("#view .row", "chance?")
	step("downloading", chromedp.Evaluate(`URL.createObjectURL = b => { b.text().then(t => window.saved = t); return "#compare" }`, nil))
	click(".search button")
	saved := ""
	for range 100 {
		step("reading what is saved", chromedp.Evaluate(`window.saved ?? ""`, &saved))
		if saved != "" {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if lines := strings.Split(saved, "\r\n"); lines[0] != "significance,there,here,change,95 %,key" || len(lines) != 5000+2 {
		t.Errorf("%d lines are saved, the first %q", len(lines), lines[0])
	}
	step("waiting for the figure", chromedp.WaitVisible("circle.sampled", chromedp.ByQuery))

	color := func() (s string) {
		step("reading the color", chromedp.Evaluate(`getComputedStyle(document.body).backgroundColor`, &s))
		return s
	}
	before := color()
	step("the keyboard", chromedp.KeyEvent("t"))
	if after := color(); after == before {
		t.Errorf("light and dark are both %s", after)
	}
	step("the keyboard", chromedp.KeyEvent("?"), chromedp.WaitVisible("#help", chromedp.ByQuery))

	// Of two that are sampled, one of which has a call more.
	calls, more := profiles(source, 20, "auto", 100)[0], profiles(source, 20, "auto", 100)[0]
	more.Entries = append([]profile.Entry{{Key: "main.generic[...] new", Count: 5000, Parts: []profile.Part{
		{Name: "caller", Value: "example.com/a/path/that/is/long/main.generic[...]"}, {Name: "file", Value: source}, {Name: "line", Value: "1", Number: true},
		{Name: "col", Value: "1", Number: true}, {Name: "op", Value: "call"}, {Name: "callee", Value: "main.anAwfullyLongNameThatIsToldApartByItsEnd.func12"}}}}, more.Entries...)
	more.Total += 5000
	file = write(t, &web.Page{Title: "before and after", Profiles: []*profile.Profile{more}, Against: []*profile.Profile{calls}})
	step("opening", chromedp.Navigate("file://"+file), chromedp.WaitVisible(".row", chromedp.ByQuery))
	click(`#tabs a[href="#compare"]`)
	expect("#view .row", "σ")
	expect("#view .row", "ApartByItsEnd.func12")
	expect("#view dl", "of two samples of one program")
	click(`#tabs a[href="#calls"]`)
	expect(".row a .ends > :last-child", "ByItsEnd.func12")
	click(".row a")
	expect("#view .note", "All instances of this generic function are counted together.")

	file = write(t, &web.Page{Title: "changed", Profiles: combined(source, 100)})
	step("opening", chromedp.Navigate("file://"+file), chromedp.WaitVisible(".row", chromedp.ByQuery))
	expect("#view .card", "auto, intervals 100, 10")
	expect("#view .row", "40,000") // 200 events that stand for 100 each, twice

	// Of one instrumentation alone, and of nothing.
	for title, p := range map[string]*profile.Profile{
		"fields":  profiles(source, 2, "auto", 100)[1],
		"calls":   profiles(source, 2, "auto", 100)[0],
		"nothing": {Instrumentation: "fieldaccess", Variant: "auto", Interval: 100},
	} {
		file = write(t, &web.Page{Title: title, Profiles: []*profile.Profile{p}})
		step("opening "+title, chromedp.Navigate("file://"+file), chromedp.WaitVisible("#view .card", chromedp.ByQuery))
		expect("#view .card", "auto, interval 100")
		expect("h1, title", title)
	}

	governed := profiles(source, 100, "auto", 100)
	for _, p := range governed {
		p.Weights, p.Squares = p.Samples, 3*p.Samples // each weighs two
		p.Governor = format.Governor{Budget: 5000, Changes: 3, Longest: 200, Spent: 1e6, Time: 1e9}
	}
	file = write(t, &web.Page{Title: "governed", Profiles: governed})
	step("opening", chromedp.Navigate("file://"+file), chromedp.WaitVisible(".row", chromedp.ByQuery))
	expect("#view .card", "governed at 0.5 % of the processor time: 0.1 % were spent in 1s, with 3 changes of the interval, up to 200")
	expect("#view .row", "10,000") // 200 that stand for 50 each

	windowed := profiles(source, 100, "auto", 100)
	for _, p := range windowed {
		p.Trigger, p.Windows = format.WindowTrigger, format.Windows{Length: 1e6, Open: 1e9, Busy: 40e9}
	}
	file = write(t, &web.Page{Title: "windowed", Profiles: windowed})
	step("opening", chromedp.Navigate("file://"+file), chromedp.WaitVisible(".row", chromedp.ByQuery))
	expect("#view .card", "windows of 1ms, open for 2.5 % of the processor time")
	expect("#view .row", "8,000") // 200 that stand for 40 each
}

// TestWidths opens every view on a phone's width and a desktop's: none is wider than the screen, and
// the browser's accessibility tree has a name for all that can be operated, headings in order, a
// main landmark, and one row's cells as many as the headings of its table.
func TestWidths(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("chromium"); err != nil {
		t.Skip("chromium is not installed")
	}
	file := write(t, &web.Page{Title: "a title", Profiles: profiles("/none.go", 500, "auto", 100), Against: profiles("/none.go", 500, "auto", 1000)})
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox)...)
	defer cancel()
	ctx, cancel := chromedp.NewContext(allocator)
	defer cancel()
	ctx, cancel = context.WithTimeout(ctx, 4*time.Minute)
	defer cancel()
	for _, width := range []int64{390, 1300} {
		if err := chromedp.Run(ctx, chromedp.EmulateViewport(width, 844), chromedp.Navigate("file://"+file), chromedp.WaitVisible(".row", chromedp.ByQuery)); err != nil {
			t.Fatal(err)
		}
		for _, view := range []string{"overview", "calls", "graph", "fields", "packages", "compare", "function/main.g"} {
			var wide int64
			var tree accessible
			err := chromedp.Run(ctx, chromedp.Evaluate(fmt.Sprintf("location.hash = %q", "#"+view), nil), chromedp.Sleep(300*time.Millisecond),
				chromedp.Evaluate("document.documentElement.scrollWidth", &wide),
				chromedp.ActionFunc(func(ctx context.Context) error { return cdp.Execute(ctx, "Accessibility.getFullAXTree", nil, &tree) }))
			if err != nil {
				t.Fatalf("%s: %v", view, err)
			}
			if wide > width {
				t.Errorf("%s is %d wide on %d", view, wide, width)
			}
			roles := map[string]int{}
			for _, n := range tree.Nodes {
				if n.Ignored {
					continue
				}
				role, name := fmt.Sprint(n.Role.Value), fmt.Sprint(n.Name.Value)
				roles[role]++
				switch role {
				case "button", "link", "searchbox", "textbox", "slider", "image", "img", "grid", "heading":
					if strings.TrimSpace(name) == "" {
						t.Errorf("%s: a %s has no name", view, role)
					}
				}
			}
			if roles["main"] != 1 || roles["heading"] == 0 || roles["navigation"] != 1 {
				t.Errorf("%s has %v", view, roles)
			}
		}
	}
	// The keyboard alone reaches the views and opens one.
	at := ""
	for range 30 {
		if err := chromedp.Run(ctx, chromedp.KeyEvent(kb.Tab), chromedp.Evaluate(`document.activeElement.getAttribute("href") ?? ""`, &at)); err != nil {
			t.Fatal(err)
		}
		if at == "#fields" {
			break
		}
	}
	hash := ""
	if err := chromedp.Run(ctx, chromedp.KeyEvent(kb.Enter), chromedp.Sleep(200*time.Millisecond), chromedp.Evaluate("location.hash", &hash)); err != nil || hash != "#fields" {
		t.Errorf("by the keyboard: %q focused, %q shown, %v", at, hash, err)
	}
}

// An accessible is the browser's accessibility tree.
type accessible struct {
	Nodes []struct {
		Ignored bool `json:"ignored"`
		Role    text `json:"role"`
		Name    text `json:"name"`
	} `json:"nodes"`
}

type text struct {
	Value any `json:"value"`
}
