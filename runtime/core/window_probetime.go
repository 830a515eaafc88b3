package core

import "unsafe"

// A window is a stretch of time, so that code which probes slow down would be seen less than
// other code. So it stays open longer, by what its probes have taken, and entries of functions, which their stack checks
// lead to copies: how many probes have run is the sum of all counters, and each takes about as long as any other.

// What a probe takes that counts, an entry, and what a probe takes more that sees a dynamic call, and those of a
// path, in 1024ths of a nanosecond (docs/triggers.md has how these were found). On Intel's processors, and AMD's later ones,
// to see a call is done meanwhile. Where an entry is said to take nothing, what probes take was found with it.
var (
	dupinstProbeTime uint64 = 614
	dupinstEnterTime uint64
	dupinstSeeTime   uint64 = 7 * 1024
	dupinstPathTime  uint64 = 7 * 614
)

// dupinstEntered counts entries (compiler/pass/obj, entrance.go), on amd64.
//
//go:linkname dupinstEntered runtime.dupinstEntered
var dupinstEntered uint64

// dupinstReferProbes is what a probe takes more that notes a reference, as so many that count.
const dupinstReferProbes = 2

var (
	dupinstFolds    uint32 // dupinstUngroup has run so often: sums before and after differ
	dupinstSeen     uint64 // dynamic calls that probes have seen
	dupinstReferred uint64 // references that probes have counted
	dupinstNoteTook uint64 // what probes took that noted something, in 1024ths of a nanosecond
	dupinstCleared  uint64 // events that one probe has counted together with others, or has noted

	// What the thread that closes windows knows: the sum of counters when the last one closed, what probes had taken since the
	// program began when this one opened, and how often dupinstUngroup had run then.
	dupinstRuns, dupinstTookBefore uint64
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
	dupinstTookBefore = dupinstProbesTaken()
	return dupinstRunsOf*4 <= length
}

// dupinstProbesTook is the time that probes have taken since then, in nanoseconds.
func dupinstProbesTook() int64 {
	dupinstRuns, dupinstRunsOf = dupinstProbeRuns()
	if dupinstLoad32(&dupinstFolds) != dupinstRunsFolds {
		return 0
	}
	return max(int64(dupinstProbesTaken()-dupinstTookBefore), 0) >> 10 // a profile that begins anew makes it negative
}

// dupinstProbesTaken is what probes have taken, and entries, in 1024ths of a nanosecond, given the sum of counters.
func dupinstProbesTaken() uint64 {
	return dupinstRuns*dupinstProbeTime + dupinstLoad64(&dupinstEntered)*dupinstEnterTime + dupinstLoad64(&dupinstSeen)*dupinstSeeTime +
		dupinstLoad64(&dupinstEnded)*dupinstPathTime + dupinstLoad64(&dupinstNoteTook)
}

// dupinstProbeRuns is how often probes have counted, or have referred to something for as many as take as long, and the number
// of their counters.
func dupinstProbeRuns() (n uint64, of int64) {
	n = dupinstLoad64(&dupinstReferred)*dupinstReferProbes - dupinstLoad64(&dupinstCleared)
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
