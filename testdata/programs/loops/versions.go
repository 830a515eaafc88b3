package main

import "fmt"

// A node of a list.
type node struct {
	value int
	next  *node
}

//go:noinline
func opaque(n int) int { return n }

// elements gives the elements other names, and the same one.
func elements(list []*node, any []interface{}) (n int) {
	for _, x := range list {
		x := x.next
		if x == nil {
			continue
		}
		n += opaque(x.value)
	}
	for i, x := range any {
		x, ok := x.(*node)
		if !ok {
			n += opaque(i)
			continue
		}
		n += x.value
	}
	for i, x := range list {
		x := x
		n += x.value + i
	}
	return n
}

// walk has a post statement with probes, and leaves in every way.
func walk(l *node, stop int) (int, string) {
	steps := 0
outer:
	for n := l; n != nil; n = n.next {
		switch {
		case n.value == stop:
			break outer
		case n.value == stop+1:
			return steps, "return"
		case n.value == stop+2:
			goto out
		case n.value%3 == 0:
			continue outer
		case n.value%5 == 0:
			break
		default:
			steps += opaque(1)
			continue
		}
		steps += opaque(10)
	}
	return steps, "end"
out:
	return steps, "goto"
}

// nested continues and leaves a loop around.
func nested(rows [][]node) (n int) {
rows:
	for i := 0; i < len(rows); i++ {
		for j := 0; j < len(rows[i]); j++ {
			c := &rows[i][j]
			if c.value < 0 {
				continue rows
			}
			if c.value > 90 {
				break rows
			}
			select {
			default:
				if c.value%2 == 0 {
					break
				}
				n += opaque(c.value)
			}
			if c.value == 7 {
				break
			}
		}
		n += rows[i][0].value
	}
	return n
}

// endless has no condition, and ends by a panic that is recovered, or a return.
func endless(l *node) (n int, failed bool) {
	defer func() { failed = recover() != nil }()
	for {
		n += opaque(l.value)
		l = l.next
		if l.value > 12 {
			return n, false
		}
	}
}

// until has a condition that calls, and is false at once now and then.
func until(l *node, limit int) (n int) {
	for l.value < opaque(limit) && l.next != nil {
		n += l.value
		l = l.next
	}
	return n
}

// own has variables of each iteration's own, which outlive it.
func own(l []node) (n int) {
	var kept []*int
	for i := 0; i < len(l); i++ {
		kept = append(kept, &i)
		n += l[i].value
	}
	for i, j := 0, len(l); i < j; i, j = i+1, j-1 {
		if l[i].value == opaque(3) {
			i++
		}
		n += l[i].value
	}
	for _, p := range kept {
		n += *p
	}
	return n
}

func versions() {
	var list []*node
	var any []interface{}
	nodes := make([]node, 40)
	for i := range nodes {
		nodes[i].value = i * 7 % 40
		if i+1 < len(nodes) {
			nodes[i].next = &nodes[i+1]
		}
		list = append(list, &nodes[i])
		if i%4 == 0 {
			any = append(any, i)
		} else {
			any = append(any, &nodes[i])
		}
	}
	fmt.Println(elements(list, any))
	for stop := -2; stop < 41; stop += 3 {
		steps, how := walk(&nodes[0], stop)
		fmt.Println(steps, how, until(&nodes[stop/2+1], stop))
	}
	rows := [][]node{nodes[3:9], {{value: 2}, {value: -1}, {value: 5}}, nodes[9:], {{value: 91}}, nodes[:2]}
	fmt.Println(nested(rows), own(nodes))
	n, failed := endless(&nodes[30])
	fmt.Println(n, failed)
	n, failed = endless(&nodes[39])
	fmt.Println(n, failed)
}
