// Generic functions, methods and types, explicitly and implicitly instantiated.
package main

import (
	"cmp"
	"fmt"
	"strings"
)

type number interface{ ~int | ~float64 }

type pair[K cmp.Ordered, V any] struct {
	key K
	val V
}

type tree[K cmp.Ordered, V any] struct {
	left, right *tree[K, V]
	pair[K, V]
	size int
}

func (t *tree[K, V]) put(k K, v V) *tree[K, V] {
	if t == nil {
		return &tree[K, V]{pair: pair[K, V]{k, v}, size: 1}
	}
	switch c := cmp.Compare(k, t.key); {
	case c < 0:
		t.left = t.left.put(k, v)
	case c > 0:
		t.right = t.right.put(k, v)
	default:
		t.val = v
		return t
	}
	t.size++
	return t
}

func (t *tree[K, V]) each(f func(K, V) bool) bool {
	return t == nil || t.left.each(f) && f(t.key, t.val) && t.right.each(f)
}

func reduce[T, A any](xs []T, a A, f func(A, T) A) A {
	for _, x := range xs {
		a = f(a, x)
	}
	return a
}

func total[N number](xs ...N) (n N) {
	for _, x := range xs {
		n += x
	}
	return n
}

type celsius float64

func (c celsius) String() string { return fmt.Sprintf("%.1fC", float64(c)) }

func join[S fmt.Stringer](xs []S) string {
	var b strings.Builder
	for i, x := range xs {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(x.String())
	}
	return b.String()
}

type setter[T any] interface {
	*T
	set(string)
}

type word struct{ s string }

func (w *word) set(s string) { w.s = s }

func build[T any, P setter[T]](ss ...string) []T {
	out := make([]T, len(ss))
	for i, s := range ss {
		p := P(&out[i])
		p.set(s)
	}
	return out
}

func apply[F ~func(int) int](f F, n int) int { return f(n) }

type op func(int) int

type stack[T any] []T

func (s *stack[T]) push(x T) { *s = append(*s, x) }
func (s *stack[T]) pop() (x T, ok bool) {
	if n := len(*s); n > 0 {
		x, *s = (*s)[n-1], (*s)[:n-1]
		return x, true
	}
	return
}

// A table's methods are called with what is assigned to its type arguments, not of
// them: the receiver alone says what they are.
type table[K comparable, V any] struct{ of map[K]V }

func (t table[K, V]) with(key K, value V) table[K, V] {
	t.of[key] = value
	return t
}

func (t table[K, V]) add(key K, more ...V) int {
	if len(more) > 0 {
		t.of[key] = more[0]
	}
	return len(t.of)
}

func assigned() {
	names := table[string, fmt.Stringer]{of: map[string]fmt.Stringer{}}
	names = names.with("c", celsius(1)).with("nil", nil)
	fmt.Println(names.add("d", celsius(2), celsius(3)), names.add("e"), names.add("f", []fmt.Stringer{celsius(4)}...), names.of)
	ops := table[string, func(int) int]{of: map[string]func(int) int{}}
	ops = ops.with("op", op(func(n int) int { return -n }))
	to := table[int, chan<- int]{of: map[int]chan<- int{}}
	both := make(chan int, 1)
	to = to.with(1, both)
	to.of[1] <- ops.of["op"](3)
	fmt.Println(<-both)
}

func main() {
	assigned()
	var t *tree[string, int]
	for i, k := range strings.Fields("the quick brown fox jumps over the lazy dog") {
		t = t.put(k, i)
	}
	t.each(func(k string, v int) bool { fmt.Print(k, "=", v, " "); return k != "over" })
	fmt.Println(t.size, reduce([]int{1, 2, 3}, "", func(a string, x int) string { return fmt.Sprint(a, x) }))
	fmt.Println(total(1, 2, 3), total[float64](1.5, 2), total[celsius](3, 4), join([]celsius{1, 2.5}))
	fmt.Println(build[word]("a", "b"), apply(op(func(n int) int { return n + 1 }), 2), apply(func(n int) int { return n * 2 }, 4))
	var s stack[rune]
	for _, r := range "héy" {
		s.push(r)
	}
	for r, ok := s.pop(); ok; r, ok = s.pop() {
		fmt.Print(string(r))
	}
	fmt.Println()
}
