// A linked list: pointers, methods, recursion. Nothing is imported, so that the
// SSA interpreter can run it.
package main

type node struct {
	val  int
	next *node
}

type list struct {
	head *node
	len  int
}

func (l *list) push(v int) {
	n := new(node)
	n.val = v
	n.next = l.head
	l.head = n
	l.len++
}

func (l *list) reverse() {
	var prev *node
	for n := l.head; n != nil; {
		next := n.next
		n.next = prev
		prev, n = n, next
	}
	l.head = prev
}

func sum(n *node) int {
	if n == nil {
		return 0
	}
	return n.val + sum(n.next)
}

func main() {
	l := new(list)
	for i := 0; i < 10; i++ {
		if i%3 == 0 || l.len > 4 && i%2 == 0 {
			l.push(i)
		}
	}
	l.reverse()
	if sum(l.head) != 18 {
		panic(sum(l.head))
	}
}
