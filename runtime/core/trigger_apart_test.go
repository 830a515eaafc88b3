package core

import (
	"math"
	"strings"
	"testing"
)

const threeLanes = "calledge,./own/maps,value"

func TestClassify(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, wrong string
		lanes       []uint64 // of the classes
		of          []uint32
	}{
		{"value=10000:100", "", []uint64{0x0101, 0x010000}, []uint32{0, 0, 1}},
		{"value=2000,./own/maps=2000:1", "", []uint64{1, 0x010100}, []uint32{0, 1, 1}},
		{"value=1000", "", []uint64{0x010101}, []uint32{0, 0, 0}},
		{"value=off", "", []uint64{0x0101}, []uint32{0, 0, dupinstNoClass}},
		{"value=off,calledge=off,./own/maps=off", "nothing is left", nil, nil},
		{"values=off", "has to name", nil, nil},
		{"value", "has to name", nil, nil},
		{"calledge,value=off", "has to name", nil, nil},
		{"=off", "has to name", nil, nil},
		{",value=off", "has to name", nil, nil},
		{"value=off,value=1", "names one twice", nil, nil},
		{"value=0", "is off, or has", nil, nil},
		{"value=-1", "is off, or has", nil, nil},
		{"value=", "is off, or has", nil, nil},
		{"value=1:", "is off, or has", nil, nil},
		{"value=1:0", "is off, or has", nil, nil},
		{"value=5/s:2ms", "is off, or has", nil, nil},
		{"value=99999999999999999999", "is off, or has", nil, nil},
		{"value=100:100", "more checks in samples", nil, nil},
		{"value=2,./own/maps=2:2", "more checks in samples", nil, nil},
	} {
		var a dupinstApartness
		wrong := a.dupinstClassify(threeLanes, c.text, 1000, 1)
		if (wrong == "") != (c.wrong == "") || !strings.Contains(wrong, c.wrong) {
			t.Errorf("%s: %q, want %q", c.text, wrong, c.wrong)
		}
		if wrong != "" {
			continue
		}
		if int(a.n) != len(c.lanes) || a.lanes != 3 {
			t.Errorf("%s: %d classes of %d lanes, want %d of 3", c.text, a.n, a.lanes, len(c.lanes))
			continue
		}
		for i, lanes := range c.lanes {
			if a.classes[i].lanes != lanes {
				t.Errorf("%s: class %d has lanes %#x, want %#x", c.text, i, a.classes[i].lanes, lanes)
			}
		}
		for lane, class := range c.of {
			if a.of[lane] != class {
				t.Errorf("%s: lane %d is in class %d, want %d", c.text, lane, a.of[lane], class)
			}
		}
	}
}

// Each instrumentation is sampled at as many checks as if it were alone, whatever the others are, in goroutines that
// live long and in those that are born in the midst of what is sampled.
func TestApart(t *testing.T) {
	settings(t, map[string]string{"DUPINST_INTERVAL": "1000"})
	const text = "calledge=40,./own/maps=500:100,value=3000:30"
	want := []float64{1. / 40, 100. / 500, 30. / 3000}
	if wrong := dupinstApartNow.dupinstClassify(threeLanes, text, 1000, 1); wrong != "" {
		t.Fatal(wrong)
	}
	dupinstEventWeight = 0x010101
	t.Cleanup(func() {
		dupinstApartNow = dupinstApartness{}
		settings(t, nil)
	})
	for _, life := range []int{1_000_000, 1000, 50, 3} {
		var counted [3]float64
		checks := 0
		parent := &dupinstG{}
		before := dupinstTotal.classes
		for checks < 6_000_000 {
			var g dupinstG
			dupinstBirth(&g, parent)
			for range life {
				checks++
				if g.check() {
					for lane := range counted {
						counted[lane] += float64(g.weight >> (8 * lane) & 1)
					}
				}
			}
		}
		for lane, n := range counted {
			// Checks in one burst come together.
			bursts := n / float64(dupinstApartNow.classes[lane].lasts)
			if got := n / float64(checks); math.Abs(got/want[lane]-1) > 5/math.Sqrt(bursts) {
				t.Errorf("goroutines of %d checks: lane %d is sampled at %g of them, want %g", life, lane, got, want[lane])
			}
			if total := dupinstTotal.classes[lane].samples - before[lane].samples; float64(total) != n {
				t.Errorf("goroutines of %d checks: lane %d has %d samples, counted were %g", life, lane, total, n)
			}
		}
	}
}

func TestLaneBits(t *testing.T) {
	t.Parallel()
	for bits := range uint64(256) {
		weight := uint64(0)
		for lane := range 8 {
			weight |= bits >> lane & 1 << (8 * lane)
		}
		if got := dupinstLaneBits(weight); got != bits {
			t.Errorf("lanes %#x have bits %#x, want %#x", weight, got, bits)
		}
	}
}
