// Loops in which the compiler needs no bounds checks.
package main

import "fmt"

type cell struct{ n int }

func counted(a []cell) (s int) {
	for i := 0; i < len(a); i++ {
		s += a[i].n
	}
	return s
}

func ranged(a []cell) (s int) {
	for i := range a {
		s += a[i].n
	}
	return s
}

func values(a []cell) (s int) {
	for _, c := range a {
		s += c.n
	}
	return s
}

func array(a *[64]cell) (s int) {
	for i := range 64 {
		s += a[i].n
	}
	return s
}

func strided(a []cell) (s int) {
	for i := 0; i < len(a); i += 4 {
		s += a[i].n
	}
	return s
}

func pointed(a *[64]cell) (s int) {
	for i, c := range a {
		s += c.n + a[i].n
	}
	return s
}

func text(c *cell, text string) (s int) {
	for i, r := range text {
		s += c.n + int(r) + int(text[i])
	}
	return s
}

func down(a []cell) (s int) {
	for i := len(a) - 1; i >= 0; i-- {
		s += a[i].n
	}
	return s
}

func left(a []cell) int {
	for i := 0; i < len(a); i++ {
		if a[i].n > 40 {
			return a[i].n
		}
	}
	return 0
}

func main() {
	var a [64]cell
	for i := range a {
		a[i].n = i
	}
	fmt.Println(counted(a[:]), ranged(a[:]), values(a[:]), array(&a), strided(a[:]), pointed(&a), down(a[:]), left(a[:]), text(&a[1], "bounds, é"))
}
