// Package runtime controls profiling from within the program that is profiled:
//
//	import dupinst "github.com/dupinst/dupinst/runtime"
//
// In a program that dupinst built, its functions set how often samples are taken,
// at any time, and read the profile. In one that was built plainly they do nothing
// and say so with ErrPlain, so that a program need not know how it was built.
//
// A program that imports this package takes no samples before it says so, unless
// the environment does (see dupinst help environment). Nothing is stopped for a
// change: it reaches a goroutine when the checks that it had left are used up; one
// that was not sampled notices after 65,536 checks at the latest.
//
// A profile has one interval, or its counts could not be compared with each other
// (Arnold and Ryder, PLDI 2001, §2.2: they are proportional to the truth). So each
// change of these settings begins a profile anew. What the old one had is written to
// DUPINST_DIR, if that is set; without it, it is gone, and a Snapshot has to be
// taken before.
package runtime

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// ErrPlain is the error of every function in a program that dupinst did not build.
var ErrPlain = errors.New("dupinst: the program was built without dupinst")

// ErrTrigger is wrapped by the error of a function that is for programs with another trigger.
var ErrTrigger = errors.New("dupinst: the program was built for another trigger")

// DefaultInterval is the interval that Start sets, in checks.
const DefaultInterval = 1000

// MaxInterval is the largest interval, in checks.
const MaxInterval = 1 << 40

// The bounds of what SetShadows takes.
const (
	MaxShadows = 100 // a second
	MinShadow  = 100 * time.Microsecond
	MaxShadow  = time.Second
)

// The bounds of what SetPhasesEvery takes.
const (
	MinPhaseEvery = time.Millisecond
	MaxPhaseEvery = 1000 * time.Second
	MinPhase      = 100 * time.Microsecond
	MaxPhase      = 10 * time.Second
)

// The bounds of what SetWindows takes.
const (
	MaxWindows = 100_000 // a second
	MinWindow  = time.Microsecond
	MaxWindow  = time.Second
)

// Totals are those of a profile since it was begun.
type Totals struct {
	Interval int64  // checks between samples, as they are now; 0: none are taken
	Checks   uint64 // executed
	Samples  uint64 // taken
	Dropped  uint64 // events lost because a table was full
	// Of a program that was built for windows: how many open in a second, for each processor
	// that runs, and how long each is. Then any Interval but 0 says that they do.
	Windows int
	Window  time.Duration
	// Whether phases are counted in the place of samples; those that began, those that did not,
	// for there were too many, and the time that those took which have ended, together.
	Phasing bool
	Label   string // by which goroutines are in phases, as key=value
	// Of phases by the clock, which are of all goroutines: the time from one to the next on average, 0 if there are none, and how
	// long each is or would be.
	PhasePeriod time.Duration
	PhaseLength time.Duration
	Phases      uint64
	Missed      uint64
	Phased      time.Duration
	Burst       int64 // checks that a sample lasts
	// Shadows a second, 0 if there are none, and how long each is or would be; those that began, and those that told nothing.
	Shadows int
	Shadow  time.Duration
	Forked  uint64
	Lost    uint64
	Apart   string // what SetApart has set
}

// mu orders changes and what is read.
var mu sync.Mutex

// Start takes samples from now on, every DefaultInterval checks, if none are taken.
func Start() error {
	return alter(func(s *settings) error {
		if s.interval == 0 {
			s.sample(DefaultInterval)
		}
		return nil
	})
}

// Stop takes no more samples.
func Stop() error { return SetInterval(0) }

// SetInterval takes samples every n checks of a goroutine, or none if n is 0. If that
// is a change, the profile begins anew; where the old one cannot be written, the
// interval is changed all the same, and the old one is gone.
func SetInterval(n int64) error {
	if n < 0 || n > MaxInterval {
		return fmt.Errorf("dupinst: cannot set the interval to %d: it must be from 0 to %d checks", n, int64(MaxInterval))
	}
	return alter(func(s *settings) error {
		s.sample(n)
		return nil
	})
}

// SetBurst has each sample last so many checks, across calls and iterations: a burst, as bursty tracing has it (HPS, 2005). So
// burst/interval is the share of what is executed that is counted, and what is counted is consecutive. If that is a change,
// the profile begins anew, as for SetInterval. The program has to be built for counters, and SetOverhead must not have set a
// limit: it knows what samples of one check cost.
func SetBurst(checks int64) error {
	if checks < 1 || checks > MaxInterval {
		return fmt.Errorf("dupinst: cannot let samples last %d checks: it must be from 1 to %d", checks, int64(MaxInterval))
	}
	return alter(func(s *settings) error {
		switch {
		case s.burst == checks:
		case !linked.burstable():
			return fmt.Errorf("%w: bursts need counters (dupinst -trigger=counter)", ErrTrigger)
		case s.budget > 0:
			return errBurst
		case s.period > 0:
			return errBurstPhases
		}
		s.burst = checks
		return nil
	})
}

// ErrConflict is wrapped by the error of a function that sets what another setting excludes.
var ErrConflict = errors.New("dupinst: settings exclude each other")

var errBurst = fmt.Errorf("%w: samples of several checks, and a limit to what samples cost", ErrConflict)

// SetOverhead lets samples cost at most that share of the processor time that the
// program uses, from 0 to 1, where 0 lets them cost what they do. Between the interval
// that is set and MaxInterval, the interval then follows what the program does; an
// event adds to its counter as many times the interval that is set as its sample's
// interval was, so that estimates stay unbiased. If that is a change, the profile
// begins anew, as for SetInterval; whether samples are taken does not change.
//
// Shadows are then as few as cost no more: their own processor time, and that for which the program stands still, but not what it takes longer by
// pages that have to be copied. Unless it is set, they cost 0.01 at most.
//
// Windows are then open for that share of the program's own time: they cost less in ordinary
// code, and up to four times as much where probes are dense, for as long as those take they
// stay open longer. By 0 they are as they would be without any setting.
func SetOverhead(share float64) error {
	if !(share >= 0 && share <= 1) {
		return fmt.Errorf("dupinst: cannot let samples cost %g of the processor time: it must be from 0 to 1", share)
	}
	budget := uint64(math.Ceil(share * 1e6))
	return alter(func(s *settings) error {
		switch {
		case s.length > 0:
			s.rate, s.length = linked.share(budget)
		case budget > 0 && linked.lanes() != "":
			return fmt.Errorf("%w: a limit to what samples cost, and instrumentations that are sampled apart (dupinst -apart)", ErrConflict)
		case budget > 0 && s.burst > 1:
			return errBurst
		case budget > 0 && s.period > 0:
			return fmt.Errorf("%w: phases by the clock, and a limit to what samples cost", ErrConflict)
		default:
			s.budget, s.shadowBudget = budget, budget
		}
		return nil
	})
}

// SetWindows opens n windows a second on each processor that runs, each of that length,
// whenever samples are taken: their product is the share of the time that is counted. If
// that is a change, the profile begins anew, as for SetInterval. The program has to be built
// with -trigger=window.
func SetWindows(n int, length time.Duration) error {
	return alter(func(s *settings) error {
		switch {
		case s.length == 0:
			return fmt.Errorf("%w: it has no windows (dupinst -trigger=window)", ErrTrigger)
		case n < 1 || n > MaxWindows || length < MinWindow || length > MaxWindow:
			return fmt.Errorf("dupinst: cannot open %d windows of %v a second: it must be from 1 to %d, of %v to %v", n, length, MaxWindows, MinWindow, MaxWindow)
		}
		s.rate, s.length = n, length
		return nil
	})
}

// SetApart has some instrumentations sampled otherwise than SetInterval and SetBurst, or SetWindows, have it of all:
//
//	SetApart("value=10000:100,calledge=off")
//
// has values sampled every 10,000 checks, for 100 checks each time, and no calls. In a program that was built for windows it is
// how many open in a second and how long each is, as value=5/s:2ms. Without a colon the latter is as of all. "" has all sampled alike.
// If that is a change, the profile begins anew, as for SetInterval. The program has to be built with -apart.
func SetApart(text string) error {
	return alter(func(s *settings) error {
		if linked.lanes() == "" {
			return fmt.Errorf("%w: its instrumentations are sampled together (dupinst -apart)", ErrTrigger)
		}
		s.apart = text
		return nil
	})
}

// ErrApart is wrapped by the error of a function that is to have instrumentations sampled as they cannot be.
var ErrApart = errors.New("dupinst: cannot sample instrumentations apart")

// apartFits reports whether the other settings let instrumentations be sampled apart.
func (s *settings) apartFits() error {
	often, lasts := uint64(s.interval), uint64(s.burst)
	switch {
	case s.apart == "":
		return nil
	case s.phases || s.label != "" || s.period > 0 || s.shadows > 0:
		return fmt.Errorf("%w: phases or shadows, which count everything, and instrumentations that are sampled apart", ErrConflict)
	case s.length > 0:
		often, lasts = uint64(s.rate), uint64(s.length)
	case s.interval == 0:
		often = DefaultInterval // as it is when samples begin
	}
	if wrong := linked.unfit(s.apart, often, lasts); wrong != "" {
		return fmt.Errorf("%w as %q: %s", ErrApart, s.apart, wrong)
	}
	return nil
}

// settings are what can be changed.
type settings struct {
	interval int64  // the shortest, in checks
	budget   uint64 // millionths of the processor time; 0: no limit
	// Windows, as Totals has them; the length is 0 where there are none.
	rate   int
	length time.Duration
	phases bool   // that the program names are counted; then the interval is 0
	label  string // likewise of goroutines that have it, as key=value
	// From one phase by the clock to the next, and how long each is; then the interval is 0.
	period, phase time.Duration
	burst         int64 // checks that a sample lasts
	// Forks a second that count, and how long each does; then the interval is 0.
	shadows      int
	shadow       time.Duration
	shadowBudget uint64 // millionths of the processor time; 0: no limit
	apart        string // how some instrumentations are sampled
}

// sample is by the interval alone, and so ends all else that counts.
func (s *settings) sample(interval int64) {
	s.interval, s.phases, s.label, s.period, s.shadows = interval, false, "", 0, 0
}

// alter makes the settings what to makes of them, if that is a change.
func alter(to func(*settings) error) error {
	mu.Lock()
	defer mu.Unlock()
	s, err := linked.state()
	if err != nil {
		return err
	}
	now := linked.settings()
	then := now
	if err := to(&then); err != nil || then == now {
		return err
	}
	if err := then.apartFits(); err != nil {
		return err
	}
	return change(s, then)
}

// change sets others, and begins the profile anew: what has been sampled so far is
// written while they are still known, and what is until the others are in force is in no profile.
func change(s Totals, to settings) error {
	var old bytes.Buffer
	linked.write(&old, true)
	linked.set(to)
	linked.write(io.Discard, true)
	dir := os.Getenv("DUPINST_DIR")
	if dir == "" || s.Samples == 0 {
		return nil
	}
	return save(dir, old.Bytes())
}

// save writes a profile to a file of its own, whole or not at all.
func save(dir string, text []byte) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("dupinst: cannot write a profile: %w", err)
	}
	f, err := os.CreateTemp(dir, "changed-*.tmp")
	if err != nil {
		return fmt.Errorf("dupinst: cannot write a profile: %w", err)
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Chmod(0o644) // as the other profiles
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, filepath.Base(f.Name())+".dupinst"))
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("dupinst: cannot write a profile: %w", err)
	}
	return nil
}

// Snapshot writes the profile so far, as a file that dupinst reads.
func Snapshot(w io.Writer) error {
	mu.Lock()
	defer mu.Unlock()
	if _, err := linked.state(); err != nil {
		return err
	}
	var b bytes.Buffer
	linked.write(&b, false)
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("dupinst: cannot write a snapshot: %w", err)
	}
	return nil
}

// Reset begins the profile anew. What it had is gone.
func Reset() error {
	mu.Lock()
	defer mu.Unlock()
	if _, err := linked.state(); err != nil {
		return err
	}
	linked.write(io.Discard, true)
	return nil
}

// Stats returns the totals of the profile so far.
func Stats() (Totals, error) {
	mu.Lock()
	defer mu.Unlock()
	return linked.state()
}

// A link is the way to the part of dupinst that is in the Go runtime, or to
// nothing. There is one for each build of this package: dupinst compiles another
// file in the place of plain.go.
type link interface {
	state() (Totals, error)
	settings() settings
	set(settings)
	share(millionths uint64) (rate int, length time.Duration) // of windows that are open for so much of the time
	write(w io.Writer, reset bool)
	shadowable() bool
	lanes() string // the instrumentations that can be sampled apart, with commas
	// unfit says what is wrong with a setting for some of them where all others are sampled so often, and for so long.
	unfit(apart string, often, lasts uint64) string
	phasable() bool
	burstable() bool
	// phase begins one, or prepares it; number is 0 where there is none, and outer what end is told as well.
	phase(awaits bool) (number, outer uint64)
	begin(number uint64)
	end(number, outer uint64)
	// awaitPhase waits until there have been other than so many begins and ends of phases by the clock.
	awaitPhase(told uint64) uint64
}
