// Beside is a program that uses what windows use, and what might meet them: signals, all of
// them, the runtime's CPU profile, threads of its own, children, growing stacks, panics from
// faults, coroutines, finalizers and collections. What it prints is always the same.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"sort"
	"sync"
	"syscall"
	"time"
)

type node struct {
	left, right *node
	n           int
}

func build(depth int) *node {
	if depth == 0 {
		return &node{n: 1}
	}
	return &node{left: build(depth - 1), right: build(depth - 1), n: depth}
}

func (x *node) sum() int {
	if x == nil {
		return 0
	}
	return x.left.sum() + x.n + x.right.sum()
}

// deep needs some megabytes of stack.
func deep(n int) (out int) {
	var frame [64]int
	if n == 0 {
		return 0
	}
	frame[n%64] = n
	return deep(n-1) + frame[n%64]
}

// faults recovers from what the hardware says, and the compiler.
func faults(n int) (recovered int) {
	var none *node
	short := make([]int, 3)
	for i := range n {
		func() {
			defer func() {
				if e := recover(); e != nil {
					var r runtime.Error
					if err, ok := e.(error); ok && errors.As(err, &r) {
						recovered++
					}
				}
			}()
			if i%2 == 0 {
				recovered += none.n
			} else {
				recovered += short[i+3]
			}
		}()
	}
	return recovered
}

func numbers(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

// pulled goes through a coroutine.
func pulled(n int) (sum int) {
	next, stop := iter.Pull(numbers(n))
	defer stop()
	for {
		i, ok := next()
		if !ok {
			return sum
		}
		sum += i
	}
}

func sorted(n int) bool {
	xs := make([]int, n)
	for i := range xs {
		xs[i] = i * 7919 % n
	}
	sort.Slice(xs, func(i, j int) bool { return xs[i] < xs[j] })
	return sort.IntsAreSorted(xs)
}

func main() {
	debug.SetGCPercent(5)
	all := make(chan os.Signal, 1000)
	signal.Notify(all)
	var profile bytes.Buffer
	if err := pprof.StartCPUProfile(&profile); err != nil {
		fmt.Println(err)
	}
	var group sync.WaitGroup
	results := make([]string, 8)
	for i := range results {
		group.Go(func() {
			if i%2 == 0 {
				runtime.LockOSThread() // and ends with it
			}
			for range 3 {
				results[i] = fmt.Sprint(build(12).sum(), deep(20000), faults(300), pulled(2000), sorted(3000))
				runtime.Gosched()
			}
		})
	}
	group.Wait()
	for _, r := range results {
		fmt.Println(r)
	}
	for range 5 {
		out, err := exec.Command("echo", "child").Output()
		fmt.Printf("%s%v\n", out, err)
	}
	// Signals that are sent while nothing else is arrive, each. The runtime's may have filled
	// the channel.
	for len(all) > 0 {
		<-all
	}
	for _, s := range []syscall.Signal{syscall.SIGUSR1, syscall.SIGURG, syscall.SIGHUP} {
		if err := syscall.Kill(os.Getpid(), s); err != nil {
			fmt.Println(err)
		}
		for deadline := time.After(10 * time.Second); ; {
			select {
			case got := <-all:
				if got != s { // SIGCHLD of the children; SIGURG of the runtime
					continue
				}
				fmt.Println(got)
			case <-deadline:
				fmt.Println("no", s)
			}
			break
		}
	}
	pprof.StopCPUProfile()
	fmt.Println(profile.Len() > 0)
}
