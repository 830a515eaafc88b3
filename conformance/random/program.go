// Package random owns the generation of random Go programs: valid, terminating
// and deterministic ones, made of what is hard for a source-to-source
// instrumenter (nested loops, labelled jumps and gotos, closures in loops, defer
// and recover, shadowing, generics, select, range-over-func, short circuits,
// types without a name), each of which mixes all that it computes into a number
// that it prints. A program that is changed in anything but its timing prints
// another number.
//
// Half of the functions are small, as they are in what people write
// (a compiler inlines many of those), and a fifth are large.
//
// A generated program terminates because each loop counts to a small bound and
// because functions, which may call each other at will, draw on a common budget,
// and return at once when it is spent. Small ones do not, and call none but small
// ones that come after them.
//
// The method is that of Csmith (Yang, Chen, Eide, Regehr, PLDI 2011): generate what
// is defined by construction, compare what two compilations print, shrink what
// differs.
package random

import (
	"fmt"
	"go/format"
	"math/rand/v2"
	"strings"
)

// Program returns a main package of that many functions, formatted. The same seed
// gives the same program.
func Program(seed uint64, functions int) ([]byte, error) {
	g := &generator{rand: rand.New(rand.NewPCG(seed, 0x64757069)), sizes: make([]size, functions)}
	for i := range g.sizes {
		g.sizes[i] = []size{small, small, small, small, small, middling, middling, middling, large, large}[g.rand.IntN(10)]
	}
	g.printf("%s", prelude)
	for i := range functions {
		g.declaration(i)
	}
	g.printf("func main() {\n")
	for i := range functions {
		g.printf("\trun(%d, func() int { return f%d(%d, &s{a: %d}) })\n", i, i, g.number(), g.number())
	}
	g.printf("\tfmt.Println(\"all\", total)\n}\n")
	src, err := format.Source([]byte(g.out.String()))
	if err != nil {
		return nil, fmt.Errorf("cannot format the program of seed %d: %w", seed, err)
	}
	return src, nil
}

// Calm is the setting of the environment under which no function of a program panics.
const Calm = "CALM=1"

// prelude is what all programs have in common.
const prelude = `package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
)

var _, _ = errors.New, runtime.GC

type inner struct{ x, y int }

type s struct {
	inner
	a, b int
	next *s
	arr  [5]int
	list []int
	f    func(int) int
}

func (p *s) set(n int) int { p.a += n; return p.a }
func (p s) get() int       { return p.a + p.x }
func (p *s) chain() *s {
	if p.next == nil {
		p.next = &s{a: p.a + 1, list: []int{p.b, 2, 3}}
		p.next.next = p
	}
	return p.next
}
func (i inner) sum() int { return i.x + i.y }

type shape interface {
	area(int) int
	name() string
}

type square struct{ side int }
type circle struct{ r, n int }

func (q square) area(n int) int { return q.side*q.side + n }
func (q square) name() string   { return "square" }
func (c *circle) area(n int) int {
	c.n++
	return c.r*3 + n + c.n
}
func (c *circle) name() string { return "circle" }

func pick(n int) shape {
	if n&1 == 0 {
		return square{n & 7}
	}
	return &circle{r: n & 15}
}

type number interface{ ~int | ~int64 }

func largest[T number](list ...T) (m T) {
	for _, x := range list {
		if x > m {
			m = x
		}
	}
	return m
}

func apply[T any](x T, f func(T) T) T { return f(x) }

type pair[K comparable, V any] struct {
	k K
	v V
}

func (p *pair[K, V]) swap(v V) V { p.v, v = v, p.v; return v }

type box[T any] struct{ of T }

func (b *box[T]) put(x T) T { b.of, x = x, b.of; return x }

func count(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := 0; i < n; i++ {
			if !yield(i) {
				return
			}
		}
	}
}

func pairs(list []int) func(func(int, int) bool) {
	return func(yield func(int, int) bool) {
		for i, x := range list {
			if !yield(i, x) {
				return
			}
		}
	}
}

func line() int {
	_, _, l, _ := runtime.Caller(1)
	return l
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

func odd(n int) bool { return n&1 != 0 }

func fails(n int) (int, error) {
	if n%3 == 0 {
		return n, errors.New("a multiple of three")
	}
	return n + 1, nil
}

var fuel, total, global int

var calm = os.Getenv("CALM") != "" // nothing panics

func mix(h, n int) int { return (h*31 + n) & 0xffffff }

func run(i int, f func() int) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println(i, "panic:", r)
			total = mix(total, i)
		}
	}()
	fuel = 60
	h := f()
	total = mix(total, h)
	fmt.Println(i, h, fuel, global)
}

`

// A size is that of a function.
type size int

const (
	small size = iota
	middling
	large
)

// A generator writes one program.
type generator struct {
	rand     *rand.Rand
	out      strings.Builder
	sizes    []size // of the functions
	function int    // that is written
	scopes   [][]variable
	names    int
	labels   int
	loops    []loop // around what is written, within the function
	budget   int    // statements that may still be written in the function
	depth    int
	results  string // what a return statement of the function returns, "" for nothing
}

// A variable of a type that the generator knows by name.
type variable struct {
	name, typ string
	used      bool
	header    bool // declared by what is around its scope's block
}

// A loop that break and continue may name.
type loop struct {
	label  string
	used   bool
	isLoop bool // else a switch or select: it cannot be continued
}

func (g *generator) printf(form string, args ...any) { fmt.Fprintf(&g.out, form, args...) }

// number is a small constant.
func (g *generator) number() int { return g.rand.IntN(40) - 5 }

// one returns one of list.
func (g *generator) one(list ...string) string { return list[g.rand.IntN(len(list))] }

// chance is true n times of a hundred.
func (g *generator) chance(n int) bool { return g.rand.IntN(100) < n }

// declaration writes the function of that number. Its result is a hash of what it did.
func (g *generator) declaration(i int) {
	g.function, g.loops, g.depth = i, nil, 0
	g.scopes = [][]variable{{{name: "n", typ: "int", used: true}, {name: "p", typ: "*s", used: true}, {name: "h", typ: "int", used: true}}}
	statements := 0
	switch g.sizes[i] {
	case small:
		g.smallHeader(i)
		if g.budget, g.depth = 1+g.rand.IntN(4), 2; g.chance(50) {
			statements = 1 + g.rand.IntN(2)
		}
		g.statements(statements)
		result := g.integer(2)
		g.close()
		g.printf("return mix(h, %s)\n}\n\n", result)
		return
	case middling:
		g.budget, statements = 3+g.rand.IntN(6), 2+g.rand.IntN(4)
	case large:
		g.budget, statements = 6+g.rand.IntN(30), 3+g.rand.IntN(8)
	}
	g.header(i)
	g.statements(statements)
	g.close()
	g.printf("return h\n}\n\n")
}

// header writes how a function begins.
func (g *generator) header(i int) {
	switch {
	case g.chance(25):
		g.results = ""
		g.printf("func f%d(n int, p *s) (h int) {\n", i)
		if g.chance(60) {
			g.printf("defer func() {\nif r := recover(); r != nil {\nh = mix(h, %d)\n}\n}()\n", g.number())
		} else {
			g.printf("defer func(k int) { h += k + p.a }(p.b)\n")
		}
	case g.chance(20):
		g.results = "h"
		g.printf("func f%d(n int, p *s) int { h := n; return h + g%d(n, p, 1) }\n\n", i, i)
		g.printf("func g%d[T number](n int, p *s, k T) int {\nh := n + int(k)\n", i)
	default:
		g.results = "h"
		g.printf("func f%d(n int, p *s) int {\nh := n\n", i)
	}
	g.enter("return h")
}

// smallHeader writes how a small function begins.
func (g *generator) smallHeader(i int) {
	g.results = "h"
	switch g.rand.IntN(6) {
	case 0:
		g.printf("func f%d(n int, p *s) int { return p.m%d(n) }\n\n", i, i)
		g.printf("func (p *s) m%d(n int) int {\nh := n\n", i)
	case 1:
		g.printf("func f%d(n int, p *s) int { return int(g%d(int64(n), p)) }\n\n", i, i)
		g.printf("func g%d[T number](k T, p *s) int {\nn := int(k)\nh := n\n", i)
	default:
		g.printf("func f%d(n int, p *s) int {\nh := n\n", i)
	}
}

// enter writes the test of the budget.
func (g *generator) enter(leave string) { g.printf("if fuel--; fuel < 0 {\n%s\n}\n", leave) }

// name returns a name for a new variable: of one in a scope around, now and then.
func (g *generator) name() string {
	if g.chance(20) && len(g.scopes) > 1 {
		outer := g.scopes[g.rand.IntN(len(g.scopes)-1)]
		if len(outer) > 0 {
			if v := outer[g.rand.IntN(len(outer))].name; v != "h" && v != "p" && v != "n" && !g.here(v) {
				return v
			}
		}
	}
	g.names++
	return fmt.Sprintf("v%d", g.names)
}

// here reports whether the innermost scope declares name.
func (g *generator) here(name string) bool {
	for _, v := range g.scopes[len(g.scopes)-1] {
		if v.name == name {
			return true
		}
	}
	return false
}

// own returns a variable of type int that the innermost block declares, or nil.
func (g *generator) own() *variable {
	var found []*variable
	top := g.scopes[len(g.scopes)-1]
	for i := range top {
		if v := &top[i]; v.typ == "int" && !v.header && v.name != "n" {
			found = append(found, v)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return found[g.rand.IntN(len(found))]
}

func (g *generator) declare(name, typ string) {
	top := len(g.scopes) - 1
	g.scopes[top] = append(g.scopes[top], variable{name: name, typ: typ})
}

// declareUsed declares a variable of type int that has been used.
func (g *generator) declareUsed(name string) {
	top := len(g.scopes) - 1
	g.scopes[top] = append(g.scopes[top], variable{name: name, typ: "int", used: true})
}

// visible returns a variable of a type, or "", that is then used.
func (g *generator) visible(typ string) string {
	v := g.target(typ)
	if v == nil {
		return ""
	}
	v.used = true
	return v.name
}

// target returns a variable of a type, or nil. To assign to it is not to use it.
func (g *generator) target(typ string) *variable {
	seen := map[string]bool{}
	var found []*variable
	for i := len(g.scopes) - 1; i >= 0; i-- {
		for j := range g.scopes[i] {
			v := &g.scopes[i][j]
			if !seen[v.name] && v.typ == typ {
				found = append(found, v)
			}
			seen[v.name] = true
		}
	}
	if len(found) == 0 {
		return nil
	}
	return found[g.rand.IntN(len(found))]
}

// block writes statements between braces, with a scope of their own.
func (g *generator) block(n int, before ...variable) {
	g.printf("{\n")
	g.scope(n, before...)
	g.printf("}")
}

// scope writes statements with a scope of their own, and uses what they declare.
func (g *generator) scope(n int, before ...variable) {
	for i := range before {
		before[i].header = true
	}
	g.scopes = append(g.scopes, before)
	g.depth++
	g.statements(n)
	g.depth--
	g.close()
}

// close ends a scope.
func (g *generator) close() {
	top := len(g.scopes) - 1
	for _, v := range g.scopes[top] {
		if !v.used {
			g.printf("_ = %s\n", v.name)
		}
	}
	g.scopes = g.scopes[:top]
}

func (g *generator) statements(n int) {
	for range n {
		if g.budget <= 0 {
			return
		}
		g.budget--
		g.statement()
	}
}
