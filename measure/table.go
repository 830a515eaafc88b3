package measure

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// A Table is one of the paper's, for one program.
type Table struct {
	Title string
	Head  []string
	Rows  [][]string
}

// Tables arranges r as Tables 1 to 5 of Arnold and Ryder (PLDI 2001).
func (r *Result) Tables() []Table {
	return []Table{r.table1(), r.table2(), r.table3(), r.table4(), r.table5()}
}

// warm is what build times are of.
const warm = "Build time is that of the main module's packages alone; the standard library, other modules and the extended compiler are cached."

// noisy reports whether any overhead cannot be told from noise.
func (r *Result) noisy() bool {
	return slices.ContainsFunc(r.Series, func(s *Series) bool { return s.Build != plain && s.Ratio.Low < 1 && 1 < s.Ratio.High })
}

func (r *Result) build(name string) *Build {
	i := slices.IndexFunc(r.Builds, func(b *Build) bool { return b.Name == name })
	return r.Builds[i]
}

func (r *Result) growth(b *Build) (text, build string) {
	base := r.build(plain)
	return fmt.Sprintf("%+.1f%%", 100*(float64(b.Text)/float64(base.Text)-1)), fmt.Sprintf("%.2f", b.Seconds/base.Seconds)
}

func (r *Result) table1() Table {
	t := Table{"Table 1. Without the framework: exhaustive instrumentation, and the go command's coverage", []string{"build", "overhead", "text", "build time"}, nil}
	for _, s := range r.Series {
		if b := r.build(s.Build); b.Variant == exhaustive || strings.HasPrefix(b.Name, "cover-") {
			text, build := r.growth(b)
			t.Rows = append(t.Rows, []string{s.Build, s.Ratio.Overhead(), text, build})
		}
	}
	return t
}

func (r *Result) table2() Table {
	t := Table{"Table 2. The framework alone, all instrumentations, no samples taken", []string{"variant", "overhead", "text", "build time"}, nil}
	for _, s := range r.Series {
		if b := r.build(s.Build); b.Variant != "" && b.Variant != exhaustive && b.Instrument == Both && !s.sampled() {
			text, build := r.growth(b)
			name := b.Name
			switch {
			case slices.Contains(bare, name):
				name = "full's checks on " + name + " alone"
			case name == window:
				name = "windows: no checks"
			}
			t.Rows = append(t.Rows, []string{name, s.Ratio.Overhead(), text, build})
		}
	}
	return t
}

func (r *Result) table3() Table {
	t := Table{"Table 3. No-Duplication, no samples taken", []string{"instrumentation", "overhead", "text", "build time"}, nil}
	for _, s := range r.Series {
		if b := r.build(s.Build); b.Variant == "no" && s.Interval == 0 {
			text, build := r.growth(b)
			t.Rows = append(t.Rows, []string{b.Instrument, s.Ratio.Overhead(), text, build})
		}
	}
	return t
}

func (r *Result) table4() Table {
	t := Table{"Table 4. Samples, and what they cost: all instrumentations at once", []string{"variant", "interval or windows", "checks", "samples", "total overhead", "overlap (expected of as many independent samples)"}, nil}
	for _, s := range r.Series {
		if s.sampled() {
			often, checks := strconv.FormatInt(s.Interval, 10), strconv.FormatUint(s.Checks, 10)
			if s.Windows != nil {
				often, checks = s.Windows.String(), ""
			}
			t.Rows = append(t.Rows, []string{s.Build, often, checks, strconv.FormatUint(s.Samples, 10), s.Ratio.Overhead(), overlaps(s.Overlaps)})
		}
	}
	return t
}

func (r *Result) table5() Table {
	t := Table{"Table 5. Triggers: a timer's call edges (runtime/pprof at its default rate, pairs of functions), the counter's and windows'", []string{"trigger", "samples", "overhead", "overlap (expected)"}, nil}
	for _, s := range r.Series {
		if s.Build == timer || s.sampled() {
			name := "timer"
			switch {
			case s.Windows != nil:
				name = "windows " + s.Windows.String()
			case s.Interval > 0:
				name = "counter, " + s.name()
			}
			i := slices.IndexFunc(s.Overlaps, func(o Overlap) bool { return o.Instrumentation == "calledge" })
			if i < 0 {
				continue
			}
			t.Rows = append(t.Rows, []string{name, strconv.FormatUint(s.Samples, 10), s.Ratio.Overhead(), overlaps(s.Overlaps[i : i+1])})
		}
	}
	return t
}

func overlaps(list []Overlap) string {
	var out []string
	for _, o := range list {
		out = append(out, fmt.Sprintf("%s %.1f%% (%.1f)", o.Instrumentation, o.Overlap, o.Expected))
	}
	return strings.Join(out, ", ")
}

// Text writes r's tables for people.
func (r *Result) Text(w io.Writer) error {
	fmt.Fprintf(w, "%s\n%s; %d rounds; ratios of processor time to the plain build's in the same round: median (95%% confidence interval)\n%s\n",
		strings.Join(append([]string{r.Package}, r.Args...), " "), r.Machine, r.Runs, warm)
	if r.noisy() {
		fmt.Fprintln(w, noisy)
	}
	for _, t := range r.Tables() {
		if len(t.Rows) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s\n\n", t.Title)
		tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, row := range append([][]string{t.Head}, t.Rows...) {
			fmt.Fprintln(tw, strings.Join(row, "\t"))
		}
		if err := tw.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// JSON writes all of r.
func (r *Result) JSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(r)
}

// CSV writes one line for each series.
func (r *Result) CSV(w io.Writer) error {
	c := csv.NewWriter(w)
	f := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	head := []string{"build", "interval", "windows", "ratio", "low", "high", "text", "buildseconds", "checks", "samples"}
	for _, name := range r.Instrumentations {
		head = append(head, name, name+"expected")
	}
	c.Write(head)
	for _, s := range r.Series {
		b := r.build(s.Build)
		windows := ""
		if s.Windows != nil {
			windows = s.Windows.String()
		}
		row := []string{s.Build, strconv.FormatInt(s.Interval, 10), windows, f(s.Ratio.Median), f(s.Ratio.Low), f(s.Ratio.High), strconv.FormatUint(b.Text, 10), f(b.Seconds), strconv.FormatUint(s.Checks, 10), strconv.FormatUint(s.Samples, 10)}
		for _, name := range r.Instrumentations {
			i := slices.IndexFunc(s.Overlaps, func(o Overlap) bool { return o.Instrumentation == name })
			if i < 0 {
				row = append(row, "", "")
				continue
			}
			row = append(row, f(s.Overlaps[i].Overlap), f(s.Overlaps[i].Expected))
		}
		c.Write(row)
	}
	c.Flush()
	return c.Error()
}
