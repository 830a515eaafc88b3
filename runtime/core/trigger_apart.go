package core

// In a program that was built for it (dupinst -apart) each instrumentation has a byte of a goroutine's weight, its lane, so
// that at one moment some are sampled and others not. Those that are set alike are a class. A sample, or a window, is of one
// class, which is drawn, each as likely as its share of all samples: so each class has its own frequency and
// length, as bursty tracing has one of each (Hirzel and Chilimbi, FDDO 2001), and no two are ever in each other's way.

const (
	dupinstMostLanes  = 8
	dupinstAllSamples = 1 << 32 // all samples, in parts of a class
	dupinstFraction   = 16      // bits behind the point of numbers of checks
	dupinstNoClass    = 255
)

// dupinstEventWeight is what a sample of all instrumentations weighs: 1 in each byte that is a lane or, in a program without
// lanes, just 1.
var dupinstEventWeight uint64 = 1

// A dupinstClass is of lanes that are sampled together.
type dupinstClass struct {
	lanes uint64 // 1 in the byte of each
	often uint64 // checks from one sample's begin to the next one's, or windows a second
	lasts uint64 // checks, or nanoseconds, that one does
	part  uint64 // of dupinstAllSamples samples
}

// dupinstClassTotals are of one class: samples or windows, nanoseconds that those were open, program counters that they set to
// twins, and those that no thread came by for.
type dupinstClassTotals struct{ samples, open, moved, late uint64 }

// A dupinstApartness is how instrumentations are sampled where not all are alike.
type dupinstApartness struct {
	n       uint32 // classes; 0: all are sampled alike
	of      [dupinstMostLanes]uint32
	lanes   int
	gap     int64 // checks from a sample's end to the next one's begin, on average, with a fraction
	jitter  int64 // at most so many more or less
	rate    uint64
	classes [dupinstMostLanes]dupinstClass
}

var (
	dupinstApartNow  dupinstApartness
	dupinstApartText string // what is set
)

// dupinstApartly reports whether instrumentations are not sampled alike.
func dupinstApartly() bool { return dupinstLoad32(&dupinstApartNow.n) > 0 }

// dupinstLanesInit gives the instrumentations their lanes.
func dupinstLanesInit() {
	dupinstEventWeight = 1
	names := dupinstLaneNames()
	for i := 0; i < len(names); i++ {
		if names[i] == ',' {
			dupinstEventWeight = dupinstEventWeight<<8 | 1
		}
	}
}

// dupinstLaneOf is the lane of an instrumentation, of some with commas, or -1.
func dupinstLaneOf(names, name string) int {
	for lane, at := 0, 0; at < len(names); lane++ {
		end := dupinstUpTo(names, at, ',')
		if names[at:end] == name {
			return lane
		}
		at = end + 1
	}
	return -1
}

// dupinstUpTo is where c is in s from at on, or its end.
func dupinstUpTo(s string, at int, c byte) int {
	for at < len(s) && s[at] != c {
		at++
	}
	return at
}

// dupinstClassify makes classes of a setting for some instrumentations, and of what holds for all others. It returns what is
// wrong with that, or "".
func (a *dupinstApartness) dupinstClassify(names, text string, often, lasts uint64) string {
	*a = dupinstApartness{}
	var set [dupinstMostLanes]dupinstClass
	for at := 0; at < len(names); at = dupinstUpTo(names, at, ',') + 1 {
		set[a.lanes].often, set[a.lanes].lasts = often, lasts
		a.lanes++
	}
	named := uint64(0)
	for at := 0; at < len(text); {
		end := dupinstUpTo(text, at, ',')
		is := dupinstUpTo(text, at, '=')
		lane := dupinstLaneOf(names, text[at:min(is, end)])
		switch {
		case lane < 0 || is >= end:
			return "it has to name instrumentations that the program was built with -apart for, as calledge=off"
		case named>>lane&1 != 0:
			return "it names one twice"
		case !set[lane].dupinstRead(text[is+1 : end]):
			return "an instrumentation is off, or has an interval, as 1000, or windows a second, as 5/s, and behind a colon what each lasts, as 100 checks or 2ms"
		}
		named |= 1 << lane
		at = end + 1
	}
	for lane := range a.lanes {
		a.dupinstPut(lane, &set[lane])
	}
	return a.dupinstDivide()
}

// dupinstRead reads what is set for one instrumentation.
func (c *dupinstClass) dupinstRead(text string) bool {
	colon := dupinstUpTo(text, 0, ':')
	often := text[:colon]
	var ok bool
	switch {
	case text == "off":
		c.often = 0
		return true
	case dupinstWindowed:
		c.often, ok = dupinstRate(often)
		ok = ok && c.often > 0
	default:
		var n int64
		n, ok = dupinstDecimal(often, 1)
		ok = ok && 0 < n && n <= dupinstLongestInterval
		c.often = uint64(n)
	}
	if !ok || colon == len(text) {
		return ok
	}
	var n int64
	if dupinstWindowed {
		n, ok = dupinstDuration(text[colon+1:])
		ok = ok && dupinstShortestWindow <= n && n <= dupinstLongestWindow
	} else {
		n, ok = dupinstDecimal(text[colon+1:], 1)
		ok = ok && 0 < n && n <= dupinstLongestInterval
	}
	c.lasts = uint64(n)
	return ok
}

// dupinstPut puts a lane into the class of those that are set alike.
func (a *dupinstApartness) dupinstPut(lane int, as *dupinstClass) {
	a.of[lane] = dupinstNoClass
	if as.often == 0 {
		return
	}
	i := uint32(0)
	for i < a.n && (a.classes[i].often != as.often || a.classes[i].lasts != as.lasts) {
		i++
	}
	if i == a.n {
		a.n++
		a.classes[i] = *as
	}
	a.classes[i].lanes |= 1 << (8 * lane)
	a.of[lane] = i
}

// dupinstDivide gives each class its share of all samples, and sees to it that there can be as many. With f samples of a
// class for each check, of b checks, there is a sample every 1/Σf checks, and between two of them are on
// average as many less those that it lasts.
func (a *dupinstApartness) dupinstDivide() string {
	var f [dupinstMostLanes]float64
	all, within := 0.0, 0.0
	for i := range a.n {
		c := &a.classes[i]
		f[i] = float64(c.often)
		if !dupinstWindowed {
			f[i] = 1 / f[i]
		}
		all += f[i]
		within += f[i] * float64(c.lasts-1)
	}
	for i := range a.n {
		a.classes[i].part = uint64(f[i] / all * dupinstAllSamples)
	}
	switch {
	case a.n == 0:
		return "nothing is left to be sampled"
	case dupinstWindowed:
		if a.rate = uint64(all); a.rate > dupinstMostWindows {
			return "there are too many windows a second"
		}
	case within >= 1 || (1-within)/all < 1:
		return "there are more checks in samples than in the program"
	default:
		a.gap = int64((1 - within) / all * (1 << dupinstFraction))
		a.jitter = dupinstDeviation(a.gap >> dupinstFraction)
	}
	return ""
}

// dupinstDraw draws the class of a sample. What is set may change meanwhile.
func (a *dupinstApartness) dupinstDraw(random uint64) uint32 {
	at, last := random%dupinstAllSamples, max(dupinstLoad32(&a.n), 1)-1
	for i := range last {
		if part := a.classes[i].part; at >= part {
			at -= part
			continue
		}
		return i
	}
	return last
}

// dupinstSampleApart begins a sample of a class.
//
//go:norace
func (p *dupinstG) dupinstSampleApart(a *dupinstApartness) {
	if p.rng == 0 { // born when no samples were taken
		p.rng = dupinstMix(dupinstSeed^p.id) | 1
	}
	i := a.dupinstDraw(p.dupinstNext())
	c := &a.classes[i]
	p.weight = c.lanes
	dupinstXadd(&dupinstTotal.classes[i].samples, 1)
	n := p.dupinstGap(a)
	if burst := int64(c.lasts) - 1; burst > 0 {
		p.lasts, p.rests, n = burst, n, 0
	}
	p.load, p.ctr = n, n
}

// dupinstGap draws the checks that are in no sample before the next one begins.
//
//go:norace
func (p *dupinstG) dupinstGap(a *dupinstApartness) int64 {
	n := (a.gap+int64(p.dupinstNext()%(1<<dupinstFraction)))>>dupinstFraction - 1
	if jitter := min(a.jitter, n); jitter > 0 {
		n += int64(p.dupinstNext()%uint64(2*jitter+1)) - jitter
	}
	return n
}

// dupinstFirstApart sets the count at which a goroutine starts, which may be in the midst of a burst as any other.
//
//go:norace
func (p *dupinstG) dupinstFirstApart(a *dupinstApartness) {
	within := uint64(0)
	for i := range a.n {
		within += a.classes[i].dupinstWithin()
	}
	at := p.dupinstNext() % max(within+uint64(a.gap), 1)
	for i := range a.n {
		c := a.classes[i] // which may change
		part := c.dupinstWithin()
		if at < part {
			p.ctr, p.weight = 0, c.lanes
			p.lasts, p.rests = 1+int64(p.dupinstNext()%(c.lasts-1)), p.dupinstGap(a)
			return
		}
		at -= part
	}
	p.ctr = int64(at >> dupinstFraction)
}

// dupinstWithin are the checks in a sample of the class beyond the first, for each of any class, with a fraction.
func (c *dupinstClass) dupinstWithin() uint64 {
	return c.part >> 12 * (c.lasts - 1) >> (32 - 12 - dupinstFraction)
}

// dupinstGoesOn counts one more check of a sample of the class that has these lanes.
func (a *dupinstApartness) dupinstGoesOn(lanes uint64) {
	for i := range a.n {
		if a.classes[i].lanes == lanes {
			dupinstXadd(&dupinstTotal.classes[i].samples, 1)
		}
	}
}

// dupinstLaneBits has a bit for each lane of a weight.
//
//go:nosplit
func dupinstLaneBits(weight uint64) uint64 { return weight * 0x0102040810204080 >> 56 }

// dupinstReclassify makes classes anew of what is set.
func dupinstReclassify() {
	a := &dupinstApartNow
	if dupinstStore32(&a.n, 0); dupinstApartText == "" || dupinstInterval == 0 {
		return
	}
	often, lasts := uint64(dupinstInterval), uint64(dupinstBurstChecks)
	if dupinstWindowed {
		often, lasts = dupinstWindowRate, dupinstWindowLength
	}
	var tried dupinstApartness
	if tried.dupinstClassify(dupinstLaneNames(), dupinstApartText, often, lasts) != "" {
		return // it is of a moment, until all of a change has been made
	}
	n := tried.n
	tried.n = 0
	*a = tried
	dupinstStore32(&a.n, n)
}

// DupinstLanes are the names of the instrumentations that can be sampled apart, with commas, or "".
func DupinstLanes() string { return dupinstLaneNames() }

// DupinstApart is what is set for some instrumentations alone.
func DupinstApart() string { return dupinstApartText }

// DupinstSetApart sets it.
func DupinstSetApart(text string) {
	dupinstApartText = text
	dupinstReclassify()
}

// DupinstApartFits says what is wrong with it where all others are sampled so often, and for so long, or "".
func DupinstApartFits(text string, often, lasts uint64) string {
	var tried dupinstApartness
	return tried.dupinstClassify(dupinstLaneNames(), text, often, lasts)
}

// dupinstWriteApart writes, for each instrumentation, how often it is sampled, how long a sample of it lasts, how
// many there were, and of windows how long they were open and how they began.
func (w *dupinstWriter) dupinstWriteApart(t *dupinstTotals) {
	if !dupinstApartly() {
		return
	}
	a := &dupinstApartNow
	w.dupinstUvarint(dupinstHasApart)
	w.dupinstUvarint(uint64(a.lanes))
	for lane := range a.lanes {
		var c dupinstClass
		var of dupinstClassTotals
		if i := a.of[lane]; i != dupinstNoClass {
			c, of = a.classes[i], t.classes[i]
		}
		for _, v := range [...]uint64{c.often, c.lasts, of.samples, of.open, of.moved, of.late} {
			w.dupinstUvarint(v)
		}
	}
}
