package main

import (
	"fmt"
	"math"
)

type cells []cell

// strides counts by more than one, up and down, and leaves on the way.
func strides(t cells, from, to int) (n int) {
	for i := from; i < to; i += 3 {
		if t[i].n == 77 {
			continue
		}
		n += t[i].n
		if t[i].n == 55 {
			break
		}
	}
	for i := from; i <= to; i += 7 {
		n += t[i].n
		if n%11 == 5 {
			return n
		}
	}
	for i := to; i > from; i -= 2 {
		n -= t[i].n
		switch {
		case t[i].n == 31:
			break
		case t[i].n%2 == 0:
			n += t[i].n
		}
	}
	for i := to; i >= from; i -= 5 {
		n += 2 * t[i].n
	}
	return n
}

// wraps counts down past the smallest int.
func wraps(t cells, from, to int) (n int) {
	const least = math.MinInt
	rounds := 0
	for i := from; i >= to; i -= 4 {
		n = n*3 + t[i&7].n
		if rounds++; rounds > 50 {
			break
		}
	}
	for i := from; i >= least; i -= 4 {
		n = n*3 + t[i&7].n
		if rounds++; rounds > 100 {
			break
		}
	}
	return n
}

// chains counts, in loops whose headers declare something else.
func chains(t cells, tries int) (n int) {
	left := tries
	for i := 1; tries > 0; tries-- {
		n += t[i%len(t)].n
		i += 3
	}
	for i := t[1].n; left > 0; left -= 2 {
		if n += t[(i+left)%len(t)].n; n%13 == 5 {
			continue
		}
		n += left
	}
	for i := tries; left < 50; left += 3 {
		n += t[(i+left+len(t))%len(t)].n
	}
	return n
}

// arrays ranges over arrays, named slices and what it redeclares.
func arrays(a *[9]cell, t cells) (n int) {
	var own [9]int
	for i := range a {
		n += a[i].n
	}
	for _, c := range a {
		n += c.n
	}
	for i := range own {
		own[i] = a[i].n
	}
	for i, c := range t {
		c := c.n + i
		n += c
	}
	for i := range own {
		n += own[i]
	}
	return n
}

func steps() {
	t := make(cells, 100)
	var a [9]cell
	for i := range t {
		t[i].n = i * i % 97
		a[i%9].n += i
	}
	n := 0
	for from := 0; from < 99; from += 9 {
		for to := from - 1; to < 100; to += 4 {
			n = n*31%1000003 + strides(t, from, max(to, 0))
		}
		n += arrays(&a, t[from:])
	}
	fmt.Println(n, chains(t, 1), chains(t, 60), wraps(t, math.MinInt+3, math.MinInt))
}
