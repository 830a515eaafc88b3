// Ends works a little, and ends in the way that its argument names.
package main

import (
	"fmt"
	"log"
	"os"
	"runtime"
	"time"
)

//go:noinline
func work(n int) int { return n + len(os.Args) }

func main() {
	n := 0
	for i := 0; i < 20000; i++ {
		n = work(n)
	}
	fmt.Println("up", n)
	log.SetFlags(0)
	switch os.Args[1] {
	case "return":
	case "chdir":
		if err := os.Chdir("/"); err != nil {
			log.Fatal(err)
		}
	case "exit":
		os.Exit(3)
	case "panic":
		panic("on purpose")
	case "nil":
		var p *struct{ n int }
		p.n++
	case "fatal":
		log.Fatal("on purpose")
	case "deadlock":
		<-make(chan int)
	case "goexit":
		runtime.Goexit()
	case "overflow":
		var f func(int) int
		f = func(n int) int { return f(n+1) + 1 }
		f(0)
	case "sleep":
		time.Sleep(time.Minute)
	}
}
