//go:build amd64 || arm64

package core

import (
	"slices"
	"testing"
)

var pathCounters, pathSites [5]uint64

// paths is a record as the compiler writes it: sites 0 to 3 are passed by the paths that it returns. Paths
// begin at a node with site 0, and behind a backedge at one with site 1.
func paths(t *testing.T) (*dupinstPaths, [][]int) {
	t.Helper()
	counters, sites := pathCounters[:], pathSites[:]
	clear(counters)
	way := func(step, to uintptr) uintptr { return step<<32 | to }
	record := []uintptr{
		0, 0, 5, address(&counters[0]), 3, 0, 0, // to 7
		0, 2, way(0, 11), way(3, 16), // the first
		1, address(&sites[0]), 2, way(0, 16), way(2, 21), // at 11
		1, address(&sites[1]), 2, way(0, 0), way(1, 21), // at 16
		2, address(&sites[2]), address(&sites[3]), 0, // at 21
	}
	t.Cleanup(func() { dupinstPathed = 0 })
	p := (*dupinstPaths)(dupinstPtr(address(&record[0])))
	p.dupinstLink()
	return p, [][]int{{0, 1}, {0, 1, 2, 3}, {0, 2, 3}, {1}, {1, 2, 3}}
}

func TestPathSites(t *testing.T) {
	p, want := paths(t)
	for path, want := range want {
		var got []int
		for walk := p.dupinstWalk(uintptr(path)); ; {
			counter := walk.dupinstSite()
			if counter == 0 {
				break
			}
			got = append(got, int(counter-address(&pathSites[0]))/8)
		}
		if !slices.Equal(got, want) {
			t.Errorf("path %d comes by %d, want %d", path, got, want)
		}
	}
}

func TestBatchPaths(t *testing.T) {
	p, _ := paths(t)
	dupinstBatchPaths()
	if p.spread != 0 {
		t.Error("paths that are not taken have room for squares")
	}
	for _, n := range []uint64{3, 0, 4} {
		pathCounters[2] += n
		dupinstBatchPaths()
	}
	if got := dupinstSpreadAt(p.spread, 2).dupinstRoot(); got != 5 || dupinstSpreadAt(p.spread, 1).dupinstRoot() != 0 {
		t.Errorf("the root is %d, want 5", got)
	}
}

// A path that comes by a package which the file does not list is none of its.
func TestWritePath(t *testing.T) {
	p, _ := paths(t)
	pathCounters[1], pathCounters[3] = 7, 8
	var got []byte
	w := dupinstSinks(func(b []byte) { got = append(got, b...) })
	pkg := &DupinstPackage{N: 2, counts: address(&pathSites[0])}
	w.dupinstWritePaths(address(pkg))
	w.dupinstEmit()
	// 8 times the path by site 1 alone: no symbol, no file, line 0, the kind, one site of package 0.
	if want := []byte{8, 0, 1, 0, 0, 0, dupinstWays, 1, 0, 1}; !slices.Equal(got, want) {
		t.Errorf("wrote %d, want %d, of the paths of %+v", got, want, p)
	}
}
