// Generic functions and types, instantiated for several shapes.
package main

import "fmt"

type list[T any] struct {
	head *cell[T]
	n    int
}

type cell[T any] struct {
	value T
	next  *cell[T]
}

func (l *list[T]) push(v T) {
	l.head = &cell[T]{v, l.head}
	l.n++
}

func (l *list[T]) each(f func(T)) {
	for c := l.head; c != nil; c = c.next {
		f(c.value)
	}
}

func reduce[T, A any](l *list[T], a A, f func(A, T) A) A {
	l.each(func(v T) { a = f(a, v) })
	return a
}

type number interface{ ~int | ~float64 }

func sum[N number](l *list[N]) (s N) {
	for c := l.head; c != nil; c = c.next {
		s += c.value
	}
	return s
}

func main() {
	ints, floats, words := &list[int]{}, &list[float64]{}, &list[string]{}
	for i := range 8 {
		ints.push(i)
		floats.push(float64(i) / 2)
		words.push(fmt.Sprint(i))
	}
	fmt.Println(sum(ints), sum(floats), reduce(words, "", func(a, s string) string { return a + s }))
	fmt.Println(reduce(ints, 0.5, func(a float64, n int) float64 { return a + float64(n) }))
}
