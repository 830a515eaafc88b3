// Sends and receives as statements, in expressions and in conditions.
package main

import "fmt"

type t struct {
	c   chan int
	sum int
}

func (x *t) put(n int) chan int { x.c <- n; return x.c }

func main() {
	x := &t{c: make(chan int, 4)}
	for i := range 9 {
		x.c <- i
		x.put(i * i)
		if <-x.c%2 == 0 && <-x.c > 3 {
			x.sum += <-x.put(i)
		}
		for len(x.c) > 0 {
			v, ok := <-x.c
			if ok {
				x.sum += v
			}
		}
	}
	fmt.Println(x.sum)
}
