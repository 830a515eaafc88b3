// Types declared in functions, embedded fields, method values, conversions.
package main

import (
	"fmt"
	"strings"
)

type inner struct{ a, b int }

func (i inner) sum() int       { return i.a + i.b }
func (i *inner) inc()          { i.a++ }
func (i inner) String() string { return fmt.Sprint("inner:", i.sum()) }

type middle struct {
	*inner
	name string
}

type outer struct {
	middle
	inner2 inner
	list   [3]inner
	byName map[string]inner
	next   *outer
}

func local(n int) (out []any) {
	type pair struct{ x, y int }
	p := pair{n, n + 1}
	out = append(out, p, any(p) == any(pair{n, n + 1}))
	for i := 0; i < 2; i++ {
		type pair struct{ z int }
		q := pair{i + p.x}
		out = append(out, fmt.Sprintf("%T %v", q, q))
		_, same := any(q).(struct{ z int })
		out = append(out, same)
	}
	return out
}

var kept []any

// identity sees whether a type is the same in every call.
func identity(n int) bool {
	type mine struct{ n int }
	kept = append(kept, mine{n})
	ok := true
	for _, k := range kept {
		_, is := k.(mine)
		ok = ok && is
	}
	return ok
}

func fields(o *outer) int {
	o.inc()
	o.middle.inner.a += 2
	o.inner2.inc()
	o.inner2.b++
	o.list[1].a = o.inner2.b
	o.list[o.a%3].b += o.list[1].a
	s := o.list[:]
	s[2].a = o.sum()
	p := &o.inner2.a
	*p += o.byName["x"].b
	f, g := o.inc, o.inner2.sum
	f()
	h := inner.sum
	k := (*inner).inc
	k(&o.list[0])
	if o.next != nil && o.next.a > 3 || o.name == "" {
		return g() + h(o.list[0])
	}
	return o.a + g()
}

func kinds(vs ...any) string {
	var b strings.Builder
	for _, v := range vs {
		switch x := v.(type) {
		case nil:
			b.WriteString("nil ")
		case fmt.Stringer:
			b.WriteString(x.String() + " ")
		case interface{ sum() int }:
			b.WriteString("sum ")
		case int, int8:
			fmt.Fprintf(&b, "%T ", x)
		case func() int:
			fmt.Fprint(&b, x(), " ")
		default:
			b.WriteString("other ")
		}
	}
	return b.String()
}

func main() {
	for n := range 4 {
		o := &outer{middle: middle{&inner{n, 1}, "o"}, byName: map[string]inner{"x": {1, 2}}}
		if n > 1 {
			o.next = o
		}
		if n == 3 {
			o.name = ""
		}
		fmt.Println(local(n), identity(n), fields(o), *o.inner, o.inner2, o.list)
		fmt.Println(kinds(nil, o, *o.inner, n, int8(n), 'x', func() int { return n }))
	}
}
