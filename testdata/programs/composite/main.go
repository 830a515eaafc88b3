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

// wide has more columns than the compiler tells apart.
func wide(i inner) int {
	return len([]inner{mk(1), mk(2), mk(3), mk(4), mk(5), mk(6), mk(7), mk(8), mk(9), mk(10), mk(11), mk(12), mk(13), mk(14), mk(15), mk(16), mk(17), mk(18), mk(19), mk(20), mk(21), mk(22), mk(23), mk(24), mk(25), mk(26), mk(27), mk(28), mk(29)}[i.sum()&7:]) + mk(i.sum()).sum() + i.a - i.b
}

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
	fmt.Println(total, o.list, wide(o.in))
}
