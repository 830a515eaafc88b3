package heat

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// shown is how many fields are named that are used together with one, and the share from which on they are.
const (
	shown      = 3
	shownShare = 0.1
)

// Fprint writes h, the n most used structs (0 for all) and as many handovers.
func (h *Heat) Fprint(w io.Writer, n int) error {
	fmt.Fprintf(w, "%d bursts, %d references with their addresses\n", h.Bursts, h.Seen)
	all := 0.0
	for _, t := range h.Structs {
		all += t.Events
	}
	structs, handovers := h.Structs, h.Handovers
	if n > 0 {
		structs, handovers = structs[:min(n, len(structs))], handovers[:min(n, len(handovers))]
	}
	for _, t := range structs {
		fmt.Fprintf(w, "\n%s: %.1f%% of all references\n", t.Type, 100*t.Events/all)
		tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintf(tw, "  field\tat\tloads\tstores\tgoroutines\ttogether with\n")
		for _, f := range t.Fields {
			fmt.Fprintf(tw, "  %s\t%d\t%.1f%%\t%.1f%%\t%d\t%s\n", f.Name, f.Offset, 100*f.Loads/t.Events, 100*f.Stores/t.Events, f.Goroutines, f.company())
		}
		if err := tw.Flush(); err != nil {
			return err
		}
		if len(t.Made) > 0 {
			fmt.Fprintf(w, "  put on the heap\n")
			if err := fprintMade(w, map[string][]Place{"": t.Made}, []string{""}); err != nil {
				return err
			}
		}
	}
	if len(structs) < len(h.Structs) {
		fmt.Fprintf(w, "\n… %d more structs; -n 0 shows all\n", len(h.Structs)-len(structs))
	}
	if len(handovers) == 0 {
		return nil
	}
	fmt.Fprintf(w, "\nCache lines that go from one goroutine to another\n")
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "  times\tfalsely\tlines\tfields\n")
	for _, v := range handovers {
		var names []string
		for i, name := range v.Fields {
			if v.Stores[i] {
				name += " (stored)"
			}
			names = append(names, name)
		}
		fmt.Fprintf(tw, "  %d\t%d\t%d\t%s\n", v.Times, v.False, v.Lines, strings.Join(slices.Compact(names), ", "))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	if len(handovers) < len(h.Handovers) {
		fmt.Fprintf(w, "  … %d more; -n 0 shows all\n", len(h.Handovers)-len(handovers))
	}
	return nil
}

// company are the fields that are most often used together with f.
func (f *Field) company() string {
	var names []string
	for name, share := range f.Together {
		if share >= shownShare {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(f.Together[b], f.Together[a]), cmp.Compare(a, b))
	})
	if len(names) > shown {
		names = names[:shown]
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %.0f%%", name, 100*f.Together[name])
	}
	return strings.Join(names, ", ")
}
