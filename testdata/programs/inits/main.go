// Package variables, init functions and constants, in dependency order.
package main

import "fmt"

type t struct{ n int }

func (x *t) add(n int) *t { x.n += n; return x }

var (
	b     = a.add(2)
	a     = new(t).add(1)
	table = [...]int{a.n, b.n, len(names)}
	names = map[string]*t{"a": a, "b": b}
	hook  = func() int { return a.n + table[0] }
	flag  = a.n > 1 && b.add(1) != nil
)

func init() {
	for i := range 3 {
		a.add(i)
	}
}

func init() { table[0] = hook() }

func main() {
	for range 5 {
		a.add(table[2])
	}
	fmt.Println(a.n, table, flag, hook())
}
