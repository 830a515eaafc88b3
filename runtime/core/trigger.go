package core

// dupinstG is a goroutine's share of the framework. It lies in the runtime's g
// and is touched by its own goroutine only, but for its birth (dupinstBirth)
// and for the writer, which reads.
type dupinstG struct {
	ctr  int64 // checks left before the next sample; spent below zero
	load int64 // what ctr was last set to: load-ctr checks have run since
	// Of code that was duplicated in the compiler, which knows where these are: what an
	// event of the sample counts; the callee and the site of a call that it counts; room for
	// registers and the flags; on arm64, where to go on behind a routine; and the stack's true
	// guard, where a window has poisoned it. What is kept is dupinstSee's.
	weight       uint64
	callee, site uintptr
	scratch      [3]uintptr
	flags, back  uintptr
	guard        uintptr
	kept         [2]uintptr
	// Of paths: the sum of the one that is taken, where its function calls nothing; what sums have in
	// their upper half that began in the last window that led frames into copies; and that, or where
	// no window is open what no sum has that is counted.
	sum, window, begins uintptr
	rounds              [3]uintptr // likewise of loops, by how deep they lie
	across              uintptr    // what a path has come by in what was called (table_across.go)

	id   uint64 // place in the tree of go statements
	kids uint64 // goroutines started
	rng  uint64 // state of the phase and jitter generator
	// Under a governor (trigger_governor.go): what a sample weighs more than one at the
	// interval that was set, the one that runs or ran last and the next; the samples so
	// far, whether the time that this one takes is added up, and it.
	more, next uint64
	begun      uint64
	timed      bool
	ticks      uint64
	phase      uint64 // that it is in, or was (trigger_phase.go); 0: none
	since      int64  // when it got the label by which it is in one
	// Of a burst: the checks that its sample still lasts, and those then to the next one.
	lasts, rests int64
	led          uint64  // the number of the last window that led its frames into copies
	segment      uintptr // on a thread's own stack: by how far the area is away that it counts in (window_area.go)
	segmentOf    uint64  // and the thread of which that is known
	called       uint64  // the system call that it did not return from before a shadow was made (trigger_shadow.go)
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
	// dupinstBurstChecks is how many checks a sample lasts: more than one are a burst (HPS, 2005, §3.1; Hirzel and
	// Chilimbi, FDDO 2001), across calls and iterations.
	dupinstBurstChecks int64 = 1
)

// dupinstTimer is the time between samples that a timer begins, in nanoseconds.
var dupinstTimer int64

// Windows (window_linux.go): for each processor a second, and their length in
// nanoseconds.
var (
	dupinstWindowRate   uint64
	dupinstWindowLength uint64
	dupinstWindowAlways bool // all is one window
)

// dupinstTotals are over all goroutines; what is not yet folded in is in these.
type dupinstTotals struct {
	checks  uint64
	samples uint64
	dropped uint64 // events that found the dynamic table full
	weights uint64 // of samples, and the sum of their squares, both beyond 1
	squares uint64
	timed   uint64 // samples whose time was added up
	ticks   uint64 // of the processor's clock, that it was
	changes uint64 // of the interval, made by the governor
	spent   uint64 // nanoseconds that samples took, as it reckons
	time    uint64 // nanoseconds of processor time that it has seen
	// Of windows, of which each is a sample: those that no thread came by for, nanoseconds
	// that they were open, and those of processor time.
	late, open, busy uint64
	moved, frames    uint64 // program counters and return addresses that were set to twins
	// Phases that began, those that did not for there were too many, and nanoseconds that they lasted.
	phases, missed, phased uint64
	// Shadows that began and those that told nothing, nanoseconds of processor time that the others had, and nanoseconds that the program stood
	// still for them, together.
	shadows, lost, shadowed, stood uint64
	early                          uint64 // shadows that ended before their time
	rounds                         uint64 // that have ended
	classes                        [dupinstMostLanes]dupinstClassTotals
}

var dupinstTotal dupinstTotals

// dupinstMix is the finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
func dupinstMix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// dupinstNext returns the goroutine's next pseudo-random number.
//
//go:norace
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
	if n := child.dupinstRun(); n != 0 {
		dupinstXadd(&dupinstTotal.checks, n)
	}
	child.dupinstEndTiming()
	*child = dupinstG{}
	if parent != nil {
		parent.kids++
		child.id = dupinstMix(parent.id + parent.kids*0x9e3779b97f4a7c15)
		child.begun = child.id // so that goroutines of a few samples are timed as often
		if parent.phase != 0 && dupinstLasts(parent.phase) {
			child.phase = parent.phase
		}
	}
	child.dupinstFirst()
}

// dupinstRun is the number of checks since the counter was set.
func (p *dupinstG) dupinstRun() uint64 {
	n := p.load - p.ctr
	if dupinstByTimer && n >= dupinstNever {
		n -= dupinstNever // a tick has come, and no check since
	}
	return uint64(n)
}

// dupinstFirst sets the count at which a goroutine starts.
//
//go:norace
func (p *dupinstG) dupinstFirst() {
	p.ctr, p.weight = dupinstRest, dupinstEventWeight
	if interval := dupinstInterval; interval > 0 && !dupinstByTimer { // which may change at any time
		p.rng = dupinstMix(dupinstSeed^p.id) | 1
		if dupinstApartly() {
			p.dupinstFirstApart(&dupinstApartNow)
		} else {
			p.dupinstFirstAlike(interval)
		}
	}
	if p.phase != 0 {
		p.ctr = 0 // and then see what it does
	}
	p.load = p.ctr
	if dupinstWindowed {
		p.weight = 0
	}
}

// dupinstFirstAlike sets it where all instrumentations are sampled alike.
//
//go:norace
func (p *dupinstG) dupinstFirstAlike(interval int64) {
	p.next = dupinstLoad64(&dupinstMore)
	p.ctr = int64(p.dupinstNext() % (uint64(interval) * (1 + p.next)))
	if burst := dupinstBurstChecks; burst > 1 { // it may be born in the midst of one
		if p.lasts = 0; p.ctr < burst {
			p.ctr, p.lasts, p.rests = 0, p.ctr+1, max(interval-burst, 0)
		} else {
			p.ctr -= burst - 1
		}
	}
}

// dupinstTrigger begins a sample: p's counter is below zero. It sets the counter
// for the next one. That a spent counter always means a sample keeps the way back
// from here to the checking code out of it, and with it the saving of registers.
// The first check of a goroutine that C code started, which had no birth, is one.
//
//go:norace
func dupinstTrigger(p *dupinstG) {
	dupinstBegin()
	p.dupinstFresh()
	if p.phase != 0 && p.dupinstInPhase() {
		return
	}
	start := p.dupinstTimed()
	dupinstXadd(&dupinstTotal.checks, p.dupinstRun())
	interval := dupinstInterval // which may change at any time
	if interval == 0 {
		p.load, p.ctr, p.weight, p.lasts = dupinstRest, dupinstRest, 0, 0
		return
	}
	dupinstXadd(&dupinstTotal.samples, 1)
	if dupinstShadowable && dupinstLoad32(&dupinstInShadow) != 0 {
		dupinstFarEnough()
	}
	if p.lasts > 0 {
		if p.lasts--; p.lasts == 0 {
			p.ctr = p.rests
		} else {
			p.ctr = 0
		}
		p.load = p.ctr
		if dupinstApartly() {
			dupinstApartNow.dupinstGoesOn(p.weight)
		}
		return
	}
	if dupinstApartly() {
		p.dupinstSampleApart(&dupinstApartNow)
		return
	}
	if dupinstByTimer {
		p.load, p.ctr, p.weight = dupinstNever, dupinstNever, dupinstEventWeight
		return
	}
	p.dupinstWeigh()
	times := int64(1 + p.next)
	n := interval*times - 1
	if jitter := min(dupinstJitter*times, n); jitter > 0 {
		if p.rng == 0 { // born when no samples were taken
			p.rng = dupinstMix(dupinstSeed^p.id) | 1
		}
		n += int64(p.dupinstNext()%uint64(2*jitter+1)) - jitter
	}
	if burst := min(dupinstBurstChecks-1, n); burst > 0 {
		p.lasts, p.rests, n = burst, n-burst, 0
	}
	p.load, p.ctr = n, n
	p.dupinstTook(start)
}

// dupinstWeigh gives the sample that begins the weight that was due, and draws that
// of the next.
//
//go:norace
func (p *dupinstG) dupinstWeigh() {
	p.more, p.next = p.next, dupinstLoad64(&dupinstMore)
	p.weight = dupinstEventWeight + p.more // which is 0 where there are lanes
	if m := p.more; m > 0 {
		dupinstXadd(&dupinstTotal.weights, m)
		dupinstXadd(&dupinstTotal.squares, m*(m+2))
	}
}
