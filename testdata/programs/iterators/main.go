// Range over functions: jumps out of the body, to loops around it, nested.
package main

import "fmt"

type seq struct{ n, calls int }

func (s *seq) all(yield func(int) bool) {
	for i := range s.n {
		s.calls++
		if !yield(i) {
			return
		}
	}
}

func (s *seq) two(yield func(int, *seq) bool) {
	for i := s.n; i > 0; i-- {
		if !yield(i, s) {
			s.calls += 1000
			return
		}
	}
}

func find(s *seq, want int) int {
	for v := range s.all {
		for k := range s.two {
			if v*k == want {
				return k
			}
		}
	}
	return -1
}

// An iterable's method values are what is ranged over.
type iterable interface{ all(yield func(int) bool) }

type wrapped struct{ iterable }

func overMethods(x iterable, w *wrapped) (n int) {
	for v := range x.all {
		n += v
	}
	for v := range w.all {
		for range w.iterable.all {
			n -= v
		}
	}
	return n
}

func main() {
	s := &seq{n: 6}
	fmt.Println(overMethods(s, &wrapped{s}))
	sum := 0
outer:
	for i := 0; i < 8; i++ {
		for v := range s.all {
			switch {
			case v == i:
				continue
			case v+i == 9:
				continue outer
			case v*i > 20:
				break outer
			}
			sum += v
		}
		sum += s.n
	}
	for k, x := range s.two {
		if k < 3 {
			break
		}
		x.calls += k
	}
	for range s.all {
	}
	fmt.Println(sum, find(s, 12), find(s, 99), s.calls)
}
