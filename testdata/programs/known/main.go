// Functions all calls of which are known, and such as look like it.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

type stack struct {
	items []int
	depth int
	next  *stack
}

type outer struct {
	stack
	name string
}

//go:noinline
func (s *stack) push(n int) int {
	s.items = append(s.items, n)
	s.depth++
	return s.top(1)
}

//go:noinline
func (s *stack) top(back int) int {
	if back > len(s.items) {
		panic(fmt.Sprintf("%d of %d items", back, s.depth))
	}
	return s.items[len(s.items)-back]
}

// pop faults where there is no next stack.
//
//go:noinline
func (s *stack) pop() int {
	if len(s.items) == 0 {
		return s.next.top(1)
	}
	n := s.top(1)
	s.items = s.items[:len(s.items)-1]
	s.depth--
	return n
}

// even and odd call each other.
//
//go:noinline
func (s *stack) even(n int) bool {
	s.depth++
	if n == 0 {
		return true
	}
	return s.odd(n - 1)
}

//go:noinline
func (s *stack) odd(n int) bool {
	s.depth--
	if n == 0 {
		return false
	}
	return s.even(n - 1)
}

// deep needs a large stack, and has it copied.
//
//go:noinline
func (s *stack) deep(n int) int {
	var room [4000]int
	room[n%len(room)] = s.depth
	return room[s.depth%len(room)] + s.width()
}

// first has loops that do not go round.
//
//go:noinline
func (s *stack) first() int {
	for _, n := range s.items {
		if n == 0 {
			return s.depth
		}
		break
	}
	for s.depth > 3 {
		s.depth--
		break
	}
	return s.depth
}

//go:noinline
func (s *stack) width() int { return cap(s.items)*0 + len(s.items) }

//go:noinline
func (s *stack) where() string {
	var pcs [3]uintptr
	n := runtime.Callers(1, pcs[:])
	frames, out := runtime.CallersFrames(pcs[:n]), []string{}
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		out = append(out, fmt.Sprintf("%s:%d", f.Function, f.Line))
	}
	return strings.Join(out, " ") + s.name()
}

//go:noinline
func (s *stack) name() string {
	pc, file, line, ok := runtime.Caller(0)
	f := runtime.FuncForPC(pc)
	s.depth++
	return fmt.Sprint(" ", f.Name(), file[strings.LastIndex(file, "/"):], line, ok)
}

// valued is a value, too.
//
//go:noinline
func valued(s *stack) int { return s.depth + 1 }

// started is the beginning of a goroutine, too.
//
//go:noinline
func started(s *stack, done chan int) { s.depth++; done <- s.depth }

// deferred is put off, too.
//
//go:noinline
func deferred(s *stack) { s.depth += 100 }

// hasSize finds size by name.
type hasSize interface{ size() int }

//go:noinline
func (s *stack) size() int { return s.depth * 2 }

func all[T interface{ ~int }](s *stack, n T) (out T) {
	for range n {
		out += T(inGeneric(s))
	}
	return out
}

//go:noinline
func inGeneric(s *stack) int { s.depth++; return s.depth }

//go:noinline
func inLiteral(s *stack) int { s.depth++; return s.depth }

// dynamic calls what it is given.
//
//go:noinline
func dynamic(s *stack, f func(*stack) int, h hasSize) int { s.depth--; return f(s) + h.size() }

//go:noinline
func many(a, b, c, d, e, f, g, h, i, j, k, l int, s *stack, x, y float64, text string) (int, float64, string) {
	s.depth++
	return a + b + c + d + e + f + g + h + i + j + k + l + s.depth, x*y + float64(s.depth), text + fmt.Sprint(s.depth)
}

// picks has a table of jumps.
//
//go:noinline
func picks(s *stack, n int) int {
	switch n {
	case 0:
		return s.depth
	case 1:
		return len(s.items)
	case 2:
		s.depth++
		return 2
	case 3:
		return s.width()
	case 4:
		return s.depth + 4
	case 5:
		return s.depth + 5
	case 6:
		return s.depth - 6
	case 7:
		return cap(s.items) * 0
	case 8:
		return s.depth ^ 8
	}
	return -1
}

//go:noinline
func try(what func() int) (out string) {
	defer func() {
		if r := recover(); r != nil {
			out = fmt.Sprint("recovered: ", r)
			if _, ok := r.(runtime.Error); ok {
				var pcs [8]uintptr
				for frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])]); ; {
					f, more := frames.Next()
					if strings.HasPrefix(f.Function, "main.") {
						out += fmt.Sprintf(" %s:%d", f.Function, f.Line)
					}
					if !more {
						break
					}
				}
			}
		}
	}()
	return fmt.Sprint(what())
}

func main() {
	s := &stack{}
	total := 0
	for i := 0; i < 1000; i++ {
		total += s.push(i)
		if i%3 == 0 {
			total += s.pop()
		}
		total += picks(s, i%10) + s.first()
	}
	fmt.Println(total, s.depth, s.even(10), s.odd(7), s.deep(3))
	fmt.Println(s.where())
	o := outer{*s, "o"}
	fmt.Println(o.push(7), o.pop(), o.where())
	f := valued
	fmt.Println(valued(s), f(s), dynamic(s, valued, s), dynamic(s, f, &o))
	done := make(chan int)
	go started(s, done)
	fmt.Println(<-done)
	started(s, make(chan int, 1))
	func() {
		defer deferred(s)
		deferred(s)
	}()
	fmt.Println(s.depth, all(s, 5), func() int { return inLiteral(s) }(), inLiteral(s), inGeneric(s))
	fmt.Println(many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, s, 1.5, 2.5, "m"))
	empty := &stack{}
	fmt.Println(try(func() int { return s.top(5000) }), try(func() int { return empty.pop() }), try(func() int { return fails(empty) }))
	if len(os.Args) > 5 {
		fmt.Println(s.next.depth)
	}
	big := make(chan int)
	go func() { big <- recurse(s, 200) }()
	fmt.Println(<-big)
	time.Sleep(20 * time.Millisecond) // until goroutines that are done have returned, too
}

//go:noinline
func fails(s *stack) int { return failing(s) + 1 }

//go:noinline
func failing(s *stack) int { s.depth++; return s.next.depth }

// recurse grows the stack within functions that are followed.
//
//go:noinline
func recurse(s *stack, n int) int {
	if n == 0 {
		return s.depth
	}
	for i := 0; i < 1; i++ {
		s.depth += s.deep(n) & 1
	}
	return recurse(s, n-1) + s.width()
}
