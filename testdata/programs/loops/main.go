// Loops that call nothing, left in every way.
package main

import "fmt"

type cell struct {
	n    int
	next *cell
	text string
}

type table struct {
	cells []cell
	hits  int
}

func (t *table) hit(i int) bool { t.hits++; return t.cells[i].n == i }

// parse has a label in the branch with the inner loop.
func parse(c *cell, i int) (string, int, bool) {
	var ok bool
	var key string
	for i < len(c.text) {
		for ; i < len(c.text); i++ {
			if c.text[i] == '"' {
				i++
				var s = i
				for ; i < len(c.text); i++ {
					if c.text[i] > '\\' {
						continue
					}
					if c.text[i] == '"' {
						i, key, ok = i+1, c.text[s:i], true
						goto done
					}
				}
				key, ok = c.text[s:], false
			done:
				break
			}
			if c.text[i] == '}' {
				return key, i + 1, false
			}
		}
		c.n++
		if !ok {
			return key, i, false
		}
	}
	return key, i, true
}

func sum(t *table) (s int) {
	for i := 0; i < len(t.cells); i++ {
		s += t.cells[i].n
	}
	for i := range t.cells {
		t.cells[i].n++
	}
	for _, c := range t.cells {
		s += c.n
	}
	for i := range 7 {
		s += t.cells[i].n
	}
	for i := len(t.cells) - 1; i >= 0; i -= 2 {
		s -= t.cells[i].n
	}
	for i, r := range t.cells[0].text {
		s += i*int(r) + t.hits
	}
	for c := &t.cells[0]; c != nil; c = c.next {
		s ^= c.n
	}
	return s
}

// find leaves loops within loops.
func find(t *table, want int) int {
outer:
	for i := range t.cells {
		for j := i; j < len(t.cells); j++ {
			switch {
			case t.cells[j].n == want:
				break outer
			case t.cells[j].n > 40:
				continue outer
			case t.cells[j].n < -1:
				return -1
			case t.cells[j].n == 17:
				goto found
			}
			for c := &t.cells[j]; ; c = c.next {
				if c == nil || c.n == 3 {
					break
				}
				if c.n == 9 {
					continue outer
				}
			}
		}
		t.hits++
	}
	return t.hits
found:
	for {
		t.hits += t.cells[0].n
		if t.hits > 1000 {
			return 2 * t.hits
		}
	}
}

// calls has calls on branches, of what checks and of what does not.
func calls(t *table) (n int) {
	for i := 0; i < len(t.cells); i++ {
		if t.hit(i) && t.cells[i].n%2 == 0 {
			s := sum(t)
			n += s
			t.hits += find(t, s%7)
		}
		if t.cells[i].n < 0 {
			panic(fmt.Sprint("negative ", i))
		}
		t.cells[i].n ^= i
		func() { n++ }()
	}
	for i := range t.cells {
		t.cells[i].n += i & 1
		if t.hit(i) {
			sum(t)
		}
	}
	return n
}

// strips has loops that are strip-mined, left in every way.
func strips(t *table, to int) (n int) {
	for i := 0; i < len(t.cells); i++ {
		if t.cells[i].n == to {
			break
		}
		n += t.cells[i].n
	}
	cells := t.cells
	for i := 0; i <= to; i++ {
		cells[i].n++
		if cells[i].n%5 == 0 {
			continue
		}
		n += cells[i].n
	}
	for i := len(cells) - 1; i > to; i-- {
		switch {
		case cells[i].n == 13:
			break
		case cells[i].n == to+25:
			return n - i
		}
		cells[i].n--
	}
	for i := to; i >= 0; i-- {
		n ^= cells[i].n
		if n == 1234567 {
			break
		}
	}
	for i, c := range cells {
		if c.n == 26 {
			break
		}
		c.n, n = i, n+c.n
	}
	for range cells {
		n += cells[to].n
	}
	for _, c := range cells[:to] {
		if c.n < 0 {
			goto out
		}
		n -= c.n
	}
	for i := range to {
		if cells[i].n > 1000 {
			return -1
		}
		n += cells[i].n
	}
rows:
	for i := range 10 {
		for j := i; j < 10; j++ {
			if cells[j].n == 4 {
				continue rows
			}
			if cells[j].n == 17 {
				break rows
			}
			n += cells[j].n
		}
	}
	for i := 5; i < 3; i++ {
		n += cells[i].n
	}
	for range 0 {
		n += cells[0].n
	}
out:
	return n
}

func forever(t *table) int {
	for {
		t.hits--
		if t.hits < 0 {
			return t.hits
		}
		for t.hits > 100 {
			t.hits /= 2
		}
	}
}

func main() {
	t := &table{cells: make([]cell, 30)}
	for i := range t.cells {
		t.cells[i] = cell{n: i, text: fmt.Sprint("ä", i)}
		if i > 0 {
			t.cells[i-1].next = &t.cells[i]
		}
	}
	scan()
	fmt.Println(sum(t), find(t, 12), find(t, 99), calls(t), find(t, 3), forever(t))
	for to := range 28 {
		fmt.Print(strips(t, to), " ")
	}
	t.cells[2].n = -1
	fmt.Println(strips(t, 20), t.hits)
	for _, text := range []string{`{"a" "b" }`, `{"abc`, `x"a" "b"`, ``} {
		c := &cell{text: text}
		key, i, ok := parse(c, 0)
		fmt.Println(key, i, ok, c.n)
	}
	versions()
	nests()
	steps()
	t.cells[4].n = -5
	defer func() { fmt.Println(recover(), t.hits) }()
	calls(t)
}
