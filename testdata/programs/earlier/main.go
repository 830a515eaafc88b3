// Earlier has loops whose heads count on a condition that was found before them, and again where they
// end: nothing but what counts reads it in the head.
package main

import "fmt"

type header uint32

func (h header) low() int {
	if h>>19&3 == 3 {
		return 0
	}
	return 1
}

func (h header) granules() int { return 2 >> uint(h.low()) }

type side struct{ flag, scale, first [2][2]int }

//go:noinline
func bits(n int) int { return n * 3 % 5 }

//go:noinline
func read(h header, channels int) *side {
	first := h.low() == 0
	n := [2]int{4, 5}[h.low()]
	s := &side{}
	if first {
		for c := 0; c < channels; c++ {
			s.first[0][c] = bits(n)
		}
	}
	for g := 0; g < h.granules(); g++ {
		for c := 0; c < channels; c++ {
			s.scale[g][c] = bits(g + c)
			if first {
				s.flag[g][c] = bits(1)
			}
			s.scale[g][c] += bits(n)
		}
	}
	return s
}

func main() {
	for _, h := range []header{0, 1 << 19, 3 << 19, 7 << 18} {
		fmt.Println(*read(h, 1), *read(h, 2))
	}
}
