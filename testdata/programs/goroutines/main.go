// Goroutines one after the other, and nested; each has its own phase.
package main

import (
	"fmt"
	"time"
)

type t struct{ n int }

func (x *t) work(n int, done chan int) {
	for range n {
		x.n++
	}
	if n > 3 {
		inner := make(chan int)
		go x.work(n/2, inner)
		<-inner
	}
	done <- x.n
}

func main() {
	x := &t{}
	for i := range 25 {
		done := make(chan int)
		go x.work(i, done)
		if v := <-done; v != x.n {
			panic(v)
		}
	}
	time.Sleep(20 * time.Millisecond) // until goroutines that are done have returned, too
	fmt.Println(x.n)
}
