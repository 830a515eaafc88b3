package runtime

import (
	"fmt"
	"slices"
	"strings"
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
			return errPhases
		}
		s.sample(0)
		s.phases, s.budget = on, 0
		return nil
	})
}

var errPhases = fmt.Errorf("%w: phases need counters and the compiler's back end (dupinst -backend=compiler -trigger=counter, without -apart)", ErrTrigger)

// SetPhasesEvery has phases by the clock: on average once in every such time, at a random moment, all goroutines are in one, for that
// long, and all that they do is counted; or ends that, if every is 0. The program stands still for a moment when one begins. If it is a
// change, the profile begins anew, as for SetInterval, which ends it. The program has to be built for counters, by the
// compiler's back end.
func SetPhasesEvery(every, length time.Duration) error {
	return alter(func(s *settings) error {
		switch {
		case every == 0 && s.period == 0:
			return nil
		case !linked.phasable():
			return errPhases
		case every != 0 && (every < MinPhaseEvery || every > MaxPhaseEvery || length < MinPhase || length > MaxPhase):
			return fmt.Errorf("dupinst: cannot begin a phase of %v every %v: it must be of %v to %v, every %v to %v", length, every, MinPhase, MaxPhase, MinPhaseEvery, MaxPhaseEvery)
		case s.burst > 1:
			return errBurstPhases
		}
		s.sample(0)
		s.budget = 0
		if s.period = every; every > 0 {
			s.phase = length
		}
		return nil
	})
}

var errBurstPhases = fmt.Errorf("%w: samples of several checks, and phases by the clock", ErrConflict)

// OnPhase has f called when a phase by the clock has begun, with true, and when it has ended, with false, in turn: by one goroutine, which
// stays, and so a moment later, and later yet where f or that of another call takes long. What f does is counted, too. Phases of the
// program's own, and by labels, begin where it says so, and need no telling. Stop ends it.
func OnPhase(f func(begun bool)) (stop func(), err error) {
	mu.Lock()
	defer mu.Unlock()
	if _, err := linked.state(); err != nil {
		return nil, err
	}
	if !linked.phasable() {
		return nil, errPhases
	}
	listener := &f
	listeners.lock.Lock()
	defer listeners.lock.Unlock()
	listeners.all = append(listeners.all, listener)
	listeners.once.Do(func() { go listeners.tell(linked.awaitPhase(never)) })
	return func() {
		listeners.lock.Lock()
		defer listeners.lock.Unlock()
		listeners.all = slices.DeleteFunc(slices.Clone(listeners.all), func(f *func(bool)) bool { return f == listener })
	}, nil
}

// listeners are who is to be told of phases.
var listeners phaseListeners

type phaseListeners struct {
	lock sync.Mutex
	all  []*func(begun bool) // which is not changed, but replaced
	once sync.Once
}

// never is another number of begins and ends than there ever are.
const never = ^uint64(0)

// tell tells of phases, and not of the first so many begins and ends.
func (l *phaseListeners) tell(told uint64) {
	for {
		for now := linked.awaitPhase(told); told != now; {
			told++
			l.lock.Lock()
			all := l.all
			l.lock.Unlock()
			for _, f := range all {
				(*f)(told%2 == 1)
			}
		}
	}
}

// SetPhasesOf has all counted that goroutines do which have a label of runtime/pprof's (pprof.Do), and those that they start, and no
// samples taken, or ends that where the key is "". Goroutines that have it already are noticed when they set a label again. If it is a
// change, the profile begins anew, as for SetInterval, which ends it. The program has to be built for counters, by the compiler's back end.
func SetPhasesOf(key, value string) error {
	return alter(func(s *settings) error {
		switch {
		case key == "" && s.label == "":
			return nil
		case !linked.phasable():
			return errPhases
		case strings.Contains(key, "=") || len(key)+len(value) > MaxLabel:
			return fmt.Errorf("dupinst: cannot have phases by the label %q: its key must have no =, and both together at most %d bytes", key, MaxLabel)
		}
		s.sample(0)
		if s.budget = 0; key != "" {
			s.label = key + "=" + value
		}
		return nil
	})
}

// MaxLabel is how long a key and its value may be that SetPhasesOf takes.
const MaxLabel = 254

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
