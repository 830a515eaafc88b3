// Range statements over everything but functions.
package main

import "fmt"

type t struct {
	list []int
	arr  [3]int
	k, v int
}

func (x *t) get() []int { x.k++; return x.list }

// zero has loops that the compiler makes no loops of.
func zero(a []int, b []*t, c []byte) int {
	for i := range a {
		a[i] = 0
	}
	for i := range b {
		b[i] = nil
	}
	var last int
	for last = range c {
		c[last] = 0
	}
	return last
}

func main() {
	x := &t{list: []int{3, 1, 2}, arr: [3]int{4, 5, 6}}
	for i := range x.get() {
		x.v += i
	}
	for x.k, x.v = range x.list {
		x.arr[x.k] += x.v
	}
	for _, a := range x.arr {
		x.v += a
	}
	for range x.arr {
		x.v++
	}
	for i, a := range &x.arr {
		x.v += i * a
	}
	for i, r := range "héé" {
		x.v += i * int(r)
	}
	for i := range len(x.list) {
		x.v -= i
	}
	for k, v := range map[string]int{"only": x.v} {
		x.v += len(k) + v
	}
	c := make(chan int, 3)
	for i := range 3 {
		c <- i
	}
	close(c)
	for v := range c {
		x.v += v
	}
	fmt.Println(x.k, x.v, x.arr)
	full, none := []int{1, 2, 3}, []*t{}
	fmt.Println(zero(full, none, []byte("abc")), full, none, zero(nil, []*t{x, nil}, nil))
}
