// Code that control never reaches, and functions that never return.
package main

import (
	"fmt"
	"runtime"
)

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

// dropped has literals in operands and branches that are not compiled: those
// behind them are numbered as if they were not there.
//
//go:noinline
func dropped(x *t) (n int) {
	if 2 > 20 && x.n > func(k int) int { return k + x.n }(3) {
		n = func() int { return x.hit() }()
	}
	if 2 > 1 || func() bool { return x.hit() > 4 }() {
		n = func() int {
			pc, _, _, _ := runtime.Caller(0)
			fmt.Print(runtime.FuncForPC(pc).Name(), " ")
			return x.hit()
		}()
	}
	return n
}

func main() {
	x := &t{}
	for range 6 {
		fmt.Print(after(x), endless(x), jumped(x), dropped(x), " ")
	}
	fmt.Println()
}
