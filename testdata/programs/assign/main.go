// Assignments of every kind: parallel, compound, through pointers and indices.
package main

import "fmt"

type point struct{ x, y int }

func pair(n int) (int, int) { return n, n + 1 }

func main() {
	p := &point{1, 2}
	list := make([]point, 4)
	m := map[string]point{}
	for i := range 7 {
		p.x, p.y = p.y, p.x
		p.x += i
		p.y <<= 1
		list[i%4].x, list[(i+1)%4].y = pair(p.x)
		m["k"] = point{x: p.x}
		q, ok := m["k"]
		_, _ = q.y, ok
		p.y &^= q.x
	}
	fmt.Println(*p, list, m["k"].x)
}
