package layout

import (
	"fmt"
	"go/token"
	"io"
	"text/tabwriter"
)

// Fprint writes s with the order of its fields as it is and, if there is one, as it
// is proposed.
func (s *Struct) Fprint(w io.Writer, fset *token.FileSet) error {
	p := fset.Position(s.Pos)
	fmt.Fprintf(w, "%s (%s:%d): %.0f accesses\n", s.Name, p.Filename, p.Line, s.Accesses)
	if err := s.order(w, "now", &s.Now); err != nil || s.Proposed == nil {
		return err
	}
	return s.order(w, "proposed", s.Proposed)
}

func (s *Struct) order(w io.Writer, title string, o *Order) error {
	fmt.Fprintf(w, "  %s: %d bytes, hot fields on %d of %d cache lines", title, o.Size, o.Lines, (o.Size+line-1)/line)
	if o.Apart >= 0 {
		fmt.Fprintf(w, ", %.1f %% of what is used together on two", 100*o.Apart)
	}
	fmt.Fprintln(w)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range o.Fields {
		hot := ""
		if f.Hot {
			hot = "hot"
		}
		fmt.Fprintf(tw, "    %s\tat %d\t%d bytes\t%.1f %%\t%s\n", f.Name, f.Offset, f.Size, 100*f.Accesses/s.Accesses, hot)
	}
	return tw.Flush()
}
