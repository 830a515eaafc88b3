// Recursion, direct and mutual, with work before, between and after calls.
package main

import "fmt"

type node struct {
	left, right *node
	value       int
}

func build(n int) *node {
	if n == 0 {
		return nil
	}
	x := &node{value: n}
	x.left = build(n / 2)
	x.right = build((n - 1) / 2)
	return x
}

func (x *node) sum() int {
	if x == nil {
		return 0
	}
	s := x.left.sum()
	s += x.value
	return s + x.right.sum()
}

func even(x *node, n int) bool {
	if n == 0 {
		return true
	}
	x.value++
	return odd(x, n-1)
}

func odd(x *node, n int) bool {
	for n > 0 {
		return even(x, n-1)
	}
	return false
}

func main() {
	x := build(40)
	fmt.Println(x.sum(), even(x, 21), odd(x, 11), x.value)
}
