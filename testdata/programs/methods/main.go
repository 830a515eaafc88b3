// Method values, expressions, embedding, and calls through them.
package main

import "fmt"

type base struct{ n int }

func (b *base) inc() int { b.n++; return b.n }
func (b base) get() int  { return b.n }

type outer struct {
	*base
	extra int
}

type getter interface{ get() int }

func main() {
	o := outer{base: &base{}}
	f, g, h := o.inc, base.get, (*base).inc
	sum := 0
	for i := range 10 {
		sum += f() + g(*o.base) + h(o.base)
		sum += o.inc() + o.base.n + o.n
		var x getter = o
		sum += x.get()
		o.extra += i
		defer func(k func() int) { sum += k() }(x.get)
	}
	fmt.Println(sum, o.extra)
}
