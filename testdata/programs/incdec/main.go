// Increments and decrements, also as post statements.
package main

import "fmt"

type counter struct{ up, down int }

func (c *counter) sum() int { return c.up + c.down }

func main() {
	c := &counter{down: 10}
	for ; c.down > c.up; c.down-- {
		c.up++
		if c.sum() > 1000 {
			break
		}
	}
	for c.up = 0; c.up < 5; c.up++ {
		c.down++
	}
	fmt.Println(c.up, c.down)
}
