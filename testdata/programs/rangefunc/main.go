// Every kind of range, over functions above all.
package main

import (
	"fmt"
	"iter"
	"maps"
	"slices"
)

type list struct {
	head *elem
	n    int
	key  int
}

type elem struct {
	v    int
	next *elem
}

func (l *list) push(v int) { l.head = &elem{v, l.head}; l.n++ }

func (l *list) all() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		i := 0
		for e := l.head; e != nil; e = e.next {
			if !yield(i, e.v) {
				return
			}
			i++
		}
	}
}

func (l *list) each(yield func() bool) {
	for range l.n {
		if !yield() {
			break
		}
	}
}

func walk(l *list) (out []int, why string) {
	defer func() { out = append(out, l.n) }()
outer:
	for i, v := range l.all() {
		for j, w := range l.all() {
			switch {
			case w == 2:
				continue
			case v == 3:
				continue outer
			case i+j > 9:
				break outer
			case l.key == 7 && w == 1:
				return out, "returned"
			}
			l.n += w % 2
			out = append(out, v*10+w)
		}
		for l.key = range l.all() {
			l.n++
		}
		if v == 4 {
			defer func() { out = append(out, -v) }()
		}
	}
	for range l.each {
		l.n--
		if l.n < 4 {
			break
		}
	}
	return out, "done"
}

// mixed leaves a native loop from within the body of another kind.
func mixed(l *list) (n int) {
native:
	for i := 0; i < 4; i++ {
		for _, v := range l.all() {
			if v == i {
				n += l.n
				continue native
			}
			if v+i > 6 {
				break native
			}
			n += v
		}
		n += 100
	}
again:
	for _, v := range l.all() {
		n++
		if n%3 == 0 && n < 50 {
			goto again
		}
		n += v
	}
	return n
}

func native(l *list) (n int) {
	var arr [3]list
	for i := range arr {
		n += i + arr[i].n
	}
	for i := range l.n {
		n += i
	}
	for i, r := range "héllo" {
		n += i * int(r)
	}
	for range "ab" {
		n++
	}
	m := map[string]int{"a": 1, "b": 2}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		n += m[k]
	}
	for k := range m {
		delete(m, k)
	}
	c := make(chan int, 3)
	c <- l.n
	c <- 4
	close(c)
	for v := range c {
		n += v
	}
	for arr[1].n, arr[2].key = range []int{5, 6} {
		n += arr[1].n + arr[2].key
	}
	for i := range len(arr) {
		n += i
	}
	return n + len(m)
}

// inside has loops in the body of a range-over-func loop and around it, which are
// loops of one function to the compiler.
func inside(l *list) (n int) {
	for e := l.head; e != nil && n < 100; e = e.next {
		n += e.v
	}
	for _, v := range l.all() {
		for e := l.head; e != nil; e = e.next {
			if e.v == v {
				break
			}
			n += e.v
		}
		for i := 0; i < l.n; i++ {
			if i == v {
				break
			}
			n += l.key
		}
	}
	for i := 0; i < l.n; i++ {
		if i == l.key {
			break
		}
		n += l.key
	}
	return n
}

// continued leaves loops in the body of a range-over-func loop for the next iteration
// of one around it.
func continued(l *list) (n int) {
outer:
	for i := 0; i < 5; i++ {
		for _, v := range l.all() {
			for e := l.head; e != nil; e = e.next {
				if e.v == v+i {
					continue outer
				}
				n += e.v
			}
			n += l.key
		}
	}
	return n
}

func generic[T any](s iter.Seq[T]) (n int) {
	for range s {
		n++
	}
	return n
}

func main() {
	for key := range 8 {
		l := &list{key: key}
		for v := range 5 {
			l.push(v)
		}
		fmt.Println(walk(l))
		fmt.Println(mixed(l), native(l), inside(l), continued(l), generic(slices.Values([]string{"x", "y"})), l.n)
	}
}
