package core

import "unsafe"

// Code that was built to count once has neither checks nor copies. Instead of the first byte of an instruction that is
// carried out where a statement is, and nowhere else (compiler/pass/dupinst, trap.go), stands a trap. Its handler
// counts, puts the byte back and goes on there, so that what has been come to once costs nothing. One byte is
// written at a time, so that any thread has the one instruction or the other.

// dupinstTraps is the record of a function's. Behind it stand, for each, the addresses of the instruction and of the
// counter.
type dupinstTraps struct {
	magic0, magic6 uint64
	n, next        uintptr
}

// A dupinstTrap is one in the table. Several may be of one instruction.
type dupinstTrap struct {
	pc, counter uintptr
	site        uint32 // where there are rounds, the place of the counter's
	code        byte   // of the instruction
}

// A dupinstTrapTable finds traps by address: mask+1 places, a power of two, more than half of which are free. Those of
// one address stand in the order of a probe sequence that they share.
type dupinstTrapTable struct {
	mask, places uintptr
	sites        uintptr // 0: there are no rounds
}

var (
	dupinstTrapped    uintptr // the first record
	dupinstTrapsN     uintptr // how many traps the records have
	dupinstTrapsTable uintptr // once traps stand
)

const dupinstBreakpoint = 0xcc // INT3

func (t *dupinstTraps) dupinstLink() {
	t.next = dupinstTrapped
	dupinstTrapped = uintptr(unsafe.Pointer(t))
	dupinstTrapsN += t.n
}

func (t *dupinstTrapTable) dupinstAt(i uintptr) *dupinstTrap {
	return (*dupinstTrap)(dupinstPtr(t.places + i&t.mask*unsafe.Sizeof(dupinstTrap{})))
}

// dupinstTrapTableOf is a table of all records' traps, with the code that old has where that has it.
func dupinstTrapTableOf(old *dupinstTrapTable) *dupinstTrapTable {
	size := uintptr(2)
	for size <= 2*dupinstTrapsN {
		size *= 2
	}
	t := (*dupinstTrapTable)(dupinstPtr(dupinstAllocate(unsafe.Sizeof(dupinstTrapTable{}))))
	t.mask, t.places = size-1, dupinstAllocate(size*unsafe.Sizeof(dupinstTrap{}))
	if dupinstTrapRound > 0 {
		t.sites = dupinstAllocate(size * unsafe.Sizeof(dupinstSite{}))
	}
	for at := dupinstTrapped; at != 0; {
		r := (*dupinstTraps)(dupinstPtr(at))
		for i := uintptr(0); i < r.n; i++ {
			pair := (*[2]uintptr)(dupinstPtr(at + unsafe.Sizeof(dupinstTraps{}) + i*unsafe.Sizeof([2]uintptr{})))
			t.dupinstPut(pair[0], pair[1], old)
		}
		at = r.next
	}
	return t
}

func (t *dupinstTrapTable) dupinstPut(pc, counter uintptr, old *dupinstTrapTable) {
	code := *(*byte)(dupinstPtr(pc))
	if known := old.dupinstFind(pc); known != nil {
		code = known.code
	}
	if code == dupinstBreakpoint {
		return // the program's own
	}
	i := uintptr(dupinstMix(uint64(pc)))
	for t.dupinstAt(i).pc != 0 {
		i++
	}
	at := t.dupinstAt(i)
	at.pc, at.counter, at.code = pc, counter, code
	if t.sites != 0 {
		at.site = t.dupinstSiteOf(counter)
	}
}

// dupinstFind is the first trap at pc, or nil.
func (t *dupinstTrapTable) dupinstFind(pc uintptr) *dupinstTrap {
	if t == nil {
		return nil
	}
	for i := uintptr(dupinstMix(uint64(pc))); t.dupinstAt(i).pc != 0; i++ {
		if at := t.dupinstAt(i); at.pc == pc {
			return at
		}
	}
	return nil
}

// dupinstSpring counts what stands for the trap at pc, once, and reports whether there is one. It runs in a signal
// handler: it takes no lock and allocates nothing.
func dupinstSpring(pc uintptr) bool {
	t := (*dupinstTrapTable)(dupinstPtr(dupinstLoad(&dupinstTrapsTable)))
	first := t.dupinstFind(pc)
	if first == nil {
		return false
	}
	// Before it is counted: a profile that begins anew sets counters to 0 before it puts traps back.
	*(*byte)(dupinstPtr(pc)) = first.code
	for i := uintptr(dupinstMix(uint64(pc))); t.dupinstAt(i).pc != 0; i++ {
		if at := t.dupinstAt(i); at.pc == pc && dupinstCas64((*uint64)(dupinstPtr(at.counter)), 0, 1) {
			dupinstXadd(&dupinstTotal.samples, 1)
		}
	}
	return true
}

// dupinstLay puts all traps where they belong, also those that were taken away.
func dupinstLay() {
	old := (*dupinstTrapTable)(dupinstPtr(dupinstTrapsTable))
	known := dupinstTrapsN
	if dupinstFind(); old == nil || known != dupinstTrapsN {
		if !dupinstWritable() {
			return
		}
		old = dupinstTrapTableOf(old)
		dupinstStore(&dupinstTrapsTable, uintptr(unsafe.Pointer(old)))
	}
	old.dupinstLay()
}

func (t *dupinstTrapTable) dupinstLay() {
	for i := uintptr(0); i <= t.mask; i++ {
		if at := t.dupinstAt(i); at.pc != 0 {
			*(*byte)(dupinstPtr(at.pc)) = dupinstBreakpoint
		}
	}
}
