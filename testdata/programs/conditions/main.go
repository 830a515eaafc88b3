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

type pair struct{ a, b, c, d int }

func (p pair) third() int { return p.c }

// both, twice and less become conditional moves.
func both(k int, p, q pair) (x int) {
	if k == 3 {
		x = p.a
	} else {
		x = q.b
	}
	return x
}

func twice(k int, p pair) int {
	x := 1
	if k == 3 {
		x = p.third()
	}
	return x
}

func less(k int, p, q pair) int {
	x := 1
	if k < 3 {
		x = p.d
	} else {
		x = q.third()
	}
	return x
}

// grow has a condition whose second half is known where the first one is not met.
func grow(l *[]int) bool { return !(len(*l) == 0) || size(l) < 3 }

func size(l *[]int) int { return len(*l) }

// until has such a condition in a block that also keeps an argument for later.
//
//go:noinline
func (x *t) until(n int) int {
	k := n
	if !(k != x.n || n >= x.n) {
	} else if called(k, x.add) < 7 {
	}
	return k + n
}

func (x *t) add(n int) int { x.n += n; return x.n }

// none has a condition that makes no difference, but faults where there is no x.
//
//go:noinline
func (x *t) none(n int) int {
	if !(n != x.n || n >= x.n) {
	}
	return n
}

func called(n int, f func(int) int) int { return f(n) }

func main() {
	var list []int
	for i, p, q := 0, (pair{1, 2, 3, 4}), (pair{5, 6, 7, 8}); i < 10 && grow(&list); i++ {
		list = append(list, both(i, p, q), twice(i, p), less(i, p, q))
	}
	fmt.Println(list)
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
	for i := range 20 {
		x.n = i / 2 * 2
		c += x.until(i)
	}
	fmt.Println(c, x.n)
	ops := []*op{{1, 2}}
	fmt.Println(remade(make([]int, 3), ops, nil), remade(make([]int, 3), ops, ops[0]), remade([]int{1}, ops, nil), remade(nil, ops, ops[0]))
	defer func() { fmt.Println(recover()) }()
	x = nil
	fmt.Println(x.none(c))
}
