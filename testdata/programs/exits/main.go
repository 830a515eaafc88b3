// Loops with several exits, from before and from behind their probes.
package main

import "fmt"

type t struct{ n int }

func (x *t) hit() bool { x.n++; return x.n%7 == 0 }

func first(x *t, k int) (s int) {
	for i := 0; i < k; i++ {
		if i == 9 {
			break
		}
		if x.hit() {
			break
		}
		s += i
	}
	x.hit()
	return s
}

func forever(x *t, k int) (s int) {
	for {
		if s++; s > k {
			break
		}
		if s%3 == 0 {
			continue
		}
		x.hit()
		if s == 11 {
			break
		}
	}
	x.hit()
	return s
}

func deep(x *t, k int) (s int) {
outer:
	for i := range k {
		for j := range i {
			if i*j > 30 {
				break outer
			}
			if s += j; s > 70 {
				continue outer
			}
			for x.n%3 != 0 {
				if x.hit() {
					break outer
				}
			}
		}
		s++
	}
	if s%2 == 0 {
		return s + x.n
	}
	x.hit()
	return s
}

func main() {
	x := &t{}
	s := 0
	for k := range 20 {
		s += first(x, k) + forever(x, k) + deep(x, k)
	}
	fmt.Println(s, x.n)
}
