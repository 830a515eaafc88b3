// Program references loads and stores fields, each function some that are said before it, once for each time that it is
// called. It prints where its objects are if it is asked to.
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"
	"unsafe"
)

type inner struct{ x, y int }

type outer struct{ e1, e2 int }

type object struct {
	a    int
	cold [56]byte
	b    int
	in   inner
	s    string
	list [4]int
	*outer
	next *object
}

type pair struct{ left, right int }

type box[T any] struct {
	n   int
	was T
}

var (
	global object
	kept   []any
)

// One call:
//
//	main.object.a read 1
//	main.object.a write 1
//
//go:noinline
func bump(o *object) { o.a++ }

// One call:
//
//	main.object.a read 1
//	main.object.b write 1
//
//go:noinline
func set(o *object) { o.b = o.a + 1 }

// One call:
//
//	main.object.in read 1
//	main.inner.y read 1
//
//go:noinline
func nested(o *object) int { return o.in.y }

// One call:
//
//	main.object.in write 2
//	main.inner.x write 1
//	main.inner.y write 1
//
//go:noinline
func both(o *object) { o.in.x, o.in.y = 1, 2 }

// One call: the length alone, and then both words.
//
//	main.object.s read 3
//
//go:noinline
func length(o, p *object) (int, string) { return len(o.s), p.s }

// One call:
//
//	main.object.outer read 1
//	main.outer.e2 write 1
//
//go:noinline
func embedded(o *object) { o.e2 = 7 }

// One call, of eight objects:
//
//	main.object.b read 8
//
//go:noinline
func elements(list []object) (n int) {
	for i := range list {
		n += list[i].b
	}
	return n
}

// One call:
//
//	main.object.list read 1
//
//go:noinline
func indexed(o *object, i int) int { return o.list[i&3] }

// One call, of a variable of the package's:
//
//	main.object.b read 1
//	main.object.a write 1
//
//go:noinline
func variable() { global.a = global.b }

// One call, of a list of four:
//
//	main.object.a read 4
//	main.object.next read 4
//
//go:noinline
func follow(o *object) (n int) {
	for ; o != nil; o = o.next {
		n += o.a
	}
	return n
}

// One call: what is read already is not read again.
//
//	main.object.a read 1
//
//go:noinline
func twice(o *object) int { return o.a + o.a*3 }

// One call: nothing, for it is a variable of its own.
//
//go:noinline
func own(n int) int {
	var o inner
	o.x = n
	o.y = o.x + 1
	return o.y
}

// One call: in a register already.
//
//	main.object.a read 1
//	main.object.a write 1
//	main.object.b write 1
//
//go:noinline
func stored(o *object, n int) int {
	o.a += n
	o.b = o.a
	return o.a
}

// One call, by a method that is inlined:
//
//	main.object.b read 1
//
//go:noinline
func inlined(o *object) int { return o.get() }

func (o *object) get() int { return o.b }

// One call:
//
//	main.box[...].n read 1
//	main.box[...].n write 1
//	main.box[...].was write 1
//
//go:noinline
func generic[T any](b *box[T], v T) {
	b.n++
	b.was = v
}

// One call, with a test of what is in memory:
//
//	main.object.a read 1
//
//go:noinline
func tested(o *object) bool { return o.a > 100 }

// Ten calls:
//
//	main.pair.left read 10
//	main.pair.left write 10
//
//go:noinline
func left(p *pair) { p.left++ }

// Ten calls:
//
//	main.pair.right read 10
//	main.pair.right write 10
//
//go:noinline
func right(p *pair) { p.right++ }

// times is how often a round does each thing.
var times = number("REFERENCES_TIMES", 20)

// number is what a variable of the environment says, or n.
func number(name string, n int) int {
	if text := os.Getenv(name); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			panic(err)
		}
	}
	return n
}

func main() {
	rounds := number("REFERENCES_ROUNDS", 1)
	objects := make([]object, 8)
	kept = append(kept, objects) // not on the stack, which moves
	o, last := &objects[0], &objects[7]
	for i := range objects {
		objects[i] = object{a: i, b: i, s: "text", outer: new(outer)}
	}
	chain := new(object)
	for range 3 {
		chain = &object{next: chain}
	}
	kept = append(kept, chain)
	numbers, p := new(box[int]), new(pair)
	kept = append(kept, numbers, p)
	if os.Getenv("REFERENCES_OBJECTS") != "" {
		say := func(name string, at unsafe.Pointer, size uintptr) { fmt.Println("object", name, uintptr(at), size) }
		for i := range objects {
			say("main.object", unsafe.Pointer(&objects[i]), unsafe.Sizeof(objects[i]))
			say("main.outer", unsafe.Pointer(objects[i].outer), unsafe.Sizeof(outer{}))
			say("main.inner", unsafe.Pointer(&objects[i].in), unsafe.Sizeof(inner{}))
		}
		for o := chain; o != nil; o = o.next {
			say("main.object", unsafe.Pointer(o), unsafe.Sizeof(*o))
		}
		say("main.object", unsafe.Pointer(&global), unsafe.Sizeof(global))
		say("main.pair", unsafe.Pointer(p), unsafe.Sizeof(*p))
	}
	n := 0
	for range 10 * rounds {
		n += work(objects, o, last, chain, numbers)
	}
	var wait sync.WaitGroup
	turns := make(chan bool)
	for i, do := range []func(*pair){left, right} {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for range rounds {
				if i == 0 {
					repeat(do, p)
					turns <- true
					<-turns
				} else {
					<-turns
					repeat(do, p)
					turns <- true
				}
			}
		}()
	}
	wait.Wait()
	time.Sleep(20 * time.Millisecond) // until goroutines that are done have returned, too
	fmt.Println(n, p.left, p.right)
}

// repeat counts nothing itself.
func repeat(do func(*pair), p *pair) {
	for range 100 * times {
		do(p)
	}
}

// work counts nothing itself.
func work(objects []object, o, last, chain *object, numbers *box[int]) (n int) {
	for i := range times {
		bump(o)
		set(last)
		n += nested(o)
		both(last)
		k, s := length(o, last)
		n += k + len(s)
		embedded(o)
		n += elements(objects)
		n += indexed(last, i)
		variable()
		n += follow(chain)
		n += twice(o)
		n += own(n)
		n += stored(last, i)
		n += inlined(o)
		generic(numbers, n)
		if tested(o) {
			n++
		}
	}
	return n
}
