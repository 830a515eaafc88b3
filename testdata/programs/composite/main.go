// Composite literals, slices, conversions, and operands in every place.
package main

import "fmt"

type inner struct{ a, b int }

type outerT struct {
	in   inner
	list []inner
	fn   func(inner) int
}

func (i inner) sum() int { return i.a + i.b }

func mk(n int) inner { return inner{a: n, b: -n * 2} }

func main() {
	o := outerT{fn: inner.sum}
	total := 0
	for n := range 9 {
		o.in = mk(n)
		o.list = append(o.list[:len(o.list)/2], o.in, inner{o.in.b, mk(n).a})
		m := map[inner][]int{mk(n): {o.in.a, mk(n).b}}
		total += o.fn(o.list[len(o.list)-1]) + m[o.in][0] - o.list[0].b
		total ^= int(int8(mk(n).sum())) * len([]int{5: 1}[o.in.a%5:])
		p := &o.list[0].a
		*p++
	}
	fmt.Println(total, o.list)
}
