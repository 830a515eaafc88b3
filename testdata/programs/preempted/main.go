// Goroutines that meet at calls of what has not been called there before, while others halt them
// all again and again.
package main

import (
	"fmt"
	"runtime"
	"sync"
)

var total [8]int

func call(f func(*int), n *int) {
	f(n)
	f(n)
	f(n)
	f(n)
	f(n)
	f(n)
	f(n)
	f(n)
	f(n)
	f(n)
	f(n)
	f(n)
	f(n)
	f(n)
	f(n)
	f(n)
	f(n)
	f(n)
	f(n)
	f(n)
	f(n)
	f(n)
	f(n)
	f(n)
	f(n)
	f(n)
	f(n)
	f(n)
	f(n)
	f(n)
	f(n)
	f(n)
}

func main() {
	var work sync.WaitGroup
	work.Add(1 + len(total))
	go func() {
		defer work.Done()
		var m runtime.MemStats
		for i := 0; i < 300; i++ {
			runtime.ReadMemStats(&m)
		}
	}()
	for w := range total {
		go func() {
			defer work.Done()
			for _, f := range callees {
				call(f, &total[w])
			}
		}()
	}
	work.Wait()
	fmt.Println(total)
}

var callees = []func(*int){
	func(n *int) { *n += 0 },
	func(n *int) { *n += 1 },
	func(n *int) { *n += 2 },
	func(n *int) { *n += 3 },
	func(n *int) { *n += 4 },
	func(n *int) { *n += 5 },
	func(n *int) { *n += 6 },
	func(n *int) { *n += 7 },
	func(n *int) { *n += 8 },
	func(n *int) { *n += 9 },
	func(n *int) { *n += 10 },
	func(n *int) { *n += 11 },
	func(n *int) { *n += 12 },
	func(n *int) { *n += 13 },
	func(n *int) { *n += 14 },
	func(n *int) { *n += 15 },
	func(n *int) { *n += 16 },
	func(n *int) { *n += 17 },
	func(n *int) { *n += 18 },
	func(n *int) { *n += 19 },
	func(n *int) { *n += 20 },
	func(n *int) { *n += 21 },
	func(n *int) { *n += 22 },
	func(n *int) { *n += 23 },
	func(n *int) { *n += 24 },
	func(n *int) { *n += 25 },
	func(n *int) { *n += 26 },
	func(n *int) { *n += 27 },
	func(n *int) { *n += 28 },
	func(n *int) { *n += 29 },
	func(n *int) { *n += 30 },
	func(n *int) { *n += 31 },
	func(n *int) { *n += 32 },
	func(n *int) { *n += 33 },
	func(n *int) { *n += 34 },
	func(n *int) { *n += 35 },
	func(n *int) { *n += 36 },
	func(n *int) { *n += 37 },
	func(n *int) { *n += 38 },
	func(n *int) { *n += 39 },
	func(n *int) { *n += 40 },
	func(n *int) { *n += 41 },
	func(n *int) { *n += 42 },
	func(n *int) { *n += 43 },
	func(n *int) { *n += 44 },
	func(n *int) { *n += 45 },
	func(n *int) { *n += 46 },
	func(n *int) { *n += 47 },
	func(n *int) { *n += 48 },
	func(n *int) { *n += 49 },
	func(n *int) { *n += 50 },
	func(n *int) { *n += 51 },
	func(n *int) { *n += 52 },
	func(n *int) { *n += 53 },
	func(n *int) { *n += 54 },
	func(n *int) { *n += 55 },
	func(n *int) { *n += 56 },
	func(n *int) { *n += 57 },
	func(n *int) { *n += 58 },
	func(n *int) { *n += 59 },
	func(n *int) { *n += 60 },
	func(n *int) { *n += 61 },
	func(n *int) { *n += 62 },
	func(n *int) { *n += 63 },
}
