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

// Totals when the profile was last begun anew.
var dupinstBaseChecks, dupinstBaseSamples, dupinstBaseDropped uint64

// DupinstControl makes goroutines that are not sampled look again. It is called once,
// before any other function of this file.
func DupinstControl() {
	dupinstRest = dupinstWake
	dupinstPaused = dupinstInterval == 0
	dupinstWakeAll()
}

// DupinstSetInterval sets the checks between samples, 0 for none.
func DupinstSetInterval(n int64) {
	dupinstJitter = dupinstDeviation(n)
	dupinstInterval = n
	dupinstPaused = n == 0
}

// DupinstState is the interval and the totals since the profile was begun.
func DupinstState() (interval int64, checks, samples, dropped uint64) {
	return dupinstInterval,
		dupinstLoad64(&dupinstChecks) + dupinstPending() - dupinstBaseChecks,
		dupinstLoad64(&dupinstSamples) - dupinstBaseSamples,
		dupinstLoad64(&dupinstDropped) - dupinstBaseDropped
}

// DupinstWrite gives the profile to sink, piece by piece, and begins it anew if
// reset is set. One call at a time.
func DupinstWrite(sink func([]byte), reset bool) {
	w := &dupinstWriter{sink: sink, reset: reset}
	w.dupinstProfile()
}
