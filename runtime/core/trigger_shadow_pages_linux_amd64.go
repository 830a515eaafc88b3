//go:build dupinst_runtime && linux && amd64

package core

import (
	"internal/runtime/atomic"
	"unsafe"
)

// What a fork takes is the copying of the tables of pages: a gigabyte has 262,144 small ones, or 512 huge. What the program writes to while a
// shadow is there is copied, in small pages. So where there are shadows the heap grows in huge pages, it and what the runtime
// notes of it are put into huge ones again after each shadow, by another thread than the program's, and none is made that would see the heap collected.

var dupinstSpared dupinstSparing

// dupinstCollects reports whether the heap is about to be collected, within some nanoseconds.
func dupinstCollects(ns int64) bool {
	now := nanotime()
	last := max(int64(dupinstLoad64(&memstats.last_gc_nanotime)), runtimeInitTime)
	trigger, _ := gcController.trigger()
	return dupinstSpared.dupinstExpects(now, now-last, gcController.heapLive.Load(), gcController.heapMarked, trigger, ns)
}

// dupinstHuge reports whether huge pages may be had.
func dupinstHuge() bool { return physHugePageSize != 0 && debug.disablethp == 0 }

// dupinstGrown has memory that the heap has got be in huge pages from when it is first used, where there are shadows. The heap's lock is held.
func dupinstGrown(at, n uintptr) {
	if dupinstLoad64(&dupinstShadowRate) > 0 && dupinstHuge() {
		madvise(unsafe.Pointer(at), n, _MADV_HUGEPAGE)
	}
}

// dupinstMetadata is where the runtime keeps what it notes of a large heap, given what it has got for that: pieces of huge pages where there are shadows. It
// asks for less at a time than a huge page has, between other things, and the system would have it in small ones.
func dupinstMetadata(p unsafe.Pointer, n uintptr) unsafe.Pointer {
	const large = 64 << 20 // bytes of heap, of which there are notes for a huge page
	huge := physHugePageSize
	if p == nil || dupinstLoad64(&dupinstShadowRate) == 0 || !dupinstHuge() || asanenabled || mheap_.pagesInUse.Load()*pageSize < large {
		return p
	}
	for {
		at := dupinstLoad(&dupinstMetadataEnd)
		if n <= -at&(huge-1) {
			if atomic.Casuintptr(&dupinstMetadataEnd, at, at+n) {
				munmap(p, n)
				return dupinstPtr(at)
			}
			continue
		}
		first, errno := mmap(nil, 2*huge, _PROT_READ|_PROT_WRITE, _MAP_ANON|_MAP_PRIVATE, -1, 0)
		if errno != 0 {
			return p
		}
		page := alignUp(uintptr(first), huge)
		if before := page - uintptr(first); before > 0 {
			munmap(first, before)
		}
		munmap(dupinstPtr(page+huge), uintptr(first)+huge-page)
		madvise(dupinstPtr(page), huge, _MADV_HUGEPAGE)
		if atomic.Casuintptr(&dupinstMetadataEnd, at, page+n) {
			munmap(p, n)
			return dupinstPtr(page)
		}
		munmap(dupinstPtr(page), huge)
	}
}

var dupinstMetadataEnd uintptr // of what has been taken of the last huge page

// dupinstSevers reports whether a shadow that lasts some nanoseconds is to have a heap of its own from the start. Where that is collected so often
// that no shadow can be spared a collection, most of it is written to while one is there; and the program would go on with copies that no cache has, of which each
// costs it a fault, and which are put into huge pages later. So it is the shadow that takes copies, while the program keeps what it has.
func dupinstSevers(life int64) bool {
	const small = 32 << 20 // which takes some milliseconds to copy
	since := nanotime() - max(int64(dupinstLoad64(&memstats.last_gc_nanotime)), runtimeInitTime)
	return dupinstHuge() && since < dupinstOften*life && mheap_.pagesInUse.Load()*pageSize <= small
}

// dupinstSever copies the heap, until a time, where there is another process that has the same pages: one small page of each huge one as if it were
// written to, which splits it, and then the rest at once.
func dupinstSever(end int64) {
	const populateWrite = 23 // MADV_POPULATE_WRITE, refused before Linux 5.14
	for at, n := dupinstWhole(0); n != 0 && nanotime() < end; at, n = dupinstWhole(at + n) {
		for page := at; page < at+n; page += physHugePageSize {
			if madvise(unsafe.Pointer(page), physPageSize, populateWrite) != 0 {
				return
			}
		}
		madvise(unsafe.Pointer(at), n, _MADV_COLLAPSE)
	}
}

var dupinstCollapsed uintptr // up to where the heap was last put into huge pages

// dupinstCollapse spends some nanoseconds on having the heap in huge pages, from where it ended the last time on.
func dupinstCollapse(ns int64) {
	if !dupinstHuge() {
		return
	}
	end := nanotime() + ns
	for nanotime() < end {
		at, n := dupinstWhole(dupinstCollapsed)
		if n == 0 {
			dupinstCollapsed = 0
			dupinstCollapseNotes(end)
			return
		}
		madvise(unsafe.Pointer(at), n, _MADV_COLLAPSE)
		dupinstCollapsed = at + n
	}
}

// dupinstWhole finds the first part of the heap from an address on that takes whole huge pages: what has been given back to the system, or was
// never used, stays so.
func dupinstWhole(from uintptr) (at, n uintptr) {
	const most = 8 << 20 // which takes some milliseconds to copy
	lock(&mheap_.lock)
	heap := &mheap_.pages
	for i := 0; i < len(heap.inUse.ranges) && n == 0; i++ {
		r := heap.inUse.ranges[i]
		at = max(from, alignUp(r.base.addr(), physHugePageSize))
		for at+n+physHugePageSize <= r.limit.addr() && n < most {
			chunk := heap.chunkOf(chunkIndex(at + n))
			if chunk.scavenged.popcntRange(chunkPageIndex(at+n), uint(physHugePageSize/pageSize)) == 0 {
				n += physHugePageSize
			} else if n > 0 {
				break
			} else {
				at += physHugePageSize
			}
		}
	}
	unlock(&mheap_.lock)
	return at, n
}

// dupinstCollapseNotes puts what the runtime notes of the heap into huge pages, until a time.
func dupinstCollapseNotes(end int64) {
	last := uintptr(0)
	for chunk := atomic.Loaduintptr((*uintptr)(unsafe.Pointer(&persistentChunks))); chunk != 0 && nanotime() < end; chunk = *(*uintptr)(dupinstPtr(chunk)) {
		at := alignDown(chunk, physHugePageSize)
		if at != last && dupinstFilled(at) {
			madvise(unsafe.Pointer(at), physHugePageSize, _MADV_COLLAPSE)
		}
		last = at
	}
}

var dupinstInMemory [512]byte // of each small page, whether it is

// dupinstFilled reports whether most of the memory that a huge page would have is in use, so that the rest does not matter.
func dupinstFilled(at uintptr) bool {
	pages := physHugePageSize / physPageSize
	if pages > uintptr(len(dupinstInMemory)) || mincore(unsafe.Pointer(at), physHugePageSize, &dupinstInMemory[0]) != 0 {
		return false
	}
	filled := uintptr(0)
	for _, in := range dupinstInMemory[:pages] {
		filled += uintptr(in & 1)
	}
	return 4*filled >= 3*pages
}

// dupinstProbed are small pages that nobody writes to but dupinstPageFaultCost, or 0.
var dupinstProbed uintptr

const dupinstProbedPages = 16

// dupinstOwnTime sleeps, when the process has just been forked, until it has had a length of time beside what it takes to copy the pages that it writes to: else code
// that writes to many would come less far, and be seen less. That is reckoned, and is twice the length at most.
func dupinstOwnTime(length int64) {
	begun, before := nanotime(), dupinstPageFaults()
	cost := dupinstPageFaultCost()
	lost := int64(0)
	for range 8 {
		left := begun + length + lost - nanotime()
		if left <= length/32 {
			return
		}
		dupinstNap(left)
		lost = min(int64(dupinstPageFaults()-before)*cost, 2*length)
	}
}

// dupinstPageFaultCost is how many nanoseconds it takes to write to a page first, in the middle of some: while it writes to one, the thread may be stopped for milliseconds.
func dupinstPageFaultCost() int64 {
	if dupinstProbed == 0 {
		at, errno := mmap(nil, dupinstProbedPages*physPageSize, _PROT_READ|_PROT_WRITE, _MAP_ANON|_MAP_PRIVATE, -1, 0)
		if errno != 0 {
			return 0
		}
		dupinstProbed = uintptr(at)
	}
	var took [dupinstProbedPages]int64 // in order
	for n := range took {
		begun := nanotime()
		*(*byte)(dupinstPtr(dupinstProbed + uintptr(n)*physPageSize))++
		t, i := nanotime()-begun, n
		for ; i > 0 && took[i-1] > t; i-- {
			took[i] = took[i-1]
		}
		took[i] = t
	}
	return took[len(took)/2]
}

var dupinstUsage [18]uint64 // a struct rusage

// dupinstPageFaults is how many page faults there have been, of those that read nothing.
func dupinstPageFaults() uint64 {
	const getrusage, minor = 98, 8
	dupinstCall(getrusage, 0, uintptr(unsafe.Pointer(&dupinstUsage)), 0, 0)
	return dupinstUsage[minor]
}
