// A deferred call of the built-in recover: whether it recovers depends on how
// many frames the runtime sees, and so on what is inlined.
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

func main() {
	x := &t{}
	for range 4 {
		first(x)
		second(x)
	}
	fmt.Println(x.n)
}
