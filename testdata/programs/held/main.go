// Held has nests of loops that call nothing, in which the compiler's pass holds the counter in
// a register, and the ways into and out of them.
package main

import (
	"fmt"
	"runtime"
	"sync"
	"time"
)

type cell struct {
	n, seen int
	next    *cell
}

type grid struct {
	rows [][]cell
	sum  int
}

// nested leaves two loops at once, and has a nest behind another.
func (g *grid) nested(stop int) int {
	found := 0
outer:
	for i := range g.rows {
		for j := range g.rows[i] {
			c := &g.rows[i][j]
			c.seen++
			if c.n == stop {
				found = i*100 + j
				break outer
			}
			if c.n%3 == 0 {
				continue outer
			}
			g.sum += c.n
		}
	}
	for i := range g.rows {
		for j := range g.rows[i] {
			g.sum ^= g.rows[i][j].seen
		}
	}
	return found
}

// bounds leaves a nest by a panic.
func (g *grid) bounds(n int) (err any) {
	defer func() { err = recover() }()
	for i := 0; ; i++ {
		g.sum += g.rows[0][i].n
		if i > n {
			return nil
		}
	}
}

// entered has a loop that is entered in its middle.
func entered(c *cell, n int) int {
	sum := 0
	if n%2 == 0 {
		goto middle
	}
top:
	sum += c.n
middle:
	sum += c.seen
	if n--; n > 0 {
		goto top
	}
	return sum
}

// calls has a loop without calls in one that calls.
func (g *grid) calls() {
	for i := range g.rows {
		for c := &g.rows[i][0]; c != nil; c = c.next {
			g.sum += c.n
		}
		g.add(i)
	}
}

//go:noinline
func (g *grid) add(n int) { g.sum += n }

// crowded leaves few registers, or none.
func crowded(c *cell, n int) int {
	a, b, d, e, f, h, k, l, m, o, p, q, r, s := 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
	for range n {
		a, b, d, e, f, h, k = b+c.n, d^a, e+b, f^d, h+e, k^f, l+h
		l, m, o, p, q, r, s = m^k, o+l, p^m, q+o, r^p, s+q, a^r
		if a&1 == 0 {
			c.seen++
		}
	}
	return a ^ b ^ d ^ e ^ f ^ h ^ k ^ l ^ m ^ o ^ p ^ q ^ r ^ s
}

// spun is stopped in the middle of a nest, again and again.
func spun() int {
	var wg sync.WaitGroup
	parts := make([]cell, 4)
	for i := range parts {
		wg.Add(1)
		go func() {
			defer wg.Done()
			c := &parts[i]
			for c.n < 12_000 {
				c.n++
				c.seen ^= c.n
			}
		}()
	}
	for range 8 {
		runtime.GC()
	}
	wg.Wait()
	time.Sleep(20 * time.Millisecond) // until goroutines that are done have returned, too
	sum := 0
	for i := range parts {
		sum += parts[i].seen
	}
	return sum
}

func main() {
	g := &grid{}
	for i := range 6 {
		row := make([]cell, 5)
		for j := range row {
			row[j].n = i*7 + j*5 + 1
			if j > 0 {
				row[j-1].next = &row[j]
			}
		}
		g.rows = append(g.rows, row)
	}
	for stop := range 40 {
		fmt.Print(g.nested(stop), " ")
	}
	fmt.Println(g.sum)
	for n := range 9 {
		fmt.Println(g.bounds(n))
	}
	c := &g.rows[1][1]
	for n := range 6 {
		fmt.Print(entered(c, n), " ")
	}
	g.calls()
	fmt.Println(g.sum, crowded(c, 50), c.seen, spun())
}
