// A state machine: switches, labels, compound assignment, goto.
package main

type machine struct {
	state, steps int
	out          [8]int
}

func step(m *machine, in int) bool {
	m.steps++
	switch m.state {
	case 0:
		m.state = in
	case 1, 2:
		m.state += in
		fallthrough
	case 3:
		m.out[m.steps%8] = m.out[m.steps%8] + 1
	default:
		m.state = 0
		return false
	}
	return true
}

func run(m *machine) (n int) {
outer:
	for i := 0; i < 20; i++ {
		for j := 0; j < 3; j++ {
			if !step(m, j) {
				continue outer
			}
			if m.steps > 40 {
				break outer
			}
		}
		n += m.out[i%8]
	}
again:
	if step(m, 1) && m.steps < 60 {
		goto again
	}
	return n
}

func main() {
	m := new(machine)
	run(m)
}
