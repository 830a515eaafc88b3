// Faults does little else, in functions that begin with one: between the instruction that faults and what a panic
// is made of, a signal of a window's often comes.
package main

import "fmt"

type shape interface{ area() int }

type square struct{ side int }

func (s *square) area() int { return s.side * s.side }

var (
	none   shape
	nobody *square
)

// try reports whether f panics.
func try(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}

func main() {
	faults := 0
	for range 20_000 {
		of, side := none, nobody
		for _, f := range []func(){
			func() { _ = of.area },
			func() { side.side++ },
			func() { of.area() },
		} {
			if try(f) {
				faults++
			}
		}
	}
	fmt.Println(faults, "faults")
}
