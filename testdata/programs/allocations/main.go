// Program allocations puts on the heap what its lines say behind them: so many of a type each round, by what. With
// ALLOCATIONS_SEEN it prints what the runtime's own profile of memory has seen of each line.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sort"
	"strconv"
	"strings"
)

// node has pointers, so that the runtime puts no two of them together.
type node struct {
	next *node
	v    [3]int
}

type box struct {
	list  []*node
	names []string
	in    *node
}

type ring[T any] struct {
	at    *T
	other *ring[T]
}

var (
	aNode  *node
	aBox   *box
	boxed  box
	nodes  []*node
	lists  [][]*node
	byName map[string]*node
	boxes  map[string]*box
	pipe   chan *node
	get    func() *node
	rings  *ring[int]
	array  *[2]*node
	anyone any
)

func objects(n *node) {
	aNode = new(node)            // 1 main.node new
	aNode = &node{next: n}       // 1 main.node &
	aNode = &node{next: &node{}} // 2 main.node &
	array = &[2]*node{n, n}      // 1 [2]*main.node &
	anyone = &box{in: n}         // 1 main.box &
	rings = &ring[int]{}         // 1 main.ring[...] &
	stays := &node{next: n}
	stays.v[0]++
	n.v[1] += stays.v[0]
}

func literals(n *node) {
	nodes = []*node{n, n} // 1 []*main.node literal
	here := []*node{n}    // 1 []*main.node literal
	nodes = here
	boxed = box{list: []*node{n, n}, names: []string{n.name()}} // 1 []*main.node literal; 1 []string literal
	aBox = &box{list: []*node{n}}                               // 1 main.box &; 1 []*main.node literal
	lists = [][]*node{{n}, {n, n}}                              // 1 [][]*main.node literal; 2 []*main.node literal
	nodes = []*node{{next: n}, {}}                              // 1 []*main.node literal; 2 main.node &
	byName = map[string]*node{n.name(): n}                      // 1 map[string]*main.node literal
	boxes = map[string]*box{n.name(): {list: []*node{n}}}       // 1 map[string]*main.box literal; 1 main.box &; 1 []*main.node literal
}

//go:noinline
func (n *node) name() string { return "name" }

func made(n *node, size int) {
	nodes = make([]*node, size)           // 1 []*main.node make
	byName = make(map[string]*node, size) // 1 map[string]*main.node make
	pipe = make(chan *node, size)         // 1 chan *main.node make
	nodes = append(nodes[:size:size], n)  // 1 []*main.node append
	nodes = append(nodes[:1:size], n)     // which has room
	nodes = grown(nodes[:size:size], n)
}

//go:noinline
func grown(list []*node, n *node) []*node {
	return append(list, n) // 1 []*main.node append
}

func variables(n *node) {
	var kept node // 1 main.node variable kept
	kept.next = n
	aNode = &kept
	v := *n              // 1 main.node variable v
	get = func() *node { // 1 func() *main.node func
		v.v[0]++
		return v.next
	}
	for _, each := range [2]*node{n, n} { // 2 *main.node variable each
		get = func() *node { // 2 func() *main.node func
			each = each.next
			return each
		}
	}
	local := 0
	add := func() { local++ }
	add()
	n.v[2] += local
}

// inlined is, where it is called.
func inlined(n *node) *box {
	return &box{in: n} // 3 main.box &
}

func callers(n *node) {
	aBox = inlined(n)
	aBox = inlined(aBox.in)
	if n.v[0]%2 == 0 {
		aBox = inlined(n)
	} else {
		aBox = inlined(aNode)
	}
	rings = &ring[int]{other: rings} // 1 main.ring[...] &
	anyone = generic(n)
	anyone = generic(aBox)
}

//go:noinline
func generic[T any](v T) *ring[T] {
	r := &ring[T]{at: new(T), other: &ring[T]{}} // 4 main.ring[...] &; 2 T new
	*r.at = v
	return r
}

func main() {
	runtime.MemProfileRate = 1
	rounds := 10
	if s := os.Getenv("ALLOCATIONS_ROUNDS"); s != "" {
		rounds, _ = strconv.Atoi(s)
	}
	n := new(node)
	n.next = n
	for range rounds {
		objects(n)
		literals(n)
		made(n, 20)
		variables(n)
		callers(n)
	}
	fmt.Println(n.v, len(nodes), len(lists), len(byName), len(boxes), cap(pipe), get() == n)
	if os.Getenv("ALLOCATIONS_SEEN") != "" {
		seen()
	}
}

// seen prints the lines of this file that objects were allocated by, and how many.
func seen() {
	runtime.GC()
	runtime.GC()
	records := make([]runtime.MemProfileRecord, 10000)
	n, ok := runtime.MemProfile(records, true)
	if !ok {
		panic("too many records")
	}
	lines := map[int]int64{}
	for _, r := range records[:n] {
		frames := runtime.CallersFrames(r.Stack())
		for {
			f, more := frames.Next()
			if strings.HasPrefix(f.Function, "runtime.") && more {
				continue
			}
			if strings.HasSuffix(f.File, "main.go") && !strings.HasSuffix(f.Function, ".main") && !strings.HasSuffix(f.Function, ".seen") {
				lines[f.Line] += r.AllocObjects
			}
			break
		}
	}
	var sorted []int
	for line := range lines {
		sorted = append(sorted, line)
	}
	sort.Ints(sorted)
	for _, line := range sorted {
		fmt.Println("line", line, lines[line])
	}
}
