// Probes behind code without any: after branches, loops and returns.
package main

import "fmt"

type t struct{ n int }

func (x *t) hit() { x.n++ }

func late(x *t, k int) int {
	s := 0
	for i := range k {
		s += i
	}
	if k%2 == 0 {
		s *= 2
	} else {
		s++
	}
	if s > 20 {
		return s
	}
	x.hit()
	for i := 0; i < k; i++ {
		s -= i
		if s < 0 {
			break
		}
	}
	return s
}

func join(x *t, k int) {
	if k%3 == 0 {
		x.hit()
	}
	k *= 2
	if k%4 == 0 {
		x.hit()
	}
}

func inLoop(x *t, k int) (s int) {
	for i := range k {
		s += i
		if i%5 != 4 {
			continue
		}
		x.hit()
		if s > 60 {
			break
		}
		s++
	}
	x.hit()
	return s
}

func between(x *t, k int) (s int) {
	x.hit()
	for i := range k {
		s += i
	}
	x.hit()
	for s > 10 {
		s /= 2
		for j := range 3 {
			s -= j
		}
	}
	x.hit()
	return s
}

func main() {
	x := &t{}
	s := 0
	for k := range 25 {
		s += late(x, k) + inLoop(x, k) + between(x, k)
		join(x, k)
	}
	fmt.Println(s, x.n)
}
