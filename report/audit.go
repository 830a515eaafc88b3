package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/dupinst/dupinst/profile"
)

// audited is what an audit build counted of one function.
type audited struct {
	name                                  string
	entries, backedges, checks, transfers uint64
	sampled                               time.Duration
}

// ErrProperty is the error of an audit that Property 1 fails.
var ErrProperty = errors.New("property 1 does not hold")

// Audit writes what the framework did in each function, by checks, and whether
// Property 1 holds (Arnold and Ryder, PLDI 2001, §2): that checks are no more
// than entries and backedges. It is promised for Full- and Partial-Duplication;
// if it fails for one of these, the error is an ErrProperty.
func Audit(w io.Writer, profiles []*profile.Profile, n int) error {
	out := &errWriter{w: w}
	var failed error
	found := false
	for _, p := range profiles {
		if p.Instrumentation != "audit" {
			continue
		}
		if found {
			out.printf("\n")
		}
		found = true
		if err := audit(out, p, n); err != nil {
			failed = err
		}
	}
	switch {
	case out.err != nil:
		return out.err
	case !found:
		return errors.New("cannot show an audit: no profile is of a build with -audit")
	}
	return failed
}

// audit writes one profile's table.
func audit(out *errWriter, p *profile.Profile, n int) error {
	list := functions(p)
	var sum audited
	worse := 0
	for _, f := range list {
		sum.entries += f.entries
		sum.backedges += f.backedges
		sum.checks += f.checks
		sum.transfers += f.transfers
		if f.checks > f.entries+f.backedges {
			worse++
		}
	}
	out.printf("audit: %s, interval %d\n", p.Variant, p.Interval)
	out.printf("%14s %14s %14s %14s %14s\n", "entries", "backedges", "checks", "transfers", "in samples")
	shown := list
	if n > 0 && n < len(list) {
		shown = list[:n]
	}
	for _, f := range shown {
		mark := ""
		if f.checks > f.entries+f.backedges {
			mark = "  (more checks than entries and backedges)"
		}
		out.printf("%14d %14d %14d %14d %14s  %s%s\n", f.entries, f.backedges, f.checks, f.transfers, f.sampled, f.name, mark)
	}
	// Times in samples include those of callees, and do not add up.
	out.printf("%14d %14d %14d %14d %14s  all\n", sum.entries, sum.backedges, sum.checks, sum.transfers, "")
	if left := len(list) - len(shown); left > 0 {
		out.printf("%14s %d more functions; -n 0 shows all\n", "…", left)
	}
	promised := p.Variant == "full" || p.Variant == "partial"
	switch {
	case worse == 0:
		out.printf("Property 1 holds: in none of %d functions are there more checks than entries and backedges\n", len(list))
	case promised:
		return fmt.Errorf("%w for %s: %d of %d functions executed more checks than entries and backedges", ErrProperty, p.Variant, worse, len(list))
	default:
		out.printf("%d of %d functions executed more checks than entries and backedges, as %s may\n", worse, len(list), p.Variant)
	}
	return nil
}

// functions gathers an audit's counts by function, those with most checks first.
func functions(p *profile.Profile) []audited {
	at := map[string]int{}
	var list []audited
	for _, e := range p.Entries {
		name, event := e.Parts[0].Value, e.Parts[1].Value
		i, ok := at[name]
		if !ok {
			i = len(list)
			at[name] = i
			list = append(list, audited{name: name})
		}
		f := &list[i]
		switch event {
		case "entry":
			f.entries = e.Count
		case "backedge":
			f.backedges = e.Count
		case "check":
			f.checks = e.Count
		case "transfer":
			f.transfers = e.Count
		case "nanosecond":
			f.sampled = time.Duration(e.Count)
		}
	}
	slices.SortFunc(list, func(a, b audited) int {
		return cmp.Or(cmp.Compare(b.checks, a.checks), cmp.Compare(a.name, b.name))
	})
	return list
}
