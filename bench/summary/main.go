// Summary prints what all.sh measured as one table: a row for each workload, and
// the means. Its argument is the directory that all.sh wrote to.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// A result is the part of dupinst bench's results.json that the table needs.
type result struct {
	Package string
	Machine string
	Runs    int
	Builds  []struct {
		Name    string
		Text    float64
		Seconds float64
	}
	Series []struct {
		Build    string
		Interval int64
		Times    []float64
		Ratio    struct{ Median, Low, High float64 }
		Overlaps []struct {
			Instrumentation   string
			Overlap, Expected float64
		}
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

func summarize(dir string) error {
	names, err := filepath.Glob(filepath.Join(dir, "*", "results.json"))
	if err != nil || len(names) == 0 {
		return fmt.Errorf("no results in %s", dir)
	}
	sums := make([]float64, 8)
	for i, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		var r result
		if err := json.Unmarshal(data, &r); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if i == 0 {
			fmt.Printf("%s; %d rounds\n\n", r.Machine, r.Runs)
			fmt.Println("| workload | exhaustive | auto, no samples | auto at 1000 | text | call edges (expected) | field accesses (expected) |")
			fmt.Println("|---|---|---|---|---|---|---|")
		}
		row := r.row()
		for k, v := range row {
			sums[k] += v / float64(len(names))
		}
		printRow(filepath.Base(filepath.Dir(name)), row, r.interval())
	}
	printRow("**mean**", sums, "")
	return nil
}

// printRow prints a workload's row, or the means.
func printRow(name string, v []float64, interval string) {
	fmt.Printf("| %s | %+.1f %% | %+.1f %%%s | %+.1f %% | %+.0f %% | %.1f %% (%.1f) | %.1f %% (%.1f) |\n", name, v[0], v[1], interval, v[2], v[3], v[4], v[5], v[6], v[7])
}

// row is overheads of exhaustive, auto and auto at 1000, growth, and overlaps
// with what to expect, all in per cent.
func (r *result) row() []float64 {
	row := make([]float64, 8)
	for _, s := range r.Series {
		over := 100 * (s.Ratio.Median - 1)
		switch {
		case s.Build == "exhaustive-both":
			row[0] = over
		case s.Build == "auto" && s.Interval == 0:
			row[1] = over
		case s.Build == "auto" && s.Interval == 1000:
			row[2] = over
			for _, o := range s.Overlaps {
				k := 4
				if o.Instrumentation == "fieldaccess" {
					k = 6
				}
				row[k], row[k+1] = o.Overlap, o.Expected
			}
		}
	}
	var plain float64
	for _, b := range r.Builds {
		switch b.Name {
		case "plain":
			plain = b.Text
		case "auto":
			row[3] = 100 * (b.Text/plain - 1)
		}
	}
	return row
}

// interval is the confidence interval of auto without samples.
func (r *result) interval() string {
	for _, s := range r.Series {
		if s.Build == "auto" && s.Interval == 0 {
			return fmt.Sprintf(" (%+.1f to %+.1f)", 100*(s.Ratio.Low-1), 100*(s.Ratio.High-1))
		}
	}
	return ""
}
