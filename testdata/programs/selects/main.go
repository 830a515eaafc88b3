// Select statements: one ready case, default, send, in a loop.
package main

import "fmt"

type t struct {
	in, out chan int
	got, n  int
}

func (x *t) next() int { x.n++; return x.n }

func (x *t) run() {
	for x.n < 30 {
		select {
		case x.in <- x.next():
			x.got++
		default:
			select {
			case x.got = <-x.in:
			case v, ok := <-x.out:
				if !ok {
					return
				}
				x.n += v
			}
			if x.n%7 == 0 {
				continue
			}
			x.n++
		}
	}
	close(x.out)
}

func main() {
	x := &t{in: make(chan int, 2), out: make(chan int)}
	x.run()
	select {
	case _, ok := <-x.out:
		fmt.Println(ok, x.got, x.n)
	}
}
