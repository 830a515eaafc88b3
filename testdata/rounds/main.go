// Rounds does one thing at first, one all the time, one until half of it is over, and one never.
package main

import (
	"fmt"
	"os"
	"time"
)

var n int

//go:noinline
func first() { n++ }

//go:noinline
func always() { n++ }

//go:noinline
func half() { n++ }

//go:noinline
func never() { n++ }

func main() {
	all, err := time.ParseDuration(os.Args[1])
	if err != nil {
		panic(err)
	}
	first()
	begun := time.Now()
	for time.Since(begun) < all {
		always()
		if time.Since(begun) < all/2 {
			half()
		}
		if n < 0 {
			never()
		}
	}
	fmt.Println("done")
}
