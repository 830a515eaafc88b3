// Labels and every kind of jump.
package main

import "fmt"

type state struct{ i, hits int }

func (s *state) more(n int) bool { s.hits++; return s.i < n }

func loops(s *state) (out []int) {
outer:
	for i := 0; i < 5; i++ {
		for j := range 5 {
			switch {
			case j == 1:
				continue
			case j == 3 && i%2 == 0:
				continue outer
			case i == 4:
				break outer
			case s.more(100):
				s.i += i * j
			}
			out = append(out, i*10+j)
		}
		s.hits += s.i
	}
	return out
}

// inner has a loop that calls nothing, and is left for the next iteration of one that
// calls what may check, and for what lies behind that.
func inner(s *state, list []state) (n int) {
	more := s.more
outer:
	for i := 0; more(100) && i < 6; i++ {
		for j := 0; j < len(list); j += 1 + n%2 {
			n += list[j].i
			switch {
			case list[j].i == i:
				continue outer
			case list[j].i+i > 9:
				break outer
			case list[j].hits > n:
				goto outside
			}
			n += list[j].hits
		}
		s.hits += n
	}
outside:
	return n + s.hits
}

func gotos(s *state) int {
	n := 0
again:
	n += s.i
	s.i++
	if s.more(9) {
		goto again
	}
	if n > 1000 {
		goto done
	}
	n *= 2
done:
	return n + s.hits
}

func forward(s *state) int {
	if s.i > 0 {
		goto end
	}
	s.i = 3
end:
	s.hits++
	switch x := s.i; x {
	case 3:
		s.i++
		fallthrough
	case 4:
		s.i += 10
	default:
		s.i--
	}
	return s.i
}

// both has labels that are the target of break, continue and goto.
func both(s *state) int {
	tries := 0
L:
	for i := s.i; s.more(i + 20); i++ {
		s.i += i
		if s.i%3 == 0 {
			continue L
		}
		if s.i > 40 {
			break L
		}
	}
	tries++
	if tries < 3 {
		s.i = tries
		goto L
	}
M:
	switch s.i % 4 {
	case 1:
		s.i++
		if s.more(1000) {
			goto M
		}
	case 2:
		if s.hits%2 == 0 {
			break M
		}
		s.i += 5
	}
	return s.i*100 + s.hits
}

func breaks(s *state) int {
	{
		if s.more(2) {
			goto sel
		}
		s.hits += 100
	}
sel:
	select {
	default:
		if s.i > 1 {
			break sel
		}
		s.hits += 1000
	}
	return s.hits
}

func infinite(s *state) int {
	for {
		s.i++
		if s.more(5) {
			continue
		}
		for {
			if s.i++; s.i > 12 {
				return s.hits
			}
		}
	}
}

func main() {
	for i := range 6 {
		fmt.Println(loops(&state{i: i}), gotos(&state{i: i}), forward(&state{i: i}), both(&state{i: i}), inner(&state{i: i}, []state{{5, 1}, {i, 2}, {3, 9}, {8 - i, 40 * i}}), breaks(&state{i: i}), infinite(&state{i: i}))
	}
}
