package serve

import (
	_ "embed"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dupinst/dupinst/overlap"
	"github.com/dupinst/dupinst/profile"
	"github.com/dupinst/dupinst/profile/format"
	"github.com/dupinst/dupinst/runtime"
)

//go:embed live.html
var livePage []byte

const (
	span     = time.Minute     // that the live page shows, beside the one before
	resting  = time.Second     // between two snapshots, at least
	liveKeys = 50              // of each instrumentation
	accepts  = "text/html"     // what browsers ask for, and curl does not
	keeping  = 2*span + span/4 // how long snapshots are kept
)

// A live keeps snapshots of the profile while somebody looks at the live page, and no others.
type live struct {
	lock    sync.Mutex
	moments []moment
}

type moment struct {
	at time.Time
	p  *format.Process
}

// A liveProfile is what one instrumentation counted in the last span.
type liveProfile struct {
	Instrumentation string    `json:"instrumentation"`
	Events          float64   `json:"events"` // estimated
	Seconds         float64   `json:"seconds"`
	Keys            int       `json:"keys"`
	Rows            []liveRow `json:"rows"`
}

// A liveRow is a key's share in the last span and, if it is known, what that was in the one
// before.
type liveRow struct {
	Key         string         `json:"key"`
	Share       profile.Share  `json:"share"`
	Before      *profile.Share `json:"before,omitempty"`
	Significant bool           `json:"significant"` // the difference is more than chance explains
}

// serve answers with the settings and what the last span was like.
func (l *live) serve(w http.ResponseWriter, r *http.Request) {
	fields, err := settings()
	if err != nil {
		fail(w, err)
		return
	}
	if fields["profiles"], err = l.profiles(time.Now(), snapshot); err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	json.NewEncoder(w).Encode(fields)
}

// profiles takes a snapshot and compares it with those of one span ago and two.
func (l *live) profiles(now time.Time, take func() (*format.Process, error)) ([]liveProfile, error) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if n := len(l.moments); n == 0 || now.Sub(l.moments[n-1].at) >= resting {
		p, err := take()
		if err != nil {
			return nil, err
		}
		l.moments = append(l.moments, moment{now, p})
	}
	l.moments = slices.DeleteFunc(l.moments, func(m moment) bool { return now.Sub(m.at) > keeping })
	last := l.moments[len(l.moments)-1]
	first := 0 // of the last span
	for first+1 < len(l.moments) && last.at.Sub(l.moments[first+1].at) >= span {
		first++
	}
	after, err := between(l.moments[first], last)
	if errors.Is(err, profile.ErrChanged) { // begun anew, or another interval
		l.moments = []moment{last}
		return []liveProfile{}, nil
	}
	if err != nil {
		return nil, err
	}
	before, err := between(l.moments[0], l.moments[first])
	if err != nil && !errors.Is(err, profile.ErrChanged) {
		return nil, err
	}
	out := []liveProfile{}
	for _, p := range after {
		i := slices.IndexFunc(before, func(b *profile.Profile) bool { return b.Instrumentation == p.Instrumentation && b.Total > 0 })
		shown := liveProfile{p.Instrumentation, p.Events(), last.at.Sub(l.moments[first].at).Seconds(), len(p.Entries), []liveRow{}}
		differences := map[string]*overlap.Difference{}
		if i >= 0 {
			c := overlap.Differ(before[i], p)
			for i := range c.Differences {
				differences[c.Differences[i].Key] = &c.Differences[i]
			}
		}
		for i, s := range p.Shares() {
			if i == liveKeys {
				break
			}
			row := liveRow{Key: p.Entries[i].Key, Share: s}
			if d := differences[row.Key]; d != nil {
				row.Before, row.Significant = &d.Before, d.Significant
			}
			shown.Rows = append(shown.Rows, row)
		}
		out = append(out, shown)
	}
	return out, nil
}

// between are the profiles of what was recorded from one moment to another.
func between(from, to moment) ([]*profile.Profile, error) {
	p, err := profile.Since(from.p, to.p)
	if err != nil {
		return nil, err
	}
	return profile.Build([]*format.Process{p})
}

// root is the live page for a browser, and the state for others.
func root(w http.ResponseWriter, r *http.Request) {
	if _, err := runtime.Stats(); err == nil && strings.Contains(r.Header.Get("Accept"), accepts) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(livePage)
		return
	}
	state(w, r)
}
