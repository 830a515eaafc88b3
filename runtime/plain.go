package runtime

import (
	"io"
	"time"
)

var linked link = plain{}

// plain is the link of a program that dupinst did not build.
type plain struct{}

func (plain) state() (Totals, error)            { return Totals{}, ErrPlain }
func (plain) settings() settings                { return settings{} }
func (plain) set(settings)                      {}
func (plain) share(uint64) (int, time.Duration) { return 0, 0 }
func (plain) write(io.Writer, bool)             {}

func (plain) lanes() string                       { return "" }
func (plain) unfit(string, uint64, uint64) string { return "" }
func (plain) shadowable() bool                    { return false }
func (plain) phasable() bool                      { return false }
func (plain) burstable() bool                     { return false }
func (plain) phase(bool) (number, outer uint64)   { return 0, 0 }
func (plain) begin(uint64)                        {}
func (plain) end(number, outer uint64)            {}
func (plain) awaitPhase(told uint64) uint64       { return told }
