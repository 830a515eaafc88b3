package core

// Control while the program runs, for the public package (github.com/dupinst/dupinst/runtime).
// A change of the interval reaches a goroutine when its counter is spent, so
// nothing is stopped for it; one that is not sampled looks again after
// dupinstWake checks.

// dupinstWake is a count that is spent often enough for a change to be noticed, and
// rarely enough not to cost anything: one call of the runtime for as many checks.
const dupinstWake = 1 << 16

// dupinstPaused keeps a goroutine that looks again from counting what it passes.
var dupinstPaused bool

// dupinstBase are the totals when the profile was last begun anew.
var dupinstBase dupinstTotals

// DupinstControl makes goroutines that are not sampled look again. It is called once,
// before any other function of this file.
func DupinstControl() {
	dupinstPaused = dupinstInterval == 0
	if !dupinstByTimer {
		dupinstRest = min(dupinstRest, dupinstWake)
		dupinstWakeAll()
	}
	if dupinstWindowed {
		dupinstWindowInit()
	}
}

// DupinstSet sets the checks between samples, 0 for none, and the millionths of the
// processor time that they may cost, 0 for any cost.
func DupinstSet(interval int64, budget uint64) {
	if dupinstByTimer {
		interval = min(interval, 1) * dupinstTimer
	}
	dupinstJitter = dupinstDeviation(interval)
	more := dupinstWary(interval, budget)
	dupinstStore64(&dupinstMore, more)
	dupinstStore64(&dupinstMost, uint64(interval)*(1+more))
	dupinstInterval, dupinstBudget = interval, budget
	dupinstPaused = interval == 0
	dupinstReclassify()
	if dupinstWindowed {
		dupinstWindowSwitch()
	}
	if budget > 0 && interval > 0 {
		dupinstGoverned()
	}
}

// DupinstShadows are those a second, 0 for none, and how long one is, in nanoseconds; those since the profile was begun, and those of them
// that told nothing; and whether there can be any.
func DupinstShadows() (rate int, length int64, begun, lost uint64, can bool) {
	t := dupinstSince()
	return int(dupinstLoad64(&dupinstShadowRate)), dupinstShadowLength, t.shadows, t.lost, dupinstShadowable
}

// DupinstShadowBudget is the millionths of the processor time that shadows may cost, 0 for any cost.
func DupinstShadowBudget() uint64 { return dupinstShadowBudget }

// DupinstSetShadows sets them, and what they may cost.
func DupinstSetShadows(rate int, length int64, budget uint64) {
	oldRate, oldLength, _, _, can := DupinstShadows()
	if can && (oldRate != rate || oldLength != length || dupinstShadowBudget != budget) {
		dupinstLongestStop, dupinstShadowBudget = 0, budget
		dupinstShadowSwitch(uint64(rate), length)
	}
}

// DupinstPhaseClock is how many nanoseconds there are on average from one phase by the clock to the next, 0 where there are none,
// and how long each is.
func DupinstPhaseClock() (period, length int64) {
	return int64(dupinstLoad64(&dupinstPhasePeriod)), dupinstPhaseLength
}

// DupinstSetPhaseClock sets them.
func DupinstSetPhaseClock(period, length int64) {
	if oldPeriod, oldLength := DupinstPhaseClock(); oldPeriod != period || oldLength != length {
		dupinstLongestStop = 0
		dupinstClockSwitch(uint64(period), length)
	}
}

// DupinstSetBurst sets the checks that a sample lasts.
func DupinstSetBurst(checks int64) {
	dupinstBurstChecks = checks
	dupinstReclassify()
}

// DupinstBurst is how many checks a sample lasts, and whether that can be set.
func DupinstBurst() (checks int64, can bool) {
	return dupinstBurstChecks, !dupinstByTimer && !dupinstWindowed && !dupinstTrapping
}

// DupinstSettings are what DupinstSet has set, and the interval in force.
func DupinstSettings() (interval int64, budget uint64, now int64) {
	interval = dupinstInterval
	if dupinstLoad64(&dupinstPhasePeriod) > 0 {
		interval = 0 // but for the phase that may run
	}
	return interval, dupinstBudget, interval * int64(1+dupinstLoad64(&dupinstMore))
}

// DupinstWindows is how many windows open in a second on a processor that runs, and the
// nanoseconds that each is open, which are 0 where there are none.
func DupinstWindows() (rate int, length int64) {
	if !dupinstWindowed {
		return 0, 0
	}
	return int(dupinstWindowRate), int64(dupinstWindowLength)
}

// DupinstShare is DupinstWindows for windows that are open for as many millionths of the time.
func DupinstShare(millionths uint64) (rate int, length int64) {
	if millionths == 0 {
		return dupinstDefaultRate, dupinstDefaultLength
	}
	n, d := dupinstShare(millionths, dupinstWindowLength)
	return int(n), int64(d)
}

// DupinstSetWindows sets them.
func DupinstSetWindows(rate int, length int64) {
	if oldRate, oldLength := DupinstWindows(); oldRate == rate && oldLength == length {
		return
	}
	dupinstWindowRate, dupinstWindowLength, dupinstWindowAlways = uint64(rate), uint64(length), false
	dupinstReclassify()
	dupinstWindowInit()
}

// DupinstState is the totals since the profile was begun.
func DupinstState() (checks, samples, dropped uint64) {
	t := dupinstSince()
	return t.checks, t.samples, t.dropped
}

// dupinstSum is the totals since the program began.
func dupinstSum() dupinstTotals {
	t := &dupinstTotal
	time := dupinstLoad64(&t.time)
	if dupinstPaced() {
		time = dupinstCPU()
	}
	return dupinstTotals{
		checks:   dupinstLoad64(&t.checks),
		samples:  dupinstLoad64(&t.samples),
		dropped:  dupinstLoad64(&t.dropped),
		weights:  dupinstLoad64(&t.weights),
		squares:  dupinstLoad64(&t.squares),
		timed:    dupinstLoad64(&t.timed),
		ticks:    dupinstLoad64(&t.ticks),
		changes:  dupinstLoad64(&t.changes),
		spent:    dupinstLoad64(&t.spent),
		time:     time,
		late:     dupinstLoad64(&t.late),
		open:     dupinstLoad64(&t.open),
		busy:     dupinstBusy(),
		moved:    dupinstLoad64(&t.moved),
		frames:   dupinstLoad64(&t.frames),
		phases:   dupinstLoad64(&t.phases),
		missed:   dupinstLoad64(&t.missed),
		phased:   dupinstLoad64(&t.phased),
		shadows:  dupinstLoad64(&t.shadows),
		lost:     dupinstLoad64(&t.lost),
		shadowed: dupinstLoad64(&t.shadowed),
		stood:    dupinstLoad64(&t.stood),
		early:    dupinstLoad64(&t.early),
		rounds:   dupinstLoad64(&t.rounds),
		classes:  t.classes,
	}
}

// dupinstSince is the totals since the profile was begun.
func dupinstSince() dupinstTotals {
	t, b := dupinstSum(), &dupinstBase
	t.checks += dupinstPending() - b.checks
	t.samples -= b.samples
	t.dropped -= b.dropped
	t.weights -= b.weights
	t.squares -= b.squares
	t.changes -= b.changes
	t.spent -= b.spent
	t.time -= b.time
	t.late -= b.late
	t.open -= b.open
	t.busy -= b.busy
	t.moved -= b.moved
	t.frames -= b.frames
	t.phases -= b.phases
	t.missed -= b.missed
	t.phased -= b.phased
	t.shadows -= b.shadows
	t.lost -= b.lost
	t.shadowed -= b.shadowed
	t.stood -= b.stood
	t.early -= b.early
	t.rounds -= b.rounds
	for i := range t.classes {
		of, base := &t.classes[i], &b.classes[i]
		of.samples -= base.samples
		of.open -= base.open
		of.moved -= base.moved
		of.late -= base.late
	}
	return t
}

// dupinstAdvance begins the totals anew, of which t were written.
func (b *dupinstTotals) dupinstAdvance(t *dupinstTotals) {
	b.checks += t.checks
	b.samples += t.samples
	b.dropped += t.dropped
	b.weights += t.weights
	b.squares += t.squares
	b.changes += t.changes
	b.spent += t.spent
	b.time += t.time
	b.late += t.late
	b.open += t.open
	b.busy += t.busy
	b.moved += t.moved
	b.frames += t.frames
	b.phases += t.phases
	b.missed += t.missed
	b.phased += t.phased
	b.shadows += t.shadows
	b.lost += t.lost
	b.shadowed += t.shadowed
	b.stood += t.stood
	b.early += t.early
	b.rounds += t.rounds
	for i := range t.classes {
		base, of := &b.classes[i], &t.classes[i]
		base.samples += of.samples
		base.open += of.open
		base.moved += of.moved
		base.late += of.late
	}
}

// Switching by a signal, from DUPINST_SIGNAL.
var (
	dupinstSignal   uint32 // its number; 0: none
	dupinstOn       int64  // the interval when it is on
	dupinstSignals  uint32 // that have come
	dupinstSwitched uint32 // that have been acted upon
)

// dupinstSwitch acts upon signals: each starts or stops samples, and with them a
// profile in a file of its own. The periodic writer calls it.
func dupinstSwitch() {
	for dupinstSwitched != dupinstLoad32(&dupinstSignals) {
		dupinstSwitched++
		if dupinstInterval == 0 {
			t := dupinstSince() // checks of which nothing was sampled
			dupinstBase.dupinstAdvance(&t)
			DupinstSet(dupinstOn, dupinstBudget)
			continue
		}
		if dupinstDir != "" {
			dupinstSaveEnded()
		}
		DupinstSet(0, dupinstBudget)
	}
}

// dupinstSinks is a writer whose sink that is.
func dupinstSinks(sink func([]byte)) *dupinstWriter {
	return &dupinstWriter{buf: new(dupinstBuffer), sink: sink}
}

// DupinstWrite gives the profile to sink, piece by piece, and begins it anew if
// reset is set. One call at a time.
func DupinstWrite(sink func([]byte), reset bool) {
	w := dupinstSinks(sink)
	w.reset = reset
	w.dupinstProfile()
	if dupinstTrapping && reset && dupinstTrapsTable != 0 {
		dupinstStore32(&dupinstAnew, 1)
		dupinstLay()
	}
}
