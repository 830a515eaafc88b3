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
	phasing, _ := runtime.DupinstPhasing()
	begun, missed, lasted := runtime.DupinstPhases()
	burst, _ := runtime.DupinstBurst()
	shadows, shadow, forked, lost, _ := runtime.DupinstShadows()
	period, phase := runtime.DupinstPhaseClock()
	return Totals{now, checks, samples, dropped, rate, time.Duration(length), phasing, runtime.DupinstLabel(), time.Duration(period), time.Duration(phase), begun, missed, time.Duration(lasted), burst, shadows, time.Duration(shadow), forked, lost, runtime.DupinstApart()}, nil
}

func (patched) settings() settings {
	interval, budget, _ := runtime.DupinstSettings()
	rate, length := runtime.DupinstWindows()
	phases, _ := runtime.DupinstPhasing()
	burst, _ := runtime.DupinstBurst()
	shadows, shadow, _, _, _ := runtime.DupinstShadows()
	period, phase := runtime.DupinstPhaseClock()
	return settings{interval, budget, rate, time.Duration(length), phases, runtime.DupinstLabel(), time.Duration(period), time.Duration(phase), burst, shadows, time.Duration(shadow), runtime.DupinstShadowBudget(), runtime.DupinstApart()}
}

func (patched) share(millionths uint64) (int, time.Duration) {
	rate, length := runtime.DupinstShare(millionths)
	return rate, time.Duration(length)
}

func (patched) set(s settings) {
	runtime.DupinstSetBurst(s.burst)
	runtime.DupinstSetApart(s.apart)
	runtime.DupinstSetPhaseClock(int64(s.period), int64(s.phase)) // before what a phase that ends sets, too
	runtime.DupinstSet(s.interval, s.budget)
	runtime.DupinstSetWindows(s.rate, int64(s.length))
	runtime.DupinstSetPhases(s.phases)
	runtime.DupinstSetLabel(s.label)
	runtime.DupinstSetShadows(s.shadows, int64(s.shadow), s.shadowBudget)
}

func (patched) write(w io.Writer, reset bool) {
	runtime.DupinstWrite(func(b []byte) { w.Write(b) }, reset) // to memory
}

func (patched) lanes() string { return runtime.DupinstLanes() }

func (patched) unfit(apart string, often, lasts uint64) string {
	return runtime.DupinstApartFits(apart, often, lasts)
}

func (patched) shadowable() bool {
	_, _, _, _, can := runtime.DupinstShadows()
	return can
}

func (patched) phasable() bool {
	_, can := runtime.DupinstPhasing()
	return can
}

func (patched) burstable() bool {
	_, can := runtime.DupinstBurst()
	return can
}

func (patched) phase(awaits bool) (number, outer uint64) { return runtime.DupinstPhase(awaits) }
func (patched) awaitPhase(told uint64) uint64            { return runtime.DupinstAwaitPhase(told) }
func (patched) begin(number uint64)                      { runtime.DupinstPhaseBegin(number) }
func (patched) end(number, outer uint64)                 { runtime.DupinstPhaseEnd(number, outer) }
