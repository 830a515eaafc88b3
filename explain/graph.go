package explain

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"github.com/dupinst/dupinst/flow"
	"github.com/dupinst/dupinst/transform"
)

// A drawing is a function's graph as it is drawn: basic blocks instead of
// nodes, and no joins.
type drawing struct {
	f      *Function
	blocks []*block
	of     map[*flow.Node]*block
	edges  []edge
}

// A block is a basic block.
type block struct {
	id     int
	nodes  []*flow.Node
	probed bool
	dup    bool // part of the duplicated code
	copied bool // written twice
	gone   bool // merged into another
}

// An edge leads from a block to another, past a check maybe.
type edge struct {
	from, to *block
	check    *flow.Place
	open     bool
	back     bool
}

// draw makes f's drawing; f has a graph.
func (f *Function) draw() *drawing {
	d := &drawing{f: f, of: map[*flow.Node]*block{}}
	g := f.plan.Parts.Graph
	first := map[any]*flow.Node{}
	for _, n := range g.Nodes {
		if n.Kind == flow.NodeFirst {
			first[n.Stmt] = n
		}
	}
	for _, n := range g.Nodes {
		if !f.drawn(n) {
			continue
		}
		if one := first[n.Stmt]; n.Kind == flow.NodeAgain && f.plan.Duplicated(one) == f.plan.Duplicated(n) {
			d.of[n] = d.of[one] // nothing tells the two apart
			continue
		}
		b := &block{id: len(d.blocks), nodes: []*flow.Node{n}, probed: f.plan.Parts.Probed[n.Index], dup: f.plan.Duplicated(n), copied: f.plan.Copied(n)}
		if n.Kind == flow.NodeEntry || n.Kind == flow.NodeExit {
			b.dup = false
		}
		d.blocks, d.of[n] = append(d.blocks, b), b
	}
	for _, n := range g.Nodes {
		if f.drawn(n) {
			d.follow(d.of[n], n, edge{}, map[*flow.Node]bool{})
		}
	}
	d.merge()
	return d
}

// drawn reports whether n is drawn: a join is not, nor what a loop's header or
// a range clause evaluates silently.
func (f *Function) drawn(n *flow.Node) bool {
	probed := f.plan.Parts.Probed[n.Index]
	switch n.Kind {
	case flow.NodeJoin:
		return false
	case flow.NodeStart:
		return probed
	case flow.NodeSimple:
		switch s := n.Stmt.(type) {
		case *ast.BlockStmt:
			return false
		case *ast.ForStmt:
			return s.Init != nil
		case *ast.RangeStmt:
			return probed || f.pkg.RangesFunc(s)
		}
	}
	return true
}

// shown is the source that stands for n.
func shown(n *flow.Node) flow.Span {
	switch s := n.Stmt.(type) {
	case *ast.ForStmt:
		if n.Kind == flow.NodeSimple {
			return flow.Span{From: s.Init.Pos(), To: s.Init.End()}
		}
	case *ast.RangeStmt:
		if n.Kind == flow.NodeSimple {
			return flow.Span{From: s.Range, To: s.Body.Pos()}
		}
		return flow.Span{From: s.Pos(), To: s.Body.Pos()}
	}
	return n.Spans[0]
}

// follow enters the edges from b that lead on from n, over nodes not drawn.
func (d *drawing) follow(b *block, n *flow.Node, so edge, seen map[*flow.Node]bool) {
	if seen[n] {
		return
	}
	seen[n] = true
	defer delete(seen, n)
	for _, e := range n.Succs {
		next := so
		next.back = next.back || e.Back
		if c, ok := d.f.plan.CheckAt(e.Place); ok {
			place := e.Place
			next.check, next.open = &place, c.Open
		}
		if d.f.drawn(e.To) {
			next.from, next.to = b, d.of[e.To]
			d.add(next)
			continue
		}
		d.follow(b, e.To, next, seen)
	}
}

func (d *drawing) add(e edge) {
	for _, x := range d.edges {
		same := x.check == nil && e.check == nil || x.check != nil && e.check != nil && *x.check == *e.check
		if x.from == e.from && x.to == e.to && same {
			return
		}
	}
	d.edges = append(d.edges, e)
}

// merge joins blocks that always run one after the other.
func (d *drawing) merge() {
	out, in := map[*block]int{}, map[*block]int{}
	for _, e := range d.edges {
		out[e.from]++
		in[e.to]++
	}
	for i := 0; i < len(d.edges); i++ {
		e := d.edges[i]
		if out[e.from] != 1 || in[e.to] != 1 || e.check != nil || e.back || e.from == e.to || !alike(e.from, e.to) {
			continue
		}
		a, b := e.from, e.to
		a.nodes, a.probed, b.gone = append(a.nodes, b.nodes...), a.probed || b.probed, true
		out[a] = out[b]
		d.edges = append(d.edges[:i], d.edges[i+1:]...)
		for j := range d.edges {
			if d.edges[j].from == b {
				d.edges[j].from = a
			}
		}
		i = -1
	}
}

// alike reports whether two blocks may be drawn as one.
func alike(a, b *block) bool {
	for _, n := range append(a.nodes, b.nodes...) {
		if n.Kind != flow.NodeSimple && n.Kind != flow.NodeStart {
			return false
		}
	}
	return a.dup == b.dup && a.copied == b.copied
}

// label is the block's source, shortened.
func (d *drawing) label(b *block) string {
	switch b.nodes[0].Kind {
	case flow.NodeEntry:
		return "entry"
	case flow.NodeExit:
		return "exit"
	}
	text, _, _ := d.f.source()
	tok := d.f.pkg.Fset.File(b.nodes[0].Stmt.Pos())
	var lines []string
	for _, n := range b.nodes {
		s := shown(n)
		line := strings.TrimSpace(string(text[tok.Offset(s.From):tok.Offset(s.To)]))
		line, _, _ = strings.Cut(line, "\n")
		line = clip(strings.TrimRight(line, " {"), 44)
		if n.Kind == flow.NodeAgain {
			line += "  (again)"
		}
		lines = append(lines, fmt.Sprintf("%d  %s", d.f.line(s.From), line))
	}
	return few(lines)
}

// lines are the source lines of a block, in order.
func (d *drawing) lines(b *block) []int {
	var out []int
	for _, n := range b.nodes {
		for _, s := range append([]flow.Span{shown(n)}, n.Spans...) {
			for l := d.f.line(s.From); l <= d.f.line(max(s.From, s.To-1)); l++ {
				out = append(out, l)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// place names a check's place for a person.
func (d *drawing) place(at flow.Place) string {
	line := d.f.line(at.Node.Pos())
	switch at.Kind {
	case flow.Backedge:
		return fmt.Sprintf("on the backedge of line %d", line)
	case flow.AtStart:
		if at.Node.Pos() == d.f.plan.Func.Body.Pos() {
			return "on the entry"
		}
	case flow.AtElse, flow.Default:
		return fmt.Sprintf("%s of line %d", at.Kind, line)
	}
	return fmt.Sprintf("%s line %d", at.Kind, line)
}

// hasGraph reports whether there is one to draw.
func (f *Function) hasGraph() bool {
	if f.pass != nil {
		return len(f.pass.Nodes) > 0
	}
	return f.plan.Parts != nil
}

// DOT writes functions' graphs in Graphviz's language, one after the other.
// Those without a graph are left out.
func DOT(functions []*Function) string {
	var b strings.Builder
	for i, f := range functions {
		switch id := fmt.Sprintf("f%d", i); {
		case !f.hasGraph():
		case f.pass != nil:
			f.passDOT(&b, id)
		default:
			f.draw().dot(&b, id)
		}
	}
	return b.String()
}

// dot writes one graph: checking code to the left, duplicated code to the
// right, checks as diamonds, blocks with probes dark.
func (d *drawing) dot(b *strings.Builder, id string) {
	fmt.Fprintf(b, "digraph %q {\n%s\tlabel=%q\n", id, attributes, d.f.Name)
	lone := d.f.plan.Shape == transform.Lone || d.f.plan.Shape == transform.Direct
	beginHalf(b, "checking")
	for _, x := range d.blocks {
		if !x.gone {
			d.node(b, x, "c", lone && x.probed)
		}
	}
	checks := d.checks()
	for i, c := range checks {
		diamond(b, fmt.Sprintf("k%d", i), "check", d.place(*c.check))
	}
	if d.f.plan.Shape == transform.Lone {
		d.lone(b)
	}
	b.WriteString("\t}\n")
	if !lone {
		beginHalf(b, "duplicated")
		for _, x := range d.blocks {
			if x.dup && !x.gone {
				d.node(b, x, "d", x.probed)
			}
		}
		b.WriteString("\t}\n")
	}
	for _, e := range d.edges {
		d.edge(b, e, checks)
	}
	b.WriteString("}\n")
}

// checks are the edges with a check, one for each place.
func (d *drawing) checks() []edge {
	var out []edge
	for _, e := range d.edges {
		if e.check != nil && indexOf(out, e) < 0 {
			out = append(out, e)
		}
	}
	return out
}

func indexOf(checks []edge, e edge) int {
	for i, c := range checks {
		if *c.check == *e.check && c.to == e.to {
			return i
		}
	}
	return -1
}

func (d *drawing) node(b *strings.Builder, x *block, half string, dark bool) {
	style, class := "", "plain"
	switch {
	case dark:
		style, class = probedStyle, "probed"
	case x.nodes[0].Kind == flow.NodeEntry || x.nodes[0].Kind == flow.NodeExit:
		style, class = endStyle, "end"
	}
	if half == "d" && !x.copied {
		style += `, style="rounded,filled,dashed"`
	}
	label := quoted(d.label(x))
	var lines []string
	if x.nodes[0].Kind != flow.NodeEntry && x.nodes[0].Kind != flow.NodeExit {
		for _, l := range d.lines(x) {
			lines = append(lines, fmt.Sprint("l", l))
		}
	} else {
		label = strings.TrimSuffix(label, `\l`)
	}
	fmt.Fprintf(b, "\t\t%s%d [class=\"%s\", label=\"%s\"%s]\n", half, x.id, strings.Join(append([]string{class}, lines...), " "), label, style)
}

// lone draws the checks of No-Duplication: one for each probe, drawn as one for
// each block.
func (d *drawing) lone(b *strings.Builder) {
	for _, x := range d.blocks {
		if x.probed && !x.gone {
			diamond(b, fmt.Sprintf("k%d", x.id), "check\neach probe", "")
			fmt.Fprintf(b, "\t\tk%d -> c%d\n", x.id, x.id)
		}
	}
}

// edge writes an edge in both halves, and the ways between them.
func (d *drawing) edge(b *strings.Builder, e edge, checks []edge) {
	style := ""
	if e.back {
		style = backStyle
	}
	to := fmt.Sprintf("c%d", e.to.id)
	if d.f.plan.Shape == transform.Lone && e.to.probed {
		to = fmt.Sprintf("k%d", e.to.id)
	}
	if e.check == nil {
		fmt.Fprintf(b, "\tc%d -> %s%s\n", e.from.id, to, style)
	} else {
		i := indexOf(checks, e)
		fmt.Fprintf(b, "\tc%d -> k%d\n", e.from.id, i)
		line := fmt.Sprintf("\tk%d -> %s%s\n\tk%d -> d%d%s\n", i, to, style, i, e.to.id, sampleStyle)
		if !strings.Contains(b.String(), line) {
			b.WriteString(line)
		}
	}
	if !e.from.dup {
		return
	}
	switch {
	case e.check != nil && (e.back || !e.to.dup):
		fmt.Fprintf(b, "\td%d -> k%d%s\n", e.from.id, indexOf(checks, e), leaveStyle)
	case e.back || !e.to.dup:
		fmt.Fprintf(b, "\td%d -> c%d%s\n", e.from.id, e.to.id, leaveStyle)
	default:
		fmt.Fprintf(b, "\td%d -> d%d\n", e.from.id, e.to.id)
	}
}
