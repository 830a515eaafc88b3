// Code that control never reaches, and functions that never return.
package main

import "fmt"

type t struct{ n int }

func (x *t) hit() int { x.n++; return x.n }

func after(x *t) int {
	return x.hit()
	x.n = 7
	for x.hit() < 3 {
		x.n++
	}
	return x.n
}

func endless(x *t) int {
	for {
		if x.hit()%10 == 0 {
			return x.n
		}
	}
	panic(x.n)
}

func jumped(x *t) int {
	goto end
	x.hit()
end:
	if false {
		x.n++
	}
	return x.hit()
}

func main() {
	x := &t{}
	for range 6 {
		fmt.Print(after(x), endless(x), jumped(x), " ")
	}
	fmt.Println()
}
