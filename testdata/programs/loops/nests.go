package main

import "fmt"

type grid struct {
	rows   [][]cell
	seen   int
	marked map[int]bool
}

func (g *grid) mark(i int) { g.marked[i] = true }

// rare has a loop within a loop that few iterations reach.
func rare(g *grid) (n int) {
	for y, row := range g.rows {
		if len(row) > 0 && row[0].n%3 != 0 {
			continue
		}
		g.seen++
		if row[0].n == 9 {
			for x := range row {
				n += row[x].n
			}
			n -= y
		}
	}
	return n
}

// jumps leaves loops of a nest in all ways.
func jumps(g *grid) (n int) {
	i := 0
nest:
	for ; i < len(g.rows); i++ {
		if g.seen > 1000 {
			break
		}
		row := g.rows[i]
		for x := 0; x < len(row); x++ {
			switch {
			case row[x].n == 7:
				continue nest
			case row[x].n == 8:
				continue
			case row[x].n == 77:
				break nest
			case row[x].n > 1000:
				return -1
			}
			n += row[x].n
			for k := row[x].n; k > 0; k /= 2 {
				if k == 5 {
					break
				}
				if k == 6 {
					continue nest
				}
				g.seen += k & 1
			}
		}
		if n < 0 {
			goto out
		}
		g.seen++
	}
	n++
out:
	return n + i
}

// deep has four loops in each other, with declarations on the way.
func deep(g *grid) (n int) {
	for a := 0; a < 3; a++ {
		first := g.seen + a
		if first%5 == 4 {
			continue
		}
		for b := first; b < first+4; b++ {
			double := 2 * b
			g.seen++
			if double%3 == 0 {
				for c := range g.rows {
					row := g.rows[c]
					if len(row) == 0 {
						break
					}
					for _, x := range row {
						if x.n == b {
							g.mark(b)
							continue
						}
						n += x.n & double
					}
				}
				n -= double
			}
		}
	}
	return n
}

// bare has loops without conditions that go on by continue.
func bare(g *grid) (n int) {
	for {
		if n++; n < 20 {
			g.seen++
			continue
		}
		for {
			if g.seen++; g.seen%7 != 0 {
				continue
			}
			n += g.seen
			return n
		}
	}
}

// callsWithin has calls that check in the inner loop only.
func callsWithin(g *grid) (n int) {
	for _, row := range g.rows {
		g.seen++
		if len(row) < 3 {
			continue
		}
		for i := range row {
			if row[i].n%4 == 1 {
				n += callsAgain(g, row[i].n)
			}
		}
	}
	return n
}

func callsAgain(g *grid, n int) int {
	if n <= 1 {
		return g.seen & 3
	}
	return callsAgain(g, n/2) + 1
}

// seek has loops in whose conditions alone something is counted.
func seek(g *grid, n int) (at int) {
	for _, row := range g.rows {
		i := 0
		for i < len(row) && row[i].n != n {
			i++
		}
		j := len(row)
	back:
		for j > 0 && row[j-1].n > n {
			if j -= 2; j == 3 {
				break back
			}
			if j&1 == 0 {
				continue
			}
			j++
		}
		at += i + 2*max(j, 0)
	}
	for g.seen%9 != 0 {
		g.more()
	}
	for i := g.step(); i < g.step()+len(g.rows); i += g.step() {
		at += i
	}
	for i := g.step(); i < n; i += g.step() {
		at += g.seen
	}
	for i := 0; is(g.seen+i < 30); i++ {
		g.seen++
	}
	for i := 0; func() bool { return i < g.seen }(); func() { i += g.step() }() {
		g.seen--
	}
	return at
}

// step's calls in a header are of its copies, or of itself.
func (g *grid) step() int { return g.seen%3 + 1 }

type truth bool

func is(b bool) truth { return truth(b) }

func (g *grid) more() { g.seen++ }

func nests() {
	g := &grid{marked: map[int]bool{}}
	for y := range 12 {
		var row []cell
		for x := range y {
			row = append(row, cell{n: 3*y + x - 2*x*(x%2)})
		}
		if y == 0 {
			row = []cell{{n: 3}}
		}
		g.rows = append(g.rows, row)
	}
	for range 3 {
		fmt.Println(rare(g), jumps(g), deep(g), bare(g), callsWithin(g), g.seen, len(g.marked))
	}
	g.rows[5][2].n = 77
	fmt.Println(jumps(g))
	g.rows[4][1].n = 1001
	fmt.Println(jumps(g), g.seen, seek(g, 8), seek(g, 40), g.seen)
}
