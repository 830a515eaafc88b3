// Labeled loops, switches and selects, with break and continue through them.
package main

import "fmt"

type t struct{ n, hits int }

func (x *t) next() int { x.n++; return x.n }

func main() {
	x := &t{}
outer:
	for i := 0; i < 12; i++ {
		for j := range 5 {
			switch {
			case i*j == 12:
				continue outer
			case x.next() > 70:
				break outer
			case j == 3:
				continue
			}
			x.hits++
		}
		x.hits += 100
	}
sw:
	switch x.next() % 2 {
	case 0, 1:
		for {
			if x.next() > 90 {
				break sw
			}
		}
	}
	c := make(chan int, 1)
sel:
	select {
	case c <- x.next():
		if x.n > 3 {
			break sel
		}
		x.hits = 0
	}
	fmt.Println(x.n, x.hits, len(c))
}
