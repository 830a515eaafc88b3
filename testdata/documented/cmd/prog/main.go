// Prog works for a second, or for as long as it is told to.
package main

import (
	"fmt"
	"os"
	"time"

	"example.com/documented/pkg"
)

func main() {
	long, err := time.ParseDuration(os.Getenv("WORK"))
	if err != nil {
		long = time.Second
	}
	sum := 0
	for began, turn := time.Now(), 0; time.Since(began) < long; turn++ {
		sum += pkg.Work(turn%10, pkg.Square{Side: turn})
	}
	fmt.Println(sum != 0)
}
