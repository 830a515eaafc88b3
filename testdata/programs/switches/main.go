// Switches, conditions, short-circuits, selects.
package main

import "fmt"

type t struct {
	a, b bool
	n    int
	c    chan int
	m    map[string]int
}

type flag bool

type u struct{ f flag }

func (x *t) yes(n int) bool { x.n += n; return x.a }

func conditions(x *t) (n int) {
	if x.a && x.b || x.n > 2 && !x.a {
		n |= 1
	} else if y := x.n; y > 1 && x.yes(1) {
		n |= 2
	} else if x.b {
		n |= 4
	} else if v, ok := x.m["k"]; ok && v > x.n {
		n |= 8
	} else {
		n |= 16
	}
	for i := 0; i < x.n && (x.a || x.yes(0)); i += x.n {
		n += 100
	}
	for x.n < 5 && x.n >= 0 {
		x.n++
	}
	return n
}

func named(v *u, w flag) flag {
	r := v.f && w
	if (v.f) {
		r = r || v.f && !w
	}
	return r
}

func cases(x *t) (n int) {
	switch x.n {
	case x.m["zero"], x.m["one"]:
		n = 1
	case x.n + 1, 2 * x.n:
		n = 2
		fallthrough
	case 9:
		n += 3
	default:
		n = 4
	}
	switch y := x.n % 3; {
	case y == 0 && x.a:
		n += 10
	case x.yes(1), x.b:
		n += 20
	}
	switch true {
	case x.a, x.n > 3:
		n += 30
	}
	switch any(x.n).(type) {
	case int:
		n += x.m["one"]
	}
	return n
}

func selects(x *t) (n int) {
	var got struct{ v, w int }
	for i := 0; i < 4; i++ {
		select {
		case x.c <- x.n + i:
			n += 1
		case got.v = <-x.c:
			n += got.v * 10
			if got.v > 3 {
				continue
			}
			n += 5
		}
	}
	select {
	case v, ok := <-x.c:
		n += v
		if !ok {
			break
		}
		n += 1000
	default:
		n += 7
	}
	return n
}

func main() {
	for i := range 8 {
		x := &t{i&1 > 0, i&2 > 0, i & 4, make(chan int, 1), map[string]int{"one": 1, "k": 9}}
		fmt.Println(conditions(x), cases(x), selects(x), named(&u{flag(x.a)}, flag(x.b)), x.n, len(x.c))
	}
}
