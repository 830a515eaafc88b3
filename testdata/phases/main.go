// Phases calls functions within phases and outside of them, each as often as its name says, in the former:
// twenty where it is called twenty times in phases, none where it never is, some where it is in a part.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	dupinst "github.com/dupinst/dupinst/runtime"
)

//go:noinline
func none(n int) int { return n + 1 }

//go:noinline
func twenty(n int) int { return n ^ 1 }

//go:noinline
func thirty(n int) int { return n ^ 2 }

//go:noinline
func hundred(n int) int { return n ^ 3 }

//go:noinline
func some(n int) int { return n ^ 4 }

//go:noinline
func two(n int) int {
	if n == 0 {
		panic("in a phase")
	}
	return n
}

//go:noinline
func repeat(f func(int) int, times int) (sum int) {
	for i := range times {
		sum += f(i)
	}
	return sum
}

var sink int

// nested is a phase within another, and goroutines of goroutines.
func nested() {
	sink += repeat(none, 1000)
	dupinst.Phase(func() {
		sink += repeat(twenty, 5)
		dupinst.Phase(func() { sink += repeat(twenty, 5) })
		done := make(chan int)
		go func() {
			go func() { done <- repeat(twenty, 5) }()
			done <- repeat(twenty, 5)
		}()
		sink += <-done + <-done
	})
	sink += repeat(none, 1000)
}

// together are phases of several goroutines at once.
func together() {
	var all sync.WaitGroup
	sums := make([]int, 6)
	for i := range sums {
		all.Go(func() {
			sums[i] += repeat(none, 100)
			dupinst.Phase(func() { sums[i] += repeat(thirty, 5) })
			sums[i] += repeat(none, 100)
		})
	}
	all.Wait()
	sink += sums[0]
}

// late are phases that begin when their functions have been running for a while, or would later.
func late() {
	dupinst.PhaseAfter(time.Hour, func() { sink += repeat(none, 5000) })
	dupinst.PhaseAfter(time.Millisecond, func() {
		sink += repeat(none, 5)
		time.Sleep(50 * time.Millisecond)
		sink += repeat(some, 10_000) // a goroutine looks now and then alone
		sink += repeat(hundred, 100)
	})
	sink += repeat(none, 100)
}

// panics leaves a phase by a panic.
func panics() {
	defer func() {
		recover()
		sink += repeat(none, 100)
	}()
	dupinst.Phase(func() {
		sink += two(1)
		sink += two(0)
	})
}

// soak has goroutines go through phases for a while, with collections, other goroutines and panics: each calls hundred as often as it
// says, and everything else is called outside. It prints how many phases there were.
func soak(d time.Duration) {
	var phases atomic.Int64
	var all sync.WaitGroup
	end := time.Now().Add(d)
	for i := range 4 {
		all.Go(func() {
			sum := 0
			for n := i; time.Now().Before(end); n++ {
				sum += repeat(none, 1000)
				func() {
					defer func() { recover() }()
					dupinst.Phase(func() {
						phases.Add(1)
						done := make(chan int)
						go func() { done <- repeat(hundred, 40) }()
						sum += repeat(hundred, 60)
						garbage := make([][]byte, 50)
						for i := range garbage {
							garbage[i] = make([]byte, 10_000)
						}
						sum += <-done + len(garbage)
						if n%3 == 0 {
							panic(n)
						}
					})
				}()
				sum += repeat(none, 1000)
				time.Sleep(time.Duration(n%40) * time.Millisecond)
			}
			fmt.Fprintln(io.Discard, sum)
		})
	}
	all.Wait()
	fmt.Println(phases.Load())
}

// told are what a listener was told of phases, as long as there are any, and one that stopped to listen, and how often none was called meanwhile.
func told() (events []string, nones int) {
	var lock sync.Mutex
	var heard, stopped strings.Builder
	hears := func(b *strings.Builder) func(bool) {
		return func(begun bool) {
			lock.Lock()
			defer lock.Unlock()
			if begun {
				b.WriteByte('+')
			} else {
				b.WriteByte('-')
			}
		}
	}
	stop, err := dupinst.OnPhase(hears(&stopped))
	if err != nil {
		return []string{err.Error()}, 0
	}
	stop()
	stop, err = dupinst.OnPhase(hears(&heard))
	if err != nil {
		return []string{err.Error()}, 0
	}
	for end := time.Now().Add(500 * time.Millisecond); time.Now().Before(end); {
		sink += repeat(none, 1000)
		nones += 1000
	}
	stop()
	lock.Lock()
	defer lock.Unlock()
	return []string{heard.String(), stopped.String()}, nones
}

// unnamed has goroutines that live long and goroutines that do not, of which some wait and some never do, call twenty and hundred, the
// latter ten times as often, for phases that it knows nothing of. It prints how often, and how many goroutines there are.
func unnamed(d time.Duration) {
	var twenties, hundreds atomic.Int64
	calls := func() (sum int) {
		sum = repeat(twenty, 100) + repeat(hundred, 1000)
		twenties.Add(100)
		hundreds.Add(1000)
		return sum
	}
	var all sync.WaitGroup
	end := time.Now().Add(d)
	for i := range 3 {
		all.Go(func() {
			sum := 0
			for time.Now().Before(end) {
				sum += calls()
				if i > 0 {
					done := make(chan int)
					go func() { done <- calls() }()
					sum += <-done
				}
			}
			fmt.Fprintln(io.Discard, sum)
		})
	}
	goroutines := runtime.NumGoroutine()
	all.Wait()
	heard, nones := told()
	for _, events := range heard {
		fmt.Fprintln(os.Stderr, events)
	}
	fmt.Println(nones, twenties.Load(), hundreds.Load(), goroutines >= 4 && goroutines <= 6)
}

// labelled has goroutines do some with a label, and some without, and with another.
func labelled() {
	for _, value := range []string{"", "/checkout", "/health", "/checkout"} {
		ctx := context.Background()
		if value == "" {
			sink += repeat(none, 1000)
			continue
		}
		call := map[string]func(int) int{"/checkout": twenty, "/health": none}[value]
		pprof.Do(ctx, pprof.Labels("a", "b", "endpoint", value), func(ctx context.Context) {
			sink += repeat(call, 5)
			pprof.Do(ctx, pprof.Labels("step", "2"), func(context.Context) { sink += repeat(call, 2) })
			pprof.Do(ctx, pprof.Labels("endpoint", "/none"), func(context.Context) { sink += repeat(none, 100) })
			done := make(chan int)
			go func() { done <- repeat(call, 2) }()
			sink += repeat(call, 1) + <-done
		})
		sink += repeat(none, 1000)
	}
	s, err := dupinst.Stats()
	fmt.Println(s.Label, s.Phases, s.Phased > 0, err)
	fmt.Println(dupinst.SetPhasesOf("endpoint", "/health"))
	pprof.Do(context.Background(), pprof.Labels("endpoint", "/health"), func(context.Context) { sink += repeat(hundred, 100) })
	fmt.Println(dupinst.SetPhasesOf("", ""))
	pprof.Do(context.Background(), pprof.Labels("endpoint", "/health"), func(context.Context) { sink += repeat(none, 100) })
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "labelled" {
		labelled()
		return
	}
	if len(os.Args) > 2 {
		d, err := time.ParseDuration(os.Args[2])
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		if os.Args[1] == "unnamed" {
			unnamed(d)
		} else {
			soak(d)
		}
		return
	}
	if len(os.Args) > 1 { // the functions' errors
		fmt.Println(dupinst.SetPhases(true))
		fmt.Println(dupinst.SetPhases(false))
		fmt.Println(dupinst.SetPhasesEvery(time.Second, time.Millisecond))
		fmt.Println(dupinst.SetPhasesOf("a", "b"))
		return
	}
	nested()
	together()
	late()
	panics()
	s, err := dupinst.Stats()
	fmt.Println(s.Phasing, s.Phases, s.Missed, s.Phased > 0, err)
	if err := dupinst.SetInterval(1000); err != nil { // which ends them: their profile is written
		fmt.Println(err)
	}
	dupinst.Phase(func() { sink += repeat(none, 20) })
}
