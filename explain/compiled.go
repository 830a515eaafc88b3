package explain

// The compiler's plans: what explain.go, html.go and graph.go have of the source's.

import (
	"fmt"
	"os"
	"strings"

	"github.com/dupinst/dupinst/compiler/plan"
)

// Compiled describes what the pass in the compiler decided about functions.
func Compiled(plans []*plan.Function) []*Function {
	var out []*Function
	for _, p := range plans {
		f := &Function{
			Name: p.Name, File: p.File, Line: p.Line, Variant: string(p.Variant), Shape: p.Shape(), Why: p.Why,
			Probes: p.Probes, Checks: p.Checks, Statements: len(p.Nodes), Shared: []Shared{}, Backend: "compiler", Paths: p.Paths, Loops: p.Loops, pass: p,
		}
		if p.Variant == "" {
			f.Variant = "none"
		}
		for _, n := range p.Nodes {
			if n.Copied {
				f.Duplicated++
			}
		}
		out = append(out, f)
	}
	return out
}

// nodes writes those of a compiled function's graph, a line for each.
func (f *Function) nodes(b *strings.Builder) {
	if f.pass == nil {
		return
	}
	for i, n := range f.pass.Nodes {
		fmt.Fprintf(b, "\tnode %d", i)
		if len(n.Lines) > 0 {
			fmt.Fprintf(b, ", %s", span(n.Lines))
		}
		if n.Probes > 0 {
			fmt.Fprintf(b, ", %s", count(n.Probes, "probe"))
		}
		if n.Copied {
			b.WriteString(", duplicated")
		}
		if i == 0 && f.pass.Entry {
			b.WriteString(", a check on the entry")
		}
		for _, w := range n.Out {
			fmt.Fprintf(b, " → %d", w.To)
			switch {
			case w.Back && w.Check:
				b.WriteString(" (backedge, check)")
			case w.Back:
				b.WriteString(" (backedge)")
			case w.Check:
				b.WriteString(" (check)")
			}
		}
		b.WriteByte('\n')
	}
}

// span names lines for a person.
func span(lines []int) string {
	first, last := lines[0], lines[len(lines)-1]
	if first == last {
		return fmt.Sprintf("line %d", first)
	}
	return fmt.Sprintf("lines %d–%d", first, last)
}

// text is the source of a compiled function, line by line, and the number of the first;
// nothing if its file is not there.
func (f *Function) text() (lines []string, first int) {
	all, err := os.ReadFile(f.pass.Source)
	if err != nil {
		return nil, 0
	}
	lines = strings.Split(string(all), "\n")
	if f.pass.From < 1 || f.pass.To < f.pass.From || f.pass.To > len(lines) {
		return nil, 0
	}
	return lines[f.pass.From-1 : f.pass.To], f.pass.From
}

// passListing is listing for a compiled function.
func (f *Function) passListing() []sourceLine {
	lines, first := f.text()
	var out []sourceLine
	for i, text := range lines {
		out = append(out, sourceLine{N: first + i, Text: strings.TrimSuffix(text, "\r")})
	}
	for _, n := range f.pass.Nodes {
		for _, l := range n.Lines {
			if at := l - first; n.Probes > 0 && 0 <= at && at < len(out) {
				out[at].Probe = true
			}
		}
	}
	return out
}

// passDOT draws a compiled function's graph as drawing.dot does.
func (f *Function) passDOT(b *strings.Builder, id string) {
	fmt.Fprintf(b, "digraph %q {\n%s\tlabel=%q\n", id, attributes, f.Name)
	lines, first := f.text()
	half := func(name, title string, in func(n plan.Node) bool, dark func(n plan.Node) bool) {
		beginHalf(b, title)
		for i, n := range f.pass.Nodes {
			if in(n) {
				passNode(b, fmt.Sprintf("%s%d", name, i), n, lines, first, dark(n))
			}
		}
	}
	every := func(plan.Node) bool { return true }
	direct := f.pass.Variant == plan.Exhaustive || f.pass.Variant == plan.Followed
	half("c", "checking", every, func(n plan.Node) bool { return n.Probes > 0 && (direct || n.Alone) })
	fmt.Fprintf(b, "\t\tentry [class=end, label=\"entry\"%s]\n", endStyle)
	if f.pass.Entry {
		diamond(b, "k", "check", "on the entry")
	}
	for i, n := range f.pass.Nodes {
		if n.Alone {
			diamond(b, fmt.Sprintf("a%d", i), "check\neach probe", fmt.Sprintf("in node %d", i))
		}
		for j, w := range n.Out {
			if w.Check {
				diamond(b, fmt.Sprintf("k%d_%d", i, j), "check", fmt.Sprintf("from node %d to %d", i, w.To))
			}
		}
	}
	b.WriteString("\t}\n")
	if f.Duplicated > 0 {
		half("d", "duplicated", func(n plan.Node) bool { return n.Copied }, func(n plan.Node) bool { return n.Probes > 0 })
		b.WriteString("\t}\n")
	}
	f.passEdges(b)
	b.WriteString("}\n")
}

// passEdges writes the edges of both halves, and the ways between them.
func (f *Function) passEdges(b *strings.Builder) {
	node := func(i int) string {
		if f.pass.Nodes[i].Alone {
			return fmt.Sprintf("a%d", i)
		}
		return fmt.Sprintf("c%d", i)
	}
	way := func(from, to, style string) { fmt.Fprintf(b, "\t%s -> %s%s\n", from, to, style) }
	checked := func(from, check string, to int, style string) {
		way(from, check, "")
		way(check, node(to), style)
		way(check, fmt.Sprintf("d%d", to), sampleStyle)
	}
	if len(f.pass.Nodes) > 0 && f.pass.Entry {
		checked("entry", "k", 0, "")
	} else if len(f.pass.Nodes) > 0 {
		way("entry", node(0), "")
	}
	for i, n := range f.pass.Nodes {
		if n.Alone {
			way(node(i), fmt.Sprintf("c%d", i), "")
		}
		for j, w := range n.Out {
			style := ""
			if w.Back {
				style = backStyle
			}
			own, check := fmt.Sprintf("c%d", i), fmt.Sprintf("k%d_%d", i, j)
			if w.Check {
				checked(own, check, w.To, style)
			} else {
				way(own, node(w.To), style)
			}
			switch twin := fmt.Sprintf("d%d", i); {
			case !n.Copied:
			case w.Check:
				way(twin, check, leaveStyle)
			case w.Back || !f.pass.Nodes[w.To].Copied:
				way(twin, node(w.To), leaveStyle)
			default:
				way(twin, fmt.Sprintf("d%d", w.To), "")
			}
		}
	}
}

// passNode draws a node: the source of its lines, shortened.
func passNode(b *strings.Builder, id string, n plan.Node, text []string, first int, dark bool) {
	style, class := "", []string{"plain"}
	if dark {
		style, class = probedStyle, []string{"probed"}
	}
	var label []string
	for _, l := range n.Lines {
		class = append(class, fmt.Sprint("l", l))
		line := fmt.Sprint(l)
		if at := l - first; 0 <= at && at < len(text) {
			line += "  " + clip(strings.TrimRight(strings.TrimSpace(text[at]), " {"), 44)
		}
		label = append(label, line)
	}
	if len(label) == 0 {
		label = []string{"·"}
	}
	fmt.Fprintf(b, "\t\t%s [class=\"%s\", label=\"%s\"%s]\n", id, strings.Join(class, " "), quoted(few(label)), style)
}
