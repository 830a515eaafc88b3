// What is left alone in the source. A deferred call of the built-in recover: whether it
// recovers depends on how many frames the runtime sees, and so on what is inlined. And a
// function that is marked go:norace.
package main

import "fmt"

type t struct{ n int }

func (x *t) hit() { x.n++ }

func (x *t) must(v any) {
	x.hit()
	if r := recover(); r != v {
		fmt.Println("recovered", r, "instead of", v)
	}
}

func (x *t) nothing() {
	x.hit()
	if r := recover(); r != nil {
		fmt.Println("recovered", r, "instead of nothing")
	}
}

func first(x *t) {
	defer x.nothing()
	defer func() {
		defer recover()
		defer x.must(3)
		x.hit()
		panic(3)
	}()
	panic(2)
}

func second(x *t) {
	defer x.must(2)
	defer func() {
		defer x.must(3)
		defer recover()
		x.hit()
		panic(3)
	}()
	panic(2)
}

// unraced is left as it is in the source alone.
//
//go:norace
func unraced(x *t) { x.hit() }

func main() {
	x := &t{}
	for range 4 {
		first(x)
		second(x)
		unraced(x)
	}
	fmt.Println(x.n)
}
