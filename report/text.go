package report

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"github.com/dupinst/dupinst/profile"
	"github.com/dupinst/dupinst/profile/format"
)

// Options are how Text shows profiles.
type Options struct {
	N     int    // so many keys of each; 0 shows all
	Width int    // columns of the terminal; 0 cuts nothing
	Color bool   // for a terminal
	Sort  string // "count", or "key", or "uncertainty": the width of a share's interval
}

// Orders are those of Options.Sort, the first the default.
var Orders = []string{"count", "key", "uncertainty"}

// Text writes profiles as tables: of each key the estimate of its count, its share with half the
// width of the 95 % confidence interval, where it is not exact, the sum of shares so far, and
// the key.
func Text(w io.Writer, profiles []*profile.Profile, o Options) error {
	out := &errWriter{w: w}
	for i, p := range profiles {
		if i > 0 {
			out.printf("\n")
		}
		if i == 0 || profiles[i-1].Program != p.Program {
			o.origin(out, p)
		}
		o.heading(out, p)
		o.table(out, p)
	}
	return out.err
}

// origin says which processes profiles are of.
func (o Options) origin(out *errWriter, p *profile.Profile) {
	if p.Program == "" || len(p.Origins) == 0 {
		return
	}
	all := p.Origins[0]
	for _, one := range p.Origins[1:] {
		all = all.Both(one)
	}
	facets := func(of string) string { // what the processes say, up to three
		var out []string
		for _, one := range p.Origins {
			if f := one.Facet(of); f != "" && !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
		if len(out) > 3 {
			return fmt.Sprintf("%d %ss", len(out), of)
		}
		return strings.Join(out, ", ")
	}
	line := p.Program
	if v := facets("version"); v != "" && v != "(devel)" {
		line += " " + v
	}
	line += fmt.Sprintf(": %d process", all.Processes)
	if all.Processes != 1 {
		line += "es"
	}
	if all.BuildID == "" && facets("build") != "" {
		line += " of several builds"
	}
	if hosts := facets("host"); hosts != "" {
		line += " on " + hosts
	}
	if all.Begun > 0 {
		at := func(ns uint64) time.Time { return time.Unix(0, int64(ns)) }
		line += fmt.Sprintf(", from %s for %s", at(all.Begun).Format(time.DateTime), at(all.Ended).Sub(at(all.Begun)).Round(time.Millisecond))
	}
	if all.Labels != "" {
		line += "; " + all.Labels
	}
	out.printf("%s\n", o.bold(line))
}

// heading says what a profile is of.
func (o Options) heading(out *errWriter, p *profile.Profile) {
	in := "; instrumented in the " + p.Backend
	if p.Backend == "" {
		in = ""
	}
	title := fmt.Sprintf("%s: %s events at %s keys", p.Instrumentation, number(float64(p.Total)), number(float64(len(p.Entries))))
	if p.Scale() != 1 {
		title = fmt.Sprintf("%s: about %s events at %s keys; %s were counted", p.Instrumentation, number(p.Events()), number(float64(len(p.Entries))), number(float64(p.Total)))
	}
	out.printf("%s\n", o.bold(title))
	checks, samples := number(float64(p.Checks)), number(float64(p.Samples))+" samples"
	if p.Burst > 1 {
		samples = fmt.Sprintf("%s of them in samples of %s", number(float64(p.Samples)), number(float64(p.Burst)))
	}
	switch {
	case p.Variant == "exhaustive":
		out.printf("exhaustive: every event is counted%s\n", in)
	case p.Once() && p.Unsampled():
		out.printf("once: nothing was entered, or no traps were laid%s\n", in)
	case p.Once() && p.Rounds.Length > 0:
		out.printf("once a round: %s%s\n", p.Began(), in)
	case p.Once():
		out.printf("once: what happened is counted the first time alone%s\n", in)
	case p.Trigger == format.WindowTrigger, p.Phases.Counted, p.Shadows.Counted:
		out.printf("%s%s\n", p.Began(), in)
	case p.Trigger == format.TimerTrigger:
		out.printf("%s, %s; %s checks, %s%s\n", p.Variant, p.Began(), checks, samples, in)
	case p.Interval == 0 && p.Intervals == nil:
		out.printf("%s, sampling off; %s checks%s\n", p.Variant, checks, in)
	case p.Unsampled():
		out.printf("%s, interval %d; %s checks, but no sample was taken%s\n", p.Variant, p.Interval, checks, in)
	default:
		out.printf("%s, interval %d; %s checks, %s%s\n", p.Variant, p.Interval, checks, samples, in)
	}
	if g := p.Governed(); g != "" {
		out.printf("%s\n", g)
	}
	if p.Dropped > 0 {
		out.printf("%d events were dropped: the table of callees known only at run time was full\n", p.Dropped)
	}
}

func (o Options) table(out *errWriter, p *profile.Profile) {
	shares := p.Shares()
	order := make([]int, len(p.Entries))
	exact := true
	for i := range order {
		order[i] = i
		exact = exact && shares[i].Low == shares[i].High
	}
	switch o.Sort {
	case "key":
		slices.SortFunc(order, func(i, j int) int { return cmp.Compare(p.Entries[i].Key, p.Entries[j].Key) })
	case "uncertainty":
		width := func(i int) float64 { return shares[i].High - shares[i].Low }
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(width(j), width(i)) })
	}
	shown := order
	if o.N > 0 {
		shown = order[:min(o.N, len(order))]
	}
	within := "" // the heading of the intervals' column
	if !exact {
		within = "      ±"
	}
	if len(shown) > 0 {
		out.printf("%s\n", o.dim(fmt.Sprintf("%9s   share%s     sum", "count", within)))
	}
	sum := 0.0
	for _, i := range shown {
		e, s := &p.Entries[i], shares[i]
		sum += s.N
		n, _ := p.Moments(e)
		row := fmt.Sprintf("%9s %6.2f%%", number(n), 100*s.N)
		if !exact {
			row += o.dim(fmt.Sprintf(" ±%5.2f", 100*max(s.High-s.N, s.N-s.Low)))
		}
		row += fmt.Sprintf(" %6.2f%%  ", 100*sum)
		left := 0
		if o.Width > 0 {
			left = max(20, o.Width-9-8-len([]rune(within))-8-2)
		}
		out.printf("%s%s\n", row, short(e, left))
	}
	if left := len(order) - len(shown); left > 0 {
		out.printf("%9s %s more keys; -n 0 shows all\n", "…", number(float64(left)))
	}
}

func (o Options) bold(s string) string { return o.styled("1", s) }

func (o Options) dim(s string) string { return o.styled("2", s) }

func (o Options) styled(code, s string) string {
	if !o.Color {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// number is a count for people: as it is up to a hundred thousand, then with three digits or so.
func number(n float64) string {
	if n < 100_000 {
		return fmt.Sprintf("%.0f", n)
	}
	return strings.TrimSpace(humanize.SIWithDigits(n, 2, ""))
}

// short is an entry's key in so many columns: without the directories of files, then of packages,
// then without its middle, for keys differ at their ends. 0 leaves it as it is.
func short(e *profile.Entry, columns int) string {
	key := e.Key
	fits := func() bool { return columns == 0 || utf8.RuneCountInString(key) <= columns }
	for _, names := range [][]string{{"file"}, {"caller", "callee", "function", "type"}} {
		for _, name := range names {
			if v := e.Part(name); !fits() && v != "" {
				key = strings.Replace(key, v, unqualified(v), 1)
			}
		}
	}
	return cut(key, columns)
}

// cut is a text in so many columns, without its middle. 0 leaves it as it is.
func cut(text string, columns int) string {
	runes := []rune(text)
	if columns == 0 || len(runes) <= columns {
		return text
	}
	end := columns * 2 / 3
	return string(runes[:columns-1-end]) + "…" + string(runes[len(runes)-end:])
}

// unqualified is a name without the directories in front of it, those of type arguments and
// parameters left alone.
func unqualified(name string) string {
	head, rest := name, ""
	if i := strings.IndexAny(name, "[("); i > 0 {
		head, rest = name[:i], name[i:]
	}
	if dir, base := path.Split(head); dir != "" && base+rest != "" {
		return base + rest
	}
	return name
}

// An errWriter keeps the first error.
type errWriter struct {
	w   io.Writer
	err error
}

func (e *errWriter) printf(format string, args ...any) {
	if e.err == nil {
		_, e.err = fmt.Fprintf(e.w, format, args...)
	}
}
