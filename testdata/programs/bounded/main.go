// Loops that go round a few times, or many, or as often as they are told.
package main

import (
	"fmt"
	"math"
)

type cell struct{ n, m int }

type table struct {
	cells [200]cell
	hits  int
}

func (c *cell) add(k int) int { c.n += k; return c.n }

//go:noinline
func few(t *table) (s int) {
	for i := 0; i < 10; i++ {
		s += t.cells[i].n
	}
	for i := 63; i >= 0; i-- {
		s += t.cells[i].m
	}
	for i := 1; i <= 128; i *= 2 { // counts otherwise
		s += t.cells[i].n
	}
	for i := 3; i < 128; i += 5 {
		t.cells[i].m++
	}
	return s
}

//go:noinline
func upTo(t *table, n int) (s int) {
	for i := 0; i < n; i++ {
		s += t.cells[i%200].n
		t.hits++
	}
	for i := 0; i <= n; i += 2 {
		s -= t.cells[i%200].m
	}
	for i := uint(2); i < uint(n&1023); i++ {
		s ^= t.cells[i%200].n
		if s == 77 {
			break
		}
	}
	return s
}

//go:noinline
func from(t *table, i, n int) (s int) {
	for ; i < n; i++ {
		if i < 0 {
			s--
			continue
		}
		if s += t.cells[i%200].n; s%1000 == 999 {
			return s
		}
	}
	return s + i
}

//go:noinline
func down(t *table, n int) (s int) {
	for ; n > 0; n-- {
		s += t.cells[n%200].m
	}
	for k := n + 5; k >= 0; k -= 3 {
		s += t.cells[k].n
	}
	return s
}

// two goes on by one or by two.
//
//go:noinline
func two(t *table, n int) (s int) {
	for i := 0; i < n; i++ {
		if t.cells[i%200].n&1 == 0 {
			i++
		}
		s += i
	}
	return s
}

// shrinks is told another number each time.
//
//go:noinline
func shrinks(t *table, n int) (s int) {
	for i := 0; i < n; i++ {
		n -= t.cells[i%200].n & 1
		s++
	}
	return s
}

// calls goes round a loop that calls, in one that does not end by itself.
//
//go:noinline
func calls(cells []cell) (s int) {
	for k := 0; ; k++ {
		for i := range cells {
			s += cells[i].add(k)
		}
		for i, c := range cells {
			s += c.n * i
		}
		if s > 1<<20 {
			return s
		}
	}
}

// ends is at the end of what an int can be.
//
//go:noinline
func ends(t *table, i, n int) (s int) {
	for ; i < n; i++ {
		s += t.cells[uint(i)%200].n
	}
	for i := math.MaxInt - 100; i < math.MaxInt; i++ {
		s += t.cells[uint(i)%200].m
	}
	for i := math.MaxInt - 120; i > 0; i += 7 { // until it wraps around
		s++
		t.hits++
	}
	return s
}

// falls panics in a loop.
//
//go:noinline
func falls(cells []cell, n int) (s int) {
	defer func() { s, _ = s+1000, recover() }()
	for i := 0; i < n; i++ {
		s += cells[i].n
	}
	return s
}

// wide is entered in two ways.
//
//go:noinline
func wide(t *table, n int, b bool) (s int) {
	i := 0
	if b {
		i = 7
		goto in
	}
head:
	if i >= n {
		return s
	}
in:
	s += t.cells[i%200].n
	i++
	goto head
}

var t table

func main() {
	t := &t
	for i := range t.cells {
		t.cells[i] = cell{i * 7 % 31, i * 3 % 17}
	}
	fmt.Println(few(t))
	for _, n := range []int{-5, 0, 1, 2, 63, 126, 127, 128, 129, 130, 1000} {
		fmt.Println(upTo(t, n), from(t, 0, n), from(t, n-3, n), from(t, n, n-200), from(t, -n, 3), down(t, n), two(t, n), shrinks(t, n), wide(t, n, n%2 == 0))
	}
	cells := make([]cell, 100)
	fmt.Println(calls(t.cells[:]), calls(cells[:3]), calls(cells))
	fmt.Println(ends(t, math.MaxInt-130, math.MaxInt), ends(t, math.MaxInt-10, math.MaxInt), ends(t, math.MinInt, math.MinInt+10), ends(t, math.MaxInt, math.MinInt))
	fmt.Println(falls(cells[:2], 2), falls(cells[:4], 9), falls(cells[:1], 200), falls(nil, 0), t.hits)
}
