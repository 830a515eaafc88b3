package core

import (
	"math"
	"testing"
)

func TestSpread(t *testing.T) {
	settings(t, nil)
	defer func() { dupinstBatches, dupinstTableSpread = 0, 0 }()
	p := pkg()
	dupinstLink(p)
	site := address(&counters[2])
	squares, seen := [len(counters)]float64{}, 0.0
	for batch := range uint64(50) {
		for i := range counters {
			x := batch * uint64(i) * 1_000_003
			counters[i] += x
			squares[i] += float64(x) * float64(x)
		}
		dupinstCallee(site, 0x1234, batch+1)
		seen += float64(batch+1) * float64(batch+1)
		dupinstTotal.samples++
		dupinstFold(true)
		dupinstFold(true) // without windows since
	}
	near := func(what string, root uint64, squares float64) {
		if want := math.Sqrt(squares); math.Abs(float64(root)-want) > 0.5+want*1e-12 {
			t.Errorf("%s: %d, want %f", what, root, want)
		}
	}
	for i := range counters {
		near("counter", dupinstSpreadAt(p.spread, uintptr(i)).dupinstRoot(), squares[i])
	}
	taken := dupinstSlotsTaken()
	if len(taken) != 1 || dupinstSlotAt(taken, 0).site != site {
		t.Fatalf("%d slots are taken, want the callee's", len(taken))
	}
	near("callee", dupinstSpreadAt(dupinstTableSpread, 0).dupinstRoot(), seen)

	w := dupinstSinks(nil)
	w.reset = true
	w.dupinstTake(&counters[2])
	w.dupinstSpread(dupinstSpreadAt(p.spread, 2))
	counters[2] += 5
	dupinstTotal.samples++
	dupinstFold(true)
	near("counter of a profile begun anew", dupinstSpreadAt(p.spread, 2).dupinstRoot(), 25)
}

// A windows' waiting time is exponentially distributed.
func TestExponential(t *testing.T) {
	const n, mean = 200_000, 1_000_000
	sum, squares, below := 0.0, 0.0, 0
	for i := range uint64(n) {
		x := float64(dupinstExponential(dupinstMix(i*0x9e3779b97f4a7c15+1), mean))
		sum += x
		squares += x * x
		if x < mean*math.Ln2 {
			below++
		}
	}
	if m := sum / n; math.Abs(m/mean-1) > 0.01 {
		t.Errorf("mean %g", m)
	}
	if m := squares / n; math.Abs(m/(2*mean*mean)-1) > 0.03 {
		t.Errorf("mean of squares %g", m)
	}
	if share := float64(below) / n; math.Abs(share-0.5) > 0.01 {
		t.Errorf("%g are below the median", share)
	}
}

func TestShare(t *testing.T) {
	for _, c := range []struct{ millionths, length, rate, of uint64 }{
		{10_000, 1_000_000, 10, 1_000_000},
		{25_000, 1_000_000, 25, 1_000_000},
		{10_000, 200_000, 50, 200_000},
		{500, 1_000_000, 1, 500_000},
		{1, 1_000_000, 1, 1_000},
		{1_000_000, 1_000, 100_000, 1_000},
	} {
		if rate, of := dupinstShare(c.millionths, c.length); rate != c.rate || of != c.of {
			t.Errorf("%d millionths: %d a second of %d ns, want %d of %d", c.millionths, rate, of, c.rate, c.of)
		}
	}
}
