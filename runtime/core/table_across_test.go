//go:build amd64 || arm64

package core

import (
	"slices"
	"strings"
	"sync"
	"testing"
)

// acrossTable is an empty table, with the record of paths and a goroutine that begins.
func acrossTable(t *testing.T) (*dupinstPartTable, *dupinstPaths, *dupinstG) {
	t.Helper()
	p, _ := paths(t)
	dupinstParts = 0
	t.Cleanup(func() { dupinstParts = 0 })
	return dupinstPartsOf(), p, &dupinstG{}
}

// calls has a function that calls others take a path, as the compiler has it do so.
func (p *dupinstG) calls(paths *dupinstPaths, path uintptr, others ...func()) {
	caller := p.across
	p.across = p.begins | dupinstNothing
	for _, call := range others {
		call()
	}
	p.sum = caller
	p.dupinstPathEnds(paths, paths.counters+path*8|dupinstReturns|dupinstFramed, 1, true)
}

// leaf has one that calls nothing do so.
func (p *dupinstG) leaf(paths *dupinstPaths, path uintptr) {
	p.dupinstPathEnds(paths, paths.counters+path*8|dupinstReturns, 1, true)
}

// marksOf are the paths that were counted, as marks and sites, with how often.
func marksOf(t *testing.T, table *dupinstPartTable) map[string]uint64 {
	t.Helper()
	out := map[string]uint64{}
	pkg := &DupinstPackage{N: 5, counts: address(&pathSites[0])}
	for i := uint32(dupinstFirstPart); i < table.n; i++ {
		n := table.nodes[i].n
		if n == 0 {
			continue
		}
		var b []byte
		w := dupinstSinks(func(piece []byte) { b = append(b, piece...) })
		marks := dupinstMarks{t: table, w: w, listed: dupinstListed{head: address(pkg)}}
		marks.dupinstPath(i)
		w.dupinstEmit()
		text := ""
		for len(b) > 0 {
			mark := b[0]
			text += string("s()*."[mark])
			if b = b[1:]; mark == dupinstMarkSite || mark == dupinstMarkRounds {
				text += string('0' + rune(b[1]))
				b = b[2:]
			}
		}
		out[text] += n
	}
	return out
}

func checkMarks(t *testing.T, table *dupinstPartTable, want map[string]uint64) {
	t.Helper()
	got := marksOf(t, table)
	for k, n := range want {
		if got[k] != n {
			t.Errorf("%s: %d, want %d", k, got[k], n)
		}
	}
	for k, n := range got {
		if want[k] == 0 {
			t.Errorf("%s: %d, want none", k, n)
		}
	}
}

// A path is part of its caller's; one that begins in the midst of its function is counted, and stands in the caller's as such.
func TestAcross(t *testing.T) {
	table, paths, p := acrossTable(t)
	for range 3 {
		p.calls(paths, 0, func() { p.leaf(paths, 1) }, func() { p.calls(paths, 2, func() { p.leaf(paths, 4) }) })
	}
	p.leaf(paths, 2)
	checkMarks(t, table, map[string]uint64{
		"s0s1(s0s1s2s3)(s0s2s3*0)": 3, // the first site of any of the function's paths
		"s1s2s3":                   3,
		"s0s2s3":                   1,
	})
	// What goes round leaves what it came by behind.
	p.calls(paths, 3, func() {
		p.leaf(paths, 1)
		p.dupinstPathEnds(paths, paths.counters|dupinstFramed, 1, true)
		p.across = p.begins | dupinstNothing
	})
	if got := marksOf(t, table); got["s0s1(s0s1s2s3)"] != 1 || got["s1"] != 1 {
		t.Errorf("of rounds: %v", got)
	}
}

// Of a path of very many parts some are left out, and counted for themselves.
func TestAcrossMany(t *testing.T) {
	table, paths, p := acrossTable(t)
	p.calls(paths, 0, slices.Repeat([]func(){func() { p.leaf(paths, 1) }}, dupinstMostParts+5)...)
	got := marksOf(t, table)
	if got["s0s1s2s3"] != 5 || len(got) != 2 {
		t.Errorf("%v", got)
	}
	p.calls(paths, 0, func() {
		p.calls(paths, 1, slices.Repeat([]func(){func() { p.leaf(paths, 2) }}, dupinstMostParts)...)
	})
	if got := marksOf(t, table); got["s0s1."] != 1 {
		t.Errorf("what is called has many parts: %v", got)
	}
}

// What began before the window or sample is not counted, nor is anything that it is part of, nor what it breaks off.
func TestAcrossUnknown(t *testing.T) {
	table, paths, p := acrossTable(t)
	p.load = 7 // checks that began no sample
	p.dupinstFresh()
	first := p.window
	if first == 0 || first != p.begins || first&^dupinstNumberMask != 0 {
		t.Fatalf("the number is %x", first)
	}
	p.leaf(paths, 1)                                                   // of a caller that is not known
	p.calls(paths, 0, func() { p.leaf(paths, 1) })                     // as this
	p.calls(paths, 3, func() { p.leaf(paths, 1) })                     // but for what began in it
	p.calls(paths, 0, func() { p.across = p.window | dupinstUnknown }) // as where a panic was recovered
	checkMarks(t, table, map[string]uint64{"s1(s0s1s2s3)": 1})
	p.across = p.window // a goroutine that begins in a window
	p.calls(paths, 0)
	p.dupinstPathEnds(paths, paths.counters|dupinstReturns, 1, false)
	checkMarks(t, table, map[string]uint64{"s1(s0s1s2s3)": 1, "s0s1": 1})
	if p.load = 0; p.dupinstOf(p.across) != dupinstUnknown {
		t.Errorf("what a path that was broken off leaves is known: %x", p.across)
	}
	p.dupinstFresh()
	if p.window != first {
		t.Error("samples that follow one another have two numbers")
	}
}

// Several threads find the same nodes, and those that find no room are dropped.
func TestAcrossTogether(t *testing.T) {
	table, paths, _ := acrossTable(t)
	settings(t, nil)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			p := &dupinstG{}
			for i := range 4000 {
				p.calls(paths, uintptr(i%3), func() { p.leaf(paths, uintptr(i/3%3)) })
			}
		})
	}
	all.Wait()
	got, sum := marksOf(t, table), uint64(0)
	for _, n := range got {
		sum += n
	}
	if len(got) != 9 || sum != 16000 {
		t.Errorf("%d in all of %v", sum, got)
	}
	table.n = 1 << dupinstPartBits
	p := &dupinstG{}
	p.calls(paths, 0, func() { p.leaf(paths, 3) })
	if dupinstTotal.dropped == 0 {
		t.Error("what finds no room is not dropped")
	}
}

// A shadow tells its parent of paths that either may have had before.
func TestAcrossShadow(t *testing.T) {
	table, paths, p := acrossTable(t)
	settings(t, nil)
	p.calls(paths, 0, func() { p.leaf(paths, 1) })
	table.dupinstForget()
	shadow := *p
	shadow.calls(paths, 0, func() { shadow.leaf(paths, 1) })
	shadow.calls(paths, 2, func() { shadow.calls(paths, 0, func() { shadow.leaf(paths, 1) }) })
	leaves := slices.Repeat([]func(){func() { shadow.leaf(paths, 2) }}, dupinstMostParts+1)
	shadow.calls(paths, 1, leaves...)
	memory := make([]uint64, 256)
	parcel := dupinstParcel{words: address(&memory[0]), room: 256}
	table.dupinstPack(&parcel)
	parcel.dupinstPut(0)
	parcel.room, parcel.n = parcel.n, 0
	// The parent has made others meanwhile.
	dupinstParts = 0
	parent := dupinstPartsOf()
	p.calls(paths, 0, func() { p.leaf(paths, 1) })
	p.calls(paths, 1, func() { p.leaf(paths, 0) })
	parent.dupinstUnpack(&parcel)
	checkMarks(t, parent, map[string]uint64{
		"s0s1(s0s1s2s3)": 2, "s0s1s2s3(s0s1)": 1, "s0s2s3(s0s1(s0s1s2s3))": 1,
		"s0s1s2s3" + strings.Repeat("(s0s2s3)", dupinstMostParts) + ".": 1, "s0s2s3": 1,
	})
	if parcel.n != parcel.room {
		t.Errorf("%d words of %d", parcel.n, parcel.room)
	}
	small := dupinstParcel{words: address(&memory[0]), room: 12}
	table.dupinstPack(&small)
	if small.lost == 0 {
		t.Error("nothing is lost for want of room")
	}
}
