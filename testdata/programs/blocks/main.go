// Bare blocks, empty statements, declarations within functions.
package main

import "fmt"

type t struct{ n int }

func (x *t) next() int { x.n++; return x.n }

func main() {
	x := &t{}
	for range 8 {
		const step = 3
		type local struct{ v int }
		var l local
		var u, v = x.next(), x.next()
		{
			l.v = u * step
			{
				x.n -= v / 4
			}
		}
		;
		var w int
		if l.v > v {
			var l = local{x.next()}
			w = l.v
		}
		_ = w
		x.n += l.v % 2
	}
	fmt.Println(x.n)
}
