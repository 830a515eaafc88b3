// Function literals: as arguments, nested, recursive, deferred, stored.
package main

import (
	"fmt"
	"sort"
)

type node struct {
	val         int
	left, right *node
	visit       func(int) int
}

func (n *node) insert(v int) *node {
	if n == nil {
		return &node{val: v, visit: func(x int) int { return x + v }}
	}
	if v < n.val {
		n.left = n.left.insert(v)
	} else {
		n.right = n.right.insert(v)
	}
	return n
}

func (n *node) each(f func(*node)) {
	if n != nil {
		n.left.each(f)
		f(n)
		n.right.each(f)
	}
}

func adder(n int) func(int) int {
	return func(m int) int {
		return func() int { n += m; return n }()
	}
}

func fib() func(int) int {
	var f func(int) int
	f = func(n int) int {
		if n < 2 {
			return n
		}
		return f(n-1) + f(n-2)
	}
	return f
}

func deferred(n int) (r int, s string) {
	defer func() {
		if e := recover(); e != nil {
			s = fmt.Sprint("recovered ", e)
		}
	}()
	for i := range n {
		defer func(k int) { r = r*10 + k }(i)
	}
	if n > 3 {
		panic(n)
	}
	return n, "fine"
}

func main() {
	var root *node
	for _, v := range []int{5, 2, 8, 1, 9, 3} {
		root = root.insert(v)
	}
	sum := 0
	root.each(func(n *node) {
		sum += n.visit(n.val)
		fmt.Print(n.val, " ")
	})
	fmt.Println(sum)
	a, b := adder(1), adder(10)
	fmt.Println(a(1), a(2), b(3), fib()(12))
	for n := range 6 {
		fmt.Println(deferred(n))
	}
	words := []string{"pear", "fig", "apple"}
	sort.Slice(words, func(i, j int) bool { return len(words[i]) < len(words[j]) })
	fmt.Println(words, func(x ...int) int { return len(x) }(1, 2, 3))
}
