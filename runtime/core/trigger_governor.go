package core

// The governor keeps what sampling costs below a share of the processor time that
// the program uses. It raises the interval above the one that was set, by whole
// multiples, and lowers it again; a sample that ends an interval of so many times
// the one that was set weighs as much: that is what its events add to their
// counters. So estimates stay unbiased under any course of intervals (Horvitz and
// Thompson, JASA 1952: each event is weighed by the inverse of its chance to be seen).
//
// The cost of samples is measured on one of thirty-two: the time that is spent in the
// functions of this package, by the processor's clock, which is read twice in each. To
// that comes, for what cannot be seen from there (mispredicted branches, duplicated code
// that is in no cache), a multiple of a unit that is timed when the governor starts;
// docs/triggers.md has how the multiple was found.

const (
	dupinstTimedOf     = 32 // one sample of as many is timed
	dupinstUnseenUnits = 4
	// A reading is ignored beyond so many ticks: the thread did something else.
	dupinstLongestTicks = 1 << 11
)

// Settings and state that others read.
var (
	dupinstBudget uint64 // millionths of the processor time; 0: nothing governs
	dupinstMore   uint64 // the interval in force is 1+more times dupinstInterval
	dupinstMost   uint64 // the longest interval that has been in force
)

// What calibration finds; of an ordinary processor until then.
var (
	dupinstUnit    float64 = 8   // nanoseconds
	dupinstPerTick float64 = 0.4 // nanoseconds
	dupinstPair    uint64        // ticks between two readings of the clock
)

// dupinstTimed ends the timing of the last sample, if it was timed, and begins that of
// the one that begins, if it is to be: then it returns the time.
//
//go:norace
func (p *dupinstG) dupinstTimed() (start uint64) {
	if dupinstBudget == 0 {
		return 0
	}
	p.dupinstEndTiming()
	if p.begun++; p.begun%dupinstTimedOf != 0 {
		return 0
	}
	p.timed = true
	return dupinstTicks()
}

// dupinstEndTiming adds what was timed to the totals.
//
//go:norace
func (p *dupinstG) dupinstEndTiming() {
	if p.timed {
		dupinstXadd(&dupinstTotal.timed, 1)
		dupinstXadd(&dupinstTotal.ticks, p.ticks)
		p.timed, p.ticks = false, 0
	}
}

// dupinstTook adds the time since start, unless that is 0, to what the sample took.
//
//go:norace
func (p *dupinstG) dupinstTook(start uint64) {
	if start == 0 {
		return
	}
	if t := dupinstTicks() - start; t < dupinstLongestTicks {
		p.ticks += t - min(t, dupinstPair)
	}
}

// dupinstCounting returns the time, if the sample is timed.
//
//go:norace
func (p *dupinstG) dupinstCounting() (start uint64) {
	if !p.timed {
		return 0
	}
	return dupinstTicks()
}

// dupinstWary is the first interval under a budget, in what dupinstMore is in: one that
// holds it even where a check runs in each nanosecond.
func dupinstWary(interval int64, budget uint64) uint64 {
	if budget == 0 || interval == 0 {
		return 0
	}
	const sample = 2 * dupinstUnseenUnits
	return uint64(min(dupinstUnit*sample/float64(budget)*1e6, dupinstLongestInterval) / float64(interval))
}

// A dupinstGovernor is the governor's memory.
type dupinstGovernor struct {
	last  dupinstTotals // when it looked last
	cpu   uint64
	clock int64 // when both clocks were looked at last
	ticks uint64
	took  float64 // nanoseconds that a sample takes in this package, lately
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
	if v.took == 0 {
		v.took = dupinstUnit * dupinstUnseenUnits
	}
	now := dupinstSum()
	samples := float64(now.samples - v.last.samples)
	if n := now.timed - v.last.timed; n > 0 {
		took := float64(now.ticks-v.last.ticks) / float64(n) * dupinstPerTick
		// The more samples were timed, the more they say.
		v.took += (took - v.took) * float64(n) / float64(n+8)
	}
	cost := samples * (v.took + dupinstUnit*dupinstUnseenUnits)
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

// dupinstCalibrate times the unit, an atomic addition and a pseudo-random number, and
// two readings of the clock, each as the shortest of several attempts.
func dupinstCalibrate() {
	const rounds = 1000
	var scratch uint64
	var p dupinstG
	unit, pair := 0.0, uint64(dupinstLongestTicks)
	for range 20 {
		start := dupinstClock()
		for range rounds {
			dupinstXadd(&scratch, p.dupinstNext()&1)
		}
		if t := float64(dupinstClock()-start) / rounds; unit == 0 || t < unit {
			unit = t
		}
		ticks := dupinstTicks()
		pair = min(pair, dupinstTicks()-ticks)
	}
	dupinstUnit, dupinstPair = unit, pair
}

// dupinstPace finds how long a tick is, from what both clocks say since the last look
// at them.
func (v *dupinstGovernor) dupinstPace() {
	clock, ticks := dupinstClock(), dupinstTicks()
	if v.clock > 0 && ticks > v.ticks {
		dupinstPerTick = float64(clock-v.clock) / float64(ticks-v.ticks)
	}
	v.clock, v.ticks = clock, ticks
}
