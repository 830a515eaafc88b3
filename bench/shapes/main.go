// Shapes runs one small loop or call for about a second: those on which a check
// is dearest. Its argument names it.
package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// A cell has a field, so that what touches it has a probe.
type cell struct {
	n    int
	next *cell
}

const cells = 4096

var (
	table = make([]cell, cells)
	prose = strings.Repeat("for text, a naïve loop decodes; ", cells/32)
)

// counted is a counted loop with a bounds check to eliminate.
func counted(a []cell) (s int) {
	for i := 0; i < len(a); i++ {
		s += a[i].n
	}
	return s
}

func ranged(a []cell) (s int) {
	for i := range a {
		s += a[i].n
	}
	return s
}

func down(a []cell) (s int) {
	for i := len(a) - 1; i >= 0; i-- {
		s += a[i].n
	}
	return s
}

func list(c *cell) (s int) {
	for ; c != nil; c = c.next {
		s += c.n
	}
	return s
}

// text ranges over a string, of which some is not ASCII.
func text(a []cell) (s int) {
	for _, r := range prose {
		s += a[r%64].n
	}
	return s
}

// nested leaves its inner loop early.
func nested(a []cell) (s int) {
	for i := 0; i < len(a); i += 64 {
		for j := i; j < i+64; j++ {
			if a[j].n < 0 {
				break
			}
			s += a[j].n
		}
	}
	return s
}

func (c *cell) abs() int {
	if c.n < 0 {
		return -c.n
	}
	return c.n
}

// oneLine calls a function that the compiler inlines.
func oneLine(a []cell) (s int) {
	for i := range a {
		s += a[i].abs()
	}
	return s
}

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func repeat(n int, f func([]cell) int) (s int) {
	for range n {
		s += f(table)
	}
	return s
}

// many runs f in as many goroutines.
func many(goroutines, n int, f func([]cell) int) (s int) {
	var all sync.WaitGroup
	sums := make([]int, goroutines)
	for g := range sums {
		all.Add(1)
		go func() {
			defer all.Done()
			sums[g] = repeat(n/goroutines, f)
		}()
	}
	all.Wait()
	for _, x := range sums {
		s += x
	}
	return s
}

var shapes = map[string]func() int{
	"counted":      func() int { return repeat(300000, counted) },
	"ranged":       func() int { return repeat(300000, ranged) },
	"down":         func() int { return repeat(300000, down) },
	"list":         func() int { return repeat(100000, func([]cell) int { return list(&table[0]) }) },
	"nested":       func() int { return repeat(300000, nested) },
	"oneline":      func() int { return repeat(300000, oneLine) },
	"text":         func() int { return repeat(100000, text) },
	"fib":          func() int { return fib(41) },
	"goroutine":    func() int { return many(runtime.NumCPU(), 300000, oneLine) },
	"64goroutines": func() int { return many(64, 300032, oneLine) },
}

func main() {
	for i := range table {
		table[i].n = i
		if i > 0 {
			table[i-1].next = &table[i]
		}
	}
	var names []string
	for name := range shapes {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(os.Args) != 2 || shapes[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: shapes", strings.Join(names, "|"))
		os.Exit(2)
	}
	fmt.Println(os.Args[1], shapes[os.Args[1]]())
}
