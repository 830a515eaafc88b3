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

// last ends, in the compiler's order, with a block that does no more than go to another.
func last(n int, p *int) (h int) {
	defer func() {
		if recover() != nil {
			h = -1
		}
	}()
	switch {
	case n > 3:
		for i := 0; i < n; i++ {
			if h += i; h == 40 {
				h += *p
				break
			}
		}
		fallthrough
	default:
	}
	return h
}

func main() {
	x := &t{}
	for n := range 5 {
		fmt.Println(run(x, n))
	}
	fmt.Println(len(x.log), x.log)
	fmt.Println(last(2, nil), last(5, nil))
}
