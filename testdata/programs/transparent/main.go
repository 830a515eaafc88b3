// Small functions that have copies, called in every way there is.
package main

import (
	"fmt"
	"os"
	"reflect"
	"runtime"
	"sort"
	"strings"
	"time"

	"programs/transparent/shape"
)

type counter struct{ n, limit int }

func (c *counter) next() int     { c.n++; return c.n }
func (c *counter) done() bool    { return c.n >= c.limit }
func (c counter) left() int      { return c.limit - c.n }
func (c *counter) at(i int) bool { return c.n == i && c.limit > i }

type flag bool

func (c *counter) flag() flag { return flag(c.n < c.limit) }

func even(c *counter, n int) bool {
	if n == 0 {
		return c.n >= 0
	}
	return odd(c, n-1)
}

func odd(c *counter, n int) bool {
	if n == 0 {
		return c.n < 0
	}
	return even(c, n-1)
}

func twice(c *counter) int { return c.next() + c.next() }
func four(c *counter) int  { return twice(c) + twice(c) }

func limited(c *counter) bool { return c != nil && c.limit > 0 }
func lacking(c *counter) bool { return !limited(c) }

// entries prints the names of functions that begin with what was inlined.
func entries() {
	for _, f := range []any{twice, lacking, limited} {
		fmt.Println(runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name())
	}
}

// ascii has a loop statement that never comes back.
func ascii(cs []*counter) int {
	for _, c := range cs {
		if c.n < 0x80 {
			return c.n
		}
		break
	}
	return -len(cs)
}

// loops has copies' calls in conditions that both modes share.
func loops() {
	c := &counter{limit: 20}
	fmt.Print(ascii([]*counter{c}), ascii([]*counter{{n: 200}}), ascii(nil), " ")
	for !c.done() {
		if c.at(5) || c.left() == 3 {
			for range 2 {
				c.next()
			}
		}
		x := c.next()
		for i := 0; i < x%3; i++ {
			fmt.Print(x, i, c.left(), " ")
		}
		switch y := c.left(); {
		case y > 10 && c.at(x):
			fmt.Print("a ")
		case c.at(13):
			for range 2 {
				fmt.Print("b ")
			}
		}
	}
	d := counter{limit: 3}
	for d.flag() {
		func() { d.next() }()
	}
	fmt.Println(c.n, d.n, four(c), even(c, 7), odd(c, 7))
}

type stepper interface{ next() int }

// dynamic reaches the originals.
func dynamic() {
	c := &counter{limit: 100}
	var s stepper = c
	f := c.next
	g := (*counter).next
	s.next()
	f()
	g(c)
	defer func() { fmt.Println("deferred", c.n) }()
	defer c.next()
	done := make(chan bool)
	go func() { c.next(); done <- true }()
	<-done
	h := counter.left
	fmt.Println(c.n, h(*c), sort.SearchInts([]int{1, 2, 3}, c.left()))
	for range 3 {
		defer twice(c)
	}
}

func across() {
	p := shape.Point{X: 1, Y: 2}
	p.Move(p.Sum(), p.Sum())
	q := &p
	q.Move(1, 1)
	o := shape.Outer{Inner: &shape.Inner{}, Point: p}
	o.Move(5, 5)
	o.Inc().Inc().
		Inc()
	r := &o
	fmt.Println(p, q.Sum(), o.Sum(), o.N(), r.Copy(), (*q).Sum(), (&p).Far(3), r.Unnamed(1, "x"), r.Blank(1, ""), q.Many(1, 2, 3), q.Many(1, []int{4, 5}...))
	var l shape.List[string]
	for !l.Empty() || l.Len() < 3 {
		if l.Len() == 3 {
			break
		}
		l.Add(strings.Repeat("x", l.Len()))
	}
	k, v := shape.Pair("key", l.Len())
	x, ok := l.At(2)
	fmt.Println(shape.First(&l), shape.First[string](&l), k, *v, x, ok)
	for i := 0; i < 2; i++ {
		name, line := p.Where()
		fmt.Println(name, line)
		name, line = p.
			Caller()
		fmt.Println(name, line)
		fmt.Println(p.Caller())
	}
}

// deref is a nil dereference two copies deep.
func (c *counter) deref() int  { return c.limit }
func (c *counter) deeper() int { return c.deref() + 1 }

func panics() {
	defer func() {
		r := recover()
		pcs := make([]uintptr, 16)
		frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs)])
		for {
			f, more := frames.Next()
			if strings.HasPrefix(f.Function, "main.") {
				fmt.Println(f.Function, f.Line)
			}
			if !more {
				break
			}
		}
		fmt.Println(r)
	}()
	var c *counter
	fmt.Println(c.deeper())
}

type pair struct{ a, b int }

func (p *pair) set(a, b int) int { p.a, p.b = a, b; return a + b }
func (p *pair) both() (int, int) { return p.a, p.b }
func newPair(n int) *pair        { p := &pair{}; p.a = n; return p }

// names has variables that hide what their own statement means.
func names() {
	shape := shape.Last(&shape.List[*pair]{})
	pair := newPair(3)
	for range 2 {
		fmt.Print(pair.set(pair.both()), " ")
	}
	newPair, err := newPair(pair.a), error(nil)
	for range 2 {
		a, b := newPair.both()
		for range 2 {
			fmt.Print(a, b, err, " ")
		}
	}
	fmt.Println(shape == nil)
}

func main() {
	entries()
	names()
	loops()
	dynamic()
	across()
	panics()
	time.Sleep(20 * time.Millisecond) // until goroutines that are done have returned, too
	if len(os.Args) > 1 {
		var p *shape.Point
		p.Move(1, 1)
	}
}
