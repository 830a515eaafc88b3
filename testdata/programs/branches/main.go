// If statements: without else, with, and chains with init statements.
package main

import "fmt"

type t struct{ n int }

func (x *t) is(n int) bool { x.n++; return x.n%5 == n }

func classify(x *t) string {
	if x.is(0) {
		return "zero"
	} else if y := x.n * 2; y > 30 && x.is(1) {
		return "one"
	} else if x.is(2) || x.is(3) {
		x.n++
	} else {
		x.n += 2
	}
	if x.n > 50 {
		x.n = 0
	}
	return fmt.Sprint(x.n)
}

func main() {
	x := &t{}
	for range 40 {
		fmt.Print(classify(x), " ")
	}
	fmt.Println(x.n)
}
