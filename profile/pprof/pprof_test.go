package pprof

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	ours "github.com/dupinst/dupinst/profile"
)

// edges are two calls of m.g by m.f, one that starts a goroutine, and one by an
// initialiser.
func edges() *ours.Profile {
	p := &ours.Profile{Instrumentation: "calledge", Variant: "auto", Interval: 10, Checks: 1000, Samples: 100, Functions: map[string]ours.Function{
		"m.f": {File: "f.go", Line: 5}, "m.g": {File: "g.go", Line: 50},
	}}
	for _, e := range []struct {
		caller, line, op string
		n                uint64
	}{{"m.f", "7", "call", 4}, {"m.f", "8", "call", 3}, {"m.f", "9", "go", 2}, {"m.init", "1", "call", 1}} {
		p.Total += e.n
		p.Entries = append(p.Entries, ours.Entry{Key: e.caller + e.line, Count: e.n, Parts: []ours.Part{
			{Name: "caller", Value: e.caller}, {Name: "file", Value: "f.go"}, {Name: "line", Value: e.line, Number: true}, {Name: "op", Value: e.op}, {Name: "callee", Value: "m.g"},
		}})
	}
	return p
}

func TestWrite(t *testing.T) {
	t.Parallel()
	fields := &ours.Profile{Instrumentation: "fieldaccess", Variant: "exhaustive", Entries: []ours.Entry{{Key: "m.T.x read", Count: 9, Parts: []ours.Part{
		{Name: "type", Value: "m.T"}, {Name: "field", Value: "x"}, {Name: "access", Value: "read"},
	}}}}
	var b bytes.Buffer
	if err := Write(&b, []*ours.Profile{fields, edges()}); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	for _, s := range p.SampleType {
		types = append(types, s.Type)
	}
	if got := strings.Join(types, " "); got != "calls sampled_calls accesses sampled_accesses" || p.DefaultSampleType != "calls" || len(p.Comments) != 3 || len(p.Sample) != 5 {
		t.Errorf("%s; %s; %q; %d samples", got, p.DefaultSampleType, p.Comments, len(p.Sample))
	}
	s := p.Sample[1]
	callee, caller := s.Location[0].Line[0], s.Location[1].Line[0]
	if s.Value[0] != 40 || s.Value[1] != 4 || callee.Function.Name != "m.g" || callee.Line != 50 || callee.Function.Filename != "g.go" ||
		caller.Function.Name != "m.f" || caller.Line != 7 || caller.Function.StartLine != 5 {
		t.Errorf("%v", s)
	}
	if p.Sample[3].Label["op"][0] != "go" || p.Sample[0].Value[2] != 9 {
		t.Errorf("%v, %v", p.Sample[3], p.Sample[0])
	}
	if err := Write(&b, []*ours.Profile{{Instrumentation: "audit"}}); err == nil || !strings.Contains(err.Error(), "cannot write an audit") {
		t.Errorf("an audit: %v", err)
	}
}

// Events of an instrumentation that is not dupinst's own are at what their key names.
func TestWriteOwn(t *testing.T) {
	t.Parallel()
	maps := &ours.Profile{Instrumentation: "maps", Variant: "exhaustive", Entries: []ours.Entry{{Key: "map[int]bool f.go:7", Count: 3, Parts: []ours.Part{
		{Name: "map", Value: "map[int]bool"}, {Name: "file", Value: "f.go"}, {Name: "line", Value: "7", Number: true},
	}}}}
	var b bytes.Buffer
	if err := Write(&b, []*ours.Profile{maps, edges()}); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	if p.DefaultSampleType != "calls" || p.SampleType[2].Type != "maps" || p.SampleType[3].Type != "sampled_maps" {
		t.Errorf("%v", p.SampleType)
	}
	s := p.Sample[0]
	if line := s.Location[0].Line[0]; s.Value[2] != 3 || line.Function.Name != "map[int]bool" || line.Function.Filename != "f.go" || line.Line != 7 {
		t.Errorf("%v", s)
	}
}

func TestWritePGO(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := WritePGO(&b, edges()); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Sample) != 2 || p.Sample[0].Value[0] != 40 || p.Sample[1].Value[0] != 30 || p.SampleType[0].Type != "samples" {
		t.Errorf("%v", p)
	}
	if err := WritePGO(&b, &ours.Profile{Instrumentation: "calledge"}); err == nil {
		t.Error("a profile without calls was written")
	}
}

// An edge weighs what it led to: work's calls of leaf, and leaf's of nothing; in a circle all that it does.
func TestConsequences(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		edges []string
		n     []float64
		want  []float64
	}{
		{"a tree", []string{"main work", "work leaf", "work other"}, []float64{2, 10, 4}, []float64{16, 10, 4}},
		{"two callers", []string{"main a", "main b", "a leaf", "b leaf"}, []float64{1, 1, 30, 10}, []float64{31, 11, 30, 10}},
		{"by which call is not known", []string{"a f", "b f", "f leaf"}, []float64{3, 1, 8}, []float64{9, 3, 8}},
		{"a circle", []string{"main a", "a b", "b a", "b leaf"}, []float64{1, 4, 3, 12}, []float64{20, 20. * 4 / 7, 20. * 3 / 7, 12}},
		{"itself", []string{"main f", "f f", "f leaf"}, []float64{1, 9, 10}, []float64{20, 20, 10}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := newCallGraph()
			for i, e := range c.edges {
				from, to, _ := strings.Cut(e, " ")
				g.add(from, to, c.n[i])
			}
			got := g.consequences()
			for i := range got {
				if math.Abs(got[i]-c.want[i]) > 1e-9 {
					t.Errorf("%s: %v, want %v", c.edges[i], got[i], c.want[i])
				}
			}
		})
	}
}
