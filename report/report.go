// Package report shows profiles: as text for a person, as JSON or CSV for a
// program. Reports are pure functions of profiles.
package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/dupinst/dupinst/profile"
	"github.com/dupinst/dupinst/profile/format"
)

// JSON writes profiles as one object. Names and order of the fields are
// released and stay: "profiles", each with "instrumentation", "variant",
// "interval", "checks", "samples", "total" and "entries"; an entry has "key",
// "count", and the key's parts. dropped stands only where events were, weights (of
// samples, beyond one for each) and governed only under a governor; backend says where code
// was duplicated, began how samples did, where not by a count of checks.
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
	}
	out := struct {
		Profiles []object `json:"profiles"`
	}{[]object{}}
	for _, p := range profiles {
		o := object{p.Instrumentation, p.Variant, p.Interval, p.Checks, p.Samples, p.Total, []json.RawMessage{}, p.Dropped, p.Weights, p.Governed(), p.Backend, p.Began()}
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
// the share of the profile's total.
func CSV(w io.Writer, profiles []*profile.Profile, n int) error {
	c := csv.NewWriter(w)
	if err := c.Write([]string{"instrumentation", "key", "count", "share"}); err != nil {
		return err
	}
	for _, p := range profiles {
		for _, e := range top(p, n) {
			if err := c.Write([]string{p.Instrumentation, e.Key, strconv.FormatUint(e.Count, 10), strconv.FormatFloat(share(e, p), 'f', 6, 64)}); err != nil {
				return err
			}
		}
	}
	c.Flush()
	return c.Error()
}

// backend says where what p is of was instrumented, if that is known.
func backend(p *profile.Profile) string {
	if p.Backend == "" {
		return ""
	}
	return "; instrumented in the " + p.Backend
}

// Text writes profiles as tables, each with its n hottest keys.
func Text(w io.Writer, profiles []*profile.Profile, n int) error {
	out := &errWriter{w: w}
	for i, p := range profiles {
		if i > 0 {
			out.printf("\n")
		}
		out.printf("%s: %d events at %d keys\n", p.Instrumentation, p.Total, len(p.Entries))
		switch {
		case p.Variant == "exhaustive":
			out.printf("exhaustive: every event is counted%s\n", backend(p))
		case p.Trigger == format.WindowTrigger:
			out.printf("%s%s\n", p.Began(), backend(p))
		case p.Trigger == format.TimerTrigger:
			out.printf("%s, %s; %d checks, %d samples%s\n", p.Variant, p.Began(), p.Checks, p.Samples, backend(p))
		case p.Interval == 0:
			out.printf("%s, sampling off; %d checks%s\n", p.Variant, p.Checks, backend(p))
		default:
			out.printf("%s, interval %d; %d checks, %d samples%s\n", p.Variant, p.Interval, p.Checks, p.Samples, backend(p))
		}
		if g := p.Governed(); g != "" {
			out.printf("%s\n", g)
		}
		if p.Dropped > 0 {
			out.printf("%d events were dropped: the table of callees known only at run time was full\n", p.Dropped)
		}
		shown := top(p, n)
		if len(shown) > 0 {
			out.printf("%14s %7s %7s\n", "count", "share", "sum")
		}
		sum := 0.0
		for _, e := range shown {
			sum += share(e, p)
			out.printf("%14d %6.2f%% %6.2f%%  %s\n", e.Count, 100*share(e, p), 100*sum, e.Key)
		}
		if left := len(p.Entries) - len(shown); left > 0 {
			out.printf("%14s %d more keys; -n 0 shows all\n", "…", left)
		}
	}
	return out.err
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
