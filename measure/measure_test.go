package measure

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func result() *Result {
	r := &Result{Package: "./p", Args: []string{"<&>"}, Runs: 7, Machine: "here", Instrumentations: []string{"calledge", "fieldaccess"}}
	for _, b := range []Build{
		{Name: plain, Text: 1000, Seconds: 2}, {Name: "cover-count", Text: 1100, Seconds: 3}, {Name: timer, Text: 1000, Seconds: 2},
		{Name: "exhaustive-both", Variant: exhaustive, Instrument: Both, Text: 1300, Seconds: 4},
		{Name: "no-calledge", Variant: "no", Instrument: "calledge", Text: 1200, Seconds: 3},
		{Name: "auto", Variant: "auto", Instrument: Both, Text: 1250, Seconds: 3},
		{Name: "entries", Variant: "entries", Instrument: Both, Text: 1050, Seconds: 3},
		{Name: window, Variant: "auto", Instrument: Both, Text: 1400, Seconds: 3},
	} {
		r.Builds = append(r.Builds, &b)
	}
	over := func(o float64) []Overlap { return []Overlap{{"calledge", o, 98, 500}, {"fieldaccess", 99, 99.5, 700}} }
	base := []float64{1, 2, 1, 4, 1, 1, 2}
	times := func(ratio float64) (t []float64) {
		for _, b := range base {
			t = append(t, ratio*b)
		}
		return t
	}
	r.Series = []*Series{
		{Build: plain, Times: base}, {Build: "cover-count", Times: times(1.5)}, {Build: timer, Times: times(1.01), Samples: 90, Overlaps: over(60)[:1]},
		{Build: "exhaustive-both", Times: times(3)}, {Build: "no-calledge", Times: times(1.25)}, {Build: "auto", Times: times(1.01)},
		{Build: "entries", Times: times(1.03)},
		{Build: "auto", Interval: 100, Times: times(1.125), Checks: 5000, Samples: 50, Overlaps: over(99)},
		{Build: "auto", Interval: 1000, Times: times(1.0625), Checks: 5000, Samples: 5, Overlaps: over(97.5)},
		{Build: window, Times: times(1)},
		{Build: window, Windows: &Windows{}, Times: times(1.015625), Samples: 30, Overlaps: over(98.25)},
		{Build: window, Windows: &Windows{Rate: "500/s", Length: "20us"}, Times: times(1.5), Samples: 300, Overlaps: over(98.5)},
	}
	r.Hottest = []Edge{{"a b", 60, 50}, {"a <c>", 40, 50}}
	(&experiment{result: r}).summarize()
	return r
}

// Noise that hits all builds of a round alike leaves the ratios as they are.
func TestRatio(t *testing.T) {
	t.Parallel()
	for _, s := range result().Series {
		want := s.Times[0]
		if r := s.Ratio; math.Abs(r.Median-want) > 1e-9 || math.Abs(r.Low-want) > 1e-9 || math.Abs(r.High-want) > 1e-9 {
			t.Errorf("%s: ratio %+v, want %v", s.Build, r, want)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := result().Text(&b); err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(` +`).ReplaceAllString(b.String(), " ")
	for _, want := range []string{
		"cover-count +50.0% (+50.0 to +50.0) +10.0% 1.50\n", "exhaustive-both +200.0% (+200.0 to +200.0) +30.0% 2.00\n",
		"auto +1.0% (+1.0 to +1.0) +25.0% 1.50\n", "full's checks on entries alone +3.0% (+3.0 to +3.0) +5.0% 1.50\n", "calledge +25.0% (+25.0 to +25.0) +20.0% 1.50\n",
		"auto 1000 5000 5 +6.2% (+6.2 to +6.2) calledge 97.5% (98.0), fieldaccess 99.0% (99.5)\n",
		"windows: no checks +0.0% (+0.0 to +0.0) +40.0% 1.50\n", "window by default 30 +1.6% (+1.6 to +1.6) calledge 98.2% (98.0), fieldaccess 99.0% (99.5)\n",
		"window 500/s of 20us 300 +50.0% (+50.0 to +50.0) calledge 98.5% (98.0), fieldaccess 99.0% (99.5)\n", "windows by default 30 +1.6% (+1.6 to +1.6) calledge 98.2% (98.0)\n",
		"timer 90 +1.0% (+1.0 to +1.0) calledge 60.0% (98.0)\n", "counter, auto at 100 50 +12.5% (+12.5 to +12.5) calledge 99.0% (98.0)\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no line %q in\n%s", want, text)
		}
	}
}

func TestCSVAndJSON(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := result().CSV(&b); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 13 || rows[9][3] != "1.0625" || rows[9][10] != "97.5" || rows[1][10] != "" || rows[12][2] != "500/s of 20us" {
		t.Errorf("%v, %v", rows, err)
	}
	b.Reset()
	if err := result().JSON(&b); err != nil {
		t.Fatal(err)
	}
	var again Result
	if err := json.Unmarshal(b.Bytes(), &again); err != nil || len(again.Series) != 12 || again.Series[8].Ratio.Median != 1.0625 {
		t.Errorf("%+v, %v", again, err)
	}
}

// The page is well formed and refers to nothing outside of itself.
func TestHTML(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := result().HTML(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if m := regexp.MustCompile(`(?i)(src|href)\s*=|url\(|@import`).FindString(page); m != "" {
		t.Errorf("the page refers to something: %s", m)
	}
	if strings.Count(page, `class="sampled"`) != 2 || strings.Count(page, "<svg") != 4 {
		t.Errorf("%d circles, %d pictures", strings.Count(page, `class="sampled"`), strings.Count(page, "<svg"))
	}
	// Its pictures parse as XML.
	for _, svg := range regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(page, -1) {
		d := xml.NewDecoder(strings.NewReader(svg))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%v in %s", err, svg)
			}
		}
	}
}

// An experiment that was interrupted goes on behind the rounds that were done, unless the program
// is another one by then.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	main := filepath.Join(dir, "main.go")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "go.mod"), "module example.com/measured\n\ngo 1.24\n")
	write(main, "package main\n\nfunc main() { println(1) }\n")
	t.Chdir(dir)
	itself, err := os.Executable() // in the place of dupinst, of which this plan runs nothing
	if err != nil {
		t.Fatal(err)
	}
	run := func(stop string) (*Result, []string, error) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var steps []string
		r, err := Run(ctx, &Plan{Dupinst: itself, Package: ".", Runs: 6, Dir: "out", Progress: func(step string, _, _ int) {
			steps = append(steps, step)
			if step == stop {
				cancel()
			}
		}})
		return r, steps, err
	}
	if _, _, err := run("round 4 of 6: plain"); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	r, steps, err := run("")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"building plain", "going on behind round 3 of 6", "round 0 of 6: plain", "round 4 of 6: plain", "round 5 of 6: plain", "round 6 of 6: plain"}; !slices.Equal(steps, want) {
		t.Errorf("it went on with %q, not %q", steps, want)
	}
	if n := len(r.Series[0].Times); n != 6 || r.Package != "example.com/measured" || r.Builds[0].Text == 0 {
		t.Errorf("%d times of %s, %d bytes", n, r.Package, r.Builds[0].Text)
	}
	if _, steps, err = run("round 2 of 6: plain"); !errors.Is(err, context.Canceled) || slices.ContainsFunc(steps, func(s string) bool { return strings.HasPrefix(s, "going on") }) {
		t.Fatalf("one that had ended went on, or: %v, %q", err, steps)
	}
	write(main, "package main\n\nfunc main() { println(2) }\n")
	if _, steps, err = run(""); err != nil || !slices.Contains(steps, "round 1 of 6: plain") {
		t.Errorf("another program: %v, %q", err, steps)
	}
}

// An overhead that noise may have made is marked, and the tables say what the mark is.
func TestNoise(t *testing.T) {
	t.Parallel()
	r := result()
	var before, after bytes.Buffer
	if err := r.Text(&before); err != nil {
		t.Fatal(err)
	}
	r.Series[5].Ratio = Ratio{1.01, 0.97, 1.04}
	if err := r.Text(&after); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(before.String(), "~") || !strings.Contains(after.String(), "+1.0% (-3.0 to +4.0) ~") || !strings.Contains(after.String(), noisy) || !strings.Contains(after.String(), warm) {
		t.Errorf("with noise:\n%s\nwithout:\n%s", after.String(), before.String())
	}
	var page bytes.Buffer
	if err := r.HTML(&page); err != nil {
		t.Fatal(err)
	}
	if text := page.String(); !strings.Contains(text, "do not tell the effect from noise") || strings.Contains(text, ">100.0<") {
		t.Error("the page has no word of noise, or an axis is labelled 100.0")
	}
}
