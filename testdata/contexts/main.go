// Contexts is a program whose functions find out in which calling context they are: it prints how often
// each was in which, by the runtime's own word.
package main

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
)

var (
	seen = map[string]int{}
	lock sync.Mutex
)

// note counts the context of its caller.
//
//go:noinline
func note() {
	var pcs [100]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	var stack []string
	for {
		f, more := frames.Next()
		if f.Function != "runtime.goexit" && f.Function != "runtime.main" {
			name := f.Function
			if len(stack) > 0 {
				name += fmt.Sprintf(":%d", f.Line)
			}
			stack = append(stack, name)
		}
		if !more {
			break
		}
	}
	slices.Reverse(stack)
	lock.Lock()
	defer lock.Unlock()
	seen[strings.Join(stack, ";")]++
}

type shape interface{ area() int }

type square struct{ a int }

func (s square) area() int { note(); return s.a * s.a }

type embedded struct{ *square }

type tree struct{ left, right *tree }

func grow(n int) *tree {
	note()
	if n == 0 {
		return nil
	}
	return &tree{grow(n - 1), grow(n - 1)}
}

func (t *tree) each(yield func(*tree) bool) {
	note()
	if t != nil {
		t.left.each(yield)
		yield(t)
	}
}

func leaf(n int) int { note(); return n + 1 }

func inlined(n int) int {
	note()
	return leaf(n) + leaf(n+1)
}

func twice[T any](x T, f func(T) T) T {
	note()
	return f(f(x))
}

var failed = errors.New("failed")

func fails(n int) {
	note()
	defer func() {
		note()
		if err := recover(); err != nil && n > 0 {
			leaf(n)
			fails(n - 1)
		}
	}()
	panic(failed)
}

func deferred(n int) (sum int) {
	note()
	for i := range n {
		defer func() {
			note()
			sum += leaf(i)
		}()
	}
	return n
}

func main() {
	note()
	grow(3)
	for range 3 {
		inlined(2)
	}
	s := square{3}
	for _, x := range []shape{s, &s, embedded{&s}} {
		x.area()
	}
	for range grow(4).each {
		leaf(1)
	}
	area := shape(s).area
	area()
	twice(1, func(n int) int { note(); return leaf(n) })
	twice("a", func(s string) string { note(); return s + "b" })
	fails(2)
	deferred(3)
	list := []int{3, 1, 2}
	sort.Slice(list, func(i, j int) bool { note(); return list[i] < list[j] })
	var all sync.WaitGroup
	for i := range 4 {
		all.Add(1)
		go func() {
			defer all.Done()
			note()
			inlined(i)
		}()
	}
	all.Wait()
	for _, stack := range slices.Sorted(maps.Keys(seen)) {
		fmt.Println(seen[stack], stack)
	}
}
