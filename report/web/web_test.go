package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/dupinst/dupinst/layout"
	"github.com/dupinst/dupinst/profile"
	"github.com/dupinst/dupinst/profile/format"
	"github.com/dupinst/dupinst/report/web"
	"github.com/dupinst/dupinst/report/web/webtest"
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

// contexts are n stacks: main.main calls each main.f<i>, n-i times, which calls p.g as often.
func contexts(n int) *profile.Profile {
	p := &profile.Profile{Instrumentation: "context", Variant: "exhaustive"}
	root := &profile.Stack{Called: profile.Called{Function: "main.main"}}
	for i := range n {
		f := &profile.Stack{Called: profile.Called{Function: fmt.Sprintf("main.f%d", i)}, Caller: root}
		for _, stack := range []*profile.Stack{f, {Called: profile.Called{Function: "example.com/p.g<script>"}, Caller: f}} {
			p.Total += uint64(n - i)
			p.Entries = append(p.Entries, profile.Entry{Key: fmt.Sprint(stack.Calls()), Count: uint64(n - i), Stack: stack})
		}
	}
	return p
}

// A flame graph has the hottest contexts of very many, and all callers of those.
func TestFlame(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(write(t, &web.Page{Profiles: []*profile.Profile{contexts(60_000)}}))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ = bytes.Cut(text, []byte(`id="data">`))
	text, _, _ = bytes.Cut(text, []byte("</script>"))
	var data struct {
		Strings  []string
		Profiles []struct {
			Rows  []uint64
			Keys  int
			Flame struct {
				Callers, Names []int
				Events         []float64
				Colder         int
			}
		}
	}
	if err := json.Unmarshal(text, &data); err != nil {
		t.Fatal(err)
	}
	if p := data.Profiles[0]; p.Keys != 120_000 || len(p.Rows) != 5_000 {
		t.Errorf("%d numbers of rows are of %d keys", len(p.Rows), p.Keys)
	}
	f := data.Profiles[0].Flame
	if len(f.Callers) != 50_000 || f.Colder != 120_002-50_000 || f.Events[0] != 60_000*60_001 || f.Events[1] != f.Events[0] {
		t.Fatalf("%d nodes, of %v events and so on", len(f.Callers), f.Events[:2])
	}
	callees := make([]float64, len(f.Callers))
	for i := 1; i < len(f.Callers); i++ {
		if f.Callers[i] >= i {
			t.Fatalf("node %d is called by %d", i, f.Callers[i])
		}
		callees[f.Callers[i]] += f.Events[i]
	}
	for i, n := range callees {
		if n > f.Events[i] {
			t.Errorf("%s has %v events, and what it calls %v", data.Strings[f.Names[i]], f.Events[i], n)
		}
	}
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

// written is a source file.
func written(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte("package main\n\nfunc g() {\n\th() // <hot>\n}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestPerson uses the page as a person would: a profile of 100,000 keys, looked at,
// searched, sorted, followed from call to call, with mouse and keyboard.
func TestPerson(t *testing.T) {
	t.Parallel()
	b := webtest.Open(t)
	source := written(t)
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

	b.Visit("file://"+file, webtest.Desktop, ".row")
	b.Expect("#view .card", "auto, interval 100")
	b.Expect("#view .card", "of as many independent samples")
	b.Expect("#view .row", "main.f0")

	b.Click(`#tabs a[href="#calls"]`)
	b.Expect("[role=status]", "100,000 of 100,000")
	drawn := 0
	b.Do("counting rows", chromedp.Evaluate(`document.querySelectorAll(".row").length`, &drawn))
	if drawn == 0 || drawn > 200 {
		t.Errorf("%d rows are drawn", drawn)
	}
	b.Do("scrolling", chromedp.Evaluate(`document.querySelector(".grid").scrollTop = 1e6`, nil))
	b.Expect(".row:nth-child(30)", "main.f384")
	b.Do("searching", chromedp.SendKeys("input[type=search]", "f749", chromedp.ByQuery))
	b.Expect("[role=status]", "of 100,000")
	b.Expect(".row", "main.f749")
	b.Do("sorting", chromedp.Click(`//button[text()="caller"]`, chromedp.BySearch))
	b.Expect(".row:nth-child(2)", "main.f7490")
	b.Do("sorting the other way", chromedp.Click(`//button[text()="caller"]`, chromedp.BySearch))
	b.Expect(".row", "main.f7499")
	b.Click(".row:nth-child(3) span:nth-child(4) a") // the callee
	b.Expect("#view h2", "main.g")
	b.Expect("#view .note", "called ")
	b.Expect(".source tr.at", "func g() {")
	b.Expect(".source tr.hot:nth-child(4)", "h() // <hot>")

	b.Do("the keyboard", chromedp.KeyEvent("4"))
	b.Expect(".struct summary", "p.T<script>")
	b.Expect(".struct .field", "read 600, write 300")
	b.Expect(".order", "now: 72 bytes, hot fields on 2 of 2 cache lines")
	b.Expect(".order .line:nth-child(3)", "x")
	b.Expect(".order:last-child", "proposed: 72 bytes, hot fields on 1 of 2 cache lines")
	b.Expect(".order:last-child .hot", "x")
	b.Do("the keyboard", chromedp.KeyEvent("2"), chromedp.WaitVisible(".row", chromedp.ByQuery), chromedp.KeyEvent("j"), chromedp.KeyEvent("j"), chromedp.KeyEvent(kb.Enter))
	b.Expect("#view h2", "main.g")
	b.Do("the keyboard", chromedp.KeyEvent("3"), chromedp.WaitVisible("svg .node", chromedp.ByQuery))
	b.Do("following the graph", chromedp.Click("svg .node", chromedp.ByQuery))
	b.Expect("#view h2", "main.")
	b.Click(`#tabs a[href="#packages"]`)
	b.Expect("#view .row", "100.00 %")
	b.Expect("#view .row", "main")
	b.Expect("[role=status]", "2 of 2")
	b.Click(`#tabs a[href="#compare"]`)
	b.Expect("#view dl", "100.00 %")
	b.Expect("#view dl", "differ by more than chance\n0 keys")
	b.Expect("#view .row", "chance?")
	b.Do("downloading", chromedp.Evaluate(`URL.createObjectURL = b => { b.text().then(t => window.saved = t); return "#compare" }`, nil))
	b.Click(".search button")
	saved := ""
	b.Await("a file", func() bool { saved = b.Eval(`window.saved ?? ""`); return saved != "" })
	if lines := strings.Split(saved, "\r\n"); lines[0] != "significance,there,here,change,95 %,key" || len(lines) != 5000+2 {
		t.Errorf("%d lines are saved, the first %q", len(lines), lines[0])
	}
	b.Do("waiting for the figure", chromedp.WaitVisible("circle.sampled", chromedp.ByQuery))

	const color = `getComputedStyle(document.body).backgroundColor`
	before := b.Eval(color)
	b.Do("the keyboard", chromedp.KeyEvent("t"))
	if after := b.Eval(color); after == before {
		t.Errorf("light and dark are both %s", after)
	}
	b.Do("the keyboard", chromedp.KeyEvent("?"), chromedp.WaitVisible("#help", chromedp.ByQuery))
}

// TestComparedSamples has two that are sampled, one of which has a call more.
func TestComparedSamples(t *testing.T) {
	t.Parallel()
	b := webtest.Open(t)
	source := written(t)
	calls, more := profiles(source, 20, "auto", 100)[0], profiles(source, 20, "auto", 100)[0]
	more.Entries = append([]profile.Entry{{Key: "main.generic[...] new", Count: 5000, Parts: []profile.Part{
		{Name: "caller", Value: "example.com/a/path/that/is/long/main.generic[...]"}, {Name: "file", Value: source}, {Name: "line", Value: "1", Number: true},
		{Name: "col", Value: "1", Number: true}, {Name: "op", Value: "call"}, {Name: "callee", Value: "main.anAwfullyLongNameThatIsToldApartByItsEnd.func12"}}}}, more.Entries...)
	more.Total += 5000
	file := write(t, &web.Page{Title: "before and after", Profiles: []*profile.Profile{more}, Against: []*profile.Profile{calls}})
	b.Visit("file://"+file, webtest.Desktop, ".row")
	b.Click(`#tabs a[href="#compare"]`)
	b.Expect("#view .row", "σ")
	b.Expect("#view .row", "ApartByItsEnd.func12")
	b.Expect("#view dl", "of two samples of one program")
	b.Click(`#tabs a[href="#calls"]`)
	b.Expect(".row a .ends > :last-child", "ByItsEnd.func12")
	b.Click(".row a")
	b.Expect("#view .note", "All instances of this generic function are counted together.")
}

// TestCards has what a page says of how a profile was taken.
func TestCards(t *testing.T) {
	t.Parallel()
	b := webtest.Open(t)
	source := written(t)
	file := write(t, &web.Page{Title: "changed", Profiles: combined(source, 100)})
	b.Visit("file://"+file, webtest.Desktop, ".row")
	b.Expect("#view .card", "auto, intervals 100, 10")
	b.Expect("#view .row", "40,000") // 200 events that stand for 100 each, twice

	// Of one instrumentation alone, and of nothing.
	for title, p := range map[string]*profile.Profile{
		"fields":  profiles(source, 2, "auto", 100)[1],
		"calls":   profiles(source, 2, "auto", 100)[0],
		"nothing": {Instrumentation: "fieldaccess", Variant: "auto", Interval: 100},
	} {
		file = write(t, &web.Page{Title: title, Profiles: []*profile.Profile{p}})
		b.Visit("file://"+file, webtest.Desktop, "#view .card")
		b.Expect("#view .card", "auto, interval 100")
		b.Expect("h1, title", title)
	}

	governed := profiles(source, 100, "auto", 100)
	for _, p := range governed {
		p.Weights, p.Squares = p.Samples, 3*p.Samples // each weighs two
		p.Governor = format.Governor{Budget: 5000, Changes: 3, Longest: 200, Spent: 1e6, Time: 1e9}
	}
	file = write(t, &web.Page{Title: "governed", Profiles: governed})
	b.Visit("file://"+file, webtest.Desktop, ".row")
	b.Expect("#view .card", "governed at 0.5 % of the processor time: 0.1 % were spent in 1s, with 3 changes of the interval, up to 200")
	b.Expect("#view .row", "10,000") // 200 that stand for 50 each

	several := profiles(source, 20, "auto", 100)
	several[0].Samples = several[0].Total / 5
	several[0].Checks = 100 * several[0].Samples
	b.Visit("file://"+write(t, &web.Page{Title: "five events a sample", Profiles: several}), webtest.Desktop, ".row")
	b.Click(`#tabs a[href="#calls"]`)
	b.Expect(".row", "main.f0")
	if title, want := b.Eval(`document.querySelector(".row [title*='95 %']").title`), "40 counted; 95 %: 2,027 to 7,894"; title != want {
		t.Errorf("of 40 events in 8 samples the page says %q, want %q", title, want)
	}

	windowed := profiles(source, 100, "auto", 100)
	for _, p := range windowed {
		p.Trigger, p.Windows = format.WindowTrigger, format.Windows{Length: 1e6, Open: 1e9, Busy: 40e9}
	}
	file = write(t, &web.Page{Title: "windowed", Profiles: windowed})
	b.Visit("file://"+file, webtest.Desktop, ".row")
	b.Expect("#view .card", "windows of 1ms, open for 2.5 % of the processor time")
	b.Expect("#view .row", "8,000") // 200 that stand for 40 each
}

// TestOwnInstrumentation has a view of an instrumentation that the page does not know, and that is called like a view.
func TestOwnInstrumentation(t *testing.T) {
	t.Parallel()
	b := webtest.Open(t)
	source := written(t)
	maps := &profile.Profile{Instrumentation: "graph", Variant: "auto", Interval: 100, Checks: 1000, Samples: 10, Total: 7}
	for i, at := range []string{"3", "5"} {
		maps.Entries = append(maps.Entries, profile.Entry{Key: "map[int]string main.go:" + at, Count: uint64(5 - 3*i), Parts: []profile.Part{{Name: "map", Value: "map[int]string"}, {Name: "file", Value: source}, {Name: "line", Value: at, Number: true}}})
	}
	b.Visit("file://"+write(t, &web.Page{Title: "maps", Profiles: append(profiles(source, 20, "auto", 100), maps)}), webtest.Desktop, ".row")
	b.Click(`#tabs a[href="#profile:graph"]`)
	b.Expect(".row", "500\n71.43 %\nmap[int]string\nmain.go:3")
	b.Check("an instrumentation of one's own", webtest.Desktop)
}

// TestHeat shows how the fields of a struct are used, and what goes from one goroutine to another.
func TestHeat(t *testing.T) {
	t.Parallel()
	b := webtest.Open(t)
	p := &profile.Profile{Instrumentation: "reference", Variant: "auto", Trigger: format.WindowTrigger, Windows: format.Windows{Length: 1e6, Open: 1e9, Busy: 40e9}, Samples: 2}
	for i, field := range []string{"head", "tail"} {
		for _, access := range []string{"read", "write"} {
			p.Total += 10
			p.Entries = append(p.Entries, profile.Entry{Key: "p.Queue." + field + " " + access, Count: 10, Parts: []profile.Part{
				{Name: "type", Value: "example.com/p.Queue"}, {Name: "field", Value: field}, {Name: "access", Value: access},
				{Name: "offset", Value: fmt.Sprint(8 * i), Number: true}, {Name: "size", Value: "8", Number: true},
			}})
		}
	}
	// One goroutine loads and stores the head, and looks at the tail; another stores the tail.
	for i, goroutine := range []uint64{7, 8, 7, 8} {
		burst := profile.Burst{Begun: uint64(i) * 1e6}
		if goroutine == 7 {
			burst.References = []profile.Reference{{Entry: &p.Entries[0], Goroutine: 7, Address: 4096}, {Entry: &p.Entries[1], Goroutine: 7, Address: 4096}, {Entry: &p.Entries[2], Goroutine: 7, Address: 4104}}
		} else {
			burst.References = []profile.Reference{{Entry: &p.Entries[3], Goroutine: 8, Address: 4104}}
		}
		p.Bursts = append(p.Bursts, burst)
	}
	made := &profile.Profile{Instrumentation: "allocation", Variant: "exhaustive", Total: 3, Entries: []profile.Entry{{Key: "made", Count: 3, Parts: []profile.Part{
		{Name: "type", Value: "[]example.com/p.Queue"}, {Name: "function", Value: "example.com/p.New"}, {Name: "file", Value: "/src/p.go"},
		{Name: "line", Value: "12", Number: true}, {Name: "col", Value: "9", Number: true}, {Name: "by", Value: "make"},
	}}}}
	file := write(t, &web.Page{Title: "heat", Profiles: []*profile.Profile{p, made}})
	b.Visit("file://"+file+"#heat", webtest.Phone, ".field.heat")
	b.Check("heat", webtest.Phone)
	b.Visit("file://"+file, webtest.Desktop, "#view .card")
	b.Click(`#tabs a[href="#heat"]`)
	b.Expect(".struct summary", "p.Queue — 1.6K references, 100.00 %")
	b.Expect(".field.heat", "head")
	b.Expect(".field.heat .note", "1 goroutine, with tail 100 %")
	b.Expect(".field.heat:nth-of-type(2) .note", "2 goroutines, with head 50 %")
	b.Expect(".struct > .note", "Put on the heap: 100.00 % in p.New at p.go:12 (make)")
	b.Expect(".row", "3\n0\n1\np.Queue.head (stored), p.Queue.tail (stored)")
	b.Check("heat", webtest.Desktop)
	b.Do("searching", chromedp.SendKeys("input[type=search]", "nothing", chromedp.ByQuery))
	b.Expect("#view > div:nth-of-type(2) .note", "0 of 1 structs")
}

// TestFlameGraph searches one, and goes into it by mouse and keyboard.
func TestFlameGraph(t *testing.T) {
	t.Parallel()
	b := webtest.Open(t)
	b.Visit("file://"+write(t, &web.Page{Title: "contexts", Profiles: []*profile.Profile{contexts(100)}}), webtest.Desktop, "#view .card")
	b.Click(`#tabs a[href="#flame"]`)
	b.Expect(".flame button", "all")
	b.Expect(".flame button:nth-child(3)", "main.f0") // the widest
	b.Do("searching", chromedp.SendKeys("input[type=search]", "p.g", chromedp.ByQuery))
	b.Expect("[role=status]", "50.00 % of the events")
	b.Expect(".flame button.found", "p.g<script>")
	b.Check("a flame graph", webtest.Desktop)
	b.Click(".flame button:nth-child(3)")
	b.Expect("#view h2", "main.f0")
	b.Tab(`e.textContent === "p.g<script>"`)
	b.Do("the keyboard", chromedp.KeyEvent(kb.Enter))
	b.Expect("#view h2", "example.com/p.g<script>")
	if title, want := b.Eval(`document.querySelector(".flame button:last-child").title`), "example.com/p.g<script>: 100, 0.99 % of all, 50.00 % of its caller's"; title != want {
		t.Errorf("a frame says %q, want %q", title, want)
	}
}

// TestWidths opens every view on a phone's width and a desktop's, and one of them by the keyboard alone.
func TestWidths(t *testing.T) {
	t.Parallel()
	b := webtest.Open(t)
	file := write(t, &web.Page{Title: "a title", Profiles: profiles("/none.go", 500, "auto", 100), Against: profiles("/none.go", 500, "auto", 1000)})
	for _, width := range []int64{webtest.Phone, webtest.Desktop} {
		b.Visit("file://"+file, width, ".row")
		for _, view := range []string{"overview", "calls", "graph", "fields", "packages", "compare", "function/main.g"} {
			b.Do("showing "+view, chromedp.Evaluate(fmt.Sprintf("location.hash = %q", "#"+view), nil), chromedp.Sleep(300*time.Millisecond))
			if roles := b.Check(view, width); roles["navigation"] != 1 {
				t.Errorf("%s has %v", view, roles)
			}
		}
	}
	b.Tab(`e.getAttribute("href") === "#fields"`)
	b.Do("the keyboard", chromedp.KeyEvent(kb.Enter), chromedp.Sleep(200*time.Millisecond))
	if hash := b.Eval("location.hash"); hash != "#fields" {
		t.Errorf("by the keyboard, %q is shown", hash)
	}
}
