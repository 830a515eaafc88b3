package core

import "testing"

// phases has phases counted while the test runs.
func phases(t *testing.T) {
	settings(t, nil)
	DupinstSetPhases(true)
	t.Cleanup(func() { DupinstSetPhases(false) })
}

// due is how many of a goroutine's next checks begin a sample that counts.
func due(p *dupinstG, checks int) (n int) {
	for range checks {
		if p.ctr--; p.ctr < 0 {
			if dupinstTrigger(p); p.weight > 0 {
				n++
			}
		}
	}
	return n
}

// In a phase each check of a goroutine begins a sample, and of one that is born in it; before and after none.
func TestPhaseCounts(t *testing.T) {
	phases(t)
	p := dupinstSelf()
	before := dupinstTotal
	phase, outer := DupinstPhase(false)
	if n := due(p, 100); n != 100 || outer != 0 {
		t.Errorf("%d of 100 checks begin a sample in a phase, in one that is in %d", n, outer)
	}
	if inner, _ := DupinstPhase(false); inner != 0 {
		t.Error("a phase in another that runs is one of its own")
	}
	var child, grandchild, late dupinstG
	dupinstBirth(&child, p)
	dupinstBirth(&grandchild, &child)
	if n := due(&grandchild, 10); n != 10 {
		t.Errorf("%d of 10 checks of what was born in the phase", n)
	}
	DupinstPhaseEnd(phase, outer)
	dupinstBirth(&late, &child)
	for _, g := range []*dupinstG{p, &child, &grandchild, &late} {
		if n := due(g, 10*dupinstWake); n != 0 {
			t.Errorf("%d checks begin a sample after the phase", n)
		}
	}
	if total := dupinstTotal; total.phases != before.phases+1 || total.samples != before.samples+110 || total.missed != before.missed {
		t.Errorf("%+v, then %+v", before, total)
	}
}

// A phase that awaits its begin counts from then on, and one within it for itself.
func TestPhaseAwaits(t *testing.T) {
	phases(t)
	p := dupinstSelf()
	outer, none := DupinstPhase(true)
	if n := due(p, 10*dupinstLook); n != 0 || none != 0 {
		t.Errorf("%d checks begin a sample before the phase does", n)
	}
	inner, around := DupinstPhase(false)
	if n := due(p, 10); n != 10 || around != outer {
		t.Errorf("%d of 10 checks in the inner phase, which is in %d, not %d", n, around, outer)
	}
	DupinstPhaseEnd(inner, around)
	if n := due(p, dupinstLook); n != 0 {
		t.Errorf("%d checks begin a sample between the phases", n)
	}
	DupinstPhaseBegin(outer)
	if n := due(p, 2*dupinstLook); n < dupinstLook {
		t.Errorf("%d checks begin a sample when the phase has begun", n)
	}
	DupinstPhaseEnd(outer, none)
	before := dupinstTotal.phases
	DupinstPhaseBegin(outer) // too late
	if n := due(p, 10*dupinstWake); n != 0 || dupinstTotal.phases != before {
		t.Errorf("%d checks begin a sample after the phase", n)
	}
}

// There are so many phases at a time, and none once they are switched off.
func TestPhasesBounded(t *testing.T) {
	phases(t)
	p := dupinstSelf()
	var all [dupinstMostPhases]uint64
	for i := range all {
		all[i], _ = DupinstPhase(true)
	}
	before := dupinstTotal.missed
	if phase, _ := DupinstPhase(true); phase != 0 || dupinstTotal.missed != before+1 {
		t.Errorf("phase %d, of more than there may be", phase)
	}
	DupinstPhaseBegin(all[0])
	p.dupinstEnterPhase(all[0], 0)
	DupinstSetPhases(false)
	if n := due(p, 10); n != 0 {
		t.Errorf("%d checks begin a sample in a phase that was switched off", n)
	}
	DupinstPhaseBegin(all[1]) // when they are off
	p.dupinstEnterPhase(all[1], 0)
	if n := due(p, 10); n != 0 {
		t.Errorf("%d checks begin a sample in a phase that began when they were off", n)
	}
	for _, phase := range all {
		DupinstPhaseEnd(phase, 0)
	}
	DupinstSetPhases(true)
	if phase, _ := DupinstPhase(false); phase == 0 {
		t.Error("there is no phase when all have ended")
	} else {
		DupinstPhaseEnd(phase, 0)
	}
}

// A descriptor that has served another goroutine is in no window that has led that one, nor of its sample.
func TestBirthForgets(t *testing.T) {
	settings(t, nil)
	child := dupinstG{led: 5, lasts: 3, phase: 7, window: 9}
	dupinstBirth(&child, &dupinstG{})
	if child.led != 0 || child.lasts != 0 || child.phase != 0 || child.window != 0 {
		t.Errorf("it is born as %+v", child)
	}
}
