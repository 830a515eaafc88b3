// Package flight keeps the last seconds of a program's profile in memory, for when it is known afterwards alone that
// they were worth looking at: a request that took too long, a queue that ran full. It is to what dupinst counts what
// runtime/trace.FlightRecorder is to traces.
//
//	recorder := &flight.Recorder{Span: 30 * time.Second}
//	go recorder.Run(ctx)
//	…
//	if slow {
//		recorder.Save("slow")	// dupinst report slow
//	}
//
// What a program counts it counts from its start, so that the last seconds are the difference of two snapshots. The
// recorder takes one every tenth of the span, of what the settings have counted: samples, windows or phases.
package flight

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/dupinst/dupinst/profile"
	"github.com/dupinst/dupinst/profile/format"
	"github.com/dupinst/dupinst/runtime"
)

// parts is how many snapshots a span has.
const parts = 10

// ErrEmpty is the error where nothing has been recorded yet.
var ErrEmpty = errors.New("dupinst: the flight recorder has no snapshot before this one")

// A Recorder keeps the profile of the last Span, and at most a tenth more. Its methods may be called at once.
type Recorder struct {
	Span time.Duration // a second at least
	// When, if it is set, is asked at each snapshot whether to Save the profile in Dir, once a span at most.
	When func() bool
	Dir  string

	lock    sync.Mutex
	moments []moment
	saved   time.Time // by When
}

type moment struct {
	at time.Time
	p  *format.Process
}

// Run records until ctx is done, which is its error then. Others are of a span that is too short, of a program that
// dupinst did not build, and of what When could not save.
func (r *Recorder) Run(ctx context.Context) error {
	if r.Span < time.Second {
		return fmt.Errorf("dupinst: cannot record the last %v: it must be a second at least", r.Span)
	}
	tick := time.NewTicker(r.Span / parts)
	defer tick.Stop()
	for {
		if err := r.record(time.Now()); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

func (r *Recorder) record(now time.Time) error {
	if err := r.take(now); err != nil {
		return err
	}
	if r.When == nil || now.Sub(r.saved) < r.Span || !r.When() {
		return nil
	}
	_, err := r.Save(r.Dir)
	switch {
	case errors.Is(err, ErrEmpty):
		return nil
	case err != nil:
		return err
	}
	r.saved = now
	return nil
}

// take adds a snapshot, and drops those that are older than need be.
func (r *Recorder) take(now time.Time) error {
	p, err := snapshot()
	if err != nil {
		return err
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	if n := len(r.moments); n > 0 {
		share(p, r.moments[n-1].p)
	}
	r.moments = append(r.moments, moment{now, p})
	for len(r.moments) > 2 && now.Sub(r.moments[1].at) >= r.Span {
		r.moments = r.moments[1:]
	}
	return nil
}

func snapshot() (*format.Process, error) {
	var b bytes.Buffer
	if err := runtime.Snapshot(&b); err != nil {
		return nil, err
	}
	return format.Decode(b.Bytes())
}

// share has p use the meta-data of an earlier snapshot, which mostly is the same and the larger part of both.
func share(p, earlier *format.Process) {
	for i := range p.Packages {
		if i < len(earlier.Packages) && p.Packages[i].Meta == earlier.Packages[i].Meta {
			p.Packages[i].Meta = earlier.Packages[i].Meta
		}
	}
}

// Profile is what has been counted in the last span, up to now; or since the recorder has been running, where that is
// less, or the settings were changed.
func (r *Recorder) Profile() (*format.Process, error) {
	now, err := snapshot()
	if err != nil {
		return nil, err
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	for len(r.moments) > 0 {
		p, err := profile.Since(r.moments[0].p, now)
		if !errors.Is(err, profile.ErrChanged) {
			return p, err
		}
		r.moments = r.moments[1:] // of a profile that was begun anew since
	}
	return nil, ErrEmpty
}

// Save writes the profile to a file of its own in dir, whole or not at all, and returns its name. The directory should not be that of
// DUPINST_DIR, whose profiles have the same counts, and would be added.
func (r *Recorder) Save(dir string) (string, error) {
	p, err := r.Profile()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", fmt.Errorf("dupinst: cannot write the flight recorder's profile: %w", err)
	}
	name := filepath.Join(dir, fmt.Sprintf("flight-%x-%x%s", os.Getpid(), time.Now().UnixNano(), profile.Extension))
	data := p.Encode()
	err = profile.WriteFile(name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("dupinst: cannot write the flight recorder's profile: %w", err)
	}
	return name, nil
}
