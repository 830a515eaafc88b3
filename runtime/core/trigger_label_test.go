package core

import (
	"strings"
	"testing"
)

// A goroutine is in a phase as long as it has the label, and so is one that it starts meanwhile.
func TestLabelCounts(t *testing.T) {
	settings(t, map[string]string{"DUPINST_PHASES": ""})
	DupinstSetLabel("endpoint=/checkout")
	t.Cleanup(func() { DupinstSetLabel("") })
	if got := DupinstLabel(); got != "endpoint=/checkout" {
		t.Errorf("the label is %q", got)
	}
	labels := func(pairs ...string) *dupinstLabelSet {
		l := &dupinstLabelSet{}
		for i := 0; i < len(pairs); i += 2 {
			l.list = append(l.list, struct{ key, value string }{pairs[i], pairs[i+1]})
		}
		return l
	}
	before := dupinstTotal
	p := dupinstSelf()
	for _, other := range []*dupinstLabelSet{nil, labels(), labels("endpoint", "/other"), labels("endpoint", "/checkout/2", "end", "point=/checkout"), labels("/checkout", "endpoint")} {
		if p.dupinstRelabel(other); due(p, 10) != 0 {
			t.Errorf("%+v: a check begins a sample", other)
		}
	}
	p.dupinstRelabel(labels("a", "b", "endpoint", "/checkout"))
	p.dupinstRelabel(labels("a", "c", "endpoint", "/checkout")) // it goes on
	var child dupinstG
	dupinstBirth(&child, p)
	if n, m := due(p, 100), due(&child, 10); n != 100 || m != 10 {
		t.Errorf("%d of 100 checks begin a sample, and %d of 10 of what was started", n, m)
	}
	p.dupinstRelabel(nil)
	child.dupinstRelabel(labels("endpoint", "/other"))
	if n := due(p, 10*dupinstWake) + due(&child, 10*dupinstWake); n != 0 {
		t.Errorf("%d checks begin a sample without the label", n)
	}
	if total := dupinstTotal; total.phases != before.phases+1 || total.samples != before.samples+110 {
		t.Errorf("%+v, then %+v", before, total)
	}
	// What has it when they are switched off is in none any more.
	p.dupinstRelabel(labels("endpoint", "/checkout"))
	DupinstSetLabel("")
	if n := due(p, 10*dupinstWake); n != 0 {
		t.Errorf("%d checks begin a sample when phases are not counted", n)
	}
}

// What is no label is none.
func TestLabelRefuses(t *testing.T) {
	for text, want := range map[string]bool{
		"a=b": true, "a=": true, "a=b=c": true, "ab": false, "=b": false, "": false, "0.5/s": false,
		"a=" + strings.Repeat("b", 253): true, "a=" + strings.Repeat("b", 254): false,
	} {
		if got := dupinstSetLabel(text); got != want {
			t.Errorf("%.20q: %t", text, got)
		}
	}
}

func TestThousandths(t *testing.T) {
	for text, want := range map[string]uint64{
		"1/s": 1000, "0.25/s": 250, "0.001/s": 1, "1000/s": 1_000_000,
		"0/s": 0, "0.0001/s": 0, "1001/s": 0, "/s": 0, "1": 0, "-1/s": 0, "1/m": 0, "NaN/s": 0,
	} {
		if got, ok := dupinstThousandths(text); ok != (want > 0) || ok && got != want {
			t.Errorf("%q: %d, %t", text, got, ok)
		}
	}
}
