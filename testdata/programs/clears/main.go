// Clears sets the elements of slices to zero, which the compiler makes one operation of, and does a little more, of which it
// does not.
package main

import "fmt"

type record struct {
	name *string
	n    [3]int
}

type holder struct{ bytes []byte }

//go:noinline
func zero(b []byte) {
	for i := range b {
		b[i] = 0
	}
}

func zeroAll[T any](xs []T) {
	var none T
	for i := range xs {
		xs[i] = none
	}
	for i := range xs {
		xs[i] = *new(T)
	}
}

//go:noinline
func records(rs []record, keep bool) int {
	for i := range rs {
		rs[i] = record{}
	}
	if keep {
		return len(rs)
	}
	for i := range rs {
		rs[i].n = [3]int{}
	}
	for i := range rs {
		rs[i] = record{}
		if i > 3 {
			break
		}
	}
	return -len(rs)
}

func (h *holder) reset() {
	for i := range h.bytes {
		h.bytes[i] = 0
	}
}

// constant has slices of a length that is known.
func constant() (sum int) {
	var room [48]byte
	b := room[:16]
	for i := range b {
		b[i] = 0
	}
	for i := range room {
		room[i] = 0
	}
	none := b[:0]
	for i := range none {
		none[i] = 0
	}
	return int(room[5]) + len(b)
}

// last says what the loop's variable was.
func last(b []byte) int {
	i := -1
	for i = range b {
		b[i] = 0
	}
	return i
}

// within clears in loops, in what is put off and in what has another variable's name.
func within(n int) (out []int) {
	b := make([]byte, n)
	defer func() {
		for i := range b {
			b[i] = 0
		}
		out = append(out, len(b))
	}()
	for range 3 {
		for i := range b {
			b[i] = 0
		}
		b = b[:len(b)/2]
	}
outer:
	for i := range b {
		b[i] = 0
		continue outer
	}
	return append(out, n)
}

// faults has a nil slice of a length.
func faults(p *[]byte) (err any) {
	defer func() { err = recover() }()
	b := *p
	for i := range b {
		b[i] = 0
	}
	return len(b)
}

func main() {
	for i := range 20 {
		zero(make([]byte, i*7))
	}
	name := "name"
	rs := []record{{name: &name}, {n: [3]int{1}}, {}, {}, {}, {name: &name}}
	fmt.Println(records(rs[:2], true), rs[1].n, *rs[5].name)
	fmt.Println(records(rs, false), rs[5].name)
	zeroAll([]string{"a", "b"})
	zeroAll([]struct{}{{}, {}, {}})
	zeroAll(make([]float64, 5))
	h := &holder{make([]byte, 9)}
	h.reset()
	fmt.Println(constant(), last(make([]byte, 4)), last(nil), within(20))
	var none []byte
	fmt.Println(faults(&none))
	fmt.Println(faults(nil))
}
