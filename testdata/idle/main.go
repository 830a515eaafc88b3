// Idle works for a microsecond at a time, in a loop that it never leaves, and sleeps in between.
package main

import (
	"fmt"
	"time"
)

type tally struct{ sum, calls int }

func (t *tally) add(n int) {
	t.calls++
	t.sum += fib(n)
}

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func main() {
	var t tally
	for range 3000 {
		t.add(14)
		time.Sleep(500 * time.Microsecond)
	}
	fmt.Println(t.sum, t.calls)
}
