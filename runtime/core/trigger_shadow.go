package core

import "unsafe"

// Shadows (Shadow Profiling, CGO 2007): a fork of the process goes on for a moment with every check beginning a sample,
// so that all it does is counted, while the parent runs on as if nothing were; then it ends, and what it has counted is added
// to the parent's counters. What is counted costs the parent a fork, and a processor that it does not use.
// trigger_shadow_linux_amd64.go has the fork, trigger_files_linux_amd64.go what files one may read, trigger_mapped_linux_amd64.go what memory that others have, trigger_shadow_pages_linux_amd64.go its cost in
// memory; this is when none is made, and how counts come from the one to the other.

// dupinstInShadow is 1 in a shadow.
var dupinstInShadow uint32

// Settings: shadows a second, what they may cost at most, in millionths of the processor time, 0 for any cost, and nanoseconds that one lasts.
var (
	dupinstShadowRate   uint64
	dupinstShadowBudget uint64 = dupinstDefaultBudget
	dupinstShadowLength int64
)

// dupinstLongestStop is the longest that the program has stood still for one, in nanoseconds.
var dupinstLongestStop uint64

// A dupinstSparing is since when the heap has been about to be collected, or 0: marking writes to all of its pages, which are copied while a
// shadow is there.
type dupinstSparing int64

// dupinstOften is within how many of a shadow's times the heap is collected again where that is all the time.
const dupinstOften = 16

// dupinstExpects reports whether no shadow is to be made, as the heap is collected within twice so many nanoseconds, by what has been allocated since it last was. A heap that is
// collected all the time has shadows, and so has one whose collection does not come: what a program does that allocates no more is to be seen, too.
func (s *dupinstSparing) dupinstExpects(now, since int64, live, marked, trigger uint64, ns int64) bool {
	const patience = 4
	soon := marked <= live && live <= trigger && since >= dupinstOften*ns && float64(trigger-live)*float64(since) < float64(live-marked)*float64(2*ns)
	switch {
	case !soon:
		*s = 0
	case *s == 0:
		*s = dupinstSparing(now)
	}
	return soon && now-int64(*s) < patience*ns
}

// dupinstSlowest is how many times as long as its length a shadow may last.
const dupinstSlowest = 30

// A dupinstLife is how long a shadow has been there, in nanoseconds: all together, but for what it was not let run, and since it was last seen to come on.
type dupinstLife struct {
	lasted, since int64
	last          uint64 // the samples that it had then
}

// dupinstGoesOn reports whether it goes on, when it is asked again after so many nanoseconds, in which its threads had some of processor time, given the goroutines that run, its
// samples, the checks that it is to come to, as a dupinstShared has them, and a shadow's length. Where none runs, and no sample has been, they wait for what is not there;
// those that are only not let run, beside other load, do not. Where the program has come to no check there is nothing to see.
func (l *dupinstLife) dupinstGoesOn(passed, cpu int64, running int32, samples, checks uint64, length int64) bool {
	l.lasted += min(passed, cpu/int64(max(running, 1)))
	l.since += passed
	if checks == 1 {
		return false
	}
	if checks != 0 && l.since >= length {
		if samples == l.last && running == 0 {
			return false
		}
		l.last, l.since = samples, 0
	}
	return l.lasted < dupinstSlowest*length
}

// A dupinstMoments has the moments at which there may be a shadow, in nanoseconds: a Poisson process with pauses. The next pause begins when the longest of late would
// have ended: did it when this one has, code that probes slow down much would be followed by fewer moments in as much time, and what comes after it be seen less.
type dupinstMoments struct{ due, longest int64 }

// dupinstNext is the next one, given a random number, moments a second, and a shadow's length.
func (m *dupinstMoments) dupinstNext(now int64, random, rate uint64, length int64) int64 {
	m.due = min(max(m.due, now), now+dupinstSlowest*length) + int64(dupinstExponential(random, 1_000_000_000/rate))
	return m.due
}

// dupinstEnded has there have been one from a moment on, so long.
func (m *dupinstMoments) dupinstEnded(born, life int64) {
	m.longest = max(life, m.longest-m.longest/16)
	m.due = born + m.longest
}

// A dupinstPacer keeps what shadows cost within a budget: of the moments at which there may be one it takes as large a share as that pays for. The share is of all that has
// been since the round began, and so hardly changes: were there a longer pause after one that was dear, dear code would be seen less.
type dupinstPacer struct {
	n, cost uint64 // shadows, and what they have cost, in nanoseconds of processor time
	moments uint64
	cpu     uint64 // the processor time that the program had had when it began, in nanoseconds
}

// dupinstPace begins, for shadows of a length: until it is known what they cost, as if it had had one.
func dupinstPace(length int64, cpu uint64) dupinstPacer {
	const times = 4 // that what is counted takes longer, about
	return dupinstPacer{1, times * uint64(length), 0, cpu}
}

// dupinstMay reports whether there may be one now, given a random number, the budget in millionths, or 0, and the processor time that the program has had.
func (p *dupinstPacer) dupinstMay(random, budget, cpu uint64) bool {
	p.moments++
	share := float64(budget) / 1e6 * float64(cpu-p.cpu) / float64(p.moments) * float64(p.n) / float64(p.cost)
	return budget == 0 || float64(random>>11)/(1<<53) < share
}

// dupinstAdd adds one, and what it has cost.
func (p *dupinstPacer) dupinstAdd(cost uint64) {
	p.n++
	p.dupinstSpend(cost)
}

// dupinstSpend adds to what they have cost.
func (p *dupinstPacer) dupinstSpend(cost uint64) {
	p.cost += cost
	if dupinstPaced() {
		dupinstXadd(&dupinstTotal.spent, cost)
	}
}

// dupinstPaced reports whether there is a limit to what shadows may cost.
func dupinstPaced() bool { return dupinstShadowBudget > 0 && dupinstLoad64(&dupinstShadowRate) > 0 }

// dupinstAwaited reports whether a shadow is to be made when the goroutine has returned from a system call, given the call's number, and notes where that came late: it is waited for once.
func (p *dupinstG) dupinstAwaited(call uint64, late bool) bool {
	if p.called == call {
		return false
	}
	if late {
		p.called = call
	}
	return true
}

// A dupinstParcel is what a shadow has counted, in words of memory that it has in common with its parent. The addresses
// in it are those of static data, which are the same in both.
type dupinstParcel struct {
	words uintptr // their address
	n     uintptr
	room  uintptr
	lost  uint64 // counts that found no room
}

func (p *dupinstParcel) dupinstPut(words ...uint64) bool {
	if p.n+uintptr(len(words)) > p.room {
		return false
	}
	for _, w := range words {
		*(*uint64)(dupinstPtr(p.words + p.n*8)) = w
		p.n++
	}
	return true
}

func (p *dupinstParcel) dupinstGet() uint64 {
	if p.n >= p.room {
		return 0
	}
	p.n++
	return *(*uint64)(dupinstPtr(p.words + (p.n-1)*8))
}

// dupinstEntry puts in what was counted, with the room for the ends of all that may follow left.
func (p *dupinstParcel) dupinstEntry(n uint64, words ...uint64) {
	const ends = 8
	if p.n+uintptr(len(words))+ends > p.room || !p.dupinstPut(words...) || !p.dupinstPut(n) {
		p.lost += n
	}
}

// dupinstPack puts in all that was counted: counters of sites, of groups and of paths, each its address and its count; callees, each site, function,
// count; values, each site, value, count, those that were not kept apart at an odd address; and contexts, each
// counter, the number of return addresses, they, count; and parts of paths. Each kind ends with a zero. It takes no lock: what is counted meanwhile may be in it or not.
func (p *dupinstParcel) dupinstPack() {
	for at := dupinstLoad(&dupinstPackages); at != 0; {
		pkg := (*DupinstPackage)(dupinstPtr(at))
		p.dupinstCounters(pkg.counts, pkg.N)
		at = pkg.next
	}
	for at := dupinstGrouped; at != 0; {
		g := (*dupinstGroups)(dupinstPtr(at))
		p.dupinstCounters(g.counters, g.n)
		at = g.next
	}
	for at := dupinstPathed; at != 0; {
		paths := (*dupinstPaths)(dupinstPtr(at))
		p.dupinstCounters(paths.counters, paths.n)
		at = paths.next
	}
	p.dupinstPut(0)
	taken := dupinstSlotsTaken()
	for i := range taken {
		if s := dupinstSlotAt(taken, i); s != nil && s.n > 0 {
			p.dupinstEntry(s.n, uint64(s.site), uint64(s.pc))
		}
	}
	p.dupinstPut(0)
	for at := dupinstLoad(&dupinstTops); at != 0; {
		t := (*dupinstTop)(dupinstPtr(at))
		for i := range min(t.n, dupinstTopValues) {
			if v := &t.values[i]; v.n > 0 {
				p.dupinstEntry(v.n, uint64(t.site), v.value)
			}
		}
		if t.others > 0 {
			p.dupinstEntry(t.others, uint64(t.site)|1, 0)
		}
		at = t.next
	}
	p.dupinstPut(0)
	p.dupinstPackContexts()
	p.dupinstPut(0)
	if at := dupinstLoad(&dupinstParts); at != 0 {
		(*dupinstPartTable)(dupinstPtr(at)).dupinstPack(p)
	}
	p.dupinstPut(0)
}

func (p *dupinstParcel) dupinstCounters(first, n uintptr) {
	for i := range n {
		at := first + i*8
		if n := dupinstLoad64((*uint64)(dupinstPtr(at))); n > 0 {
			p.dupinstEntry(n, uint64(at))
		}
	}
}

func (p *dupinstParcel) dupinstPackContexts() {
	at := dupinstLoad(&dupinstContexts)
	if at == 0 {
		return
	}
	t := (*dupinstTree)(dupinstPtr(at))
	for _, i := range t.dupinstKept() {
		c := &t.contexts[i]
		n, node := dupinstLoad64(&c.n), dupinstLoad(&c.node)
		if n == 0 || node == 0 {
			continue
		}
		var words [2 + dupinstDeepest]uint64
		words[0] = uint64(c.site)
		deep := uint64(0)
		for node != dupinstFull && node != 0 && deep < dupinstDeepest {
			words[2+deep] = uint64(t.nodes[node].pc)
			deep++
			node = t.nodes[node].parent
		}
		words[1] = deep
		p.dupinstEntry(n, words[:2+deep]...)
	}
}

// dupinstUnpack adds what is in it to the process's counters.
func (p *dupinstParcel) dupinstUnpack() {
	for at := p.dupinstGet(); at != 0; at = p.dupinstGet() {
		dupinstXadd((*uint64)(dupinstPtr(uintptr(at))), p.dupinstGet())
	}
	for site := p.dupinstGet(); site != 0; site = p.dupinstGet() {
		pc := p.dupinstGet()
		dupinstCallee(uintptr(site), uintptr(pc), p.dupinstGet())
	}
	for at := p.dupinstGet(); at != 0; at = p.dupinstGet() {
		value := p.dupinstGet()
		(*dupinstValueSite)(dupinstPtr(uintptr(at&^1))).dupinstHad(value, p.dupinstGet(), at&1 != 0)
	}
	for counter := p.dupinstGet(); counter != 0; counter = p.dupinstGet() {
		var pcs [dupinstDeepest]uintptr
		deep := min(p.dupinstGet(), dupinstDeepest)
		for i := range deep {
			pcs[i] = uintptr(p.dupinstGet())
		}
		if n := p.dupinstGet(); deep > 0 {
			dupinstContextOf(uintptr(counter), pcs[:deep], n)
		} else {
			dupinstXadd(&dupinstTotal.dropped, n)
		}
	}
	if p.n < p.room && *(*uint64)(dupinstPtr(p.words + p.n*8)) != 0 {
		dupinstPartsOf().dupinstUnpack(p)
	}
	dupinstXadd(&dupinstTotal.dropped, p.lost)
}

// dupinstHad adds what a shadow has counted of a value, or of those that were not kept apart.
func (s *dupinstValueSite) dupinstHad(value, n uint64, others bool) {
	t := s.dupinstTake()
	if others {
		dupinstXadd(&t.others, n)
	} else {
		t.dupinstAdd(value, n)
	}
	dupinstStore32(&t.busy, 0)
}

// dupinstForget sets all that was counted to zero, and frees what a thread had that is none of a shadow's, as a shadow does
// before it counts: it is alone then.
func dupinstForget() {
	for at := dupinstLoad(&dupinstPackages); at != 0; {
		pkg := (*DupinstPackage)(dupinstPtr(at))
		dupinstClear(pkg.counts, pkg.N)
		at = pkg.next
	}
	for at := dupinstGrouped; at != 0; {
		g := (*dupinstGroups)(dupinstPtr(at))
		dupinstClear(g.counters, g.n)
		at = g.next
	}
	for at := dupinstPathed; at != 0; {
		paths := (*dupinstPaths)(dupinstPtr(at))
		dupinstClear(paths.counters, paths.n)
		at = paths.next
	}
	taken := dupinstSlotsTaken()
	for i := range taken {
		if s := dupinstSlotAt(taken, i); s != nil && s.n > 0 {
			s.n = 0
		}
	}
	for at := dupinstLoad(&dupinstTops); at != 0; {
		t := (*dupinstTop)(dupinstPtr(at))
		t.busy, t.events, t.weight, t.others, t.n = 0, 0, 0, 0, 0
		at = t.next
	}
	if at := dupinstLoad(&dupinstContexts); at != 0 {
		t := (*dupinstTree)(dupinstPtr(at))
		t.busy = 0
		for _, i := range t.dupinstKept() {
			if c := &t.contexts[i]; c.n > 0 {
				c.n = 0
			}
		}
	}
	if at := dupinstLoad(&dupinstParts); at != 0 {
		(*dupinstPartTable)(dupinstPtr(at)).dupinstForget()
	}
	dupinstTotal, dupinstBase = dupinstTotals{}, dupinstTotals{}
}

func dupinstClear(first, n uintptr) {
	for i := range n {
		if c := (*uint64)(dupinstPtr(first + i*8)); *c > 0 {
			*c = 0
		}
	}
}

// A dupinstShared is what a shadow tells its parent at the end, in memory that both have; a parcel's words follow.
type dupinstShared struct {
	done             uint32
	checks           uint64 // that the program has come to in as long as a shadow lasts, and one; 0 until it is told
	samples, dropped uint64
	spent            uint64 // nanoseconds of processor time
	whole            bool   // it has lasted as long as it was to
	parcel           dupinstParcel
}

const dupinstSharedSize = 16 << 20

// dupinstDeliver fills it.
func (s *dupinstShared) dupinstDeliver() {
	s.parcel = dupinstParcel{words: uintptr(unsafe.Pointer(s)) + unsafe.Sizeof(*s), room: (dupinstSharedSize - unsafe.Sizeof(*s)) / 8}
	s.parcel.dupinstPack()
	t := dupinstSum()
	s.samples, s.dropped = t.samples, t.dropped
	dupinstStore32(&s.done, 1)
}

// dupinstReceive adds a shadow's to the process's counters. It reports false where that has not come so far.
func (s *dupinstShared) dupinstReceive() bool {
	if dupinstLoad32(&s.done) == 0 {
		dupinstXadd(&dupinstTotal.lost, 1)
		return false
	}
	p := s.parcel
	p.room, p.n = p.n, 0
	p.dupinstUnpack()
	dupinstXadd(&dupinstTotal.samples, s.samples)
	dupinstXadd(&dupinstTotal.dropped, s.dropped)
	dupinstXadd(&dupinstTotal.shadowed, s.spent)
	if !s.whole {
		dupinstXadd(&dupinstTotal.early, 1)
	}
	return true
}
