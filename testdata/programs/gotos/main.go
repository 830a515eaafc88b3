// Loops and exits made by goto, with labels of blocks and empty statements.
package main

import "fmt"

type t struct{ n, m int }

func (x *t) dec() int { x.n--; return x.n }

func loop(x *t) int {
again:
	x.m++
	if x.dec() > 0 {
		goto again
	}
	return x.m
}

func search(x *t) string {
	i := 0
retry:
	for j := 0; j < 4; j++ {
		if x.m > 30 {
			goto found
		}
		x.m += j
	}
	if i++; i < 6 {
		goto retry
	}
	return "none"
found:
	x.n = i
	return "found"
}

func skip(x *t) {
	{
		if x.n > 2 {
			goto end
		}
		x.n++
	}
	x.m = x.dec()
end:
}

func two(x *t) int {
a:
	if x.n < 20 {
		x.n += 3
		goto b
	}
	return x.n
b:
	if x.n%2 == 0 {
		x.n++
	}
	goto a
}

func main() {
	x := &t{n: 12}
	fmt.Println(loop(x), search(x), *x)
	for i := range 6 {
		x.n = i
		skip(x)
	}
	fmt.Println(two(x), *x)
}
