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
	dupinstDefaultPhase   = 2_000_000
	dupinstShortestPhase  = 100_000
	dupinstLongestPhase   = 10_000_000_000
	dupinstMostPhasesRate = 1_000_000 // a second, in thousandths
	dupinstDefaultShadow  = 10_000_000
	dupinstShortestShadow = 100_000
	dupinstLongestShadow  = 1_000_000_000
	dupinstMostShadows    = 100
	dupinstDefaultBudget  = 10_000 // of shadows, as what one costs is the machine's: 10 to 90 ms
	dupinstShortestTimer  = 100_000
	dupinstShortestRound  = 10_000_000
	dupinstShortestWindow = 1_000
	dupinstLongestWindow  = 1_000_000_000
)

// dupinstConfigure reads the settings with get, which gives "" for what is not
// set. Without a directory there is nowhere to put a profile, so nothing is
// sampled unless an interval is asked for. A setting that cannot be read is
// reported, and nothing is profiled: the program itself runs on.
func dupinstConfigure(get func(string) string) {
	dupinstLanesInit()
	r := dupinstSettings{get: get}
	r.budget()
	r.interval()
	r.phases()
	r.shadows()
	dupinstBurstChecks = r.number("DUPINST_BURST", 1, 1, dupinstLongestInterval)
	r.must("DUPINST_BURST", dupinstBurstChecks == 1 || dupinstBudget == 0 && !dupinstByTimer && !dupinstWindowed && !dupinstTrapping)
	dupinstJitterM = dupinstDefaultJitter
	if j := get("DUPINST_JITTER"); j != "" {
		n, ok := dupinstDecimal(j, 1_000_000)
		r.must("DUPINST_JITTER", ok && n <= 1_000_000)
		dupinstJitterM = n
	}
	dupinstJitter = dupinstDeviation(dupinstInterval)
	dupinstTrapRound = r.duration("DUPINST_AGAIN", 0, dupinstShortestRound, 1<<63-1)
	r.must("DUPINST_AGAIN", dupinstTrapRound == 0 || dupinstTrapping)
	r.signal()
	r.windows()
	r.apart()
	dupinstMore = dupinstWary(dupinstInterval, dupinstBudget)
	dupinstMost = uint64(dupinstInterval) * (1 + dupinstMore)
	if get("DUPINST_SEED") != "" {
		dupinstSeed = uint64(r.number("DUPINST_SEED", 0, 0, 1<<63-1))
	}
	dupinstPeriod = 0
	if get("DUPINST_PERIOD") != "off" {
		dupinstPeriod = r.duration("DUPINST_PERIOD", dupinstDefaultPeriod, 0, 1<<63-1)
	}
	dupinstLabels = get("DUPINST_LABELS")
	r.must("DUPINST_LABELS", dupinstLabels == "" || dupinstLabelled(dupinstLabels))
	if r.bad != "" {
		dupinstRefuse(r.bad, get(r.bad), r.beside)
	}
}

// dupinstSettings are read, and of those that cannot be one is remembered.
type dupinstSettings struct {
	get    func(string) string
	bad    string
	beside string // which it cannot be
	found  string // by given
}

// must remembers a setting unless it is as it must be.
func (r *dupinstSettings) must(name string, ok bool) {
	if !ok {
		r.bad, r.beside = name, r.found
	}
	r.found = ""
}

// number reads a whole number from least to most.
func (r *dupinstSettings) number(name string, otherwise, least, most int64) int64 {
	s := r.get(name)
	if s == "" {
		return otherwise
	}
	n, ok := dupinstDecimal(s, 1)
	r.must(name, ok && least <= n && n <= most)
	return n
}

// duration reads one from least to most, in nanoseconds.
func (r *dupinstSettings) duration(name string, otherwise, least, most int64) int64 {
	s := r.get(name)
	if s == "" {
		return otherwise
	}
	n, ok := dupinstDuration(s)
	r.must(name, ok && least <= n && n <= most)
	return n
}

// given reports whether any of the settings is, beside which another must not be.
func (r *dupinstSettings) given(names ...string) bool {
	for _, name := range names {
		if r.get(name) != "" {
			r.found = name
			return true
		}
	}
	return false
}

func (r *dupinstSettings) budget() {
	dupinstBudget, dupinstShadowBudget = 0, dupinstDefaultBudget
	switch o := r.get("DUPINST_OVERHEAD"); o {
	case "":
	case "off":
		dupinstShadowBudget = 0
	default:
		n, ok := dupinstPercent(o)
		r.must("DUPINST_OVERHEAD", ok && !dupinstByTimer && !dupinstTrapping && (dupinstWindowed || dupinstLaneNames() == "") && !(dupinstWindowed && r.given("DUPINST_WINDOWS")))
		dupinstBudget, dupinstShadowBudget = n, n
	}
}

// interval is in checks, or where a timer takes samples in nanoseconds.
func (r *dupinstSettings) interval() {
	dupinstInterval = dupinstDefaultInterval
	if dupinstDir = r.get("DUPINST_DIR"); dupinstDir == "" {
		dupinstInterval = 0
	}
	if r.get("DUPINST_INTERVAL") == "off" {
		dupinstInterval = 0
	} else {
		dupinstInterval = r.number("DUPINST_INTERVAL", dupinstInterval, 0, dupinstLongestInterval)
	}
	if dupinstByTimer {
		dupinstTimer = r.duration("DUPINST_TIMER", dupinstDefaultTimer, dupinstShortestTimer, 1<<63-1)
		dupinstInterval = min(dupinstInterval, 1) * dupinstTimer
	}
}

func (r *dupinstSettings) phases() {
	dupinstPhases, dupinstPhasePeriod = 0, 0
	dupinstPhaseLength = r.duration("DUPINST_PHASE", dupinstDefaultPhase, dupinstShortestPhase, dupinstLongestPhase)
	if s := r.get("DUPINST_PHASES"); s != "" && s != "off" {
		r.must("DUPINST_PHASES", dupinstPhasable && dupinstBudget == 0 && !r.given("DUPINST_INTERVAL", "DUPINST_SIGNAL"))
		dupinstInterval = 0
		if s == "on" {
			dupinstPhases = dupinstPhasesNamed
			return
		}
		if dupinstSetLabel(s) {
			dupinstPhases = dupinstPhasesLabelled
			return
		}
		n, ok := dupinstThousandths(s)
		r.must("DUPINST_PHASES", ok && !r.given("DUPINST_BURST"))
		dupinstPhasePeriod, dupinstRest = 1_000_000_000_000/max(n, 1), dupinstGlance
	}
}

func (r *dupinstSettings) shadows() {
	dupinstShadowRate = 0
	dupinstShadowLength = r.duration("DUPINST_SHADOW", dupinstDefaultShadow, dupinstShortestShadow, dupinstLongestShadow)
	if s := r.get("DUPINST_SHADOWS"); s != "" && s != "off" {
		n, ok := dupinstRate(s)
		r.must("DUPINST_SHADOWS", ok && 0 < n && n <= dupinstMostShadows && dupinstShadowable && dupinstPhases == 0 && dupinstPhasePeriod == 0 && !r.given("DUPINST_INTERVAL", "DUPINST_SIGNAL"))
		dupinstShadowRate, dupinstInterval, dupinstRest = n, 0, dupinstGlance
	}
}

// signal leaves it to a signal when samples are taken, at first not.
func (r *dupinstSettings) signal() {
	dupinstSignal = 0
	switch r.get("DUPINST_SIGNAL") {
	case "":
		return
	case "SIGUSR1":
		dupinstSignal = dupinstSIGUSR1
	case "SIGUSR2":
		dupinstSignal = dupinstSIGUSR2
	}
	if dupinstSignal == 0 || dupinstTrapping { // there is no such signal, or nothing to switch
		dupinstSignal = 0
		r.must("DUPINST_SIGNAL", false)
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

func (r *dupinstSettings) windows() {
	dupinstWindowRate, dupinstWindowAlways = dupinstDefaultRate, false
	if s := r.get("DUPINST_WINDOWS"); s != "" {
		n, ok := dupinstRate(s)
		r.must("DUPINST_WINDOWS", ok)
		dupinstWindowRate, dupinstWindowAlways = n, s == "always"
	}
	dupinstWindowLength = uint64(r.duration("DUPINST_WINDOW", dupinstDefaultLength, dupinstShortestWindow, dupinstLongestWindow))
	if dupinstWindowed && dupinstBudget > 0 {
		dupinstWindowRate, dupinstWindowLength = dupinstShare(dupinstBudget, dupinstWindowLength)
		dupinstBudget = 0
	}
}

// apart is what is set for some instrumentations alone.
func (r *dupinstSettings) apart() {
	text := r.get("DUPINST_APART")
	if text == "" {
		return
	}
	alone := !dupinstWindowAlways && dupinstPhases == 0 && dupinstPhasePeriod == 0 && dupinstShadowRate == 0
	often, lasts := uint64(dupinstInterval), uint64(dupinstBurstChecks)
	if often == 0 {
		often = dupinstDefaultInterval // as it is when samples begin
	}
	if dupinstWindowed {
		often, lasts = dupinstWindowRate, dupinstWindowLength
	}
	r.must("DUPINST_APART", alone && DupinstApartFits(text, often, lasts) == "")
	if r.bad == "" {
		DupinstSetApart(text)
	}
}

// dupinstKnown are the variables that mean something to a program, or to a build of one.
var dupinstKnown = [...]string{
	"DIR", "INTERVAL", "BURST", "APART", "WINDOWS", "WINDOW", "TIMER", "OVERHEAD", "SIGNAL", "PHASES", "PHASE", "SHADOWS", "SHADOW", "AGAIN", "JITTER", "SEED", "TRACE", "PERIOD", "LABELS", "PUSH",
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
func dupinstRefuse(name, value, beside string) {
	if dupinstDir != "" {
		dupinstPrint("dupinst: cannot read ")
		dupinstPrint(name)
		dupinstPrint("=")
		dupinstPrint(value)
		if beside != "" {
			dupinstPrint(" beside ")
			dupinstPrint(beside)
		}
		dupinstPrint("; nothing is profiled (see dupinst help environment)\n")
	}
	dupinstDir, dupinstInterval, dupinstJitter, dupinstBudget, dupinstSignal, dupinstPhases, dupinstPhasePeriod, dupinstShadowRate = "", 0, 0, 0, 0, 0, 0, 0
	DupinstSetApart("")
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

// dupinstThousandths reads a rate, as 0.25/s, in thousandths.
func dupinstThousandths(s string) (uint64, bool) {
	last := len(s) - 2
	if last < 1 || s[last:] != "/s" {
		return 0, false
	}
	n, ok := dupinstDecimal(s[:last], 1000)
	return uint64(n), ok && 0 < n && n <= dupinstMostPhasesRate
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
