package core

import (
	"testing"
)

func TestProbeTime(t *testing.T) {
	packages := dupinstPackages
	defer func() { dupinstPackages, dupinstGrouped = packages, 0 }()
	sites := new([3]DupinstCounter)
	pkg := &DupinstPackage{N: uintptr(len(sites)), counts: address(&sites[0])}
	dupinstPackages = address(pkg)
	group := &struct {
		dupinstGroups
		size, first, second uintptr
		counter             uint64
	}{size: 2, first: address(&sites[1]), second: address(&sites[2])}
	address(group)
	group.n, group.counters = 1, address(&group.counter)
	group.dupinstLink()
	sites[0], group.counter = 100, 7

	const counters, each = 4, 4 // nanoseconds, to add one up
	if dupinstProbesBegin(counters*each - 1) {
		t.Error("more counters than can be added up in time")
	}
	if !dupinstProbesBegin(1000) {
		t.Fatal("nothing to add up")
	}
	sites[0] += 1 << 20
	group.counter += 1 << 20
	want := 2 << 20 * int64(dupinstProbeTime) / 1024
	if got := dupinstProbesTook(); got != want {
		t.Errorf("as many probes took %d ns, want %d", got, want)
	}
	dupinstSeen += 1 << 20
	if got, least := dupinstProbesTook(), want+9*want/2; got < least {
		t.Errorf("with dynamic calls: %d ns, want %d at least", got, least)
	}
	before := dupinstProbesTook()
	dupinstEnterTime = 1024
	defer func() { dupinstEnterTime = 0 }()
	dupinstEntered += 1 << 20
	if got, want := dupinstProbesTook()-before, int64(1<<20); got != want {
		t.Errorf("entries took %d ns, want %d", got, want)
	}
	before = dupinstProbesTook()
	dupinstNoteTook += 7 << 20
	dupinstEnded += 1 << 10
	if got, least := dupinstProbesTook()-before, int64(10<<10); got < least {
		t.Errorf("notes and paths: %d ns, want %d at least", got, least)
	}

	// What groups add to sites has run already.
	if !dupinstProbesBegin(1000) {
		t.Fatal("nothing to add up")
	}
	dupinstUngroup()
	if got := dupinstProbesTook(); got != 0 {
		t.Errorf("a fold took %d ns", got)
	}
	if !dupinstProbesBegin(1000) || dupinstProbesTook() != 0 {
		t.Error("nothing ran since the fold")
	}
}
