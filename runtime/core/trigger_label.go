package core

import "unsafe"

// Phases by a label: a goroutine is in one as long as it has a label of runtime/pprof's, as what handles one kind of request has, and
// so are those that it starts, which get its labels. There is nothing to name in the program but what
// its CPU profile may be told apart by already.

// dupinstByLabel is the phase of a goroutine that has the label.
const dupinstByLabel = 1 << 62

// dupinstLongestLabel is that of a key, of a value and of what is between them together.
const dupinstLongestLabel = 255

// dupinstLabel is the label, as key=value. Who reads it while it is changed finds no label, or another; the profile begins
// anew then.
var dupinstLabel struct {
	text [dupinstLongestLabel]byte
	n    uint32
	key  uint32 // the length of the key
}

// dupinstLabelText is the label.
func dupinstLabelText() string { return unsafe.String(&dupinstLabel.text[0], dupinstLabel.n) }

// dupinstSetLabel sets it, and reports whether it is one.
func dupinstSetLabel(text string) bool {
	key := 0
	for key < len(text) && text[key] != '=' {
		key++
	}
	if key == 0 || key == len(text) || len(text) > dupinstLongestLabel {
		return false
	}
	l := &dupinstLabel
	dupinstStore32(&l.n, 0)
	copy(l.text[:], text)
	dupinstStore32(&l.key, uint32(key))
	dupinstStore32(&l.n, uint32(len(text)))
	return true
}

// DupinstLabel is the label by which phases are counted, as key=value, or "".
func DupinstLabel() string {
	if dupinstLoad32(&dupinstPhases) != dupinstPhasesLabelled {
		return ""
	}
	return string([]byte(dupinstLabelText())) // which stays as it is
}

// DupinstSetLabel has phases by a label counted from now on, or no more where it is "".
func DupinstSetLabel(label string) {
	if label == DupinstLabel() {
		return
	}
	dupinstStore32(&dupinstPhases, 0)
	if label != "" && dupinstSetLabel(label) {
		dupinstStore32(&dupinstPhases, dupinstPhasesLabelled)
	}
}

// A dupinstLabelSet is what runtime/pprof has of a goroutine's labels: a slice of keys and values.
type dupinstLabelSet struct {
	list []struct{ key, value string }
}

// dupinstHas reports whether the label is among them.
func (l *dupinstLabelSet) dupinstHas() bool {
	if l == nil {
		return false
	}
	n, key := dupinstLoad32(&dupinstLabel.n), dupinstLoad32(&dupinstLabel.key)
	if n <= key {
		return false
	}
	text := dupinstLabel.text[:n]
	for i := range l.list {
		if e := &l.list[i]; e.key == unsafe.String(&text[0], key) && e.value == unsafe.String(&text[0], n)[key+1:] {
			return true
		}
	}
	return false
}

// dupinstRelabel is told of the goroutine's labels.
func (p *dupinstG) dupinstRelabel(l *dupinstLabelSet) {
	if dupinstLoad32(&dupinstPhases) != dupinstPhasesLabelled {
		return
	}
	has := l.dupinstHas()
	switch {
	case has && p.phase != dupinstByLabel:
		p.dupinstEnterPhase(dupinstByLabel, 0)
		p.weight, p.since = dupinstEventWeight, dupinstClock()
		dupinstXadd(&dupinstTotal.phases, 1)
	case !has && p.phase == dupinstByLabel:
		if p.since > 0 { // it was not born in the phase
			dupinstXadd(&dupinstTotal.phased, uint64(max(dupinstClock()-p.since, 0)))
		}
		p.dupinstEnterPhase(0, dupinstRest)
		p.since = 0
	}
}
