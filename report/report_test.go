package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/dupinst/dupinst/profile"
)

func example() []*profile.Profile {
	part := func(name, value string, number bool) profile.Part {
		return profile.Part{Name: name, Value: value, Number: number}
	}
	return []*profile.Profile{
		{Instrumentation: "calledge", Variant: "full", Interval: 10, Checks: 400, Samples: 40, Total: 8, Dropped: 2, Entries: []profile.Entry{
			{Key: "f:1 <g>", Count: 6, Parts: []profile.Part{part("caller", "f", false), part("line", "1", true), part("callee", "<g>", false)}},
			{Key: "f:2 \"h\"", Count: 2, Parts: []profile.Part{part("caller", "f", false), part("line", "2", true), part("callee", "\"h\"", false)}},
		}},
		{Instrumentation: "fieldaccess", Variant: "exhaustive", Entries: []profile.Entry{}},
		{Instrumentation: "fieldaccess", Variant: "full", Checks: 7, Entries: []profile.Entry{}},
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		write func(io.Writer, []*profile.Profile, int) error
		n     int
		want  string
	}{
		"text": {func(w io.Writer, p []*profile.Profile, n int) error { return Text(w, p, Options{N: n}) }, 1, `calledge: about 80 events at 2 keys; 8 were counted
full, interval 10; 400 checks, 40 samples
2 events were dropped: the table of callees known only at run time was full
    count   share      ±     sum
       60  75.00% ±34.07  75.00%  f:1 <g>
        … 1 more keys; -n 0 shows all

fieldaccess: 0 events at 0 keys
exhaustive: every event is counted

fieldaccess: 0 events at 0 keys
full, sampling off; 7 checks
`},
		"csv": {CSV, 0, "instrumentation,key,count,share\ncalledge,f:1 <g>,6,0.750000\ncalledge,\"f:2 \"\"h\"\"\",2,0.250000\n"},
		"json": {JSON, 1, `{
 "profiles": [
  {
   "instrumentation": "calledge",
   "variant": "full",
   "interval": 10,
   "checks": 400,
   "samples": 40,
   "total": 8,
   "entries": [
    {
     "key": "f:1 <g>",
     "count": 6,
     "caller": "f",
     "line": 1,
     "callee": "<g>"
    }
   ],
   "dropped": 2
  },
  {
   "instrumentation": "fieldaccess",
   "variant": "exhaustive",
   "interval": 0,
   "checks": 0,
   "samples": 0,
   "total": 0,
   "entries": []
  },
  {
   "instrumentation": "fieldaccess",
   "variant": "full",
   "interval": 0,
   "checks": 7,
   "samples": 0,
   "total": 0,
   "entries": []
  }
 ]
}
`},
	} {
		var out bytes.Buffer
		if err := c.write(&out, example(), c.n); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if out.String() != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, out.String(), c.want)
		}
		if err := c.write(broken{}, example(), 0); err == nil {
			t.Errorf("%s: an error of the writer is lost", name)
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestAudit(t *testing.T) {
	t.Parallel()
	of := func(variant string, counts ...uint64) *profile.Profile {
		p := &profile.Profile{Instrumentation: "audit", Variant: variant, Interval: 10}
		for i, event := range []string{"entry", "backedge", "check", "transfer", "nanosecond"} {
			p.Entries = append(p.Entries, profile.Entry{Count: counts[i], Parts: []profile.Part{{Name: "function", Value: "f"}, {Name: "event", Value: event}}})
		}
		return p
	}
	for name, c := range map[string]struct {
		profile *profile.Profile
		want    string
		err     error
	}{
		"holds": {of("full", 2, 3, 5, 1, 1500), "             2              3              5              1          1.5µs  f\n", nil},
		"fails": {of("partial", 2, 3, 6, 1, 0), "(more checks than entries and backedges)", ErrProperty},
		"may":   {of("no", 2, 3, 6, 1, 0), "1 of 1 functions executed more checks than entries and backedges, as no may\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b bytes.Buffer
			if err := Audit(&b, []*profile.Profile{c.profile}, 0); !errors.Is(err, c.err) {
				t.Errorf("error %v, want %v", err, c.err)
			}
			if !bytes.Contains(b.Bytes(), []byte(c.want)) {
				t.Errorf("%s", b.String())
			}
		})
	}
}

func TestEstimates(t *testing.T) {
	t.Parallel()
	p := &profile.Profile{Instrumentation: "calledge", Variant: "auto", Interval: 10, Checks: 1000, Samples: 100, Total: 5, Entries: []profile.Entry{
		{Key: "a;b c", Count: 4, Parts: []profile.Part{{Name: "caller", Value: "a;b"}, {Name: "line", Value: "7", Number: true}, {Name: "callee", Value: "c"}}},
		{Key: "a;b c too", Count: 1, Parts: []profile.Part{{Name: "caller", Value: "a;b"}, {Name: "line", Value: "8", Number: true}, {Name: "callee", Value: "c"}}},
	}}
	var b bytes.Buffer
	if err := Folded(&b, p); err != nil || b.String() != "a:b;c 50\n" {
		t.Errorf("folded: %v, %q", err, b.String())
	}
	b.Reset()
	if err := EstimatesCSV(&b, []*profile.Profile{p}); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 3 || rows[1][4] != "40" || !strings.HasPrefix(rows[1][5], "15.5") || !strings.HasPrefix(rows[1][6], "102.8") {
		t.Errorf("CSV: %v, %v", err, rows)
	}
	b.Reset()
	if err := Estimates(&b, []*profile.Profile{p}); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Profiles []struct {
			Scale   float64
			Entries []struct {
				Parts    map[string]any
				Estimate float64
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil || got.Profiles[0].Scale != 10 || got.Profiles[0].Entries[1].Estimate != 10 || got.Profiles[0].Entries[1].Parts["line"] != 8.0 {
		t.Errorf("JSON: %v, %+v", err, got)
	}
}
