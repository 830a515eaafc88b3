// Panics that are recovered: in loops, nested, raised again.
package main

import "fmt"

type t struct{ n, caught int }

func (x *t) must(n int) int {
	if x.n++; x.n%n == 0 {
		panic(x.n)
	}
	return x.n
}

func try(x *t, f func() int) (r int) {
	defer func() {
		if v := recover(); v != nil {
			x.caught++
			r = -v.(int)
		}
	}()
	return f()
}

func nested(x *t) int {
	defer func() {
		if v := recover(); v != nil && x.n < 40 {
			panic(v)
		}
	}()
	for i := 0; ; i++ {
		x.must(4)
	}
}

func main() {
	x := &t{}
	sum := 0
	for i := range 20 {
		sum += try(x, func() int { return x.must(3) + i })
		sum += try(x, func() int { return nested(x) })
	}
	fmt.Println(sum, x.n, x.caught)
}
