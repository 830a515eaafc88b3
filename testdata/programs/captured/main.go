// Closures: captured loop variables, counters, recursion through a variable.
package main

import "fmt"

type t struct{ n int }

func counter(x *t) (func() int, func()) {
	n := 0
	return func() int { n++; x.n += n; return n }, func() { n = 0 }
}

func main() {
	x := &t{}
	next, reset := counter(x)
	var fs []func() int
	for i := 0; i < 6; i++ {
		if i%2 == 0 {
			fs = append(fs, func() int { i += 10; return i + x.n })
		}
		if next() > 3 {
			reset()
		}
	}
	sum := 0
	for _, f := range fs {
		sum += f() + f()
	}
	var fib func(int) int
	fib = func(n int) int {
		if n < 2 {
			return n
		}
		return fib(n-1) + fib(n-2)
	}
	fmt.Println(sum, x.n, fib(9))
}
