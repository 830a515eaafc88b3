// Deferred calls: order, loops, arguments, results changed after a return.
package main

import "fmt"

type t struct{ log []string }

func (x *t) add(s string) int { x.log = append(x.log, s); return len(x.log) }

func run(x *t, n int) (r int) {
	defer func() { r += x.add("last") }()
	for i := range n {
		defer x.add(fmt.Sprint("loop", i, x.add("arg")))
	}
	if n > 2 {
		defer x.add("early")
		return x.add("result")
	}
	return n
}

func main() {
	x := &t{}
	for n := range 5 {
		fmt.Println(run(x, n))
	}
	fmt.Println(len(x.log), x.log)
}
