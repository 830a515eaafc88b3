package core

import "testing"

// noting is a site of values, with an empty log.
func noting(t *testing.T) (*dupinstValueSite, *uint64, *dupinstNotes) {
	t.Helper()
	s, counter := valued(t, dupinstUint64)
	dupinstWindowLength = dupinstDefaultLength
	dupinstNotesBegin()
	if dupinstNoteWanted = true; dupinstNoteLog == 0 {
		dupinstNotesMake()
	}
	return s, counter, (*dupinstNotes)(dupinstPtr(dupinstNoteLog))
}

// In a window each of so many events is noted, and then fewer and fewer, which stand for all; they are counted when it has closed.
func TestNotes(t *testing.T) {
	s, counter, log := noting(t)
	took, each := dupinstNoteTook, uintptr(dupinstNotesEach)
	event := func(value uintptr) {
		if dupinstNotePasses--; dupinstNotePasses <= 0 { // as the assembly does
			s.dupinstNote(false, []uintptr{value}, dupinstStandsFor())
		}
	}
	for i := range each {
		event(i % 3)
	}
	if *counter != 0 || log.n != 4*each {
		t.Fatalf("%d were counted in the window, and %d words are logged", *counter, log.n)
	}
	const most = 400_000
	for i := range most - each {
		event((i / 7) % 4 % 3) // 0 is as frequent as 1 and 2 together
	}
	if n := log.n / 4; n < 4*each || n > 12*each {
		t.Errorf("%d of %d were noted", n, most)
	}
	dupinstNotesCount()
	if d := float64(*counter) / most; d < 0.9 || d > 1.1 {
		t.Errorf("they stand for %d of %d", *counter, most)
	}
	counts := [3]float64{}
	for _, v := range s.table().values[:s.table().n] {
		counts[v.value] = float64(v.n) / float64(*counter)
	}
	for v, want := range [3]float64{0.5, 0.25, 0.25} {
		if d := counts[v] - want; d < -0.05 || d > 0.05 {
			t.Errorf("%.3f have the value %d, want %.2f", counts[v], v, want)
		}
	}
	if took = (dupinstNoteTook - took) >> 10; took < most || log.n != 0 {
		t.Errorf("they took %d ns, and %d words are left", took, log.n)
	}

	dupinstNotesBegin()
	before := *counter
	for range 100 {
		event(7)
	}
	dupinstNotesCount()
	if *counter != before+100 {
		t.Errorf("of the first hundred of the next window %d were noted", *counter-before)
	}
}

// What the log has no room for is counted at once, and so is what comes while it is counted.
func TestNotesFull(t *testing.T) {
	_, _, log := noting(t)
	s, tree := contextual(t)
	pcs := make([]uintptr, 100)
	for i := range pcs {
		pcs[i] = uintptr(1000 + i)
	}
	const n = dupinstNoteWords/103 + 50
	for range n {
		s.dupinstNote(true, pcs, 2)
	}
	if got := tree.counted(pcs); got != 2*51 && got != 2*50 {
		t.Errorf("%d were counted where the log was full", got)
	}
	dupinstNotesCount()
	if got := tree.counted(pcs); got != 2*n {
		t.Errorf("%d were counted, of %d", got, 2*n)
	}
	log.busy = 1
	s.dupinstNote(true, pcs, 1)
	log.busy = 0
	if got := tree.counted(pcs); got != 2*n+1 || log.n != 0 {
		t.Errorf("%d were counted, of %d, and %d words logged", got, 2*n+1, log.n)
	}
}
