package runtime

import (
	"fmt"
	"sync"
	"time"
)

// SetPhases has phases counted, and no samples taken, or neither. If that is a change, the profile begins anew,
// as for SetInterval, which ends it. The program has to be built for counters, by the compiler's back end.
func SetPhases(on bool) error {
	return alter(func(s *settings) error {
		switch {
		case s.phases == on:
			return nil
		case !linked.phasable():
			return fmt.Errorf("%w: phases need counters and the compiler's back end (dupinst -backend=compiler -trigger=counter)", ErrTrigger)
		}
		s.phases, s.interval, s.budget, s.shadows = on, 0, 0, 0
		return nil
	})
}

// Phase runs f, in a phase: where phases are counted (SetPhases, or DUPINST_PHASES), all that f does is, and all that the
// goroutines do that it starts, and those that they start, until it returns. Nothing else is. So a profile of phases is
// exact, and of what the program says: of one kind of request, say.
//
// What f leaves to goroutines that were there before is not counted. Up to 64 phases run at a time; another one is not
// counted, nor is one within another that runs, but as part of it. Where phases are not counted, Phase calls f alone.
//
//go:noinline
func Phase(f func()) {
	if number, outer := linked.phase(false); number != 0 {
		defer linked.end(number, outer)
	}
	f()
}

// PhaseAfter is Phase for what f does once it has taken so long: what is fast is not counted. A goroutine that
// executes nothing instrumented meanwhile notices when it has executed some 1,000 checks more.
//
//go:noinline
func PhaseAfter(d time.Duration, f func()) {
	if number, outer := linked.phase(true); number != 0 {
		var lock sync.Mutex // the phase's number may be another's once it has ended
		ended := false
		timer := time.AfterFunc(d, func() {
			lock.Lock()
			defer lock.Unlock()
			if !ended {
				linked.begin(number)
			}
		})
		defer func() {
			timer.Stop()
			lock.Lock()
			ended = true
			lock.Unlock()
			linked.end(number, outer)
		}()
	}
	f()
}
