package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"

	"github.com/dupinst/dupinst/profile"
)

// errNoCalls is the error of profiles without calls.
var errNoCalls = errors.New("cannot show what calls lead to: no profile is of calls; build with -instrument=calledge")

// Targets writes the calls whose callee is known at run time alone, the n most frequent of each profile (0
// shows all): how often each was made, to how many functions, and which it was most often.
func Targets(w io.Writer, profiles []*profile.Profile, o Options) error {
	out := &errWriter{w: w}
	found := false
	for _, p := range profiles {
		if p.Instrumentation != "calledge" {
			continue
		}
		if found {
			out.printf("\n")
		}
		found = true
		if p.Program != "" {
			o.origin(out, p)
		}
		o.targets(out, p)
	}
	if out.err == nil && !found {
		return errNoCalls
	}
	return out.err
}

func (o Options) targets(out *errWriter, p *profile.Profile) {
	sites := p.Sites()
	all, single := 0.0, 0
	for _, s := range sites {
		all += s.Calls
		if len(s.Targets) == 1 {
			single++
		}
	}
	out.printf("%s\n", o.bold(fmt.Sprintf("%s of %s calls found their callee at run time, at %s places, %s of which were seen to lead to one function",
		number(all), number(p.Events()), number(float64(len(sites))), number(float64(single)))))
	shown := sites
	if o.N > 0 {
		shown = sites[:min(o.N, len(sites))]
	}
	if len(shown) > 0 {
		out.printf("%s\n", o.dim(fmt.Sprintf("%9s %7s  %s", "calls", "callees", "share, 95 %")))
	}
	for _, s := range shown {
		t := s.Targets[0]
		called := s.Called
		if called == "?" {
			called = "a function value"
		}
		interval := "exact"
		if t.Low != t.High {
			interval = fmt.Sprintf("%.1f to %.1f", 100*t.Low, 100*t.High)
		}
		row := fmt.Sprintf("%9s %7d  %5.1f%% %-13s ", number(s.Calls), len(s.Targets), 100*t.N, interval)
		left := 0
		if o.Width > 0 {
			left = max(20, o.Width-len(row))
		}
		out.printf("%s%s\n", row, cut(fmt.Sprintf("%s for %s at %s:%s", t.Callee, called, path.Base(s.File), s.Line), left))
	}
	if left := len(sites) - len(shown); left > 0 {
		out.printf("%9s %s more places; -n 0 shows all\n", "…", number(float64(left)))
	}
}

// TargetsJSON writes the same as one object: "profiles", each with "program", "interval", "calls" and
// "sites", of which each has "targets".
func TargetsJSON(w io.Writer, profiles []*profile.Profile, n int) error {
	type object struct {
		Program  string         `json:"program,omitempty"`
		Interval uint64         `json:"interval"`
		Calls    float64        `json:"calls"`
		Sites    []profile.Site `json:"sites"`
	}
	list := []object{}
	for _, p := range profiles {
		if p.Instrumentation != "calledge" {
			continue
		}
		o := object{p.Program, p.Interval, p.Events(), append([]profile.Site{}, p.Sites()...)}
		if n > 0 {
			o.Sites = o.Sites[:min(n, len(o.Sites))]
		}
		list = append(list, o)
	}
	if len(list) == 0 {
		return errNoCalls
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	return enc.Encode(map[string][]object{"profiles": list})
}
