// Package sequitur finds what repeats in a sequence: a grammar that makes that sequence and nothing else, in which no two
// neighbours stand side by side twice, and every rule is used at least twice (Nevill-Manning and Witten, Identifying
// Hierarchical Structure in Sequences, JAIR 1997). It takes time in proportion to the sequence's length.
package sequitur

// A Grammar is of the symbols that were appended.
type Grammar struct {
	symbols []symbol
	free    []int // of symbols
	rules   []rule
	pairs   map[pair]int // the first of two neighbours
}

// A symbol stands in a rule, whose symbols are a ring that its guard closes.
type symbol struct {
	prev, next int // -1: not linked yet
	name
}

// A name is a terminal, or a rule's.
type name struct {
	kind  kind
	value int
}

type kind byte

const (
	terminal kind = iota
	nonterminal
	guard // of the rule
)

type pair [2]name

type rule struct {
	guard int
	uses  int
	dead  bool
}

// New is a grammar of nothing.
func New() *Grammar {
	g := &Grammar{pairs: map[pair]int{}}
	g.rule()
	return g
}

// Append adds a symbol at the end.
func (g *Grammar) Append(value int) {
	start := g.rules[0].guard
	g.insert(g.symbols[start].prev, name{terminal, value})
	g.check(g.symbols[g.symbols[start].prev].prev)
}

// rule makes an empty one.
func (g *Grammar) rule() int {
	n := len(g.rules)
	at := g.symbol(name{guard, n})
	g.symbols[at].prev, g.symbols[at].next = at, at
	g.rules = append(g.rules, rule{guard: at})
	return n
}

func (g *Grammar) symbol(is name) int {
	s := symbol{-1, -1, is}
	if n := len(g.free); n > 0 {
		at := g.free[n-1]
		g.free = g.free[:n-1]
		g.symbols[at] = s
		return at
	}
	g.symbols = append(g.symbols, s)
	return len(g.symbols) - 1
}

func (g *Grammar) is(at int, k kind) bool { return g.symbols[at].kind == k }

func (g *Grammar) pair(at int) pair {
	return pair{g.symbols[at].name, g.symbols[g.symbols[at].next].name}
}

// paired reports whether a symbol and the next one are neighbours in a rule.
func (g *Grammar) paired(at int) bool { return !g.is(at, guard) && !g.is(g.symbols[at].next, guard) }

// forget takes a symbol and the next one out of the table.
func (g *Grammar) forget(at int) {
	if g.paired(at) {
		if p := g.pair(at); g.pairs[p] == at {
			delete(g.pairs, p)
		}
	}
}

// link makes two symbols neighbours. In a run of one symbol only every other pair is in the table, for they overlap; what
// was left out comes in where the run is cut.
func (g *Grammar) link(left, right int) {
	if g.symbols[left].next >= 0 {
		g.forget(left)
		for _, at := range []int{right, left} {
			if s := g.symbols[at]; s.prev >= 0 && s.next >= 0 && !g.is(at, guard) && g.symbols[s.prev].name == s.name && g.symbols[s.next].name == s.name {
				if at == left {
					at = s.prev
				}
				g.pairs[g.pair(at)] = at
			}
		}
	}
	g.symbols[left].next, g.symbols[right].prev = right, left
}

// insert puts a symbol behind another.
func (g *Grammar) insert(behind int, is name) {
	if is.kind == nonterminal {
		g.rules[is.value].uses++
	}
	at := g.symbol(is)
	next := g.symbols[behind].next
	g.link(at, next)
	g.link(behind, at)
}

// remove takes a symbol out of its rule.
func (g *Grammar) remove(at int) {
	s := g.symbols[at]
	g.link(s.prev, s.next)
	// Its own pair is not what it was any more.
	if p := (pair{s.name, g.symbols[s.next].name}); !g.is(s.next, guard) && g.pairs[p] == at {
		delete(g.pairs, p)
	}
	if s.kind == nonterminal {
		g.rules[s.value].uses--
	}
	g.free = append(g.free, at)
}

// check makes a rule of a symbol and the next one, if they are neighbours elsewhere. It reports whether they are.
func (g *Grammar) check(at int) bool {
	if !g.paired(at) {
		return false
	}
	other, found := g.pairs[g.pair(at)]
	switch {
	case !found:
		g.pairs[g.pair(at)] = at
		return false
	case other != at && g.symbols[other].next != at && g.symbols[at].next != other:
		g.repeat(at, other)
	}
	return true
}

// repeat replaces two equal pairs by a rule of them, which is there if one of them is all of one.
func (g *Grammar) repeat(at, other int) {
	before, behind := g.symbols[other].prev, g.symbols[g.symbols[other].next].next
	var r int
	if before == behind && g.is(before, guard) && g.symbols[before].value != 0 {
		r = g.symbols[before].value
		g.replace(at, r)
	} else {
		p := g.pair(at)
		r = g.rule()
		for _, is := range p {
			g.insert(g.symbols[g.rules[r].guard].prev, is)
		}
		g.replace(other, r)
		g.replace(at, r)
		first := g.symbols[g.rules[r].guard].next
		g.pairs[g.pair(first)] = first
	}
	for _, at := range []int{g.symbols[g.rules[r].guard].next, g.symbols[g.rules[r].guard].prev} {
		if g.is(at, nonterminal) && g.rules[g.symbols[at].value].uses == 1 {
			g.expand(at)
		}
	}
}

// replace puts a rule where a symbol and the next one stand.
func (g *Grammar) replace(at, r int) {
	before := g.symbols[at].prev
	g.remove(g.symbols[at].next)
	g.remove(at)
	g.insert(before, name{nonterminal, r})
	if !g.check(before) {
		g.check(g.symbols[before].next)
	}
}

// expand puts what a rule is where it is used alone, and ends it.
func (g *Grammar) expand(at int) {
	r := &g.rules[g.symbols[at].value]
	before, behind := g.symbols[at].prev, g.symbols[at].next
	first, last := g.symbols[r.guard].next, g.symbols[r.guard].prev
	g.forget(at)
	g.forget(before)
	r.dead, r.uses = true, 0
	g.free = append(g.free, at, r.guard)
	g.link(before, first)
	g.link(last, behind)
	for _, at := range []int{before, last} {
		if g.paired(at) {
			if _, found := g.pairs[g.pair(at)]; !found {
				g.pairs[g.pair(at)] = at
			}
		}
	}
}

// A Symbol is a terminal, or a rule's number.
type Symbol struct {
	Rule  bool
	Value int
}

// Rules are those of the grammar, of which the first makes all of it, and each other one stands behind those that it
// is used in.
func (g *Grammar) Rules() [][]Symbol {
	var order []int
	state := make([]bool, len(g.rules))
	var visit func(r int)
	visit = func(r int) {
		if state[r] {
			return
		}
		state[r] = true
		for at := g.symbols[g.rules[r].guard].next; at != g.rules[r].guard; at = g.symbols[at].next {
			if g.is(at, nonterminal) {
				visit(g.symbols[at].value)
			}
		}
		order = append(order, r)
	}
	visit(0)
	number := make([]int, len(g.rules))
	for i, r := range order {
		number[r] = len(order) - 1 - i
	}
	out := make([][]Symbol, len(order))
	for _, r := range order {
		for at := g.symbols[g.rules[r].guard].next; at != g.rules[r].guard; at = g.symbols[at].next {
			s := Symbol{g.is(at, nonterminal), g.symbols[at].value}
			if s.Rule {
				s.Value = number[s.Value]
			}
			out[number[r]] = append(out[number[r]], s)
		}
	}
	return out
}
