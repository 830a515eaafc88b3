// Shadowing and redeclaration: := in nested blocks, in headers, over results.
package main

import "fmt"

type t struct{ n int }

func (x *t) get() (int, error) { x.n++; return x.n, nil }

func run(x *t) (n int, err error) {
	n, err = x.get()
	if n, err := x.get(); err == nil {
		n += x.n
		x.n = n
	}
	{
		n := x.n
		n, ok := n+1, true
		if ok {
			x.n = n
		}
	}
	m, err := x.get()
	for n := 0; n < 3; n++ {
		n, err := x.get()
		if err != nil {
			return n, err
		}
		m += n
	}
	switch n := x.n; {
	case n > 3:
		m, n := n, m
		x.n = m - n
	}
	return m, err
}

func main() {
	x := &t{}
	for range 5 {
		fmt.Println(run(x))
	}
	fmt.Println(x.n)
}
