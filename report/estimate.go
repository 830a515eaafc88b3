package report

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dupinst/dupinst/profile"
)

// Estimates writes all of the profiles as one object: "profiles", each with
// "instrumentation", "variant", "interval", "checks", "samples", "scale" (events
// for each that was counted) and "entries"; an entry has "key", "parts", "count",
// "estimate" and the 95 % confidence interval from "low" to "high".
func Estimates(w io.Writer, profiles []*profile.Profile) error {
	type entry struct {
		Key      string         `json:"key"`
		Parts    map[string]any `json:"parts"`
		Count    uint64         `json:"count"`
		Estimate float64        `json:"estimate"`
		Low      float64        `json:"low"`
		High     float64        `json:"high"`
	}
	type object struct {
		Instrumentation string   `json:"instrumentation"`
		Variant         string   `json:"variant"`
		Interval        uint64   `json:"interval"`
		Intervals       []uint64 `json:"intervals,omitempty"`
		Checks          uint64   `json:"checks"`
		Samples         uint64   `json:"samples"`
		Dropped         uint64   `json:"dropped"`
		Scale           float64  `json:"scale"`
		Governed        string   `json:"governed,omitempty"`
		Backend         string   `json:"backend,omitempty"`
		Began           string   `json:"began,omitempty"`
		Entries         []entry  `json:"entries"`
	}
	out := []object{}
	for _, p := range profiles {
		o := object{p.Instrumentation, p.Variant, p.Interval, p.Intervals, p.Checks, p.Samples, p.Dropped, p.Scale(), p.Governed(), p.Backend, p.Began(), []entry{}}
		for i := range p.Entries {
			e := &p.Entries[i]
			parts := map[string]any{}
			for _, part := range e.Parts {
				parts[part.Name] = part.Value
				if part.Number {
					parts[part.Name] = json.Number(part.Value)
				}
			}
			v := p.Estimate(e)
			o.Entries = append(o.Entries, entry{e.Key, parts, e.Count, v.N, v.Low, v.High})
		}
		out = append(out, o)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	return enc.Encode(map[string]any{"profiles": out})
}

// EstimatesCSV writes all of the profiles as one table: the columns of CSV, then
// the estimate of the true count and its 95 % confidence interval.
func EstimatesCSV(w io.Writer, profiles []*profile.Profile) error {
	c := csv.NewWriter(w)
	f := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	if err := c.Write([]string{"instrumentation", "key", "count", "share", "estimate", "low", "high"}); err != nil {
		return err
	}
	for _, p := range profiles {
		for i := range p.Entries {
			e := &p.Entries[i]
			v := p.Estimate(e)
			row := []string{p.Instrumentation, e.Key, strconv.FormatUint(e.Count, 10), strconv.FormatFloat(share(*e, p), 'f', 6, 64), f(v.N), f(v.Low), f(v.High)}
			if err := c.Write(row); err != nil {
				return err
			}
		}
	}
	c.Flush()
	return c.Error()
}

// Folded writes calling contexts as lines of a stack's functions, from the outermost on, and a count, or
// call edges as stacks of two. Counts are estimates, summed over call sites, in the order of their first,
// hottest, one.
func Folded(w io.Writer, p *profile.Profile) error {
	var order []string
	sums := map[string]float64{}
	frame := strings.NewReplacer(";", ":", " ", "_", "\n", "_")
	for i := range p.Entries {
		e := &p.Entries[i]
		stack := frame.Replace(e.Part("caller")) + ";" + frame.Replace(e.Part("callee"))
		if e.Stack != nil {
			var names []string
			for _, f := range slices.Backward(e.Stack.Calls()) {
				names = append(names, frame.Replace(f.Function))
			}
			stack = strings.Join(names, ";")
		} else if p.Instrumentation == "context" { // not kept apart
			stack = frame.Replace(e.Part("stack")) + ";" + frame.Replace(e.Part("function"))
		}
		if _, ok := sums[stack]; !ok {
			order = append(order, stack)
		}
		sums[stack] += p.Estimate(e).N
	}
	out := bufio.NewWriter(w)
	for _, stack := range order {
		fmt.Fprintf(out, "%s %.0f\n", stack, math.Round(sums[stack]))
	}
	return out.Flush()
}
