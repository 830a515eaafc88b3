// Short circuits everywhere a condition can be.
package main

import "fmt"

type t struct{ n, m int }

func (x *t) odd() bool { x.n++; return x.n%2 == 1 }
func (x *t) big() bool { x.m++; return x.n > 15 }

// all has conditions of a type that is a parameter.
func all[T ~bool](list []T, and func(T) T) (n int) {
	for i := range list {
		if list[i] && same(list[i]) && and(list[i]) {
			n++
		}
		for k := i; k < 2 && bool(same(list[i])); k++ {
			n += 10
		}
	}
	return n
}

func same[T ~bool](b T) T { return b }

type answer bool

func main() {
	fmt.Println(all([]answer{true, false, true}, func(a answer) answer { return !a }), all([]bool{true, true}, same[bool]))
	x := &t{}
	c := 0
	for i := 0; i < 30 && (!x.big() || x.odd()); i++ {
		ok := x.odd() && x.big() || i%3 == 0 && !x.odd()
		if ok || x.big() && x.odd() {
			c++
		}
		switch {
		case ok && x.odd(), x.n > 20 && x.odd():
			c += 2
		}
		f := func() bool { return ok || x.odd() }
		c += len(fmt.Sprint(f() && x.big()))
	}
	fmt.Println(c, x.n, x.m)
}
