package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/dupinst/dupinst/profile"
)

// errNoValues is the error of profiles without values.
var errNoValues = errors.New("cannot show values: no profile has any; build with -instrument=value")

// noted reports whether p is of values, which callees and contexts are not.
func noted(p *profile.Profile) bool {
	return p.Dynamic != "" && p.Dynamic != "callee" && p.Dynamic != "stack"
}

// Values writes where values were noted, the n most frequent places of each profile (0 shows all): how
// often, and the most frequent values with their shares; and the places where something may be made of them.
func Values(w io.Writer, profiles []*profile.Profile, o Options) error {
	out := &errWriter{w: w}
	found := false
	for _, p := range profiles {
		if !noted(p) {
			continue
		}
		if found {
			out.printf("\n")
		}
		found = true
		o.origin(out, p)
		o.values(out, p)
	}
	if out.err == nil && !found {
		return errNoValues
	}
	return out.err
}

// topShown is how many values of a place are shown.
const topShown = 4

func (o Options) values(out *errWriter, p *profile.Profile) {
	sites := p.ValueSites()
	out.printf("%s\n", o.bold(fmt.Sprintf("%s: %s values at %s places", p.Instrumentation, number(p.Events()), number(float64(len(sites))))))
	shown := sites
	if o.N > 0 {
		shown = sites[:min(o.N, len(sites))]
	}
	if len(shown) > 0 {
		out.printf("%s\n", o.dim(fmt.Sprintf("%9s  %s", "events", "values, and where")))
	}
	for i := range shown {
		s := &shown[i]
		var values []string
		for j, v := range s.Values {
			if j == topShown && len(s.Values) > topShown+1 {
				values = append(values, fmt.Sprintf("%s more", number(float64(len(s.Values)-j))))
				break
			}
			values = append(values, fmt.Sprintf("%s %.1f%%", v.Value, 100*v.N))
		}
		out.printf("%9s  %s\n", number(s.Events), o.fit(strings.Join(values, ", "), 11))
		out.printf("%9s  %s\n", "", o.fit(placed(s), 11))
	}
	if left := len(sites) - len(shown); left > 0 {
		out.printf("%9s  %s more places; -n 0 shows all\n", "…", number(float64(left)))
	}
	o.advice(out, sites)
}

// fit cuts what has so many columns before it.
func (o Options) fit(text string, before int) string {
	if o.Width == 0 {
		return text
	}
	return cut(text, max(20, o.Width-before))
}

// placed says where a value is noted, and of what.
func placed(s *profile.ValueSite) string {
	text := ""
	for _, part := range s.Parts {
		switch part.Name {
		case "file", "line", "col", "function":
		default:
			text += part.Value + " "
		}
	}
	if file := s.Part("file"); file != "" {
		text += "at " + path.Base(file) + ":" + s.Part("line")
	}
	if function := s.Part("function"); function != "" {
		text += " in " + function
	}
	return strings.TrimSpace(text)
}

// Numbers of the advice's: what share a value has at least that code may be made for, by the lower end
// of its interval, and which part of all events a place has at least.
const (
	invariant = 0.95
	matters   = 0.001
)

// usual are values that are nearly always the same for good reasons.
var usual = []string{"nil", "not nil", "true", "false", profile.Others}

// advice writes what may be made of values.
func (o Options) advice(out *errWriter, sites []profile.ValueSite) {
	all := 0.0
	for _, s := range sites {
		all += s.Events
	}
	var constant, capacity []string
	for i := range sites {
		s := &sites[i]
		if s.Events < matters*all {
			break
		}
		if top := s.Values[0]; top.Low >= invariant && !slices.Contains(usual, top.Value) && !strings.HasPrefix(s.Part("of"), "size of ") {
			constant = append(constant, fmt.Sprintf("%s in at least %.1f%% of %s: %s", top.Value, 100*top.Low, number(s.Events), placed(s)))
		}
	}
	for i := range sites {
		s := &sites[i]
		if !strings.HasPrefix(s.Part("of"), "old capacity") {
			continue
		}
		if n, saves, ok := s.Capacity(); ok {
			capacity = append(capacity, fmt.Sprintf("%d saves %.0f%% of %s growths: %s", n, 100*saves, number(s.Events), placed(s)))
		}
	}
	for _, part := range []struct {
		title string
		lines []string
	}{
		{"Nearly always one value: a case of its own for it may be faster", constant},
		{"A capacity for make, into which nine tenths of the slices would fit that append makes", capacity},
	} {
		if len(part.lines) == 0 {
			continue
		}
		out.printf("\n%s\n", o.bold(part.title))
		for i, line := range part.lines {
			if o.N > 0 && i == o.N {
				out.printf("  … %d more; -n 0 shows all\n", len(part.lines)-i)
				break
			}
			out.printf("  %s\n", o.fit(line, 2))
		}
	}
}

// ValuesJSON writes the same as one object: "profiles", each with "program", "instrumentation",
// "interval", "events" and "sites".
func ValuesJSON(w io.Writer, profiles []*profile.Profile, n int) error {
	type object struct {
		Program         string              `json:"program,omitempty"`
		Instrumentation string              `json:"instrumentation"`
		Interval        uint64              `json:"interval"`
		Events          float64             `json:"events"`
		Sites           []profile.ValueSite `json:"sites"`
	}
	list := []object{}
	for _, p := range profiles {
		if !noted(p) {
			continue
		}
		o := object{p.Program, p.Instrumentation, p.Interval, p.Events(), append([]profile.ValueSite{}, p.ValueSites()...)}
		if n > 0 {
			o.Sites = o.Sites[:min(n, len(o.Sites))]
		}
		list = append(list, o)
	}
	if len(list) == 0 {
		return errNoValues
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	return enc.Encode(map[string][]object{"profiles": list})
}
