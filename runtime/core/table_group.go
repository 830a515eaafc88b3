package core

import "unsafe"

// Sites that are always counted together have one counter (compiler/pass/dupinst,
// group.go). It is added to their own before these are read.

// dupinstGroups are those of a function. Behind them stand, for each group, the number of its
// sites and the addresses of their counters.
type dupinstGroups struct {
	magic0, magic4 uint64
	n, counters    uintptr
	last           uintptr // of each counter, what it was when it was added
	next           uintptr
}

var dupinstGrouped uintptr // the first

func (g *dupinstGroups) dupinstLink() {
	g.last = dupinstAllocate(g.n * 8)
	g.next = dupinstGrouped
	dupinstGrouped = uintptr(unsafe.Pointer(g))
}

// dupinstUngroup adds what groups have counted to their sites.
func dupinstUngroup() {
	dupinstStore32(&dupinstFolds, dupinstFolds+1)
	for at := dupinstGrouped; at != 0; {
		g := (*dupinstGroups)(dupinstPtr(at))
		sites := at + unsafe.Sizeof(dupinstGroups{})
		for i := uintptr(0); i < g.n; i++ {
			n := dupinstLoad64((*uint64)(dupinstPtr(g.counters + i*8)))
			last := (*uint64)(dupinstPtr(g.last + i*8))
			size := *(*uintptr)(dupinstPtr(sites))
			if n != *last {
				for j := uintptr(1); j <= size; j++ {
					site := *(*uintptr)(dupinstPtr(sites + j*8))
					dupinstXadd((*uint64)(dupinstPtr(site)), n-*last)
				}
				*last = n
			}
			sites += (1 + size) * 8
		}
		at = g.next
	}
}
