// Probe is an experiment: what a probe takes that notes a value, or a calling context. It prints the
// nanoseconds of a call that does next to nothing, of which an exhaustive build notes the argument or the
// context (docs/triggers.md).
package main

import (
	"fmt"
	"time"
)

var sum int

//go:noinline
func add(n int) { sum += n }

func main() {
	const calls = 20_000_000
	begun := time.Now()
	for i := range calls {
		add(i & 3)
	}
	fmt.Printf("%.1f ns\n", float64(time.Since(begun).Nanoseconds())/calls)
}
