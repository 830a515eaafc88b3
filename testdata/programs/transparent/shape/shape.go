// Package shape has small functions that another package calls.
package shape

import "runtime"

type Point struct{ X, Y int }

func (p Point) Sum() int         { return p.X + p.Y }
func (p *Point) Move(dx, dy int) { p.X += dx; p.Y += dy }
func (p *Point) Far(limit int) bool {
	return p.X > limit || p.Y > limit
}

// Inner is embedded by pointer, and by value.
type Inner struct{ n int }

func (i *Inner) N() int     { return i.n }
func (i Inner) Copy() Inner { return i }
func (i *Inner) Inc() *Inner {
	i.n++
	return i
}

type Outer struct {
	*Inner
	Point
}

type List[T any] struct {
	items []T
	size  int
}

func (l *List[T]) Add(x T) {
	l.items = append(l.items, x)
	l.size++
}
func (l *List[T]) Len() int                        { return l.size }
func (l *List[_]) Empty() bool                     { return l.size == 0 }
func First[T any](l *List[T]) (x T)                { return l.items[0] }
func (l *List[T]) At(i int) (_ T, _ bool)          { return l.items[i], i < l.size }
func Pair[K comparable, V any](k K, v V) (K, *V)   { p := struct{ v *V }{&v}; return k, p.v }
func (Point) Unnamed(int, string) int              { return 7 }
func (p *Point) Blank(int, string, ...int) int     { return p.X }
func (p *Point) Many(n int, more ...int) (sum int) { sum = p.X + n + len(more); return }

// Last is nothing if there is nothing.
func Last[T any](l *List[T]) (x T) {
	if l.size > 0 {
		x = l.items[l.size-1]
	}
	return x
}

// Where says who it is, and where.
func (p *Point) Where() (string, int) {
	p.X++
	pc, _, line, _ := runtime.Caller(0)
	return runtime.FuncForPC(pc).Name(), line
}

// Caller says who calls it.
func (p *Point) Caller() (string, int) {
	p.Y++
	pc, _, line, _ := runtime.Caller(1)
	return runtime.FuncForPC(pc).Name(), line
}
