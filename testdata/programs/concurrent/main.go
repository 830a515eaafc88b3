// Goroutines, mutexes, channels, and many of each.
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

type counter struct {
	mu   sync.Mutex
	n    map[int]int
	hits atomic.Int64
}

func (c *counter) add(k int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n[k]++
	c.hits.Add(1)
}

func worker(in <-chan int, out chan<- int, c *counter) {
	for v := range in {
		c.add(v % 7)
		out <- v * v
	}
}

func main() {
	c := &counter{n: map[int]int{}}
	in, out := make(chan int), make(chan int, 8)
	var wg sync.WaitGroup
	for range 16 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			worker(in, out, c)
		}()
	}
	go func() {
		for i := range 5000 {
			in <- i
		}
		close(in)
		wg.Wait()
		close(out)
	}()
	sum := 0
	for v := range out {
		sum += v
	}
	fmt.Println(sum, c.n, c.hits.Load())
}
