// A byte order mark, and carriage returns.
package main

import "fmt"

type t struct{ n int }

func f(x *t) int {
	for x.n < 3 {
		x.n++
	}
	return x.n // end
}

func main() {
	fmt.Println(f(&t{}), `raw
string`)
}
