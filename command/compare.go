package command

import (
	"fmt"
	"slices"

	"github.com/dupinst/dupinst/overlap"
	"github.com/dupinst/dupinst/profile"
	"github.com/dupinst/dupinst/report"
)

func compareCommand(in *invocation) (int, error) {
	fs, parse := in.flags("compare", `compare [flags] BEFORE_DIR AFTER_DIR

Says of two profiles, of before and after a change, which keys' shares of all events differ,
by how much, and whether by more than samples do by chance. Keys that differ in their positions alone
are added up, for a change of the source moves them.`)
	lines := fs.Bool("lines", false, "tell keys apart by their positions: of profiles of one source")
	format := fs.String("format", "text", "text or json")
	n := fs.Int("n", 20, "as text, show the `N` most significant differences; 0 shows all")
	view, from := viewFlags(fs), in.sourceFlags(fs)
	if err := parse(); err != nil {
		return misuse, err
	}
	if err := view.check("compare"); err != nil {
		return misuse, err
	}
	switch {
	case *format != "text" && *format != "json":
		return misuse, usagef("compare: no format %q; there are text and json", *format)
	case fs.NArg() != 2:
		return misuse, usagef("compare: two directories are needed, that of before and that of after; %d given", fs.NArg())
	case *n < 0:
		return misuse, usagef("compare: -n must not be negative")
	}
	var sides [2][]*profile.Profile
	for i := range sides {
		profiles, err := from.single(fs.Arg(i))
		if err == nil {
			sides[i], err = view.of(profiles)
		}
		if err != nil {
			return failed, err
		}
		for j, p := range sides[i] {
			if !*lines && *view.by == "" {
				sides[i][j] = p.Unplaced()
			}
		}
	}
	comparisons := differences(sides[0], sides[1])
	if len(comparisons) == 0 {
		return failed, fmt.Errorf("cannot compare %s and %s: no instrumentation is in both", fs.Arg(0), fs.Arg(1))
	}
	if *format == "json" {
		return 0, report.CompareJSON(in.stdout, comparisons)
	}
	return 0, report.Compare(in.stdout, comparisons, in.terminal(report.Options{N: *n}))
}

// differences compares the profiles of each instrumentation that both have.
func differences(before, after []*profile.Profile) (out []overlap.Comparison) {
	for _, p := range before {
		if i := slices.IndexFunc(after, func(q *profile.Profile) bool { return q.Instrumentation == p.Instrumentation }); i >= 0 {
			out = append(out, overlap.Differ(p, after[i]))
		}
	}
	return out
}
