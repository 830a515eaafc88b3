// Nested loops over a struct of slices, with function values and interfaces.
package main

type matrix struct {
	rows, cols int
	data       []int
}

type op interface{ apply(a, b int) int }

type plus struct{ bias int }

func (p *plus) apply(a, b int) int { return a + b + p.bias }

type times struct{ scale int }

func (t *times) apply(a, b int) int { return a * b * t.scale }

func make2(rows, cols int, f func(i, j int) int) *matrix {
	m := new(matrix)
	m.rows, m.cols = rows, cols
	m.data = make([]int, rows*cols)
	for i := 0; i < m.rows; i++ {
		for j := 0; j < m.cols; j++ {
			m.data[i*m.cols+j] = f(i, j)
		}
	}
	return m
}

func fold(m *matrix, o op) int {
	r := 1
	for _, v := range m.data {
		if v == 3 {
			continue
		}
		r = o.apply(r, v)
	}
	return r
}

func main() {
	k := 2
	m := make2(3, 4, func(i, j int) int { return k*i + j })
	ops := []op{new(plus), new(times)}
	total := 0
	for _, o := range ops {
		total += fold(m, o)
	}
	if total != 37 {
		panic(total)
	}
}
