// Predeclared names with another meaning: what is added may use none of them.
package main

import "fmt"

const (
	bool   = "bool"
	true   = 1
	false  = 2
	int    = 3
	uint64 = 4
	panic  = 5
	iota_  = 6
)

type t struct{ n byte }

func (x *t) hit() byte { x.n++; return x.n }

func between(x *t, k byte) (s byte) {
	x.hit()
	for range k {
		s += true
	}
	x.hit()
	if s > uint64 && x.hit() > false || s == int {
		s += panic
	}
	return s
}

func main() {
	x := &t{}
	for k := range byte(12) {
		fmt.Println(bool, between(x, k), x.n, iota_)
	}
}
