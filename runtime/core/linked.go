//go:build dupinst_linked

package runtime

import (
	"io"
	"runtime"
)

// This file is compiled in the place of the public package's plain.go.

var linked link = patched{}

// patched is the link to the patched runtime.
type patched struct{}

func init() { runtime.DupinstControl() }

func (patched) state() (Totals, error) {
	checks, samples, dropped := runtime.DupinstState()
	_, _, now := runtime.DupinstSettings()
	return Totals{now, checks, samples, dropped}, nil
}

func (patched) settings() settings {
	interval, budget, _ := runtime.DupinstSettings()
	return settings{interval, budget}
}

func (patched) governs() bool { return runtime.DupinstGoverns() }

func (patched) set(s settings) { runtime.DupinstSet(s.interval, s.budget) }

func (patched) write(w io.Writer, reset bool) {
	runtime.DupinstWrite(func(b []byte) { w.Write(b) }, reset) // to memory
}
