// Trips has loops, and says behind each how often it goes round, each time that it is left: for package
// trip.
package main

import (
	"errors"
	"fmt"
	"strings"
)

func main() {
	numbers := []int{3, 1, 4, 1, 5, 9, 2, 6}
	fmt.Println(sum(numbers), sum(nil), sum(numbers[:1]))
	fmt.Println(find(numbers, 4), find(numbers, 7))
	fmt.Println(grid(3, 4), deep(2, 3))
	fmt.Println(once(numbers), around())
	fmt.Println(labelled(numbers), counted("aéb"), keys(map[string]int{"a": 1, "b": 2}))
	fmt.Println(channel(5), gotos(3), twice(numbers), literal(4))
	fmt.Println(recovers(numbers), function(4), deferred(3), long(100_000))
	for i := range 3 { // 3
		fmt.Print(inlined(i), " ")
	}
	fmt.Println()
}

// sum is a leaf.
//
//go:noinline
func sum(of []int) (n int) {
	for _, x := range of { // 0 1 8
		n += x
	}
	return n
}

// find leaves its loop from within.
//
//go:noinline
func find(in []int, x int) int {
	for i, y := range in { // 3 8
		if x == y {
			return i
		}
	}
	return -1
}

// grid has a loop in a loop, and calls nothing.
//
//go:noinline
func grid(n, m int) (s int) {
	for i := 0; i < n; i++ { // 3
		for j := 0; j < m; j++ { // 4 4 4
			s += i * j
		}
	}
	return s
}

// deep has more loops within each other than a leaf has sums.
//
//go:noinline
func deep(n, m int) (s int) {
	for a := range n { // 2
		for b := range m { // 3 3
			for c := range n { // 2 2 2 2 2 2
				for d := range m {
					s += a ^ b ^ c ^ d
				}
			}
		}
	}
	return s
}

// once has loops whose bodies always leave, one of them within a loop.
func once(in []int) (n int) {
	for _, x := range in { // 6
		for n < 100 {
			n += x
			break
		}
		if x == 9 {
			break
		}
	}
	for _, x := range in {
		return n + x
	}
	return n
}

// around has a loop without a condition that continues from several places.
func around() (n int) {
	for { // 4
		n++
		if n%2 == 0 {
			continue
		}
		if n > 6 {
			return n
		}
		n += len(fmt.Sprint(n))
	}
}

// labelled goes on with the outer loop from within the inner, and leaves both.
func labelled(in []int) (n int) {
outer:
	for _, x := range in { // 6
		for i := range x { // 1 1 1 3 3 3
			if i == 2 {
				continue outer
			}
			if x == 9 {
				break outer
			}
			n += i + len(strings.Repeat("x", i))
		}
		n++
	}
	return n
}

func counted(s string) (n int) {
	for i := range s { // 3
		n += i
	}
	for range len(s) { // 4
		n++
	}
	var a [3]int
	for i := range a { // 3
		a[i] = n
		n++
	}
	return n + a[1]
}

func keys(m map[string]int) (n int) {
	for k := range m { // 2
		n += len(k)
	}
	for range m {
	}
	return n
}

func channel(n int) (s int) {
	c := make(chan int, n)
	for i := range n { // 5
		c <- i
	}
	close(c)
	for x := range c { // 5
		s += x
	}
	for { // 1
		select {
		case _, ok := <-c:
			if !ok {
				return s
			}
		default:
		}
	}
}

// gotos has a loop of its own in a loop's body, and one that begins with a label.
func gotos(n int) (s int) {
	for i := range n {
	again:
		s++
		if s%3 != 0 {
			goto again
		}
		s += i
	}
	for range n { // 3
		s++
	more:
		if s%5 != 0 {
			s++
			goto more
		}
	}
	return s
}

// twice has the same loop inlined two times, and in a loop.
func twice(in []int) (n int) {
	for range 2 { // 2
		n += inlined(len(in)) + inlined(3)
	}
	return n
}

func inlined(n int) (s int) {
	for i := range n { // 0 1 2 3 3 8 8
		s += i
	}
	return s
}

func literal(n int) (s int) {
	add := func(m int) {
		for range m { // 0 1 2 3
			s++
		}
	}
	for i := 0; i < n; i++ { // 4
		add(i)
		defer func() { s++ }()
	}
	return s
}

// recovers leaves a loop by a panic, which is no end of a loop's.
func recovers(in []int) (err error) {
	defer func() { err = recover().(error) }()
	for i := range in { // 4
		if i == 3 {
			panic(errors.New("stop"))
		}
		fmt.Fprint(discard{}, i)
	}
	return nil
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

// function ranges over a function, whose loop is another's.
func function(n int) (s int) {
	for i := range upTo(n) {
		for range i { // 0 1 2 3
			s++
		}
		if i == 3 {
			break
		}
	}
	return s
}

func upTo(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := 0; i < n; i++ { // 4
			if !yield(i) {
				return
			}
		}
	}
}

// deferred defers in a loop.
func deferred(n int) (s int) {
	for i := range n { // 3
		defer func() {
			for range i { // 0 1 2
				s++
			}
		}()
	}
	return s
}

//go:noinline
func long(n int) (s int) {
	for i := range n { // 100000
		s += len(fmt.Sprint(i & 7))
	}
	return s
}
