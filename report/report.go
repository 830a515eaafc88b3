// Package report shows profiles: as text for a person, as JSON or CSV for a
// program. Reports are pure functions of profiles.
package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"
	"strconv"

	"github.com/dupinst/dupinst/profile"
)

// JSON writes profiles as one object. Names and order of the fields are
// released and stay: "profiles", each with "instrumentation", "variant",
// "interval", "checks", "samples", "total" and "entries"; an entry has "key",
// "count", and the key's parts. dropped stands only where events were, weights (of
// samples, beyond one for each) and governed only under a governor; backend says where code
// was duplicated, began how samples did, where not by a count of checks; program and processes
// say what was added up.
func JSON(w io.Writer, profiles []*profile.Profile, n int) error {
	type object struct {
		Instrumentation string            `json:"instrumentation"`
		Variant         string            `json:"variant"`
		Interval        uint64            `json:"interval"`
		Checks          uint64            `json:"checks"`
		Samples         uint64            `json:"samples"`
		Total           uint64            `json:"total"`
		Entries         []json.RawMessage `json:"entries"`
		Dropped         uint64            `json:"dropped,omitempty"`
		Weights         uint64            `json:"weights,omitempty"`
		Governed        string            `json:"governed,omitempty"`
		Backend         string            `json:"backend,omitempty"`
		Began           string            `json:"began,omitempty"`
		Program         string            `json:"program,omitempty"`
		Processes       uint64            `json:"processes,omitempty"`
	}
	out := struct {
		Profiles []object `json:"profiles"`
	}{[]object{}}
	for _, p := range profiles {
		o := object{p.Instrumentation, p.Variant, p.Interval, p.Checks, p.Samples, p.Total, []json.RawMessage{}, p.Dropped, p.Weights, p.Governed(), p.Backend, p.Began(), p.Program, p.Processes()}
		for _, e := range top(p, n) {
			o.Entries = append(o.Entries, entry(e))
		}
		out.Profiles = append(out.Profiles, o)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}

// entry is e as a JSON object whose fields keep their order.
func entry(e profile.Entry) json.RawMessage {
	b := append([]byte(`{"key":`), quote(e.Key)...)
	b = strconv.AppendUint(append(b, `,"count":`...), e.Count, 10)
	for _, p := range e.Parts {
		b = append(append(append(b, ','), quote(p.Name)...), ':')
		if p.Number {
			b = append(b, p.Value...)
		} else {
			b = append(b, quote(p.Value)...)
		}
	}
	return append(b, '}')
}

// quote is s as a JSON string, with <, > and & as they are.
func quote(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(err) // a string always has an encoding
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// CSV writes profiles as one table: the instrumentation, the key, the count and
// the share of the profile's total; and the program, where they are of several.
func CSV(w io.Writer, profiles []*profile.Profile, n int) error {
	c := csv.NewWriter(w)
	head := []string{"instrumentation", "key", "count", "share"}
	several := slices.ContainsFunc(profiles, func(p *profile.Profile) bool { return p.Program != profiles[0].Program })
	if several {
		head = append(head, "program")
	}
	if err := c.Write(head); err != nil {
		return err
	}
	for _, p := range profiles {
		for _, e := range top(p, n) {
			row := []string{p.Instrumentation, e.Key, strconv.FormatUint(e.Count, 10), strconv.FormatFloat(share(e, p), 'f', 6, 64)}
			if several {
				row = append(row, p.Program)
			}
			if err := c.Write(row); err != nil {
				return err
			}
		}
	}
	c.Flush()
	return c.Error()
}

// top returns p's n hottest entries; 0 means all.
func top(p *profile.Profile, n int) []profile.Entry {
	if n <= 0 || n > len(p.Entries) {
		n = len(p.Entries)
	}
	return p.Entries[:n]
}

func share(e profile.Entry, p *profile.Profile) float64 {
	return float64(e.Count) / float64(max(p.Total, 1))
}
