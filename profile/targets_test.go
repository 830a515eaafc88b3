package profile

import "testing"

// A site's targets have their shares of its calls, with intervals where samples were taken.
func TestSites(t *testing.T) {
	t.Parallel()
	entry := func(op, line, callee, called string, n uint64) Entry {
		return Entry{Key: line + op + callee, Count: n, Called: called, Parts: []Part{
			{Name: "caller", Value: "p.f"}, {Name: "file", Value: "f.go"}, {Name: "line", Value: line, Number: true},
			{Name: "col", Value: "1", Number: true}, {Name: "op", Value: op}, {Name: "callee", Value: callee},
		}}
	}
	p := &Profile{Instrumentation: "calledge", Variant: "auto", Interval: 10, Checks: 10_000, Samples: 1000, Total: 330, Entries: []Entry{
		entry("call", "1", "p.a", "", 200), entry("call", "2", "p.b", "p.I.M", 30), entry("call", "2", "p.c", "p.I.M", 90), entry("go", "3", "p.d", "?", 10),
	}}
	sites := p.Sites()
	if len(sites) != 1 || sites[0].Calls != 1200 || sites[0].Line != "2" || sites[0].Called != "p.I.M" || len(sites[0].Targets) != 2 {
		t.Fatalf("%+v", sites)
	}
	most := sites[0].Targets[0]
	if most.Callee != "p.c" || most.N != 0.75 || !(most.Low > 0.66 && most.Low < 0.67 && most.High > 0.81 && most.High < 0.82) { // Wilson's of 90 in 120
		t.Errorf("%+v", most)
	}
	p.Variant, p.Interval = "exhaustive", 0
	if most := p.Sites()[0].Targets[0]; most.Low != 0.75 || most.High != 0.75 || p.Sites()[0].Calls != 120 {
		t.Errorf("exhaustive: %+v", p.Sites())
	}
}
