package main

import "strings"

// allVariants are those that sample by counters; what the exhaustive one records is the truth
// that their profiles are compared with.
var allVariants = []string{"auto", "full", "partial", "no"}

// window, as a variant, is the build for windows.
const window = "window"

// once, as a variant, counts blocks once: its profile has what the exhaustive one
// has any of, and there are no intervals.
const once = "once"

// arranged are dupinst's flags for a build.
func (o options) arranged(backend, variant string) []string {
	out := []string{"-backend=" + backend, "-variant=" + variant}
	if variant == window {
		out = []string{"-backend=compiler", "-trigger=window"}
	}
	if o.instrument != "" {
		out = append(out, "-instrument="+o.instrument)
	}
	if o.elide != "" && variant == "auto" {
		out = append(out, "-elide="+o.elide)
	}
	return out
}

// windows are the settings that a build for windows runs with, in the place of intervals: one
// window without an end, short ones that are open a tenth of the time, and none.
var windows = []string{"always", "2000/s", "off"}

// intervals are those that a build runs with, given those of the others.
func intervals(variant string, others []string) []string {
	switch variant {
	case window:
		return windows
	case once:
		return []string{"1"}
	}
	return others
}

// settings are the environment of a run at an interval.
func settings(variant, interval string) []string {
	if variant == window && interval != "off" {
		return []string{"DUPINST_WINDOWS=" + interval, "DUPINST_WINDOW=50us"}
	}
	return []string{"DUPINST_INTERVAL=" + interval}
}

// likened is the interval whose known differences are those of a run.
func likened(variant, interval string) string {
	if variant != window || interval == "off" {
		return interval
	}
	return strings.NewReplacer("always", "1", "2000/s", "1000").Replace(interval)
}
