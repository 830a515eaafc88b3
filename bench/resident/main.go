// Resident computes on a heap of a size, for demo/shadows: it follows pointers over all of it, writes to a part, and
// makes garbage. It prints how much it has computed, and its page faults.
package main

import (
	"flag"
	"fmt"
	"os"
	"syscall"
	"time"
)

type node struct {
	next *node
	n    [6]uint64
}

//go:noinline
func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

var kept []byte

func main() {
	size := flag.Int("heap", 10, "`MB` of heap")
	d := flag.Duration("for", 6*time.Second, "how `long`")
	flag.Parse()
	nodes := make([]*node, *size<<20/64)
	for i := range nodes {
		nodes[i] = &node{next: nodes[uint64(i)*0x9e3779b97f4a7c15>>32%uint64(i+1)]}
	}
	random := uint64(1)
	operations := 0
	for end := time.Now().Add(*d); time.Now().Before(end); operations++ {
		at := nodes[random%uint64(len(nodes))]
		for range 10 {
			if at = at.next; at == nil {
				break
			}
			random += at.n[0]
		}
		random = random*0x5851f42d4c957f2d + uint64(fib(10))
		nodes[random%uint64(len(nodes)/100)].n[1]++
		kept = make([]byte, 100)
	}
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		fmt.Fprintln(os.Stderr, "resident:", err)
		os.Exit(1)
	}
	fmt.Println(operations, u.Minflt)
}
