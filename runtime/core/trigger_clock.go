//go:build dupinst_runtime

package core

// Phases by the clock: now and then all goroutines are in one, for some milliseconds, and those that they start meanwhile
// (Instant Profiling, CGO 2013). The world is stopped for as long as it takes to
// have every goroutine's next check begin a sample; at the end each notices at its next check. A goroutine
// that was stopped where a register had its counter is not reached by that, and looks by itself after
// dupinstGlance checks.

// dupinstByClock is what the thread that says when, and the goroutine that stops the world, have in common.
var dupinstByClock dupinstClocked

type dupinstClocked struct {
	lock   mutex
	g      *g
	waits  bool // the goroutine, for its thread
	begun  note
	sleeps bool // the thread, until the next is due
	woken  note
	round  uint64 // of settings
	wanted uint64 // the round that the goroutine is to begin one of
	at     int64  // when the last began
	runs   bool   // it did
	there  bool   // both have been started

	told   uint64   // begins and ends of phases: it is odd while one runs
	awaits guintptr // who waits to be told
}

// dupinstClockInit starts what begins phases.
func dupinstClockInit() {
	f := &dupinstByClock
	lock(&f.lock)
	started := f.there
	f.there = true
	unlock(&f.lock)
	if !started {
		go dupinstPhaser()
		systemstack(func() { newm(dupinstPhaseClock, nil, -1) })
	}
}

// dupinstClockSwitch has phases by the clock from now on, on average one in as many nanoseconds, or none. What the one that
// runs has counted is no profile's.
func dupinstClockSwitch(period uint64, length int64) {
	f := &dupinstByClock
	lock(&f.lock)
	f.round++
	if f.told%2 == 1 {
		f.dupinstTell()
	}
	dupinstStore64(&dupinstPhasePeriod, period)
	dupinstPhaseLength = length
	if f.sleeps {
		f.sleeps = false
		notewakeup(&f.woken)
	}
	unlock(&f.lock)
	if period > 0 {
		dupinstRest = dupinstGlance
		dupinstClockInit()
	}
}

// dupinstPhaser begins a phase whenever it is woken.
func dupinstPhaser() {
	f := &dupinstByClock
	f.g = getg()
	for {
		lock(&f.lock)
		f.waits = true
		goparkunlock(&f.lock, waitReasonForceGCIdle, traceBlockSystemGoroutine, 1)
		world := stopTheWorld(stwUnknown)
		if f.runs = f.round == f.wanted; f.runs { // whoever changes that is stopped, or has changed it
			forEachGRace(func(gp *g) {
				p := &gp.dupinst
				dupinstXadd(&dupinstTotal.checks, p.dupinstRun())
				p.dupinstFresh()
				p.load, p.ctr, p.lasts = 0, 0, 0
			})
			dupinstInterval = 1
		}
		f.at = nanotime()
		stood := uint64(f.at - world.startedStopping)
		startTheWorld(world)
		if f.runs {
			dupinstXadd(&dupinstTotal.stood, stood)
			dupinstLongestStop = max(dupinstLongestStop, stood)
			lock(&f.lock)
			if f.round == f.wanted {
				f.dupinstTell()
			}
			unlock(&f.lock)
		}
		notewakeup(&f.begun)
	}
}

// dupinstPhaseClock is a thread that has phases begin, at the events of a Poisson process, while something runs, and ends them.
//
//go:nowritebarrierrec
func dupinstPhaseClock() {
	dupinstApart()
	f := &dupinstByClock
	random := dupinstMix(uint64(nanotime()) ^ dupinstSeed)
	for {
		random = dupinstMix(random + 0x9e3779b97f4a7c15)
		lock(&f.lock)
		round, length := f.round, dupinstPhaseLength
		left := int64(-1)
		if period := dupinstPhasePeriod; period > 0 {
			left = int64(dupinstExponential(random, period))
		}
		f.sleeps = true
		noteclear(&f.woken)
		unlock(&f.lock)
		notetsleep(&f.woken, left)
		lock(&f.lock)
		f.sleeps = false
		if f.round != round || !f.waits || sched.npidle.Load() == gomaxprocs {
			unlock(&f.lock)
			continue
		}
		f.waits, f.wanted = false, round
		noteclear(&f.begun)
		var list gList
		list.push(f.g)
		injectglist(&list)
		unlock(&f.lock)
		notesleep(&f.begun)
		if f.runs {
			dupinstNap(f.at + length - nanotime())
			f.dupinstEnd(round)
		}
	}
}

// dupinstEnd ends the phase, unless settings have changed and it is of no profile.
//
//go:nowritebarrierrec
func (f *dupinstClocked) dupinstEnd(round uint64) {
	lock(&f.lock)
	if f.round == round {
		dupinstInterval = 0
		dupinstXadd(&dupinstTotal.phases, 1)
		dupinstXadd(&dupinstTotal.phased, uint64(nanotime()-f.at))
		f.dupinstTell()
	}
	unlock(&f.lock)
}

// dupinstTell tells of a begin or an end. The caller holds the lock.
//
//go:nowritebarrierrec
func (f *dupinstClocked) dupinstTell() {
	f.told++
	if f.awaits != 0 {
		var list gList
		list.push(f.awaits.ptr())
		f.awaits = 0
		injectglist(&list)
	}
}

// DupinstAwaitPhase waits until there have been other than so many begins and ends of phases by the clock, and returns how many. One
// goroutine may wait.
func DupinstAwaitPhase(told uint64) uint64 {
	f := &dupinstByClock
	lock(&f.lock)
	for f.told == told {
		f.awaits.set(getg())
		goparkunlock(&f.lock, waitReasonSleep, traceBlockGeneric, 1)
		lock(&f.lock)
	}
	told = f.told
	unlock(&f.lock)
	return told
}
