// Switches: fallthrough, no tag, no default, break, nested.
package main

import "fmt"

type t struct{ n, a, b int }

func (x *t) step() int { x.n++; return x.n % 6 }

func (x *t) run() {
	switch x.step() {
	case 0:
		x.a++
		fallthrough
	case 1, 2:
		x.b++
		fallthrough
	case 3:
		if x.b > 7 {
			break
		}
		x.a += x.step()
	case x.b - 10:
		x.b = 0
	}
	switch {
	case x.a > 20:
		x.a = x.step()
	default:
		switch y := x.n; y % 3 {
		case 0:
			return
		}
	}
	x.n++
}

func main() {
	x := &t{}
	for range 60 {
		x.run()
	}
	fmt.Println(*x)
}
