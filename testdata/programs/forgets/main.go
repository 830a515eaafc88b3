// Forgets faults in a nest of loops in which the compiler's pass holds the counter in a
// register: in the first iteration, before the check of a backedge and behind that of a probe.
package main

import "fmt"

type cell struct{ n int }

func faults(c *cell, n int) (sum int, err any) {
	defer func() { err = recover() }()
	for range n {
		sum += c.n
	}
	return sum, nil
}

func main() {
	fmt.Println(faults(&cell{7}, 5))
	fmt.Println(faults(nil, 5))
	fmt.Println(faults(&cell{8}, 50))
}
