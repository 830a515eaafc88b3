// Turns takes turns at code that probes are dense in and code that they are sparse in, each for
// milliseconds at a time, and at dynamic calls. It says on standard error how long each took.
package main

import (
	"fmt"
	"os"
	"time"
)

type point struct{ x, y, z, w uint64 }

//go:noinline
func dense(p *point, n uint64) {
	x := uint64(0)
	for i := range n {
		if i&6 != 0 {
			x += p.z
		} else {
			x ^= p.w
		}
	}
	p.y += x
}

//go:noinline
func sparse(p *point, n int) {
	x := p.x | 1
	for range n {
		for range 40 {
			x = x*6364136223846793005 + 1442695040888963407
			x ^= x >> 33
		}
		p.y += x
	}
	p.x = x
}

type worker interface{ work(int) }

type counter struct{ n int }

//go:noinline
func (c *counter) work(n int) { c.n += n }

//go:noinline
func dynamic(w worker, n int) {
	for i := range n {
		w.work(i)
	}
}

func main() {
	var w worker = &counter{}
	p := &point{1, 2, 3, 4}
	var took [3]time.Duration
	for range 100 {
		began := time.Now()
		for range 40 {
			dense(p, 250_000)
		}
		called := time.Now()
		for range 40 {
			dynamic(w, 100_000)
		}
		thinned := time.Now()
		for range 40 {
			sparse(p, 1_250)
		}
		took[0] += called.Sub(began)
		took[1] += thinned.Sub(called)
		took[2] += time.Since(thinned)
	}
	fmt.Fprintln(os.Stderr, "dense", took[0], "dynamic", took[1], "sparse", took[2])
	fmt.Println(p.x, p.y, p.z, p.w, w)
}
