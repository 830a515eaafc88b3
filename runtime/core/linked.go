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
	interval, checks, samples, dropped := runtime.DupinstState()
	return Totals{interval, checks, samples, dropped}, nil
}

func (patched) setInterval(n int64) { runtime.DupinstSetInterval(n) }

func (patched) write(w io.Writer, reset bool) {
	runtime.DupinstWrite(func(b []byte) { w.Write(b) }, reset) // to memory
}
