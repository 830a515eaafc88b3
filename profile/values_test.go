package profile

import (
	"maps"
	"strconv"
	"testing"
)

// valuesAt is a profile of one site's values.
func valuesAt(values map[string]uint64) *Profile {
	p := &Profile{Instrumentation: "value", Dynamic: "value", Variant: "exhaustive"}
	for v, n := range values {
		p.Entries = append(p.Entries, Entry{Key: v, Count: n, Called: "?", Parts: []Part{{Name: "line", Value: "3", Number: true}, {Name: "of", Value: "n of f"}, {Name: "value", Value: v}}})
		p.Total += n
	}
	return p
}

// The values of a site have their shares, the most frequent first and others last.
func TestValueSites(t *testing.T) {
	t.Parallel()
	p := valuesAt(map[string]uint64{"7": 60, Others: 30, "x": 10})
	p.Entries = append(p.Entries, Entry{Key: "static", Count: 5, Parts: []Part{{Name: "line", Value: "3"}, {Name: "of", Value: "n of f"}, {Name: "value", Value: "y"}}})
	sites := p.ValueSites()
	if len(sites) != 1 || sites[0].Events != 100 || len(sites[0].Values) != 3 || len(sites[0].Parts) != 2 || sites[0].Part("of") != "n of f" || sites[0].Part("value") != "" {
		t.Fatalf("%+v", sites)
	}
	for i, want := range []ValueSeen{{"7", Share{0.6, 0.6, 0.6}}, {"x", Share{0.1, 0.1, 0.1}}, {Others, Share{0.3, 0.3, 0.3}}} {
		if got := sites[0].Values[i]; got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	p.Variant, p.Interval, p.Samples, p.Checks = "auto", 10, 50, 500
	if top := p.ValueSites()[0].Values[0]; !(top.Low < 0.5 && top.High > 0.7) { // of 105 events in 50 samples
		t.Errorf("sampled: %+v", top)
	}
}

// What another profile does not tell apart is added up where that has others of the site, and nowhere else.
func TestBeside(t *testing.T) {
	t.Parallel()
	p := valuesAt(map[string]uint64{"7": 60, "8": 25, "9": 5, Others: 10})
	elsewhere := Entry{Key: "8 elsewhere", Count: 3, Called: "?", Parts: []Part{{Name: "line", Value: "4", Number: true}, {Name: "of", Value: "n of f"}, {Name: "value", Value: "8"}}}
	p.Entries = append(p.Entries, elsewhere)
	for _, c := range []struct {
		name  string
		other map[string]uint64
		want  map[string]uint64
	}{
		{"others", map[string]uint64{"7": 1, Others: 9}, map[string]uint64{"7": 60, Others: 40, elsewhere.Key: 3}},
		{"all are kept", map[string]uint64{"7": 1, "10": 1}, map[string]uint64{"7": 60, "8": 25, "9": 5, Others: 10, elsewhere.Key: 3}},
		{"nothing is kept", map[string]uint64{Others: 9}, map[string]uint64{Others: 100, elsewhere.Key: 3}},
		{"nothing is there", nil, map[string]uint64{"7": 60, "8": 25, "9": 5, Others: 10, elsewhere.Key: 3}},
	} {
		got := map[string]uint64{}
		for _, e := range p.Beside(valuesAt(c.other)).Entries {
			got[e.Key] += e.Count
		}
		if !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if len(p.Entries) != 5 {
		t.Errorf("it was changed itself: %v", p.Entries)
	}
}

// A capacity is proposed where it saves half of the growths and nine tenths of the slices fit into it.
func TestCapacity(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		growth map[int]uint64 // by the old capacity
		others uint64
		want   int
		saves  float64
	}{
		{"all end alike", map[int]uint64{0: 10, 1: 10, 2: 10, 4: 10}, 0, 8, 0.75},
		{"one in ten goes on", map[int]uint64{0: 100, 1: 100, 2: 100, 4: 10, 8: 10, 16: 10}, 0, 4, 200.0 / 330},
		{"one in five goes on", map[int]uint64{0: 100, 1: 100, 2: 100, 4: 20, 8: 20}, 0, 16, 240.0 / 340},
		{"they stay small", map[int]uint64{0: 100, 1: 5}, 0, 0, 0},
		{"none begins empty", map[int]uint64{4: 100, 8: 100}, 0, 0, 0},
		{"much is not known", map[int]uint64{0: 10, 1: 10, 2: 10, 4: 10}, 20, 0, 0},
		{"nothing grows", nil, 5, 0, 0},
	} {
		values := map[string]uint64{}
		for from, n := range c.growth {
			values[strconv.Itoa(from)] = n
		}
		if c.others > 0 {
			values[Others] = c.others
		}
		site := valuesAt(values).ValueSites()[0]
		got, saves, ok := site.Capacity()
		if !ok {
			got, saves = 0, 0
		}
		if got != c.want || ok != (c.want > 0) || saves-c.saves > 1e-9 || c.saves-saves > 1e-9 {
			t.Errorf("%s: %d saves %f, want %d and %f", c.name, got, saves, c.want, c.saves)
		}
	}
}
