// Summary prints what all.sh measured as tables: a row for each workload, and
// the means. Its argument is the directory that all.sh wrote to.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A result is the part of dupinst bench's results.json that the tables need.
type result struct {
	name    string
	Machine string
	Runs    int
	Builds  []struct {
		Name    string
		Text    float64
		Seconds float64
	}
	Series []series
}

type series struct {
	Build    string
	Interval int64
	Times    []float64
	Ratio    struct{ Median, Low, High float64 }
	Overlaps []struct {
		Instrumentation   string
		Overlap, Expected float64
	}
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: summary DIR")
		os.Exit(2)
	}
	if err := summarize(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "summary:", err)
		os.Exit(1)
	}
}

// A column is a figure of a workload: a heading, the series or build it is of, and
// how it is printed.
type column struct {
	heading  string
	build    string
	interval int64
	value    func(r *result, c column) (float64, bool)
	form     string
}

var costs = []column{
	{"exhaustive", "exhaustive-both", 0, overhead, "%+.0f %%"},
	{"cover, count", "cover-count", 0, overhead, "%+.0f %%"},
	{"cover, atomic", "cover-atomic", 0, overhead, "%+.0f %%"},
	{"CPU profile", "cpuprofile", 0, overhead, "%+.1f %%"},
	{"entry checks alone", "entries", 0, overhead, "%+.1f %%"},
	{"backedge checks alone", "backedges", 0, overhead, "%+.1f %%"},
	{"full, no samples", "full", 0, overhead, "%+.1f %%"},
	{"auto, no samples", "auto", 0, overhead, "%+.1f %%"},
	{"auto at 1000", "auto", 1000, overhead, "%+.1f %%"},
	{"text, auto", "auto", 0, growth, "%+.0f %%"},
}

var accuracy = []column{
	{"call edges", "auto", 1000, overlap("calledge", false), "%.1f %%"},
	{"expected", "auto", 1000, overlap("calledge", true), "%.1f %%"},
	{"field accesses", "auto", 1000, overlap("fieldaccess", false), "%.1f %%"},
	{"expected", "auto", 1000, overlap("fieldaccess", true), "%.1f %%"},
	{"call edges of a CPU profile", "cpuprofile", 0, overlap("calledge", false), "%.1f %%"},
}

func summarize(dir string) error {
	names, err := filepath.Glob(filepath.Join(dir, "*", "results.json"))
	if err != nil || len(names) == 0 {
		return fmt.Errorf("no results in %s", dir)
	}
	var results []*result
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		r := &result{name: filepath.Base(filepath.Dir(name))}
		if err := json.Unmarshal(data, r); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		results = append(results, r)
	}
	fmt.Printf("%s; %d rounds\n", results[0].Machine, results[0].Runs)
	table(costs, results)
	table(accuracy, results)
	return nil
}

// table prints a row for each workload, and the means.
func table(columns []column, results []*result) {
	fmt.Print("\n| workload |")
	for _, c := range columns {
		fmt.Printf(" %s |", c.heading)
	}
	fmt.Print("\n|---|" + strings.Repeat("---|", len(columns)) + "\n")
	sums, counts := make([]float64, len(columns)), make([]float64, len(columns))
	for _, r := range results {
		fmt.Printf("| %s |", r.name)
		for i, c := range columns {
			v, ok := c.value(r, c)
			if !ok {
				fmt.Print(" |")
				continue
			}
			sums[i], counts[i] = sums[i]+v, counts[i]+1
			fmt.Printf(" "+c.form+"%s |", v, r.between(c))
		}
		fmt.Println()
	}
	fmt.Print("| **mean** |")
	for i, c := range columns {
		if counts[i] == 0 {
			fmt.Print(" |")
			continue
		}
		fmt.Printf(" "+c.form+" |", sums[i]/counts[i])
	}
	fmt.Println()
}

func (r *result) series(c column) *series {
	for i, s := range r.Series {
		if s.Build == c.build && s.Interval == c.interval {
			return &r.Series[i]
		}
	}
	return nil
}

// overhead is a series' overhead in per cent.
func overhead(r *result, c column) (float64, bool) {
	s := r.series(c)
	if s == nil {
		return 0, false
	}
	return 100 * (s.Ratio.Median - 1), true
}

// between is the confidence interval of an overhead of auto's.
func (r *result) between(c column) string {
	if s := r.series(c); s != nil && c.build == "auto" && c.heading != "text, auto" && len(s.Times) > 0 && strings.HasPrefix(c.form, "%+") {
		return fmt.Sprintf(" (%+.1f to %+.1f)", 100*(s.Ratio.Low-1), 100*(s.Ratio.High-1))
	}
	return ""
}

// growth is that of a build's machine code in per cent.
func growth(r *result, c column) (float64, bool) {
	text := map[string]float64{}
	for _, b := range r.Builds {
		text[b.Name] = b.Text
	}
	return 100 * (text[c.build]/text["plain"] - 1), text["plain"] > 0 && text[c.build] > 0
}

// overlap is that of a profile with the exhaustive one, or what to expect of it, in
// per cent.
func overlap(instrumentation string, expected bool) func(*result, column) (float64, bool) {
	return func(r *result, c column) (float64, bool) {
		if s := r.series(c); s != nil {
			for _, o := range s.Overlaps {
				if o.Instrumentation == instrumentation && expected {
					return o.Expected, true
				} else if o.Instrumentation == instrumentation {
					return o.Overlap, true
				}
			}
		}
		return 0, false
	}
}
