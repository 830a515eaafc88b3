package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	dupinst "github.com/dupinst/dupinst/runtime"
	"golang.org/x/sys/unix"
)

// heap has one of 64 MB, a part of which it replaces, and says how much of it is in huge pages in the end. Unless there are shadows, it has some from
// when the heap has grown.
func heap(end time.Time) {
	kept := make([]*[1024]byte, 64<<10)
	for i := range kept {
		kept[i] = &[1024]byte{1}
	}
	if os.Getenv("DUPINST_SHADOWS") == "" {
		err := errors.Join(dupinst.SetOverhead(0), dupinst.SetShadows(20, 2*time.Millisecond))
		check(err == nil, "%v", err)
	}
	for n := 0; time.Now().Before(end); n++ {
		kept[n%1000] = &[1024]byte{2}
		check(fib(20) == 6765, "fib(20) is wrong")
	}
	fmt.Println("MB in huge pages:", megabytes("AnonHugePages:"))
	runtime.KeepAlive(kept)
}

// spans has a heap of 256 MB of small objects, of which the runtime has some megabytes to note, and says how much memory is in small pages.
func spans() {
	kept := make([]*[64]byte, 4<<20)
	for i := range kept {
		kept[i] = new([64]byte)
	}
	runtime.GC()
	fmt.Println("MB in small pages:", megabytes("Anonymous:")-megabytes("AnonHugePages:"))
	runtime.KeepAlive(kept)
}

// megabytes is how much memory of a kind the process has.
func megabytes(kind string) (n int) {
	text, err := os.ReadFile("/proc/self/smaps_rollup")
	_, of, ok := strings.Cut(string(text), kind)
	_, err2 := fmt.Sscan(of, &n)
	check(err == nil && ok && err2 == nil, "%v, %v", err, err2)
	return n >> 10
}

// small has 12 MB on a heap that is collected all the time, of which it writes to all, and says how many page faults that gave after a while.
func small(end time.Time) {
	kept := make([]*[1024]byte, 12<<10)
	for i := range kept {
		kept[i] = new([1024]byte)
	}
	faults := func() int64 {
		var r unix.Rusage
		err := unix.Getrusage(unix.RUSAGE_SELF, &r)
		check(err == nil, "%v", err)
		return r.Minflt
	}
	settled, before := time.Now().Add(time.Until(end)/4), int64(-1)
	for n := 0; time.Now().Before(end); n++ {
		kept[n%len(kept)] = new([1024]byte)
		check(fib(16) == 987, "fib(16) is wrong")
		if before < 0 && time.Now().After(settled) {
			before = faults()
		}
	}
	fmt.Println("page faults:", faults()-before)
	runtime.KeepAlive(kept)
}

// pages writes to pages for some of the time, and to none in the rest: to as many as can be copied within two shadows' lengths.
func pages(end time.Time) {
	size := 32 << 20
	if copied := pageCopied(); copied > 5*time.Microsecond { // as where the system is a guest whose pages another one maps
		size = 1 << 20
	}
	memory := make([]byte, size)
	inTurn(end, 4_000_000, 20_000, func(i int) { memory[i*4096%size]++ })
}

// pageCopied is how long it takes to write to a page first that is another's, too, at best.
func pageCopied() time.Duration {
	const n = 256
	fd, err := unix.MemfdCreate("pages", 0)
	check(err == nil && unix.Ftruncate(fd, n*4096) == nil, "%v", err)
	defer unix.Close(fd)
	best := time.Hour
	for range 5 {
		memory, err := unix.Mmap(fd, 0, n*4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE)
		check(err == nil, "%v", err)
		zero := byte(0)
		for i := range n {
			zero |= memory[i*4096]
		}
		begun := time.Now()
		for i := range n {
			memory[i*4096]++
		}
		best = min(best, time.Since(begun)/n)
		check(unix.Munmap(memory) == nil && zero == 0, "memory cannot be unmapped")
	}
	return best
}
