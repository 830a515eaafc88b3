// Spells does the same work in one go, in spells with sleep in between, and under hundreds of frames, in turns.
package main

import (
	"fmt"
	"time"
)

type tally struct{ sum, calls int }

//go:noinline
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

func whole(t *tally, n int) {
	for range n {
		t.add(14)
	}
}

func spells(t *tally, n int) {
	for range n / 30 {
		for range 30 {
			t.add(14)
		}
		time.Sleep(50 * time.Microsecond)
	}
}

func deep(t *tally, n, frames int) {
	if frames > 0 {
		deep(t, n, frames-1)
		return
	}
	for range n {
		t.add(14)
	}
}

func main() {
	var t tally
	for range 100 {
		whole(&t, 1500)
		spells(&t, 1500)
		deep(&t, 1500, 900)
	}
	fmt.Println(t.sum, t.calls)
}
