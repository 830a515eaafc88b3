// Coroutines: goroutines that run by turns, on one stack or the other, with no scheduler between.
package main

import (
	"fmt"
	"iter"
)

type tree struct {
	left, right *tree
	n           int
}

func grow(depth, n int) *tree {
	if depth == 0 {
		return nil
	}
	return &tree{grow(depth-1, 2*n), grow(depth-1, 2*n+1), n}
}

// walk calls itself between two turns, and so has a stack check in each.
func (t *tree) walk(yield func(int) bool) bool {
	return t == nil || t.left.walk(yield) && yield(t.n) && t.right.walk(yield)
}

func (t *tree) all() iter.Seq[int] {
	return func(yield func(int) bool) { t.walk(yield) }
}

func same(a, b *tree) (n int, equal bool) {
	nextA, stopA := iter.Pull(a.all())
	nextB, stopB := iter.Pull(b.all())
	x, okA := nextA()
	y, okB := nextB()
	for okA && okB && x == y {
		n++
		x, okA = nextA()
		y, okB = nextB()
	}
	stopA()
	stopB()
	return n, okA == okB && x == y
}

func main() {
	a, b := grow(5, 1), grow(5, 1)
	fmt.Println(same(a, b))
	b.right.right.n++
	fmt.Println(same(a, b))
	fmt.Println(same(grow(2, 1), a))
}
