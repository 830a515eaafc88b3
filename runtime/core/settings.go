package core

// Defaults of the run-time settings.
const (
	dupinstDefaultInterval = 1000
	// Without jitter an interval that is a multiple of the checks in a loop's
	// iteration always samples the same one of them: minify's call edges at 1000,
	// under Auto, then overlap by 87 % with the true ones, with it by 97 %.
	dupinstDefaultJitter = 100_000 // millionths of the interval
	dupinstDefaultPeriod = 10_000_000_000
	// One in forty moments of each processor that runs is in a window. Code that has not run in
	// copies lately is in no cache, so that short windows see less of large programs; and each
	// costs two sleeps of a thread (docs/triggers.md).
	dupinstDefaultRate    = 25
	dupinstDefaultLength  = 1_000_000
	dupinstMostWindows    = 100_000
	dupinstDefaultTimer   = 10_000_000
	dupinstDefaultShadow  = 10_000_000
	dupinstShortestShadow = 100_000
	dupinstLongestShadow  = 1_000_000_000
	dupinstMostShadows    = 100
	dupinstShortestTimer  = 100_000
	dupinstShortestWindow = 1_000
	dupinstLongestWindow  = 1_000_000_000
)

// dupinstConfigure reads the settings with get, which gives "" for what is not
// set. Without a directory there is nowhere to put a profile, so nothing is
// sampled unless an interval is asked for. A setting that cannot be read is
// reported, and nothing is profiled: the program itself runs on.
func dupinstConfigure(get func(string) string) {
	dupinstDir = get("DUPINST_DIR")
	interval := get("DUPINST_INTERVAL")
	dupinstInterval, dupinstPeriod = dupinstDefaultInterval, dupinstDefaultPeriod
	if dupinstDir == "" {
		dupinstInterval = 0
	}
	bad := ""
	dupinstBudget, dupinstSignal = 0, 0
	if o := get("DUPINST_OVERHEAD"); o != "" {
		n, ok := dupinstPercent(o)
		if !ok || dupinstByTimer || dupinstTrapping || dupinstWindowed && get("DUPINST_WINDOWS") != "" {
			bad = "DUPINST_OVERHEAD"
		}
		dupinstBudget = n
	}
	switch n, ok := dupinstDecimal(interval, 1); {
	case interval == "":
	case interval == "off":
		dupinstInterval = 0
	case !ok || n > dupinstLongestInterval:
		bad = "DUPINST_INTERVAL"
	default:
		dupinstInterval = n
	}
	if dupinstByTimer {
		dupinstTimer = dupinstDefaultTimer
		if s := get("DUPINST_TIMER"); s != "" {
			n, ok := dupinstDuration(s)
			if !ok || n < dupinstShortestTimer {
				bad = "DUPINST_TIMER"
			}
			dupinstTimer = n
		}
		dupinstInterval = min(dupinstInterval, 1) * dupinstTimer
	}
	switch s := get("DUPINST_PHASES"); {
	case s == "" || s == "off":
		dupinstPhases = 0
	case s != "on" || !dupinstPhasable || interval != "" || dupinstBudget > 0 || get("DUPINST_SIGNAL") != "":
		bad = "DUPINST_PHASES"
	default:
		dupinstPhases, dupinstInterval = 1, 0
	}
	dupinstShadowRate, dupinstShadowLength = 0, dupinstDefaultShadow
	if s := get("DUPINST_SHADOW"); s != "" {
		n, ok := dupinstDuration(s)
		if !ok || n < dupinstShortestShadow || n > dupinstLongestShadow {
			bad = "DUPINST_SHADOW"
		}
		dupinstShadowLength = n
	}
	if s := get("DUPINST_SHADOWS"); s != "" && s != "off" {
		n, ok := dupinstRate(s)
		if !ok || n == 0 || n > dupinstMostShadows || !dupinstShadowable || dupinstPhases > 0 || interval != "" || dupinstBudget > 0 || get("DUPINST_SIGNAL") != "" {
			bad = "DUPINST_SHADOWS"
		}
		dupinstShadowRate, dupinstInterval = n, 0
	}
	dupinstBurstChecks = 1
	if s := get("DUPINST_BURST"); s != "" {
		n, ok := dupinstDecimal(s, 1)
		if !ok || n < 1 || n > dupinstLongestInterval || n > 1 && (dupinstBudget > 0 || dupinstByTimer || dupinstWindowed || dupinstTrapping) {
			bad = "DUPINST_BURST"
		}
		dupinstBurstChecks = n
	}
	dupinstJitterM = dupinstDefaultJitter
	if j := get("DUPINST_JITTER"); j != "" {
		n, ok := dupinstDecimal(j, 1_000_000)
		if !ok || n > 1_000_000 {
			bad = "DUPINST_JITTER"
		}
		dupinstJitterM = n
	}
	dupinstJitter = dupinstDeviation(dupinstInterval)
	if s := get("DUPINST_SIGNAL"); s != "" && dupinstTrapping {
		bad = "DUPINST_SIGNAL" // there is nothing to switch
	} else if s != "" {
		dupinstSwitchable(s, &bad)
	}
	dupinstWindowRate, dupinstWindowLength, dupinstWindowAlways = dupinstDefaultRate, dupinstDefaultLength, false
	if s := get("DUPINST_WINDOWS"); s != "" {
		n, ok := dupinstRate(s)
		if !ok {
			bad = "DUPINST_WINDOWS"
		}
		dupinstWindowRate, dupinstWindowAlways = n, s == "always"
	}
	if s := get("DUPINST_WINDOW"); s != "" {
		n, ok := dupinstDuration(s)
		if !ok || n < dupinstShortestWindow || n > dupinstLongestWindow {
			bad = "DUPINST_WINDOW"
		}
		dupinstWindowLength = uint64(n)
	}
	if dupinstWindowed && dupinstBudget > 0 {
		dupinstWindowRate, dupinstWindowLength = dupinstShare(dupinstBudget, dupinstWindowLength)
		dupinstBudget = 0
	}
	dupinstMore = dupinstWary(dupinstInterval, dupinstBudget)
	dupinstMost = uint64(dupinstInterval) * (1 + dupinstMore)
	if s := get("DUPINST_SEED"); s != "" {
		n, ok := dupinstDecimal(s, 1)
		if !ok {
			bad = "DUPINST_SEED"
		}
		dupinstSeed = uint64(n)
	}
	if p := get("DUPINST_PERIOD"); p != "" && p != "off" {
		n, ok := dupinstDuration(p)
		if !ok {
			bad = "DUPINST_PERIOD"
		}
		dupinstPeriod = n
	} else if p == "off" {
		dupinstPeriod = 0
	}
	if dupinstLabels = get("DUPINST_LABELS"); dupinstLabels != "" && !dupinstLabelled(dupinstLabels) {
		bad = "DUPINST_LABELS"
	}
	if bad != "" {
		dupinstRefuse(bad, get(bad))
	}
}

// dupinstKnown are the variables that mean something to a program, or to a build of one.
var dupinstKnown = [...]string{
	"DIR", "INTERVAL", "BURST", "WINDOWS", "WINDOW", "TIMER", "OVERHEAD", "SIGNAL", "PHASES", "SHADOWS", "SHADOW", "JITTER", "SEED", "TRACE", "PERIOD", "LABELS", "PUSH",
	"BISECT", "BUILDING_RUNTIME", "CPUPROFILE",
}

// dupinstMisspelt says of each variable with our prefix that is none of those: whoever set it
// asks for something that is not done.
func dupinstMisspelt(env []string) {
	const prefix = "DUPINST_"
	for _, v := range env {
		end := 0
		for end < len(v) && v[end] != '=' {
			end++
		}
		if end < len(prefix) || v[:len(prefix)] != prefix {
			continue
		}
		known := false
		for _, name := range dupinstKnown {
			known = known || v[len(prefix):end] == name
		}
		if !known {
			dupinstPrint("dupinst: ")
			dupinstPrint(v[:end])
			dupinstPrint(" is no setting, and is ignored (see dupinst help environment)\n")
		}
	}
}

// dupinstDeviation is the largest deviation from an interval, in checks.
func dupinstDeviation(interval int64) int64 {
	return min(int64(float64(interval)*float64(dupinstJitterM)/1e6), max(interval-1, 0))
}

// dupinstRefuse turns profiling off because of a setting it cannot read.
func dupinstRefuse(name, value string) {
	if dupinstDir != "" {
		dupinstPrint("dupinst: cannot read ")
		dupinstPrint(name)
		dupinstPrint("=")
		dupinstPrint(value)
		dupinstPrint("; nothing is profiled (see dupinst help environment)\n")
	}
	dupinstDir, dupinstInterval, dupinstJitter, dupinstBudget, dupinstSignal, dupinstPhases, dupinstShadowRate = "", 0, 0, 0, 0, 0, 0
}

// dupinstSwitchable leaves it to a signal when samples are taken, at first not.
func dupinstSwitchable(signal string, bad *string) {
	switch signal {
	case "SIGUSR1":
		dupinstSignal = dupinstSIGUSR1
	case "SIGUSR2":
		dupinstSignal = dupinstSIGUSR2
	}
	if dupinstSignal == 0 {
		*bad = "DUPINST_SIGNAL"
		return
	}
	if dupinstOn = dupinstInterval; dupinstOn == 0 {
		dupinstOn = dupinstDefaultInterval
	}
	dupinstInterval, dupinstPaused = 0, true
	if !dupinstByTimer {
		dupinstRest = dupinstWake
	}
}

// dupinstPercent reads a percentage, above 0 and up to 100, as millionths.
func dupinstPercent(s string) (uint64, bool) {
	last := len(s) - 1
	if s[last] != '%' {
		return 0, false
	}
	n, ok := dupinstDecimal(s[:last], 10_000)
	return uint64(n), ok && 0 < n && n <= 1_000_000
}

// dupinstDecimal reads a non-negative decimal number, times unit; digits beyond
// the unit's precision must be zeros.
func dupinstDecimal(s string, unit int64) (int64, bool) {
	n, frac := int64(0), false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '.' && !frac && unit > 1:
			frac = true
			continue
		case c < '0' || c > '9':
			return 0, false
		case !frac && n > 1<<62/10:
			return 0, false
		case !frac:
			n = n*10 + int64(c-'0')*unit
			continue
		}
		unit /= 10
		if unit == 0 && c != '0' {
			return 0, false
		}
		n += int64(c-'0') * unit
	}
	return n, len(s) > 0 && s != "."
}

// dupinstRate reads the number of windows a second, as 500/s, or off, or always.
func dupinstRate(s string) (uint64, bool) {
	if s == "off" || s == "always" {
		return 0, true
	}
	last := len(s) - 2
	if last < 1 || s[last:] != "/s" {
		return 0, false
	}
	n, ok := dupinstDecimal(s[:last], 1)
	return uint64(n), ok && n <= dupinstMostWindows
}

// dupinstShare is the rate of windows that are open for as many millionths of the program's own
// time, and their length, which is as given unless one a second were too many.
func dupinstShare(millionths, length uint64) (rate, of uint64) {
	open := millionths * 1000 // nanoseconds a second
	if open < length {
		return 1, max(open, dupinstShortestWindow)
	}
	return min(open/length, dupinstMostWindows), length
}

// dupinstDuration reads a number with one of Go's units from us to h.
func dupinstDuration(s string) (int64, bool) {
	i := len(s)
	for i > 0 && s[i-1] >= 'a' && s[i-1] <= 'z' {
		i--
	}
	unit := int64(0)
	switch s[i:] {
	case "us":
		unit = 1e3
	case "ms":
		unit = 1e6
	case "s":
		unit = 1e9
	case "m":
		unit = 60e9
	case "h":
		unit = 3600e9
	}
	if unit == 0 {
		return 0, s == "0"
	}
	return dupinstDecimal(s[:i], unit)
}
