package core

// dupinstG is a goroutine's share of the framework. It lies in the runtime's g
// and is touched by its own goroutine only, but for its birth (dupinstBirth)
// and for the writer, which reads.
type dupinstG struct {
	ctr  int64  // checks left before the next sample; spent below zero
	load int64  // what ctr was last set to: load-ctr checks have run since
	id   uint64 // place in the tree of go statements
	kids uint64 // goroutines started
	rng  uint64 // state of the phase and jitter generator
}

// dupinstNever is the count of a goroutine that is not sampled, and never will be.
const dupinstNever = 1 << 62

// dupinstRest is the count of a goroutine that is not sampled: after as many
// checks it looks again whether it is to be.
var dupinstRest int64 = dupinstNever

// Settings, read from the environment before any of the program's code runs.
var (
	dupinstInterval int64  // checks between samples; 0 never samples
	dupinstJitter   int64  // largest deviation from the interval, in checks
	dupinstJitterM  int64  // the same as asked for, in millionths of the interval
	dupinstSeed     uint64 // seeds phases and jitter
)

// Totals over all goroutines; checks not yet folded in are in the goroutines.
var (
	dupinstChecks  uint64
	dupinstSamples uint64
)

// dupinstMix is the finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
func dupinstMix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// dupinstNext returns the goroutine's next pseudo-random number.
func (p *dupinstG) dupinstNext() uint64 {
	p.rng += 0x9e3779b97f4a7c15
	return dupinstMix(p.rng)
}

// dupinstBirth makes child the state of a new goroutine started by parent's, or
// by the runtime itself if that is nil: when the collector, say, starts a
// worker depends on the scheduler, and must not change the places of others.
// The descriptor may have served an earlier goroutine, whose checks are folded
// into the total here.
func dupinstBirth(child, parent *dupinstG) {
	if n := child.load - child.ctr; n != 0 {
		dupinstXadd(&dupinstChecks, uint64(n))
	}
	*child = dupinstG{}
	if parent != nil {
		parent.kids++
		child.id = dupinstMix(parent.id + parent.kids*0x9e3779b97f4a7c15)
	}
	child.dupinstPhase()
}

// dupinstPhase sets the count at which a goroutine starts.
func (p *dupinstG) dupinstPhase() {
	p.ctr = dupinstRest
	if interval := dupinstInterval; interval > 0 {
		p.rng = dupinstMix(dupinstSeed^p.id) | 1
		p.ctr = int64(p.dupinstNext() % uint64(interval))
	}
	p.load = p.ctr
}

// dupinstTrigger begins a sample: p's counter is below zero. It sets the counter
// for the next one. That a spent counter always means a sample keeps the way back
// from here to the checking code out of it, and with it the saving of registers.
// The first check of a goroutine that C code started, which had no birth, is one.
func dupinstTrigger(p *dupinstG) {
	dupinstXadd(&dupinstChecks, uint64(p.load-p.ctr))
	interval := dupinstInterval // which may change at any time
	if interval == 0 {
		p.load, p.ctr = dupinstRest, dupinstRest
		return
	}
	dupinstXadd(&dupinstSamples, 1)
	n := interval - 1
	if jitter := min(dupinstJitter, n); jitter > 0 {
		if p.rng == 0 { // born when no samples were taken
			p.rng = dupinstMix(dupinstSeed^p.id) | 1
		}
		n += int64(p.dupinstNext()%uint64(2*jitter+1)) - jitter
	}
	p.load, p.ctr = n, n
}
