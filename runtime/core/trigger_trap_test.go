package core

import (
	"bytes"
	"testing"
)

// TestTraps lays traps into what stands for code, springs them, and lays them again.
func TestTraps(t *testing.T) {
	const sites = 300
	code := make([]byte, sites)
	for i := range code {
		code[i] = byte(i) | 1
	}
	code[7] = dupinstBreakpoint // the program's own
	plain := bytes.Clone(code)
	at := func(i int) uintptr { return address(&code[i]) }
	counters := make([]uint64, sites+1) // two at the first
	record := func(from, to int) []uintptr {
		r := []uintptr{0, 0, uintptr(to - from), 0}
		for i := from; i < to; i++ {
			r = append(r, at(i%sites), address(&counters[i]))
		}
		return r
	}
	dupinstTrapped, dupinstTrapsN, dupinstTrapsTable = 0, 0, 0
	first, second := record(0, 200), record(200, sites+1)
	(*dupinstTraps)(dupinstPtr(address(&first[0]))).dupinstLink()
	table := dupinstTrapTableOf(nil)
	table.dupinstLay()
	if n := bytes.Count(code, []byte{dupinstBreakpoint}); n != 200 {
		t.Errorf("%d bytes are traps", n)
	}
	(*dupinstTraps)(dupinstPtr(address(&second[0]))).dupinstLink() // as where a plugin is loaded
	table = dupinstTrapTableOf(table)
	table.dupinstLay()
	if n := bytes.Count(code, []byte{dupinstBreakpoint}); n != sites {
		t.Errorf("%d bytes are traps", n)
	}
	dupinstStore(&dupinstTrapsTable, address(table))
	for round := range 2 {
		for i := range code {
			if sprung := dupinstSpring(at(i)); sprung == (i == 7) {
				t.Fatalf("the trap at %d is sprung: %t", i, sprung)
			}
			dupinstSpring(at(i)) // another thread has come to it, too
		}
		if !bytes.Equal(code, plain) {
			t.Errorf("the code is not what it was: %x", code)
		}
		for i, n := range counters {
			if n != 1 && i != 7 {
				t.Errorf("in round %d, %d is counted %d times", round, i, n)
			}
		}
		clear(counters)
		table.dupinstLay()
	}
	if dupinstSpring(at(0) + sites) {
		t.Error("there is a trap where none was laid")
	}
	dupinstTrapped, dupinstTrapsN, dupinstTrapsTable = 0, 0, 0
}
