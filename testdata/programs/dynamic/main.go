// Calls whose callee is known only when they run, and the order of evaluation
// around them.
package main

import (
	"fmt"
	"time"
)

type shape interface {
	area() int
	Name() string
}

type square struct{ s int }

func (q square) area() int    { return q.s * q.s }
func (q square) Name() string { return "square" }

type circle struct{ r int }

func (c *circle) area() int    { return 3 * c.r * c.r }
func (c *circle) Name() string { return "circle" }

type wrapped struct {
	shape
	deep struct{ *circle }
}

type machine struct {
	op    func(int) int
	shape shape
	log   []string
}

func (m *machine) swap(n int) int {
	m.log = append(m.log, fmt.Sprint("swap", n))
	m.op = func(x int) int { return x - n }
	m.shape = square{n}
	return n
}

func double(n int) int { return 2 * n }

type apply func(int) int

func (a apply) twice(n int) int { return a(a(n)) }

// late calls operands that its own arguments change.
func late(m *machine) (out []int) {
	m.op = double
	out = append(out, m.op(m.swap(5)))
	m.op = double
	out = append(out, m.op(3)+m.op(m.swap(4)), m.op(1))
	m.shape = &circle{2}
	out = append(out, func(f func(...int) int) int { return f(1, m.swap(2), m.shape.area()) }(func(x ...int) int { return len(x) + x[2] }))
	m.shape = &circle{2}
	out = append(out, measure(m.shape.area(), m.swap(3), m.shape.area()))
	f := double
	change := func() int { f = func(int) int { return -1 }; return 1 }
	out = append(out, f(change()))
	return out
}

func measure(ns ...int) (n int) {
	for _, m := range ns {
		n = n*100 + m
	}
	return n
}

func calls(shapes []shape) (n int) {
	for _, s := range shapes {
		n += s.area() + len(s.Name())
		defer func() { _ = s.area() }()
		defer s.Name()
	}
	w := wrapped{shape: square{2}}
	w.deep.circle = &circle{1}
	n += w.area() + w.shape.area() + w.deep.area()
	g := shapes[0].area
	n += g() + shape.area(shapes[1]) + square.area(square{1}) + (*circle).area(&circle{1})
	n += apply(double).twice(3) + apply(func(x int) int { return x + 1 }).twice(n)
	var table = map[string]func(int) int{"d": double, "s": func(x int) int { return x * x }}
	n += table["d"](4) + table["s"](5) + pick(n > 3)(n)
	return n
}

// headers calls what the header of the same statement declares.
func headers(shapes []shape) (n int) {
	switch s := shapes[0]; s.area() {
	case 9:
		n = 1
	}
	for s, f := shapes[1], pick(true); n < s.area(); n += f(1) {
		n++
	}
	for s := shapes[0]; n > 0; n -= s.area() {
	}
	if s := shapes[2]; s.area() > 0 {
		n += s.area()
	}
	switch s := shapes[0]; t := any(s.area()).(type) {
	case int:
		n += t
	}
	return n
}

func pick(b bool) func(int) int {
	if b {
		return double
	}
	return func(n int) int { return n }
}

func nils() (out []any) {
	try := func(f func()) {
		defer func() { out = append(out, recover() != nil) }()
		f()
	}
	var f func()
	var s shape
	var m *machine
	var c *circle
	var p *wrapped
	try(func() { f() })
	try(func() { s.area() })
	try(func() { m.op(1) })
	try(func() { m.shape.area() })
	try(func() { defer f() })
	try(func() { _ = s.area })
	try(func() { c.area() })
	try(func() { out = append(out, "before", push(&out, "argument")+p.area()) })
	try(func() { shape(c).area() })
	return out
}

// push tells that it was called before what panics after it.
func push(out *[]any, s string) int { *out = append(*out, s); return 1 }

func sum[T shape](xs ...T) (n int) {
	for _, x := range xs {
		n += x.area()
	}
	return n
}

func spawn(shapes []shape) int {
	c := make(chan int)
	n := 0
	for _, s := range shapes {
		go func(s shape) { c <- s.area() }(s)
		n += <-c
	}
	go send(c, 3)
	n += <-c
	time.Sleep(20 * time.Millisecond) // until what has sent has returned, too
	return n
}

func send(c chan int, n int) { c <- n }

func main() {
	fmt.Println(wider(w(1)))
	shapes := []shape{square{3}, &circle{2}, wrapped{shape: &circle{1}}}
	fmt.Println(late(&machine{}), calls(shapes), nils())
	fmt.Println(headers(shapes))
	fmt.Println(sum(square{1}, square{2}), sum(&circle{1}), sum(shapes...), spawn(shapes))
}
