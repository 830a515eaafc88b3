package random

import (
	"fmt"
	"slices"
	"strings"
)

// statement writes one statement.
func (g *generator) statement() {
	if g.depth > 4 {
		g.simple()
		return
	}
	switch g.rand.IntN(24) {
	case 0, 1, 2, 3:
		g.simple()
	case 4, 5:
		g.define()
	case 6, 7, 8:
		g.ifStatement()
	case 9, 10, 11, 12:
		g.forStatement()
	case 13, 14:
		g.rangeStatement()
	case 15, 16:
		g.switchStatement()
	case 17:
		g.typeSwitch()
	case 18:
		g.selectStatement()
	case 19:
		g.closure()
	case 20:
		g.gotoStatement()
	case 21, 22:
		g.jump()
	case 23:
		g.rare()
	}
}

// simple writes a statement without statements in it.
func (g *generator) simple() {
	switch g.rand.IntN(13) {
	case 0, 1, 2:
		g.printf("h = mix(h, %s)\n", g.integer(2))
	case 3:
		g.printf("%s = %s\n", g.place(), g.integer(2))
	case 4:
		g.printf("%s %s %s\n", g.place(), g.one("+=", "-=", "^=", "|=", "*="), g.integer(1))
	case 5:
		g.printf("%s%s\n", g.place(), g.one("++", "--"))
	case 6:
		g.printf("p.a, p.b = p.b, %s\n", g.integer(1))
	case 7:
		g.printf("p.list = append(p.list[:min(len(p.list), 6)], %s)\n", g.integer(1))
	case 8:
		g.printf("p.f = %s\n", g.function1())
	case 9:
		g.printf("%s\n", g.call(1))
	case 10:
		g.printf("h = mix(h, line())\n")
	case 11:
		g.printf("p = p.chain()\n")
	case 12:
		g.printf("p.arr[%s&3], h = h, p.arr[%s&3]\n", g.integer(1), g.integer(0))
	}
}

// place is something of type int that can be assigned to.
func (g *generator) place() string {
	switch g.rand.IntN(8) {
	case 0:
		return "p.a"
	case 1:
		return "p.x"
	case 2:
		return "p.inner.y"
	case 3:
		return fmt.Sprintf("p.arr[%s&3]", g.integer(1))
	case 4:
		return "global"
	case 5:
		return "p.chain().b"
	case 6:
		if v := g.target("int"); v != nil && v.name != "n" && !strings.HasPrefix(v.name, "i") {
			return v.name
		}
	}
	return "h"
}

// define writes a declaration of variables.
func (g *generator) define() {
	x := g.integer(2)
	y := func() string { return g.integer(1) }
	a := g.name()
	switch g.rand.IntN(11) {
	case 0, 1, 2:
		g.printf("%s := %s\n", a, x)
		g.declare(a, "int")
	case 9, 10:
		if again := g.own(); again != nil && again.name != a {
			g.printf("%s, %s := %s, %s\n", again.name, a, x, y())
			g.declare(a, "int")
			return
		}
		g.names += 3
		b, c, d := fmt.Sprintf("v%d", g.names-2), fmt.Sprintf("v%d", g.names-1), fmt.Sprintf("v%d", g.names)
		g.printf("%s, %s := p.set(%s), p.get()\n%s, %s := abs(%s), %s\nh = mix(h, %s-%s)\n", b, c, x, c, d, b, y(), c, d)
		g.printf("for i%s := range %s & 1 {\nh = mix(h, %s-i%s)\n}\n", b, c, b, b)
		g.declareUsed(b) // what is not used any more need not be declared before a segment
		g.declareUsed(c)
	case 3:
		g.printf("var %s, %s_ int = %s, %s\n", a, a, x, y())
		g.declare(a, "int")
		g.declare(a+"_", "int")
	case 4:
		g.printf("%s, err_%s := fails(%s)\nif err_%s != nil {\nh = mix(h, len(err_%s.Error()))\n}\n", a, a, x, a, a)
		g.declare(a, "int")
	case 5:
		g.printf("%s := struct{ k, m int }{%s, %s}\n", a, x, y())
		g.printf("%s.k += %s.m\nh = mix(h, %s.k)\n", a, a, a)
		g.declare(a, "struct")
	case 6:
		g.printf("type t%s struct{ z int }\n%s := t%s{%s}\nh += %s.z\n", a, a, a, x, a)
		g.declare(a, "t")
	case 7:
		g.printf("%s := pair[string, int]{%q, %s}\nh = mix(h, %s.swap(%d)+%s.v)\n", a, a, x, a, g.number(), a)
		g.declare(a, "pair")
	case 8:
		q := g.name()
		if q == a {
			q += "q"
		}
		g.printf("%s, %s := p.chain(), %s\n", a, q, x)
		g.printf("h = mix(h, %s.a)\n", a)
		g.declare(a, "*s")
		g.declare(q, "int")
	}
}

func (g *generator) ifStatement() {
	switch {
	case g.chance(20):
		v := g.fresh()
		g.printf("if %s := %s; %s > %s {\n", v, g.integer(1), v, g.integer(1))
		g.scope(1+g.rand.IntN(3), variable{name: v, typ: "int", used: true})
		g.printf("}")
	default:
		g.printf("if %s ", g.boolean(2))
		g.block(1 + g.rand.IntN(3))
	}
	for g.chance(30) {
		g.printf(" else if %s ", g.boolean(2))
		g.block(1 + g.rand.IntN(2))
	}
	if g.chance(40) {
		g.printf(" else ")
		g.block(1 + g.rand.IntN(3))
	}
	g.printf("\n")
}

// fresh is a name that nothing has.
func (g *generator) fresh() string {
	g.names++
	return fmt.Sprintf("i%d", g.names)
}

// body writes the body of a loop or switch with its label before header, if
// something in it names that.
func (g *generator) body(isLoop bool, header string, write func()) {
	g.labels++
	l := loop{label: fmt.Sprintf("l%d", g.labels), isLoop: isLoop}
	saved := g.out.String()
	g.out.Reset()
	g.loops = append(g.loops, l)
	g.printf("%s {\n", header)
	write()
	g.printf("}\n")
	text := g.out.String()
	g.out.Reset()
	g.out.WriteString(saved)
	if g.loops[len(g.loops)-1].used {
		g.printf("%s:\n", l.label)
	}
	g.loops = g.loops[:len(g.loops)-1]
	g.out.WriteString(text)
}

func (g *generator) forStatement() {
	i, n := g.fresh(), 1+g.rand.IntN(6)
	vars := []variable{{name: i, typ: "int", used: true}}
	header := ""
	switch g.rand.IntN(10) {
	case 0, 1:
		header = fmt.Sprintf("for %s := 0; %s < %d; %s++", i, i, n, i)
	case 2:
		header = fmt.Sprintf("for %s := len(p.arr) - 1; %s >= 0; %s--", i, i, i)
	case 3:
		header = fmt.Sprintf("for %s := %s & 3; %s < 14; %s += %d", i, g.integer(1), i, i, 1+g.rand.IntN(4))
	case 4:
		header = fmt.Sprintf("for %s := 0; %s < len(p.list); %s++", i, i, i)
	case 5:
		header = fmt.Sprintf("for %s, j%s := 0, 9; %s < j%s && %s; %s, j%s = %s+1, j%s-1", i, i, i, i, g.boolean(1), i, i, i, i)
	case 6:
		g.printf("%s := 0\n", i)
		g.declare(i, "int")
		g.body(true, fmt.Sprintf("for %s < %d && %s", i, n, g.boolean(1)), func() {
			g.printf("%s++\n", i)
			g.scope(2 + g.rand.IntN(3))
		})
		return
	case 7:
		g.body(true, fmt.Sprintf("for %s := 0; ; %s++", i, i), func() {
			g.printf("if %s > %d {\nbreak\n}\n", i, n)
			g.scope(2+g.rand.IntN(3), vars...)
		})
		return
	case 8:
		header = fmt.Sprintf("for %s := &(s{a: %d}); %s.a < %d; %s.a++", i, g.rand.IntN(3), i, n, i)
		vars = []variable{{name: i, typ: "*s", used: true}}
	case 9: // it counts what its header does not declare
		g.printf("left%s := %d\n", i, 2*n)
		header = fmt.Sprintf("for %s := %s & 7; left%s > 0; left%s--", i, g.integer(1), i, i)
		vars[0].used = false
	}
	g.body(true, header, func() { g.scope(1+g.rand.IntN(4), vars...) })
}

func (g *generator) rangeStatement() {
	k, v := g.fresh(), g.fresh()
	int2 := []variable{{name: k, typ: "int"}, {name: v, typ: "int"}}
	header, vars := "", int2
	switch g.rand.IntN(9) {
	case 0:
		header, vars = fmt.Sprintf("for %s := range %d", k, 1+g.rand.IntN(5)), int2[:1]
	case 1:
		header = fmt.Sprintf("for %s, %s := range p.list", k, v)
	case 2:
		header = fmt.Sprintf("for %s, %s := range p.arr", k, v)
	case 3:
		header = fmt.Sprintf("for %s, %s := range &p.arr", k, v)
	case 4:
		header, vars = fmt.Sprintf("for %s := range p.chain().arr", k), int2[:1]
	case 5:
		g.body(true, fmt.Sprintf("for %s, %s := range %q", k, v, g.one("abc", "aß€", "", "e\xff\xe2\x82")), func() {
			g.printf("h = mix(h, int(%s))\n", v)
			g.scope(1+g.rand.IntN(3), int2[:1]...)
		})
		return
	case 6:
		header, vars = fmt.Sprintf("for %s := range count(%d)", k, g.rand.IntN(6)), int2[:1]
	case 7:
		header = fmt.Sprintf("for %s, %s := range pairs(p.list)", k, v)
	case 8:
		header, vars = fmt.Sprintf("for %s, %s := range (map[int]int{%s & 7: %s})", k, v, g.integer(1), g.integer(1)), int2
	}
	g.body(true, header, func() { g.scope(1+g.rand.IntN(4), vars...) })
}

func (g *generator) switchStatement() {
	header := "switch"
	tagged := g.chance(60)
	if g.chance(20) {
		header += fmt.Sprintf(" h = mix(h, %s);", g.integer(1))
	}
	if tagged {
		header += fmt.Sprintf(" %s & 3", g.integer(2))
	}
	g.body(false, header, func() {
		clauses := 2 + g.rand.IntN(3)
		byDefault := g.rand.IntN(clauses * 2)
		for i := range clauses {
			switch {
			case i == byDefault:
				g.printf("default:\n")
			case tagged && i == 0:
				g.printf("case 0, %s&7 + 4:\n", g.integer(1))
			case tagged:
				g.printf("case %d:\n", i)
			default:
				g.printf("case %s:\n", g.boolean(2))
			}
			g.scope(g.rand.IntN(3))
			if i+1 < clauses && g.chance(15) {
				g.printf("fallthrough\n")
			}
		}
	})
}

func (g *generator) typeSwitch() {
	v := g.fresh()
	g.body(false, fmt.Sprintf("switch %s := pick(%s).(type)", v, g.integer(1)), func() {
		g.printf("case square:\nh = mix(h, %s.side)\n", v)
		g.scope(g.rand.IntN(3))
		g.printf("case *circle:\nh = mix(h, %s.r+%s.area(h&7))\n", v, v)
		g.scope(g.rand.IntN(3))
		if g.chance(30) {
			g.printf("default:\n_ = %s\n", v)
			g.scope(1)
		}
	})
}

func (g *generator) selectStatement() {
	c := g.fresh()
	g.printf("{\n%s := make(chan int, 1)\n", c)
	if g.chance(60) {
		g.printf("%s <- %s\n", c, g.integer(1))
	}
	g.body(false, "select", func() {
		v := g.fresh()
		g.printf("case %s := <-%s:\n", v, c)
		g.scope(1+g.rand.IntN(2), variable{name: v, typ: "int"})
		g.printf("default:\n")
		g.scope(g.rand.IntN(3))
	})
	g.printf("}\n")
}

// closure writes function literals: called at once, kept, or run elsewhere.
func (g *generator) closure() {
	saved, results := g.loops, g.results
	g.loops = nil
	f := g.fresh()
	literal := func(results string) {
		g.results = results
		g.scope(1+g.rand.IntN(3), variable{name: "k" + f, typ: "int", used: true})
		g.results = ""
	}
	switch g.rand.IntN(4) {
	case 0:
		g.printf("h = mix(h, func(k%s int) int {\n", f)
		literal("k" + f)
		g.printf("return k%s + h\n}(%s))\n", f, "p.a")
	case 1:
		g.printf("{\nvar kept%s []func(int) int\nfor i%s := range 3 {\nkept%s = append(kept%s, func(k%s int) int {\n", f, f, f, f, f)
		literal("i" + f)
		g.printf("return k%s + i%s\n})\n}\nfor _, x := range kept%s {\nh = mix(h, x(h&15))\n}\n}\n", f, f, f)
	case 2:
		g.printf("{\nc%s := make(chan int)\ngo func(k%s int) {\nc%s <- func() (r int) {\ndefer func() {\nif x := recover(); x != nil {\nr = 5\n}\n}()\n", f, f, f)
		literal("k" + f)
		g.printf("return k%s\n}()\n}(%s)\nh = mix(h, <-c%s)\n}\n", f, "p.b", f)
	case 3:
		g.printf("func() {\ndefer func(k%s int) {\nif r := recover(); r != nil {\nh = mix(h, 7)\n}\n", f)
		literal("")
		g.printf("}(p.a)\n")
		g.scope(1 + g.rand.IntN(2))
		if g.chance(50) {
			g.printf("panic(%s)\n", g.one(`"gone"`, `errors.New("gone")`, "h"))
		}
		g.printf("}()\n")
	}
	g.loops, g.results = saved, results
}

// gotoStatement writes a jump forward or a loop made by one.
func (g *generator) gotoStatement() {
	g.labels++
	l := fmt.Sprintf("g%d", g.labels)
	g.printf("{\n")
	if g.chance(50) {
		// Nothing may be declared between the jump and its label.
		g.printf("if %s {\ngoto %s\n}\n{\n", g.boolean(1), l)
		g.scope(1 + g.rand.IntN(3))
		g.printf("}\n%s:\nh = mix(h, %s)\n", l, g.integer(1))
	} else {
		i := g.fresh()
		g.printf("%s := 0\n%s:\n%s++\n{\n", i, l, i)
		g.scope(1+g.rand.IntN(3), variable{name: i, typ: "int", used: true})
		g.printf("}\nif %s < %d && %s {\ngoto %s\n}\n", i, 2+g.rand.IntN(4), g.boolean(1), l)
	}
	g.printf("}\n")
}

// jump writes a break, continue, return or panic, behind a condition.
func (g *generator) jump() {
	g.printf("if %s {\n", g.boolean(2))
	switch n := len(g.loops); {
	case n > 0 && g.chance(75):
		i := n - 1 - g.rand.IntN(min(n, 3))
		word := "break"
		if g.loops[i].isLoop && g.chance(55) {
			word = "continue"
		}
		g.printf("h = mix(h, %d)\n%s %s\n", g.number(), word, g.loops[i].label)
		g.loops[i].used = true
	case g.chance(20):
		// What is returned otherwise may have another meaning here.
		zeros := strings.Join(slices.Repeat([]string{"0"}, len(strings.FieldsFunc(g.results, func(r rune) bool { return r == ',' }))), ", ")
		g.printf("if calm {\nreturn %s\n}\npanic(%s)\n", zeros, g.one(`"out"`, "h & 3", `errors.New("e")`))
	default:
		g.printf("return %s\n", g.results)
	}
	g.printf("}\n")
}

// rare writes what does not fit elsewhere.
func (g *generator) rare() {
	switch g.rand.IntN(5) {
	case 0:
		g.printf("defer func(k int) { global = mix(global, k+p.a) }(h)\n")
	case 1:
		i := g.fresh()
		g.printf("if %s := %s & 7; !calm || %s < len(p.list) {\nh = mix(h, p.list[%s])\n}\n", i, g.integer(1), i, i) // may be out of range
	case 2:
		g.printf("{\nvar q *s\nif %s || calm {\nq = p\n}\nh = mix(h, q.a)\n}\n", g.boolean(1)) // may be nil
	case 3:
		g.printf("defer p.set(%s)\n", g.integer(1))
	case 4:
		g.printf("{\nm := p.set\nk := (*s).set\nh = mix(h, m(1)+k(p, 2)+s.get(*p))\n}\n")
	}
}
