// Package variables: order, conditions, literals, several at once.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

type config struct {
	name string
	on   bool
	f    func(string) string
}

var (
	c     = b + len(trace)
	a, b  = two("a")
	trace []string
	cfg                = &config{"x", len(os.Args) > 5, strings.ToUpper}
	both               = cfg.on && note("not evaluated") > 0 || note("evaluated") > 0
	name               = cfg.f(cfg.name)
	lit                = func() int { return note("literal") }()
	_                  = note("blank")
	errX               = errors.New("x")
	x, y               = 1, note("y")
	str   fmt.Stringer = stringer{}
	text               = str.String()
)

type stringer struct{}

func (stringer) String() string { note("String"); return "stringer" }

func note(s string) int { trace = append(trace, s); return len(trace) }

func two(s string) (int, int) { note(s); return 1, 2 }

func init() { note("init 1") }

func init() {
	for i := range 2 {
		note(fmt.Sprint("init 2.", i))
	}
}

func main() {
	fmt.Println(trace, a, b, c, both, name, lit, errX, x, y, text)
}
