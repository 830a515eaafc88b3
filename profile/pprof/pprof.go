// Package pprof writes profiles in the format of pprof: for people, who look at
// them with go tool pprof, and for the compiler, which takes call edges from them
// (go build -pgo).
//
// A call edge becomes a stack of two frames, the callee above its caller at the
// line of the call, so that a function's flat value is how often it was called,
// and peek, list and the graph show who called what from where. A field access
// becomes a stack of the field above its struct; an event of an instrumentation that is not dupinst's
// own is at a function of its key's name, in the file and line that it says. Each unit is a sample type of its
// own, with the estimate of the true count and, beside it, what was counted.
package pprof

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	ours "github.com/dupinst/dupinst/profile"
)

// units are what the events of an instrumentation are called, in the order of
// their sample types.
var units = []struct{ instrumentation, unit string }{
	{"calledge", "calls"},
	{"fieldaccess", "accesses"},
	{"block", "entries"},
	{"value", "values"},
	{"context", "activations"},
	{"allocation", "allocations"},
}

// rank is an instrumentation's place among units, which is behind them for one that is not dupinst's
// own.
func rank(instrumentation string) int {
	for i, u := range units {
		if u.instrumentation == instrumentation {
			return i
		}
	}
	return len(units)
}

// Units are the sample types of an instrumentation: events that have no name of dupinst's are called
// by the instrumentation's.
func Units(instrumentation string) []string {
	unit := instrumentation
	if i := rank(instrumentation); i < len(units) {
		unit = units[i].unit
	}
	return []string{unit, "sampled_" + unit}
}

// A builder makes one profile.
type builder struct {
	p         *profile.Profile
	functions map[string]*profile.Function
	locations map[place]*profile.Location
	known     map[string]ours.Function
}

// A place is a line of a function.
type place struct {
	function string
	line     int64
}

func newBuilder(types ...*profile.ValueType) *builder {
	return &builder{
		p:         &profile.Profile{SampleType: types, PeriodType: &profile.ValueType{Type: "checks", Unit: "count"}},
		functions: map[string]*profile.Function{}, locations: map[place]*profile.Location{},
	}
}

// location returns the location of a line of a function; line 0 is that of its
// declaration.
func (b *builder) location(function, file string, line int64) *profile.Location {
	f := b.functions[function]
	if f == nil {
		at := b.known[function]
		if at.File == "" {
			at.File = file
		}
		f = &profile.Function{ID: uint64(len(b.p.Function) + 1), Name: function, SystemName: function, Filename: at.File, StartLine: int64(at.Line)}
		b.functions[function] = f
		b.p.Function = append(b.p.Function, f)
	}
	if line == 0 {
		line = f.StartLine
	}
	l := b.locations[place{function, line}]
	if l == nil {
		l = &profile.Location{ID: uint64(len(b.p.Location) + 1), Line: []profile.Line{{Function: f, Line: line}}}
		b.locations[place{function, line}] = l
		b.p.Location = append(b.p.Location, l)
	}
	return l
}

// stack returns the frames of an entry, the innermost first, and its labels.
func (b *builder) stack(e *ours.Entry) ([]*profile.Location, map[string][]string, error) {
	line, err := number(e, "line")
	if err != nil {
		return nil, nil, err
	}
	switch {
	case e.Stack != nil:
		var locations []*profile.Location
		for _, f := range e.Stack.Calls() {
			locations = append(locations, b.location(f.Function, f.File, int64(f.Line)))
		}
		return locations, nil, nil
	case e.Part("callee") != "":
		var labels map[string][]string
		if op := e.Part("op"); op != "call" {
			labels = map[string][]string{"op": {op}}
		}
		return []*profile.Location{b.location(e.Part("callee"), "", 0), b.location(e.Part("caller"), e.Part("file"), line)}, labels, nil
	case e.Part("field") != "":
		t := e.Part("type")
		return []*profile.Location{b.location(t+"."+e.Part("field"), "", 0), b.location(t, "", 0)}, map[string][]string{"access": {e.Part("access")}}, nil
	}
	function := e.Part("function")
	if function == "" { // of an instrumentation that is not dupinst's own: what its key says but for where
		var names []string
		for _, part := range e.Parts {
			if part.Name != "file" && !part.Number {
				names = append(names, part.Value)
			}
		}
		function = cmp.Or(strings.Join(names, " "), e.Key)
	}
	var labels map[string][]string
	if t := e.Part("type"); t != "" {
		labels = map[string][]string{"type": {t}}
	}
	return []*profile.Location{b.location(function, e.Part("file"), line)}, labels, nil
}

// number is a part that is a number, 0 if there is none.
func number(e *ours.Entry, part string) (int64, error) {
	text := e.Part(part)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("key %q: its %s is no number: %w", e.Key, part, err)
	}
	return n, nil
}

// Write writes profiles, one of each instrumentation, as one of pprof's. Its
// comments say how the counts came about.
func Write(w io.Writer, profiles []*ours.Profile) error {
	return WriteTimed(w, profiles, time.Time{}, 0)
}

// WriteTimed is Write of profiles of which it is known when they began, and how long they took.
func WriteTimed(w io.Writer, profiles []*ours.Profile, begun time.Time, took time.Duration) error {
	var types []*profile.ValueType
	first := map[string]int{}
	ordered := slices.SortedStableFunc(slices.Values(profiles), func(p, q *ours.Profile) int {
		return rank(p.Instrumentation) - rank(q.Instrumentation)
	})
	for _, p := range ordered {
		if p.Instrumentation == "audit" {
			return fmt.Errorf("cannot write an audit for pprof: its keys have no place in a stack")
		}
		first[p.Instrumentation] = len(types)
		for _, unit := range Units(p.Instrumentation) {
			types = append(types, &profile.ValueType{Type: unit, Unit: "count"})
		}
	}
	b := newBuilder(types...)
	if !begun.IsZero() {
		b.p.TimeNanos, b.p.DurationNanos = begun.UnixNano(), int64(took)
	}
	for _, p := range profiles {
		at := first[p.Instrumentation]
		b.known = p.Functions
		if p.Trigger == "" {
			b.p.Period = int64(p.Interval)
		}
		b.p.Comments = append(b.p.Comments, comment(p))
		if p.Instrumentation == "calledge" {
			b.p.Comments = append(b.p.Comments, "calledge: a stack is a call, two frames deep: flat is how often a function was called, and cum adds how often it called, not what is below it")
		}
		for i := range p.Entries {
			e := &p.Entries[i]
			locations, labels, err := b.stack(e)
			if err != nil {
				return err
			}
			values := make([]int64, len(types))
			values[at], values[at+1] = int64(math.Round(p.Estimate(e).N)), int64(e.Count)
			b.p.Sample = append(b.p.Sample, &profile.Sample{Location: locations, Value: values, Label: labels})
		}
	}
	if len(types) > 0 {
		b.p.DefaultSampleType = types[0].Type
	}
	return b.write(w)
}

// comment says what a profile's counts are.
func comment(p *ours.Profile) string {
	if g := p.Governed(); g != "" {
		return fmt.Sprintf("%s: %s, intervals from %d; %d checks, %d samples, weighed by their intervals; %s",
			p.Instrumentation, p.Variant, p.Interval, p.Checks, p.Samples, g)
	}
	if p.Unsampled() {
		return fmt.Sprintf("%s: %s, no sample was taken; %d checks", p.Instrumentation, p.Variant, p.Checks)
	}
	if b := p.Began(); b != "" {
		return fmt.Sprintf("%s: %s, %s; %d samples: each event counted stands for %.4g", p.Instrumentation, p.Variant, b, p.Samples, p.Scale())
	}
	if p.Once() {
		return fmt.Sprintf("%s: counted the first time alone", p.Instrumentation)
	}
	if p.Scale() == 1 {
		return fmt.Sprintf("%s: %s, every event counted", p.Instrumentation, p.Variant)
	}
	if p.Intervals != nil {
		return fmt.Sprintf("%s: %s, intervals %v; %d checks, %d samples: each event counted stands for %.4g on average",
			p.Instrumentation, p.Variant, p.Intervals, p.Checks, p.Samples, p.Scale())
	}
	return fmt.Sprintf("%s: %s, interval %d; %d checks, %d samples: each event counted stands for %.4g",
		p.Instrumentation, p.Variant, p.Interval, p.Checks, p.Samples, p.Scale())
}

func (b *builder) write(w io.Writer) error {
	if err := b.p.CheckValid(); err != nil {
		return fmt.Errorf("cannot write a pprof profile: %w", err)
	}
	return b.p.Write(w)
}
