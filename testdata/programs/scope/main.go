// Variables that a copied block would shadow, hide or lose.
package main

import (
	"errors"
	"fmt"
)

type box struct{ n, m int }

func get(b *box) (int, error) { return b.n, nil }

// named assigns to its results with := in the scope that declares them.
func named(b *box) (n int, err error) {
	n, err = get(b)
	k, err := get(b)
	if k > 1 {
		m, err := get(b)
		if err != nil {
			return m, err
		}
		return n + m + k, errors.New("big")
	}
	return
}

// param reuses a parameter.
func param(b *box, n int) int {
	n, m := b.n, n
	return n*100 + m
}

// later uses after a loop what was declared before it.
func later(b *box) int {
	x, y := b.n, b.m
	sum := 0
	for i := 0; i < 3; i++ {
		z := x + b.n
		sum += z * i
		x, w := sum+b.m, 2
		sum += x * w
	}
	x, v := y+b.m, sum
	var u = x + v + b.n
	return u
}

// shadow declares x from an outer x.
func shadow(b *box) int {
	x := b.n
	for range 2 {
		x := x + b.m
		x, y := x*2, x
		b.n += x + y
	}
	{
		x := x + 1
		b.m += x
	}
	return x
}

// loopvar keeps a variable for each iteration.
func loopvar(b *box) (fs []func() int) {
	for i := b.n; i < b.n+3; i++ {
		j := i * b.m
		fs = append(fs, func() int { i++; j += i; return j })
		i += b.m - b.m
	}
	return fs
}

func consts(b *box) int {
	const a, c = 3, 4
	s := 0
	for i := 0; i < a; i++ {
		const c = a + 1
		s += b.n * c
	}
	return s + c
}

func main() {
	for n := range 4 {
		b := &box{n, n + 1}
		r, err := named(b)
		fmt.Println(r, err, param(b, 7), later(b), shadow(b), consts(b), *b)
		for _, f := range loopvar(b) {
			fmt.Print(f(), f(), " ")
		}
		fmt.Println()
	}
}
