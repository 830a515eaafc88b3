package random

import "fmt"

// integer returns an expression of type int; depth bounds how deep it is.
func (g *generator) integer(depth int) string {
	if depth == 0 {
		switch g.rand.IntN(6) {
		case 0:
			return fmt.Sprint(g.number())
		case 1:
			return "p.a"
		case 2:
			return "n"
		}
		return g.visible("int")
	}
	sub := func() string { return g.integer(depth - 1) }
	switch g.rand.IntN(23) {
	case 0, 1:
		return fmt.Sprintf("(%s %s %s)", sub(), g.one("+", "-", "^", "&", "|"), sub())
	case 2:
		return fmt.Sprintf("(%s %% %d)", sub(), 2+g.rand.IntN(7))
	case 3:
		return g.one("p.a", "p.b", "p.x", "p.inner.y", "p.chain().a", "p.chain().chain().b", "global")
	case 4:
		return fmt.Sprintf("p.arr[%s&3]", sub())
	case 5:
		return fmt.Sprintf("abs(%s)", sub())
	case 6, 7:
		return g.call(depth - 1)
	case 8:
		return fmt.Sprintf("p.set(%s)", sub())
	case 9:
		return g.one("p.get()", "p.sum()", "p.inner.sum()", "p.chain().get()")
	case 10:
		return fmt.Sprintf("pick(%s).area(%s)", sub(), sub())
	case 11:
		return fmt.Sprintf("len(pick(%s).name())", sub())
	case 12:
		return fmt.Sprintf("largest(%s, %s, %s)", sub(), sub(), sub())
	case 13:
		return fmt.Sprintf("apply(%s, %s)", sub(), g.function1())
	case 14:
		return fmt.Sprintf("func(k int) int { return k*2 + h }(%s)", sub())
	case 15:
		return fmt.Sprintf("len(p.list[:min(len(p.list), %s&3)])", sub())
	case 16:
		return fmt.Sprintf("(s{a: %s, inner: inner{%s, %s}}).get()", sub(), sub(), sub())
	case 17:
		return fmt.Sprintf("(&pair[int, int]{%s, %s}).swap(%s)", sub(), sub(), sub())
	case 18:
		return fmt.Sprintf("(map[bool]int{true: %s, false: %s})[%s]", sub(), sub(), g.boolean(depth-1))
	case 19:
		return fmt.Sprintf("([]int{%s, %s, %s})[%s&1]", sub(), sub(), sub(), sub())
	case 20:
		return fmt.Sprintf("(&box[shape]{pick(%s)}).put(%s).area(%s)", sub(), g.one("square{3}", "&circle{n: 2}"), sub())
	}
	return g.visible("int")
}

// call returns a call of one of the program's functions.
func (g *generator) call(depth int) string {
	i, ok := g.callee()
	if !ok {
		return fmt.Sprintf("abs(%s)", g.integer(depth))
	}
	return fmt.Sprintf("f%d(%s, %s)", i, g.integer(depth), g.one("p", "p", "p.chain()", "&s{b: n}"))
}

// callee returns a function that the one that is written may call, if there is one.
func (g *generator) callee() (i int, ok bool) {
	if g.sizes[g.function] != small {
		return g.rand.IntN(len(g.sizes)), true
	}
	var found []int
	for i := g.function + 1; i < len(g.sizes); i++ {
		if g.sizes[i] == small {
			found = append(found, i)
		}
	}
	if len(found) == 0 {
		return 0, false
	}
	return found[g.rand.IntN(len(found))], true
}

// function1 returns an expression of type func(int) int.
func (g *generator) function1() string {
	switch g.rand.IntN(6) {
	case 0:
		return "abs"
	case 1:
		return "p.set"
	case 2:
		return "pick(h).area"
	case 3:
		return fmt.Sprintf("func(k int) int { return k + %s }", g.visible("int"))
	case 4:
		return "func(k int) int { p.a += k; return p.b }"
	}
	return "square{2}.area"
}

// boolean returns a condition.
func (g *generator) boolean(depth int) string {
	if depth == 0 {
		return fmt.Sprintf("%s %s %s", g.integer(0), g.one("<", ">", "==", "!=", "<=", ">="), g.integer(0))
	}
	switch g.rand.IntN(9) {
	case 0, 1:
		return fmt.Sprintf("%s && %s", g.boolean(depth-1), g.boolean(depth-1))
	case 2:
		return fmt.Sprintf("(%s || %s)", g.boolean(depth-1), g.boolean(depth-1))
	case 3:
		return fmt.Sprintf("!(%s)", g.boolean(depth-1))
	case 4:
		return fmt.Sprintf("odd(%s)", g.integer(depth))
	case 5:
		return fmt.Sprintf("p.f != nil && p.f(%s) > %s", g.integer(depth-1), g.integer(depth-1))
	case 6:
		return fmt.Sprintf("p.next != nil && p.next.a > %s", g.integer(depth-1))
	}
	return fmt.Sprintf("%s %s %s", g.integer(depth), g.one("<", ">", "==", "!=", "<=", ">="), g.integer(depth))
}
