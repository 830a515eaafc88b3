package core

import "unsafe"

// The values of a site are kept in a top-N-value table (Calder, Feller and Eustace, Value Profiling,
// MICRO 1997, §4.1): the values that were counted most stand first, and a new one takes the place of the
// last. So that it has a chance against those that have been there for long, the lower half is emptied
// after every so many events; the upper half is steady. But what has had its part of these events stays: else
// a value that became the most frequent after half a table of others had been would never have counted enough to come into the upper half. What a
// value has counted that leaves is added to the others', so that a site's counts always sum up to its events.

// A dupinstValueSite is what a probe names: static data that the compiler made (compiler/pass/dupinst,
// value.go).
type dupinstValueSite struct {
	counter uintptr
	form    uintptr
	top     uintptr // of dupinstTop, once there is one
}

// Numbers of a table's: how many values it has, and after how many events the lower half is emptied.
const (
	dupinstTopValues = 50
	dupinstTopClear  = 2000
)

// A dupinstTop is a site's table.
type dupinstTop struct {
	next, site uintptr
	busy       uint32 // while one thread has it
	events     uint32 // since the lower half was emptied
	weight     uint64 // of these
	others     uint64
	spread     dupinstSpread // of the others
	n          uintptr
	values     [dupinstTopValues]dupinstTopValue // by n, descending
}

type dupinstTopValue struct {
	value, n uint64
	lately   uint64 // what it has counted since the lower half was emptied
	spread   dupinstSpread
}

// dupinstTops is the first table.
var dupinstTops uintptr

// What is noted of a word; instrumentations.Form has them, too.
const (
	dupinstInt8 = 1 + iota
	dupinstInt16
	dupinstInt32
	dupinstInt64
	dupinstUint8
	dupinstUint16
	dupinstUint32
	dupinstUint64
	dupinstBoolean
	dupinstNil
	dupinstMap
	dupinstCode
	dupinstMethods
	dupinstAny
	dupinstContextForm
	dupinstTrips
)

// dupinstRead is what is noted of a word.
func (s *dupinstValueSite) dupinstRead(word uintptr) uint64 {
	switch s.form {
	case dupinstInt8:
		return uint64(int8(word))
	case dupinstInt16:
		return uint64(int16(word))
	case dupinstInt32:
		return uint64(int32(word))
	case dupinstUint8, dupinstBoolean:
		return uint64(uint8(word))
	case dupinstUint16:
		return uint64(uint16(word))
	case dupinstUint32:
		return uint64(uint32(word))
	}
	switch {
	case word == 0:
	case s.form == dupinstTrips:
		return dupinstRounds(uint64(word))
	case s.form == dupinstNil:
		return 1
	case s.form == dupinstMap || s.form == dupinstCode:
		return *(*uint64)(dupinstPtr(word)) // a map begins with its length, a closure with its code
	case s.form == dupinstMethods:
		return *(*uint64)(dupinstPtr(word + unsafe.Sizeof(word))) // a table of methods: the dynamic type
	}
	return uint64(word)
}

// dupinstRounds is what is noted of a loop, twice its rounds and one more where it went on: of such a loop the
// greatest power of two that it has reached, for where it was cut off is chance.
func dupinstRounds(sum uint64) uint64 {
	if sum&1 == 0 {
		return sum
	}
	n := sum >> 1
	for n&(n-1) != 0 {
		n &= n - 1
	}
	return n<<1 | 1
}

// dupinstCount counts an event with a word.
func (s *dupinstValueSite) dupinstCount(word uintptr, weight uint64) {
	s.dupinstCountRead(s.dupinstRead(word), weight)
}

// dupinstCountRead counts an event with what is noted of its word.
func (s *dupinstValueSite) dupinstCountRead(value, weight uint64) {
	dupinstXadd((*uint64)(dupinstPtr(s.counter)), weight)
	t := s.dupinstTake()
	t.dupinstAdd(value, weight)
	dupinstStore32(&t.busy, 0)
}

// dupinstTake is the site's table, which is the caller's until it sets busy to 0.
func (s *dupinstValueSite) dupinstTake() *dupinstTop {
	top := dupinstLoad(&s.top)
	if top == 0 {
		top = s.dupinstBegin()
	}
	t := (*dupinstTop)(dupinstPtr(top))
	for !dupinstCas32(&t.busy, 0, 1) {
		dupinstYield()
	}
	return t
}

// dupinstBegin makes the site's table, unless another thread does.
func (s *dupinstValueSite) dupinstBegin() uintptr {
	top := dupinstAllocate(unsafe.Sizeof(dupinstTop{}))
	t := (*dupinstTop)(dupinstPtr(top))
	t.site = uintptr(unsafe.Pointer(s))
	if !dupinstCas(&s.top, 0, top) {
		return dupinstLoad(&s.top)
	}
	for {
		t.next = dupinstLoad(&dupinstTops)
		if dupinstCas(&dupinstTops, t.next, top) {
			return top
		}
	}
}

// dupinstAdd counts a value.
func (t *dupinstTop) dupinstAdd(value, weight uint64) {
	if t.events++; t.events >= dupinstTopClear {
		t.dupinstThin()
	}
	t.weight += weight
	i := uintptr(0)
	for i < t.n && t.values[i].value != value {
		i++
	}
	if i == t.n {
		if i == dupinstTopValues {
			i--
			t.dupinstLeave(i)
		} else {
			t.n++
		}
		t.values[i] = dupinstTopValue{value: value}
	}
	dupinstXadd(&t.values[i].n, weight)
	t.values[i].lately += weight
	for ; i > 0 && t.values[i-1].n < t.values[i].n; i-- {
		t.values[i-1], t.values[i] = t.values[i], t.values[i-1]
	}
}

// dupinstThin empties the lower half, but for what has had more than one of as many parts of the events as there are values.
func (t *dupinstTop) dupinstThin() {
	const steady = dupinstTopValues / 2
	n := min(t.n, steady)
	for i := n; i < t.n; i++ {
		if t.values[i].lately > t.weight/dupinstTopValues {
			t.values[n] = t.values[i]
			n++
		} else {
			t.dupinstLeave(i)
		}
	}
	for i := range n {
		t.values[i].lately = 0
	}
	t.n, t.events, t.weight = n, 0, 0
}

// dupinstLeave adds what the i-th value has counted to the others'.
func (t *dupinstTop) dupinstLeave(i uintptr) {
	dupinstXadd(&t.others, dupinstXchg64(&t.values[i].n, 0))
}

// dupinstBatchValues ends a batch of windows for values.
func dupinstBatchValues() {
	for at := dupinstLoad(&dupinstTops); at != 0; {
		t := (*dupinstTop)(dupinstPtr(at))
		if dupinstSeize(&t.busy) {
			t.spread.dupinstEnd(t.others)
			for i := range t.n {
				t.values[i].spread.dupinstEnd(t.values[i].n)
			}
			dupinstStore32(&t.busy, 0)
		}
		at = t.next
	}
}

// dupinstValues writes the values that sites have noted, as dupinstDynamic writes callees. A table that
// a thread has which may never end is written as it is.
func (w *dupinstWriter) dupinstValues(head uintptr) {
	for at := dupinstLoad(&dupinstTops); at != 0; {
		t := (*dupinstTop)(dupinstPtr(at))
		s := (*dupinstValueSite)(dupinstPtr(t.site))
		seized := dupinstSeize(&t.busy)
		if pkg, ordinal := dupinstPackageOf(head, s.counter); pkg != nil {
			site := uint64(s.counter-pkg.counts) / 8
			for i := range min(t.n, dupinstTopValues) {
				if n := w.dupinstTake(&t.values[i].n); n != 0 {
					w.dupinstEntry(n, &t.values[i].spread, ordinal, site)
					w.dupinstValue(s.form, t.values[i].value)
				}
			}
			if n := w.dupinstTake(&t.others); n != 0 {
				w.dupinstEntry(n, &t.spread, ordinal, site)
				w.dupinstNamed("", "", 0, dupinstOthers)
			}
		}
		if seized {
			dupinstStore32(&t.busy, 0)
		}
		at = t.next
	}
}

// dupinstValue writes a value's name.
func (w *dupinstWriter) dupinstValue(form uintptr, value uint64) {
	text := ""
	switch {
	case form == dupinstBoolean:
		text = [2]string{"false", "true"}[min(value, 1)]
	case form == dupinstNil:
		text = [2]string{"nil", "not nil"}[min(value, 1)]
	case form == dupinstTrips:
		w.dupinstWriteRounds(value)
		return
	case form < dupinstCode:
		w.dupinstDecimal(value, form <= dupinstInt64)
		return
	case value == 0:
		text = "nil"
	case form == dupinstCode:
		w.dupinstNamed(dupinstName(uintptr(value)))
		return
	default:
		text, _, _, _ = dupinstName(uintptr(value))
	}
	w.dupinstNamed(text, "", 0, dupinstKept)
}

// dupinstDecimal writes a number as a name.
func (w *dupinstWriter) dupinstDecimal(v uint64, signed bool) {
	var b [20]byte
	negative := signed && int64(v) < 0
	if negative {
		v = -v
	}
	i := dupinstDigits(b[:], v)
	if negative {
		i--
		b[i] = '-'
	}
	w.dupinstNamed(unsafe.String(&b[i], len(b)-i), "", 0, dupinstKept)
}

// dupinstWriteRounds writes how often a loop went round as a name.
func (w *dupinstWriter) dupinstWriteRounds(sum uint64) {
	const more = " or more"
	var b [20 + len(more)]byte
	n := len(b)
	if sum&1 == 0 {
		n -= len(more)
	} else {
		copy(b[n-len(more):], more)
	}
	i := dupinstDigits(b[:len(b)-len(more)], sum>>1)
	w.dupinstNamed(unsafe.String(&b[i], n-i), "", 0, dupinstKept)
}

// dupinstDigits puts a number at the end of b, and says where it begins.
func dupinstDigits(b []byte, v uint64) int {
	i := len(b)
	for {
		i--
		b[i] = byte('0' + v%10)
		if v /= 10; v == 0 {
			return i
		}
	}
}
