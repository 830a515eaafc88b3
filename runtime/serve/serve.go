// Package serve shows and controls profiling over HTTP, in the manner of
// net/http/pprof. It registers nothing and opens no port: a program mounts the
// handler where it wants to have it, and protects it as it does its other debug
// pages.
//
//	http.Handle("/debug/dupinst/", http.StripPrefix("/debug/dupinst", serve.Handler()))
//
// Then
//
//	go tool pprof 'http://localhost:8080/debug/dupinst/profile?seconds=10'
//	curl -X POST 'http://localhost:8080/debug/dupinst/set?interval=1000'
package serve

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dupinst/dupinst/profile"
	"github.com/dupinst/dupinst/profile/cover"
	"github.com/dupinst/dupinst/profile/format"
	"github.com/dupinst/dupinst/profile/pprof"
	"github.com/dupinst/dupinst/runtime"
	"github.com/dupinst/dupinst/runtime/flight"
)

// Handler returns a handler for
//
//	GET  /         for a browser, a page that shows the last minute, what changed from the one
//	               before, and the settings; for others, the settings and totals, as JSON
//	GET  /live     what that page shows, as JSON
//	GET  /profile  the profile so far or, with seconds=N, what comes in the next N
//	               seconds; for pprof or, with format=dupinst, as dupinst's own file, or with
//	               format=cover, blocks for go tool cover; instrument=NAMES chooses the others
//	POST /set      interval=N: checks between samples, 0 for none; overhead=P%: what
//	               samples may cost of the processor time, 0% for any cost; windows=N/s and
//	               window=D, where there are windows: how many open, and how long each is;
//	               burst=B: checks that a sample lasts;
//	               apart=NAME=N:B,... or apart=NAME=N/s:D,..., or off: the same for some instrumentations alone;
//	               phases=on or off: whether phases of the program's are counted, and no samples taken;
//	               phases=KEY=VALUE: whether all is counted that goroutines with this label do;
//	               phases=R/s, as 0.25/s, and phase=D: how many phases of all goroutines begin by the clock, and how long each is;
//	               shadows=N/s or off, and shadow=D: how many forks a second count, and how long each does
//	POST /reset    begins the profile anew
//
// Requests that change something must not come from other sites' pages.
func Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", knowing(root))
	mux.HandleFunc("GET /live", knowing(new(live).serve))
	mux.HandleFunc("GET /profile", knowing(func(w http.ResponseWriter, r *http.Request) {
		serveProfile(w, r, func() (*format.Process, error) { return record(r) })
	}, "seconds", "format", "instrument"))
	mux.HandleFunc("POST /set", knowing(set, "interval", "overhead", "windows", "window", "phases", "phase", "burst", "apart", "shadows", "shadow"))
	mux.HandleFunc("POST /reset", knowing(func(w http.ResponseWriter, r *http.Request) {
		if err := runtime.Reset(); err != nil {
			fail(w, err)
			return
		}
		state(w, r)
	}))
	return http.NewCrossOriginProtection().Handler(mux)
}

// errRequest wraps what is wrong with a request.
var errRequest = errors.New("cannot serve the request")

func fail(w http.ResponseWriter, err error) {
	code := http.StatusInternalServerError
	switch {
	case errors.Is(err, errRequest), errors.Is(err, runtime.ErrTrigger), errors.Is(err, runtime.ErrApart):
		code = http.StatusBadRequest
	case errors.Is(err, runtime.ErrPlain):
		code = http.StatusNotImplemented
	case errors.Is(err, profile.ErrChanged), errors.Is(err, flight.ErrEmpty), errors.Is(err, runtime.ErrConflict):
		code = http.StatusConflict
	}
	w.Header().Set("X-Go-Pprof", "1") // go tool pprof shows the text of an error that has it
	http.Error(w, err.Error(), code)
}

// knowing refuses requests with parameters that are none of the names: a misspelt one would
// be taken for one that is not there.
func knowing(serve http.HandlerFunc, names ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil {
			fail(w, fmt.Errorf("%w: %w", errRequest, err))
			return
		}
		for _, name := range slices.Sorted(maps.Keys(r.Form)) {
			switch {
			case slices.Contains(names, name):
			case len(names) == 0:
				fail(w, fmt.Errorf("%w: there is no parameter %q, nor another", errRequest, name))
				return
			default:
				fail(w, fmt.Errorf("%w: there is no parameter %q; there are %s", errRequest, name, strings.Join(names, ", ")))
				return
			}
		}
		serve(w, r)
	}
}

func state(w http.ResponseWriter, _ *http.Request) {
	fields, err := settings()
	if err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(fields)
}

// settings are the settings and totals.
func settings() (map[string]any, error) {
	s, err := runtime.Stats()
	if err != nil {
		return nil, err
	}
	fields := map[string]any{"interval": s.Interval, "checks": s.Checks, "samples": s.Samples, "dropped": s.Dropped}
	if s.Window > 0 {
		fields["windows"], fields["window"] = fmt.Sprintf("%d/s", s.Windows), s.Window.String()
	}
	if s.Burst > 1 {
		fields["burst"] = s.Burst
	}
	if s.Apart != "" {
		fields["apart"] = s.Apart
	}
	if s.Shadows > 0 {
		fields["shadows"] = map[string]any{"rate": fmt.Sprintf("%d/s", s.Shadows), "length": s.Shadow.String(), "begun": s.Forked, "lost": s.Lost}
	}
	if s.Phasing {
		fields["phases"] = map[string]any{"begun": s.Phases, "missed": s.Missed, "time": s.Phased.String()}
	}
	if s.Label != "" {
		fields["phases"] = map[string]any{"label": s.Label, "begun": s.Phases, "time": s.Phased.String()}
	}
	if s.PhasePeriod > 0 {
		fields["phases"] = map[string]any{"every": s.PhasePeriod.String(), "length": s.PhaseLength.String(), "begun": s.Phases, "time": s.Phased.String()}
	}
	return fields, nil
}

func set(w http.ResponseWriter, r *http.Request) {
	changes, err := changes(r)
	for _, change := range changes {
		if err == nil {
			err = change()
		}
	}
	if err != nil {
		fail(w, err)
		return
	}
	state(w, r)
}

// changes are what r asks for; nothing is changed if any of it is wrong.
func changes(r *http.Request) (list []func() error, err error) {
	if text := r.FormValue("overhead"); text != "" {
		digits, ok := strings.CutSuffix(text, "%")
		share, err := strconv.ParseFloat(digits, 64)
		if !ok || err != nil || !(share >= 0 && share <= 100) {
			return nil, fmt.Errorf("%w: overhead=%q is not a percentage, as 0.5%% (in an address, 0.5%%25)", errRequest, text)
		}
		list = append(list, func() error { return runtime.SetOverhead(share / 100) })
	}
	if text := r.FormValue("burst"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 1 || n > runtime.MaxInterval {
			return nil, fmt.Errorf("%w: burst=%q is no number of checks", errRequest, text)
		}
		list = append(list, func() error { return runtime.SetBurst(n) })
	}
	if text := r.FormValue("apart"); text != "" {
		if text == "off" {
			text = ""
		}
		list = append(list, func() error { return runtime.SetApart(text) })
	}
	for _, of := range []func(*http.Request) (func() error, error){phases, windows, shadows} {
		change, err := of(r)
		if err != nil {
			return nil, err
		}
		if change != nil {
			list = append(list, change)
		}
	}
	if text := r.FormValue("interval"); text != "" || len(list) == 0 {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 || n > runtime.MaxInterval {
			return nil, fmt.Errorf("%w: interval=%q is no number of checks", errRequest, text)
		}
		list = append(list, func() error { return runtime.SetInterval(n) })
	}
	return list, nil
}

// windows is what r asks for of windows, or nil. What it does not name stays.
func windows(r *http.Request) (func() error, error) {
	rate, length := r.FormValue("windows"), r.FormValue("window")
	if rate == "" && length == "" {
		return nil, nil
	}
	s, err := runtime.Stats()
	if err != nil {
		return nil, err
	}
	n, d := s.Windows, s.Window
	if rate != "" {
		digits, ok := strings.CutSuffix(rate, "/s")
		if n, err = strconv.Atoi(digits); !ok || err != nil || n < 1 || n > runtime.MaxWindows {
			return nil, fmt.Errorf("%w: windows=%q is no rate from 1/s to %d/s", errRequest, rate, runtime.MaxWindows)
		}
	}
	if length != "" {
		if d, err = time.ParseDuration(length); err != nil || d < runtime.MinWindow || d > runtime.MaxWindow {
			return nil, fmt.Errorf("%w: window=%q is no time from %v to %v", errRequest, length, runtime.MinWindow, runtime.MaxWindow)
		}
	}
	if n == 0 && s.Window > 0 {
		return nil, fmt.Errorf("%w: none are open, and windows says no rate", errRequest)
	}
	return func() error { return runtime.SetWindows(n, d) }, nil
}

// phases is what r asks for of phases, or nil. What it does not name stays.
func phases(r *http.Request) (func() error, error) {
	rate, length := r.FormValue("phases"), r.FormValue("phase")
	if rate == "" && length == "" {
		return nil, nil
	}
	s, err := runtime.Stats()
	if err != nil {
		return nil, err
	}
	every, d := s.PhasePeriod, s.PhaseLength
	if length != "" {
		if d, err = time.ParseDuration(length); err != nil || d < runtime.MinPhase || d > runtime.MaxPhase {
			return nil, fmt.Errorf("%w: phase=%q is no time from %v to %v", errRequest, length, runtime.MinPhase, runtime.MaxPhase)
		}
	}
	key, value, labelled := strings.Cut(rate, "=")
	switch digits, ok := strings.CutSuffix(rate, "/s"); {
	case labelled && key != "" && len(key)+len(value) <= runtime.MaxLabel:
		return func() error { return runtime.SetPhasesOf(key, value) }, nil
	case rate == "off" && s.Label != "":
		return func() error { return runtime.SetPhasesOf("", "") }, nil
	case rate == "on", rate == "off" && every == 0:
		return func() error { return runtime.SetPhases(rate == "on") }, nil
	case rate == "off":
		every = 0
	case rate != "":
		n, err := strconv.ParseFloat(digits, 64)
		if every = time.Duration(float64(time.Second) / n); !ok || err != nil || every < runtime.MinPhaseEvery || every > runtime.MaxPhaseEvery {
			return nil, fmt.Errorf("%w: phases=%q is no rate from 0.001/s to 1000/s, nor on, off or a label as key=value", errRequest, rate)
		}
	case every == 0:
		return nil, fmt.Errorf("%w: there are none by the clock, and phases says no rate", errRequest)
	}
	return func() error { return runtime.SetPhasesEvery(every, d) }, nil
}

// shadows is what r asks for of shadows, or nil. What it does not name stays.
func shadows(r *http.Request) (func() error, error) {
	rate, length := r.FormValue("shadows"), r.FormValue("shadow")
	if rate == "" && length == "" {
		return nil, nil
	}
	s, err := runtime.Stats()
	if err != nil {
		return nil, err
	}
	n, d := s.Shadows, s.Shadow
	switch digits, ok := strings.CutSuffix(rate, "/s"); {
	case rate == "off":
		n = 0
	case rate != "":
		if n, err = strconv.Atoi(digits); !ok || err != nil || n < 1 || n > runtime.MaxShadows {
			return nil, fmt.Errorf("%w: shadows=%q is no rate from 1/s to %d/s, nor off", errRequest, rate, runtime.MaxShadows)
		}
	}
	if length != "" {
		if d, err = time.ParseDuration(length); err != nil || d < runtime.MinShadow || d > runtime.MaxShadow {
			return nil, fmt.Errorf("%w: shadow=%q is no time from %v to %v", errRequest, length, runtime.MinShadow, runtime.MaxShadow)
		}
		if rate == "" && n == 0 {
			return nil, fmt.Errorf("%w: there are none, and shadows says no rate", errRequest)
		}
	}
	return func() error { return runtime.SetShadows(n, d) }, nil
}

// serveProfile answers with the profile that take returns, as r asks for it.
func serveProfile(w http.ResponseWriter, r *http.Request, take func() (*format.Process, error)) {
	text, err := answer(r, take)
	if err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", `attachment; filename="profile"`)
	w.Write(text)
}

// answer is the profile that take returns, in the form that r asks for.
func answer(r *http.Request, take func() (*format.Process, error)) ([]byte, error) {
	form := cmp.Or(r.FormValue("format"), "pprof")
	if !slices.Contains([]string{"pprof", "dupinst", "cover"}, form) {
		return nil, fmt.Errorf("%w: format=%q is none of pprof, dupinst and cover", errRequest, form)
	}
	p, err := take()
	if err != nil {
		return nil, err
	}
	if form == "dupinst" {
		return p.Encode(), nil
	}
	profiles, err := profile.Build([]*format.Process{p})
	if err != nil {
		return nil, err
	}
	only := r.FormValue("instrument")
	if form == "cover" {
		only = "block"
	}
	if only != "" {
		var some []*profile.Profile
		for _, p := range profiles {
			if strings.Contains(","+only+",", ","+p.Instrumentation+",") {
				some = append(some, p)
			}
		}
		profiles = some
	}
	if len(profiles) == 0 {
		return nil, fmt.Errorf("%w: the profile has none of %s", errRequest, only)
	}
	var b bytes.Buffer
	if form == "cover" {
		err = cover.Write(&b, profiles[0])
	} else {
		err = pprof.Write(&b, profiles)
	}
	return b.Bytes(), err
}

// record takes a snapshot or, of the seconds that r asks for, the difference of two.
func record(r *http.Request) (*format.Process, error) {
	first, err := snapshot()
	if err != nil || r.FormValue("seconds") == "" {
		return first, err
	}
	seconds, err := strconv.ParseFloat(r.FormValue("seconds"), 64)
	if err != nil || !(seconds > 0 && seconds <= 3600) {
		return nil, fmt.Errorf("%w: seconds=%q is no number of seconds above 0 and up to 3600", errRequest, r.FormValue("seconds"))
	}
	if first.Interval == 0 && !first.Build.Direct() && !first.Shadows.Counted {
		return nil, fmt.Errorf("%w: no samples are taken; POST set?interval=%d first", errRequest, runtime.DefaultInterval)
	}
	select {
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case <-time.After(time.Duration(seconds * float64(time.Second))):
	}
	last, err := snapshot()
	if err != nil {
		return nil, err
	}
	return profile.Since(first, last)
}

func snapshot() (*format.Process, error) {
	var b bytes.Buffer
	if err := runtime.Snapshot(&b); err != nil {
		return nil, err
	}
	return format.Decode(b.Bytes())
}
