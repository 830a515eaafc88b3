package core

import (
	"math"
	"testing"
)

// A program of two kinds of code, one with ten times as many checks in a nanosecond as
// the other, that it runs in turns: the governor must hold its budget, and what it
// counted must stand for what ran.
func TestGovernor(t *testing.T) {
	for _, c := range []struct {
		budget string
		seed   string
	}{{"0.1%", "1"}, {"0.5%", "2"}, {"2%", "3"}, {"100%", "4"}} {
		settings(t, map[string]string{"DUPINST_INTERVAL": "100", "DUPINST_OVERHEAD": c.budget, "DUPINST_SEED": c.seed})
		dupinstUnit, dupinstPerTick, dupinstPair = 10, 0.5, 0
		var v dupinstGovernor
		ticks, clock := uint64(0), dupinstTicks
		dupinstTicks = func() uint64 { ticks += 80; return ticks } // a sample takes 40 ns, and the rest
		const sample = 40 + 10*dupinstUnseenUnits
		var p dupinstG
		p.dupinstFirst()
		var ran, counted [2]uint64
		now, look := 0.0, 0.0
		for turn := range 60 {
			kind := turn % 2
			cost := []float64{1, 10}[kind] // nanoseconds from one check to the next
			for end := now + 37e6; now < end; {
				if now >= look {
					v.dupinstAdjust(uint64(now))
					look += 10e6
				}
				// Everything up to the next sample at once, but no further than the turn or the look.
				n := int64(min(end-now, look-now)/cost) + 1
				n = min(n, p.ctr+1)
				ran[kind] += uint64(n)
				now += float64(n) * cost
				p.ctr -= n
				if p.ctr < 0 {
					dupinstTrigger(&p)
					counted[kind] += 1 + p.more
					now += sample
				}
			}
		}
		dupinstTicks = clock
		total := dupinstSum()
		cost := float64(total.samples) * sample / now
		budget := float64(dupinstBudget) / 1e6
		if c.budget != "100%" && (cost > 1.3*budget || cost < budget/1.3) {
			t.Errorf("%s: samples cost %.3f%%", c.budget, 100*cost)
		}
		if said := float64(total.spent) / float64(total.time); math.Abs(said-cost) > cost/10 {
			t.Errorf("%s: they cost %.3f%%, and the governor says %.3f%%", c.budget, 100*cost, 100*said)
		}
		if c.budget == "100%" && (dupinstMore != 0 || total.weights > total.samples/50) {
			t.Errorf("interval raised by %d, weights %d with a budget that cannot be reached", dupinstMore, total.weights)
		}
		scale := float64(ran[0]+ran[1]) / float64(total.samples+total.weights)
		for kind, n := range counted {
			// What was counted has the variance of a sum of weights.
			mean := float64(total.samples+total.squares) / float64(total.samples+total.weights)
			deviation := math.Sqrt(float64(n) * mean)
			if want := float64(ran[kind]) / scale; math.Abs(float64(n)-want) > 5*deviation {
				t.Errorf("%s: %d counted of kind %d, want %.0f ± %.0f", c.budget, n, kind, want, deviation)
			}
		}
	}
}

func TestPercent(t *testing.T) {
	for text, want := range map[string]uint64{"0.5%": 5000, "100%": 1_000_000, "0.0001%": 1, "3%": 30_000} {
		if n, ok := dupinstPercent(text); !ok || n != want {
			t.Errorf("%s: %d, %t", text, n, ok)
		}
	}
	for _, text := range []string{"0.5", "0%", "101%", "%", "x%", "-1%", "0.00001%"} {
		if n, ok := dupinstPercent(text); ok {
			t.Errorf("%s was read as %d", text, n)
		}
	}
}
