package core

import "unsafe"

// DupinstCounter is a site's counter.
type DupinstCounter = uint64

// DupinstPackage stands once in every instrumented package, as static data.
type DupinstPackage struct {
	magic0, magic1 uint64          // of a record that the compiler made
	Meta           string          // the package's sites, as profile/format encodes them
	First          *DupinstCounter // the counters, one for each site, in one array
	N              uintptr         // number of counters
	Build          string          // what it was rewritten with (format.Build), where that stands in no runtime
	counts         uintptr         // First as a number, set when linked
	linked         uint32
	next           uintptr // the package linked before this one
	spread         uintptr // of its counters, where there are windows (window_spread.go)
}

// DupinstPackageOf makes a DupinstPackage at run time, for a package that must not
// have initialised variables that change.
//
//go:noinline
func DupinstPackageOf(meta string, first *DupinstCounter, n uintptr) DupinstPackage {
	return DupinstPackage{Meta: meta, First: first, N: n}
}

var dupinstPackages uintptr // list of linked packages

// dupinstLink enters p in the list of packages to be written. It runs at the package's first event, not at its
// initialisation, so that no package gains an initialiser (which could change
// the order in which the program's others run).
func dupinstLink(p *DupinstPackage) {
	if !dupinstCas32(&p.linked, 0, 1) || !dupinstAlike(p) {
		return
	}
	p.counts = uintptr(unsafe.Pointer(p.First))
	for {
		head := dupinstLoad(&dupinstPackages)
		p.next = head
		if dupinstCas(&dupinstPackages, head, uintptr(unsafe.Pointer(p))) {
			return
		}
	}
}

// A dupinstSlot counts one callee seen at one site whose callee is known only
// at run time.
type dupinstSlot struct {
	site uintptr // address of the site's counter; 0: free
	pc   uintptr // the callee's entry; 0 for a moment after site is set
	n    uint64
	to   uintptr // where the call goes, in a window
}

// The table is static: an event never allocates. Slots beyond the limit of the
// probe sequence are dropped and counted.
const (
	dupinstSlotBits = 16
	dupinstProbes   = 128
)

var (
	dupinstTable [1 << dupinstSlotBits]dupinstSlot
	dupinstOrder [1 << dupinstSlotBits]uint32 // of slots, as they were taken: each one's place and 1
	dupinstTaken uint64
)

// dupinstSlotsTaken are the slots that are taken, as in dupinstOrder, so that who reads them touches
// none of the others' memory. 0 is one that is about to be entered.
func dupinstSlotsTaken() []uint32 { return dupinstOrder[:dupinstLoad64(&dupinstTaken)] }

// dupinstSlotAt is the i-th of these, or nil.
func dupinstSlotAt(taken []uint32, i int) *dupinstSlot {
	at := dupinstLoad32(&taken[i])
	if at == 0 {
		return nil
	}
	return &dupinstTable[at-1]
}

// dupinstListSlot enters a slot that has been taken in dupinstOrder.
func dupinstListSlot(at uint64) {
	for {
		n := dupinstLoad64(&dupinstTaken)
		if dupinstCas64(&dupinstTaken, n, n+1) {
			dupinstStore32(&dupinstOrder[n], uint32(at)+1)
			return
		}
	}
}

// dupinstSlotOf is where a call from site to the function at pc is looked for first. Each probe of a dynamic call computes
// it, so that it is by two multiplications alone.
func dupinstSlotOf(site, pc uintptr) uint64 {
	return (uint64(site)*0x9e3779b97f4a7c15 ^ uint64(pc)) * 0xbf58476d1ce4e5b9 >> (64 - dupinstSlotBits)
}

// dupinstCallee counts a call, of some weight, from site to the function at pc. It returns
// where the call goes, in a window.
func dupinstCallee(site, pc uintptr, weight uint64) uintptr {
	if pc == 0 {
		return pc // the call panics
	}
	h := dupinstSlotOf(site, pc)
	for i := uint64(0); i < dupinstProbes; i++ {
		at := (h + i) & (1<<dupinstSlotBits - 1)
		s := &dupinstTable[at]
		got := dupinstLoad(&s.site)
		if got == 0 {
			// Before the slot is taken: a goroutine that were preempted while it has one that is
			// not whole would be waited for by those that cannot be.
			to := dupinstEntrance(pc)
			if dupinstCas(&s.site, 0, site) {
				dupinstStore(&s.to, to)
				dupinstStore(&s.pc, pc)
				dupinstXadd(&s.n, weight)
				dupinstListSlot(at)
				return to
			}
			got = dupinstLoad(&s.site)
		}
		if got != site {
			continue
		}
		callee := dupinstLoad(&s.pc)
		for callee == 0 { // its owner is between the stores above
			callee = dupinstLoad(&s.pc)
		}
		if callee == pc {
			dupinstXadd(&s.n, weight)
			return s.to
		}
	}
	dupinstXadd(&dupinstTotal.dropped, min(weight, 1)) // of no weight it was looked for alone
	return pc
}
