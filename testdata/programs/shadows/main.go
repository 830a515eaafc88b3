// Shadowing and redeclaration: := in nested blocks, in headers, over results.
package main

import (
	"bytes"
	"fmt"
)

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

// again assigns with := to variables that it declared with others.
func again(x *t) int {
	q, r := pair(x)
	r, s := r*x.n, q+1
	s += x.n
	for i := range 3 {
		q += r * i
		x.n++
	}
	return q + r
}

func pair(x *t) (int, int) {
	x.n %= 100
	return x.n, x.n + 1
}

// imported declares a variable that has the name of the package of the next one's
// type.
func imported(x *t) int {
	bytes, err := buffer(x)
	if err != nil {
		return -1
	}
	reader := bytes.Buffer()
	for b, err := reader.ReadByte(); err == nil; b, err = reader.ReadByte() {
		x.n += int(b)
	}
	return reader.Len() + bytes.Buffer().Len() + x.n
}

type holder struct{ b *bytes.Buffer }

func (h *holder) Buffer() *bytes.Buffer { return h.b }

func buffer(x *t) (*holder, error) {
	return &holder{bytes.NewBufferString(fmt.Sprint(x.n))}, nil
}

func main() {
	x := &t{}
	for range 5 {
		fmt.Println(run(x))
	}
	fmt.Println(x.n, imported(x), again(x))
}
