package core

// The governor keeps what sampling costs below a share of the processor time that
// the program uses. It raises the interval above the one that was set, by whole
// multiples, and lowers it again; a sample that ends an interval of so many times
// the one that was set weighs as much: that is what its events add to their
// counters. So estimates stay unbiased under any course of intervals (Horvitz and
// Thompson, JASA 1952: each event is weighed by the inverse of its chance to be seen).
//
// The cost is samples and events times what one of each takes. No clock is read for
// it, which would cost as much again: the two are multiples of a unit that is timed
// when the governor starts (docs/triggers.md has how they were found).

// Costs of a sample (the call, what the processor mispredicts, code that is not in
// its caches) and of an event, in units.
const (
	dupinstSampleUnits = 6
	dupinstEventUnits  = 1
)

// Settings and state that others read.
var (
	dupinstBudget uint64 // millionths of the processor time; 0: nothing governs
	dupinstMore   uint64 // the interval in force is 1+more times dupinstInterval
	dupinstMost   uint64 // the longest interval that has been in force
)

// dupinstUnit is nanoseconds, of an ordinary processor until it has been timed.
var dupinstUnit float64 = 8

// dupinstWary is the first interval under a budget, in what more is in: one that holds
// it even where a check runs in each nanosecond.
func dupinstWary(interval int64, budget uint64) uint64 {
	if budget == 0 || interval == 0 {
		return 0
	}
	const sample = dupinstSampleUnits + dupinstEventUnits
	return uint64(min(dupinstUnit*sample/float64(budget)*1e6, dupinstLongestInterval) / float64(interval))
}

// A dupinstGovernor is the governor's memory.
type dupinstGovernor struct {
	last dupinstTotals // when it looked last
	cpu  uint64
	// Sums that fade, so that what is decided rests on the last ten looks or so.
	samples, weights, cost, time float64
}

// dupinstFade is what a look leaves of the sums of those before.
const dupinstFade = 0.875

// dupinstAdjust sets the interval for what the program did since the last look, at
// which it had used cpu nanoseconds.
func (v *dupinstGovernor) dupinstAdjust(cpu uint64) {
	const idle = 1_000_000 // nanoseconds: too little to go by
	if cpu-v.cpu < idle {
		return
	}
	now := dupinstSum()
	samples := float64(now.samples - v.last.samples)
	cost := dupinstUnit * (samples*dupinstSampleUnits + float64(now.events-v.last.events)*dupinstEventUnits)
	dupinstXadd(&dupinstTotal.spent, uint64(cost))
	dupinstXadd(&dupinstTotal.time, cpu-v.cpu)
	v.samples = v.samples*dupinstFade + samples
	v.weights = v.weights*dupinstFade + samples + float64(now.weights-v.last.weights)
	v.cost = v.cost*dupinstFade + cost
	v.time = v.time*dupinstFade + float64(cpu-v.cpu)
	v.last, v.cpu = now, cpu
	v.dupinstDecide()
}

// dupinstDecide sets the interval at which as many checks in a nanosecond as there
// were lately cost the budget, if that is not about the one in force.
func (v *dupinstGovernor) dupinstDecide() {
	interval, budget := uint64(dupinstInterval), dupinstBudget
	if interval == 0 || budget == 0 {
		return
	}
	old := dupinstLoad64(&dupinstMore)
	more := old / 2 // no sample: the interval is too long to tell
	if v.samples >= 1 {
		times := v.weights / v.time * v.cost / v.samples / float64(budget) * 1e6
		more = uint64(max(0, min(times, float64(dupinstLongestInterval/interval))))
	}
	if more > old+old/8 || more < old-old/8 {
		dupinstStore64(&dupinstMore, more)
		dupinstXadd(&dupinstTotal.changes, 1)
		if longest := (1 + more) * interval; longest > dupinstLoad64(&dupinstMost) {
			dupinstStore64(&dupinstMost, longest)
		}
	}
}

// dupinstLongestInterval is the largest interval there may be, in checks.
const dupinstLongestInterval = 1 << 40

// dupinstCalibrate times the unit, the shortest of several attempts: an atomic
// addition and a pseudo-random number.
func dupinstCalibrate() {
	const rounds = 1000
	var scratch uint64
	var p dupinstG
	best := 0.0
	for range 20 {
		start := dupinstClock()
		for range rounds {
			dupinstXadd(&scratch, p.dupinstNext()&1)
		}
		if t := float64(dupinstClock()-start) / rounds; best == 0 || t < best {
			best = t
		}
	}
	dupinstUnit = best
}
