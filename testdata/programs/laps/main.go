// Laps goes round loops of which nothing says how often they do, and leaves them at each place in each lap: at their
// condition, by break, return, goto and to a call; loops of one block and of several, with
// several ways around, with a switch, in nests, and that leave to other loops and to ends that meet. None
// faults: where checks are counted in a register or a variable, those since the loop began would be forgotten
// (docs/limits.md).
package main

import "fmt"

type node struct {
	next *node
	v    int
}

type text struct {
	s    string
	at   int
	seen int
}

func list(n int) (l *node) {
	for ; n > 0; n-- {
		l = &node{l, n}
	}
	return l
}

//go:noinline
func sum(l *node) (n int) {
	for ; l != nil; l = l.next {
		n += l.v
	}
	return n
}

//go:noinline
func find(l *node, v int) (at int, ok bool) {
	for ; l != nil; l = l.next {
		if l.v == v {
			return at, true
		}
		at++
	}
	return at, false
}

//go:noinline
func (t *text) skip(c byte) bool {
	for t.at < len(t.s) {
		if t.s[t.at] == c {
			t.at++
			return true
		}
		t.at++
	}
	return false
}

//go:noinline
func (t *text) word() int {
	for {
		switch c := t.s[t.at]; {
		case c == ' ':
			t.at++
			continue
		case c == '.':
			goto end
		case c == '!':
			panic(t.at)
		case c > 'p':
			t.seen += 2
		default:
			t.seen++
		}
		t.at++
	}
end:
	return t.seen
}

// told calls on one of its ways around.
//
//go:noinline
func told(l *node, tell func(int)) (n int) {
	for ; l != nil; l = l.next {
		if l.v%11 == 0 {
			tell(l.v)
		}
		n += l.v
	}
	return n
}

// both has a loop in another, each with checks of its own.
//
//go:noinline
func both(l *node) (n int) {
	for a := l; a != nil; a = a.next {
		if a.v%3 != 0 {
			continue
		}
		for b := a; b != nil; b = b.next {
			n += b.v
		}
	}
	return n
}

// kinds goes through a table of jumps.
//
//go:noinline
func kinds(t *text) (n int) {
	for t.at = 0; t.at < len(t.s); t.at++ {
		switch t.s[t.at] {
		case 'a':
			n++
		case 'b':
			n += 2
		case 'c':
			n += 3
		case 'd':
			n += 4
		case 'e':
			n += 5
		case 'f':
			n += 6
		case 'g':
			n += 7
		case 'h':
			n += 8
		case 'z':
			return n
		}
	}
	return n
}

// top has its probe behind where a loop is left.
//
//go:noinline
func top(s []*node, until int) (n int) {
	for i := 0; ; i++ {
		if i >= until {
			return n
		}
		n += s[i].v
	}
}

// refuses panics in a loop whose bound is known before it begins.
//
//go:noinline
func refuses(s []*node, v int) (n int) {
	for _, a := range s {
		if a.v == v {
			panic(v)
		}
		n += a.v
	}
	return n
}

func refused(s []*node, v int) (n int, err any) {
	defer func() { err = recover() }()
	return refuses(s, v), nil
}

func word(s string) (n int, err any) {
	defer func() { err = recover() }()
	t := &text{s: s}
	return t.word(), nil
}

func main() {
	for n := range 20 {
		l := list(n)
		fmt.Println(sum(l), told(l, func(v int) { fmt.Print(v, " ") }), both(l))
		fmt.Println(find(l, n-2))
		t := &text{s: "aabbcc hello world, this is to be read, zebra."[:2*n+1]}
		fmt.Println(t.skip('b'), t.skip('o'), t.skip('s'), t.at, kinds(t), t.at)
	}
	fmt.Println(sum(list(5000)), both(list(300)))
	fmt.Println(word("it is what it is."))
	fmt.Println(word("no!"))
	s := make([]*node, 200)
	for i := range s {
		s[i] = &node{nil, i}
	}
	fmt.Println(top(s, 0), top(s, 7), top(s, 8), top(s, 9), top(s, 150))
	fmt.Println(refused(s, 3))
	fmt.Println(refused(s, 77))
	fmt.Println(refused(s, 300))
	fmt.Println(sum(list(50)))
}
