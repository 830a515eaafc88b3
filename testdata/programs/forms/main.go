// For statements with and without each of their parts.
package main

import "fmt"

type t struct{ n, sum int }

func (x *t) next() bool { x.n++; return x.n < 10 }

func main() {
	x := &t{}
	for x.next() {
		x.sum += x.n
	}
	x.n = 0
	for i := x.n; ; i++ {
		if !x.next() {
			break
		}
		x.sum += i
	}
	for x.n = 0; x.n < 5; {
		x.n++
	}
	for {
		if x.n--; x.n < 0 {
			break
		}
		x.sum++
	}
	for i, j := 0, x.sum; i < j; i, j = i+x.n+2, j-1 {
		x.sum++
	}
	fmt.Println(x.n, x.sum)
}
