package core

import "unsafe"

// A window is a stretch of time, so that code which probes slow down would be seen less than
// other code. So it stays open longer, by what its probes have taken: how many have run is the
// sum of all counters, and each takes about as long as any other.

// What a probe takes that counts, one that notes something, and what one takes more that sees a dynamic call, and those of a
// path, in 1024ths of a nanosecond (docs/triggers.md has how these were found). On Intel's processors, and AMD's later ones,
// to see a call is done meanwhile.
var (
	dupinstProbeTime uint64 = 614
	dupinstSeeTime   uint64 = 7 * 1024
	dupinstPathTime  uint64 = 7 * 614
)

// dupinstReferProbes is what a probe takes more that notes a reference, as so many that count.
const dupinstReferProbes = 2

var (
	dupinstFolds    uint32 // dupinstUngroup has run so often: sums before and after differ
	dupinstSeen     uint64 // dynamic calls that probes have seen
	dupinstReferred uint64 // references that probes have counted
	dupinstNoteTook uint64 // what probes took that noted something, in 1024ths of a nanosecond
	dupinstCleared  uint64 // events that one probe has counted together with others, or has noted

	// What the thread that closes windows knows: the sum of counters when the last one closed,
	// and when this one opened, and how often dupinstUngroup had run then.
	dupinstRuns, dupinstRunsBefore uint64
	dupinstNoteTookBefore          uint64
	dupinstRunsFolds               uint32
	dupinstRunsOf                  int64 // so many counters
)

// dupinstProbesBegin prepares for the next call of dupinstProbesTook. It reports whether
// that is to be called, for a window of so many nanoseconds: to add up many counters takes long.
func dupinstProbesBegin(length int64) bool {
	if folds := dupinstLoad32(&dupinstFolds); folds != dupinstRunsFolds || dupinstRunsOf == 0 {
		dupinstRunsFolds = folds
		dupinstRuns, dupinstRunsOf = dupinstProbeRuns()
	}
	dupinstRunsBefore, dupinstNoteTookBefore = dupinstRuns, dupinstLoad64(&dupinstNoteTook)
	return dupinstRunsOf*4 <= length
}

// dupinstProbesTook is the time that probes have taken since then, in nanoseconds.
func dupinstProbesTook() int64 {
	dupinstRuns, dupinstRunsOf = dupinstProbeRuns()
	if dupinstLoad32(&dupinstFolds) != dupinstRunsFolds {
		return 0
	}
	// A profile that begins anew makes it negative.
	return (max(int64(dupinstRuns-dupinstRunsBefore), 0)*int64(dupinstProbeTime) + int64(dupinstLoad64(&dupinstNoteTook)-dupinstNoteTookBefore)) >> 10
}

// dupinstProbeRuns is how often probes have counted, anything else that they did as so many as
// take as long, and the number of their counters.
func dupinstProbeRuns() (n uint64, of int64) {
	n = dupinstLoad64(&dupinstSeen)*(dupinstSeeTime/dupinstProbeTime) +
		dupinstLoad64(&dupinstReferred)*dupinstReferProbes +
		dupinstLoad64(&dupinstEnded)*(dupinstPathTime/dupinstProbeTime) -
		dupinstLoad64(&dupinstCleared)
	for at := dupinstLoad(&dupinstPackages); at != 0; {
		pkg := (*DupinstPackage)(dupinstPtr(at))
		n += dupinstTally(pkg.counts, pkg.N)
		of += int64(pkg.N)
		at = pkg.next
	}
	for at := dupinstGrouped; at != 0; {
		g := (*dupinstGroups)(dupinstPtr(at))
		n += dupinstTally(g.counters, g.n)
		of += int64(g.n)
		at = g.next
	}
	return n, of
}

// dupinstTally is the sum of n counters.
//
//go:norace
func dupinstTally(counters, n uintptr) (sum uint64) {
	for _, c := range unsafe.Slice((*uint64)(dupinstPtr(counters)), n) {
		sum += c
	}
	return sum
}
