//go:build dupinst_linked

package runtime

import (
	"io"
	"runtime"
	"time"
)

// This file is compiled in the place of the public package's plain.go.

var linked link = patched{}

// patched is the link to the patched runtime.
type patched struct{}

func init() { runtime.DupinstControl() }

func (patched) state() (Totals, error) {
	checks, samples, dropped := runtime.DupinstState()
	_, _, now := runtime.DupinstSettings()
	rate, length := runtime.DupinstWindows()
	return Totals{now, checks, samples, dropped, rate, time.Duration(length)}, nil
}

func (patched) settings() settings {
	interval, budget, _ := runtime.DupinstSettings()
	rate, length := runtime.DupinstWindows()
	return settings{interval, budget, rate, time.Duration(length)}
}

func (patched) share(millionths uint64) (int, time.Duration) {
	rate, length := runtime.DupinstShare(millionths)
	return rate, time.Duration(length)
}

func (patched) set(s settings) {
	runtime.DupinstSet(s.interval, s.budget)
	runtime.DupinstSetWindows(s.rate, int64(s.length))
}

func (patched) write(w io.Writer, reset bool) {
	runtime.DupinstWrite(func(b []byte) { w.Write(b) }, reset) // to memory
}
