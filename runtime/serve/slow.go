package serve

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/dupinst/dupinst/runtime"
	"github.com/dupinst/dupinst/runtime/flight"
)

// Slow serves as next does. Where phases are counted (runtime.SetPhases), what next does for a request is one from the
// moment on at which that has taken longer than a share of the last thousand did: with 0.99, what the slowest of a hundred do
// beyond the others. So a profile says what keeps slow requests, and is not of the many that are fast. The
// first hundred requests are never slow.
func Slow(next http.Handler, share float64) http.Handler {
	if !(share > 0 && share < 1) {
		panic(fmt.Sprintf("dupinst: the share of requests that are not slow must be between 0 and 1, not %g", share))
	}
	l := &latencies{share: share}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		serve := func() { next.ServeHTTP(w, r) }
		if limit, ok := l.limit(); ok {
			runtime.PhaseAfter(limit, serve)
		} else {
			serve()
		}
		l.add(time.Since(begun))
	})
}

// Latencies are of the last requests.
type latencies struct {
	share float64

	lock  sync.Mutex
	last  [1000]time.Duration
	n     int
	bound time.Duration
}

// The bound is found once there are so many, and then again for every so many.
const fewest = 100

func (l *latencies) limit() (time.Duration, bool) {
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.bound, l.n >= fewest
}

func (l *latencies) add(took time.Duration) {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.last[l.n%len(l.last)] = took
	if l.n++; l.n%fewest == 0 {
		sorted := slices.Sorted(slices.Values(l.last[:min(l.n, len(l.last))]))
		l.bound = sorted[int(l.share*float64(len(sorted)))]
	}
}

// Flight serves what a recorder has, in the formats of Handler's profile:
//
//	GET /  the profile of its span; format and instrument as there
func Flight(recorder *flight.Recorder) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", knowing(func(w http.ResponseWriter, r *http.Request) { serveProfile(w, r, recorder.Profile) }, "format", "instrument"))
	return mux
}
