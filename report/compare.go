package report

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/dupinst/dupinst/overlap"
	"github.com/dupinst/dupinst/profile"
)

// Compare writes comparisons as tables, each with its n most significant differences; 0 shows
// all.
func Compare(w io.Writer, comparisons []overlap.Comparison, o Options) error {
	out := &errWriter{w: w}
	for i, c := range comparisons {
		if i > 0 {
			out.printf("\n")
		}
		out.printf("%s\n", o.bold(fmt.Sprintf("%s: %s of %s keys differ by more than chance", c.Instrumentation, number(float64(c.Significant)), number(float64(len(c.Differences))))))
		out.printf("the profiles overlap by %.2f %%; two samples of one program, as large, would by %.2f %% in the mean\n", c.Overlap, c.Expected)
		shown := c.Differences
		if o.N > 0 {
			shown = shown[:min(o.N, len(shown))]
		}
		if len(shown) > 0 {
			out.printf("%s\n", o.dim(fmt.Sprintf("%15s %15s %8s  %s", "before", "after", "change", "95 %")))
		}
		for _, d := range shown {
			row := fmt.Sprintf("%s %s %+7.2f%%  %-18s", shareOf(d.Before), shareOf(d.After), 100*d.N, fmt.Sprintf("%+.2f to %+.2f", 100*d.Low, 100*d.High))
			left := 0
			if o.Width > 0 {
				left = max(20, o.Width-62)
			}
			mark := "? "
			if d.Significant {
				mark = "  "
			}
			out.printf("%s%s%s\n", row, mark, cut(d.Key, left))
		}
		if left := len(c.Differences) - len(shown); left > 0 {
			out.printf("%15s %s more keys; -n 0 shows all\n", "…", number(float64(left)))
		}
		if c.Significant < len(shown) {
			out.printf("?: as much may be by chance\n")
		}
	}
	return out.err
}

// shareOf is a share with half the width of its interval, in 15 columns.
func shareOf(s profile.Share) string {
	if s.Low == s.High {
		return fmt.Sprintf("%6.2f%%        ", 100*s.N)
	}
	return fmt.Sprintf("%6.2f%% ±%5.2f ", 100*s.N, 100*max(s.High-s.N, s.N-s.Low))
}

// CompareJSON writes comparisons as one object, "comparisons": what overlap.Comparison says.
func CompareJSON(w io.Writer, comparisons []overlap.Comparison) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	return enc.Encode(map[string]any{"comparisons": comparisons})
}
