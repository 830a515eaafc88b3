package flow

import (
	"go/ast"
	"go/token"
	"go/types"
)

// A Graph is the control-flow graph of one function, at the grain at which
// source can be rewritten: a node is a simple statement, or the header of a
// compound one (an if statement's init and condition, a switch statement's tag
// and cases). Control within an expression is within a node.
//
// The condition of a loop is two nodes, one for its first evaluation and one
// for those after a backedge, as in a loop that a compiler has inverted: what
// is true of the one need not be of the other. An edge knows its Place in the
// source, where code can be put that runs when the edge is taken. Several edges
// may share a place, the exits of a loop for instance.
//
// Returns and panics lead to Exit. An edge by which an expression panics is
// left out: nothing follows on it.
type Graph struct {
	Nodes []*Node // in the order of the source, more or less; Entry is first
	Entry *Node
	Exit  *Node
	// Join and Own map a statement of a list to the node before it, in which
	// paths to it meet, and to the first node that it evaluates.
	Join, Own map[ast.Stmt]*Node
	Loops     []*Loop
	owners    []owned // all spans, by where they start
}

// A Loop is a for or range statement of the function itself.
type Loop struct {
	Stmt ast.Stmt
	// First is the condition's first node, nil where there is no condition.
	First *Node
	// Again is where backedges that have passed the post statement lead: the
	// condition's second node, or the start of the body.
	Again *Node
}

// A Node is one node of a Graph.
type Node struct {
	Index        int
	Kind         NodeKind
	Stmt         ast.Node // the statement, block or clause that it belongs to
	Spans        []Span   // the source that it evaluates
	Depth        int      // of loops around it
	Succs, Preds []*Edge
}

// A Span is the source from From up to To.
type Span struct{ From, To token.Pos }

// NodeKind is the kind of a Node.
type NodeKind int

// The kinds of nodes. Joins evaluate nothing.
const (
	NodeEntry  NodeKind = iota
	NodeExit            // returns and panics
	NodeJoin            // where paths meet: before or after a statement, at the end of a list
	NodeSimple          // a simple statement, or the header of a compound one
	NodeFirst           // a loop's condition, evaluated first
	NodeAgain           // a loop's condition, evaluated again
	NodePost            // a for statement's post statement
	NodeStart           // the start of a body or clause: what a range or receive assigns
)

// An Edge leads from a node to another.
type Edge struct {
	From, To *Node
	Place    Place
	Back     bool // a backedge
}

// A Place is a position in the source.
type Place struct {
	Kind PlaceKind
	Node ast.Node
}

// PlaceKind is the kind of a Place.
type PlaceKind int

// The kinds of places.
const (
	Nowhere  PlaceKind = iota
	Before             // before Node, a statement, but after its labels, if it is no loop or switch
	FallIn             // before Node, a labeled statement, and its labels
	AtStart            // at the start of Node, a block or clause
	AtEnd              // at the end of Node, a block or clause
	AtElse             // in the else branch that Node, an if statement, does not have
	Default            // in the default clause that Node, a switch statement, does not have
	AtJump             // before Node, a branch statement
	Backedge           // at the end of Node, a loop's body, and before each continue
	After              // after Node, a loop
)

// Graph returns fn's control-flow graph; fn has a body.
func (p *Package) Graph(fn *Func) *Graph {
	b := &graphBuilder{
		p: p, fn: fn, g: &Graph{Join: map[ast.Stmt]*Node{}, Own: map[ast.Stmt]*Node{}},
		targets: map[ast.Stmt]*target{}, named: map[types.Object]ast.Stmt{}, outer: map[types.Object]ast.Stmt{},
	}
	b.findLabels()
	b.g.Entry = b.node(NodeEntry, fn.Body)
	b.g.Exit = &Node{Kind: NodeExit, Stmt: fn.Body}
	start := b.node(NodeStart, fn.Body)
	if loop, ok := fn.Node.(*ast.RangeStmt); ok {
		start.evaluates(loop.Key, loop.Value)
	}
	b.edge(from{b.g.Entry, Place{AtStart, fn.Body}}, start)
	b.edge(b.list(fn.Body, fn.Body.List, from{node: start}), b.g.Exit)
	b.g.Exit.Index = len(b.g.Nodes)
	b.g.Nodes = append(b.g.Nodes, b.g.Exit)
	return b.g
}

// from is an edge in the making: its node (nil where control cannot come from)
// and its place.
type from struct {
	node  *Node
	place Place
}

// A target is where break and continue lead.
type target struct {
	after, again *Node
	breakPlace   Place // of break edges that have no place of their own
}

type graphBuilder struct {
	p       *Package
	fn      *Func
	g       *Graph
	outer   map[types.Object]ast.Stmt // the statement of a list that a label belongs to
	named   map[types.Object]ast.Stmt // what labels stand before
	targets map[ast.Stmt]*target
	breaks  []ast.Stmt // around: what a break without label leaves
	loops   []ast.Stmt // around: what a continue without label continues
}

func (b *graphBuilder) node(kind NodeKind, stmt ast.Node, spans ...Span) *Node {
	n := &Node{Index: len(b.g.Nodes), Kind: kind, Stmt: stmt, Spans: spans, Depth: len(b.loops)}
	b.g.Nodes = append(b.g.Nodes, n)
	return n
}

// evaluates adds expressions to a node.
func (n *Node) evaluates(list ...ast.Expr) {
	for _, e := range list {
		if e != nil {
			n.Spans = append(n.Spans, Span{e.Pos(), e.End()})
		}
	}
}

func (b *graphBuilder) edge(f from, to *Node) *Edge {
	if f.node == nil {
		return nil
	}
	e := &Edge{From: f.node, To: to, Place: f.place}
	f.node.Succs = append(f.node.Succs, e)
	to.Preds = append(to.Preds, e)
	return e
}

func (b *graphBuilder) backedge(f from, to *Node) {
	if e := b.edge(f, to); e != nil {
		e.Back = true
	}
}

// list enters the statements of owner, a block or clause, and returns the way
// out at its end.
func (b *graphBuilder) list(owner ast.Node, list []ast.Stmt, f from) from {
	for _, s := range list {
		f = b.stmt(s, f)
	}
	if f.node == nil {
		return f
	}
	end := b.node(NodeJoin, owner)
	b.edge(f, end)
	return from{end, Place{AtEnd, owner}}
}

// findLabels finds what the function's labels stand before.
func (b *graphBuilder) findLabels() {
	b.p.Own(b.fn, func(n ast.Node) {
		l, ok := n.(*ast.LabeledStmt)
		if !ok {
			return
		}
		label := b.p.Info.Defs[l.Label]
		if b.outer[label] == nil {
			b.outer[label] = l
		}
		b.named[label] = Unlabeled(l)
		if inner, ok := l.Stmt.(*ast.LabeledStmt); ok {
			b.outer[b.p.Info.Defs[inner.Label]] = b.outer[label]
		}
	})
}

// Unlabeled returns s without its labels.
func Unlabeled(s ast.Stmt) ast.Stmt {
	for l, ok := s.(*ast.LabeledStmt); ok; l, ok = s.(*ast.LabeledStmt) {
		s = l.Stmt
	}
	return s
}

// join returns the node before s.
func (b *graphBuilder) join(s ast.Stmt) *Node {
	if b.g.Join[s] == nil {
		b.g.Join[s] = b.node(NodeJoin, s)
	}
	return b.g.Join[s]
}

// stmt enters one statement of a list.
func (b *graphBuilder) stmt(s ast.Stmt, f from) from {
	join := b.join(s)
	join.Depth = len(b.loops)
	if _, ok := s.(*ast.LabeledStmt); ok {
		f.place = Place{FallIn, s}
	}
	b.edge(f, join)
	first := len(b.g.Nodes)
	out := b.unlabeled(Unlabeled(s), from{join, Place{Before, s}})
	b.g.Own[s] = b.g.Nodes[first]
	return out
}

func (b *graphBuilder) unlabeled(s ast.Stmt, f from) from {
	switch s := s.(type) {
	case *ast.BlockStmt:
		n := b.node(NodeSimple, s)
		b.edge(f, n)
		out := b.list(s, s.List, from{node: n})
		return b.leave(s, out)
	case *ast.IfStmt:
		return b.ifStmt(s, f)
	case *ast.ForStmt:
		return b.forStmt(s, f)
	case *ast.RangeStmt:
		return b.rangeStmt(s, f)
	case *ast.SwitchStmt:
		return b.switchStmt(s, s.Body, f)
	case *ast.TypeSwitchStmt:
		return b.switchStmt(s, s.Body, f)
	case *ast.SelectStmt:
		return b.switchStmt(s, s.Body, f)
	}
	n := b.node(NodeSimple, s, Span{s.Pos(), s.End()})
	b.edge(f, n)
	switch s := s.(type) {
	case *ast.ReturnStmt:
		b.edge(from{node: n}, b.g.Exit)
		return from{}
	case *ast.BranchStmt:
		if s.Tok == token.FALLTHROUGH {
			break
		}
		b.branch(s, n)
		return from{}
	case *ast.ExprStmt:
		if b.p.Panics(s.X) {
			b.edge(from{node: n}, b.g.Exit)
			return from{}
		}
	}
	return from{node: n}
}

// Panics reports whether e is a call of the built-in panic.
func (p *Package) Panics(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok && p.callsBuiltin(call, "panic")
}

func (p *Package) callsBuiltin(call *ast.CallExpr, name string) bool {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok {
		return false
	}
	builtin, ok := p.Info.Uses[id].(*types.Builtin)
	return ok && builtin.Name() == name
}

// leave gives the statements after s a join of their own, which breaks of s
// lead to.
func (b *graphBuilder) leave(s ast.Stmt, outs ...from) from {
	t := b.targets[s]
	if t == nil {
		t = &target{after: b.node(NodeJoin, s)}
	}
	t.after.Depth = len(b.loops)
	for _, f := range outs {
		b.edge(f, t.after)
	}
	if len(t.after.Preds) == 0 {
		return from{}
	}
	return from{node: t.after}
}

// enter makes s a target of jumps while body runs.
func (b *graphBuilder) enter(s ast.Stmt, t *target, loop bool, body func()) {
	b.targets[s] = t
	b.breaks = append(b.breaks, s)
	if loop {
		b.loops = append(b.loops, s)
	}
	body()
	b.breaks = b.breaks[:len(b.breaks)-1]
	if loop {
		b.loops = b.loops[:len(b.loops)-1]
	}
}

// ifStmt enters an if statement. All headers of an else-if chain are one node:
// before an else if there is no place for code.
func (b *graphBuilder) ifStmt(s *ast.IfStmt, f from) from {
	n := b.node(NodeSimple, s)
	b.edge(f, n)
	var outs []from
	for at := s; at != nil; {
		n.Spans = append(n.Spans, Span{at.Pos(), at.Body.Pos()})
		outs = append(outs, b.block(at.Body, from{n, Place{AtStart, at.Body}}))
		switch els := at.Else.(type) {
		case nil:
			outs = append(outs, from{n, Place{AtElse, at}})
			at = nil
		case *ast.BlockStmt:
			outs = append(outs, b.block(els, from{n, Place{AtStart, els}}))
			at = nil
		case *ast.IfStmt:
			at = els
		}
	}
	return b.leave(s, outs...)
}

// block enters a body that control reaches by f only.
func (b *graphBuilder) block(body *ast.BlockStmt, f from) from {
	start := b.node(NodeStart, body)
	b.edge(f, start)
	return b.list(body, body.List, from{node: start})
}

func (b *graphBuilder) forStmt(s *ast.ForStmt, f from) from {
	head := s.Body.Pos()
	for _, n := range []ast.Node{s.Post, s.Cond} {
		switch n := n.(type) {
		case ast.Expr:
			if n != nil {
				head = n.Pos()
			}
		case ast.Stmt:
			if n != nil {
				head = n.Pos()
			}
		}
	}
	init := b.node(NodeSimple, s, Span{s.Pos(), head})
	b.edge(f, init)
	var cond, post []Span
	if s.Cond != nil {
		cond = []Span{{s.Cond.Pos(), s.Cond.End()}}
	}
	if s.Post != nil {
		post = []Span{{s.Post.Pos(), s.Post.End()}}
	}
	return b.loop(s, s.Body, from{init, f.place}, s.Cond != nil, cond, post)
}

// loop enters a loop whose header is head's node; tested says whether it may
// end before an iteration.
func (b *graphBuilder) loop(s ast.Stmt, body *ast.BlockStmt, head from, tested bool, cond, post []Span) from {
	t := &target{after: b.node(NodeJoin, s), breakPlace: Place{After, s}}
	var out from
	b.enter(s, t, true, func() {
		start := b.node(NodeStart, body)
		if loop, ok := s.(*ast.RangeStmt); ok {
			start.evaluates(loop.Key, loop.Value)
		}
		loop := &Loop{Stmt: s, Again: start}
		b.g.Loops = append(b.g.Loops, loop)
		into, exit := Place{AtStart, body}, Place{After, s}
		if tested {
			first := b.node(NodeFirst, s, cond...)
			again := b.node(NodeAgain, s, cond...)
			loop.First, loop.Again = first, again
			b.edge(head, first)
			for _, n := range []*Node{first, again} {
				b.edge(from{n, into}, start)
				b.edge(from{n, exit}, t.after)
			}
		} else {
			b.edge(head, start)
		}
		t.again = loop.Again
		if len(post) > 0 {
			t.again = b.node(NodePost, s, post...)
			b.edge(from{t.again, Place{Backedge, s}}, loop.Again)
		}
		out = b.list(body, body.List, from{node: start})
		out.place = Place{Backedge, s}
		b.backedge(out, t.again)
	})
	return b.leave(s)
}

func (b *graphBuilder) rangeStmt(s *ast.RangeStmt, f from) from {
	n := b.node(NodeSimple, s, Span{s.Pos(), s.Body.Pos()})
	b.edge(f, n)
	if !b.p.RangesFunc(s) {
		return b.loop(s, s.Body, from{n, f.place}, true, nil, nil)
	}
	b.targets[s] = &target{after: b.node(NodeJoin, s), breakPlace: Place{After, s}}
	b.escapes(s, n)
	return b.leave(s, from{n, Place{After, s}})
}

// escapes enters the jumps by which the body of a range-over-func loop leaves
// it for this function; n is the loop.
func (b *graphBuilder) escapes(s *ast.RangeStmt, n *Node) {
	ast.Inspect(s.Body, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			b.edge(from{node: n}, b.g.Exit)
		case *ast.BranchStmt:
			if x.Label != nil && !within(s.Body, b.p.Info.Uses[x.Label].Pos()) {
				b.branch(x, n)
			}
		}
		return true
	})
}

func within(n ast.Node, pos token.Pos) bool { return n.Pos() <= pos && pos < n.End() }

// switchStmt enters a switch or select statement.
func (b *graphBuilder) switchStmt(s ast.Stmt, body *ast.BlockStmt, f from) from {
	n := b.node(NodeSimple, s, Span{s.Pos(), body.Pos()})
	b.edge(f, n)
	t := &target{after: b.node(NodeJoin, s)}
	var outs []from
	b.enter(s, t, false, func() {
		_, blocking := s.(*ast.SelectStmt)
		hasDefault := blocking
		var through from // from the clause before
		for _, c := range body.List {
			start := b.node(NodeStart, c)
			var list []ast.Stmt
			switch c := c.(type) {
			case *ast.CaseClause:
				list = c.Body
				hasDefault = hasDefault || c.List == nil
				n.evaluates(c.List...)
			case *ast.CommClause:
				list = c.Body
				if c.Comm != nil {
					n.Spans = append(n.Spans, Span{c.Comm.Pos(), c.Comm.End()})
				}
				if a, ok := c.Comm.(*ast.AssignStmt); ok {
					start.evaluates(a.Lhs...)
				}
			}
			b.edge(from{n, Place{AtStart, c}}, start)
			b.edge(through, start)
			through = from{}
			if k := len(list) - 1; k >= 0 && fallsThrough(list[k]) {
				last := b.list(c, list[:k], from{node: start})
				last = b.stmt(list[k], last)
				through = from{last.node, Place{AtStart, following(body, c)}}
				continue
			}
			outs = append(outs, b.list(c, list, from{node: start}))
		}
		if !hasDefault {
			outs = append(outs, from{n, Place{Default, s}})
		}
	})
	return b.leave(s, outs...)
}

func fallsThrough(s ast.Stmt) bool {
	j, ok := Unlabeled(s).(*ast.BranchStmt)
	return ok && j.Tok == token.FALLTHROUGH
}

// following returns the clause after c.
func following(body *ast.BlockStmt, c ast.Stmt) ast.Node {
	for i, x := range body.List[:len(body.List)-1] {
		if x == c {
			return body.List[i+1]
		}
	}
	return nil
}

// branch enters a jump from n: one statement of the function itself, or one by
// which the body of a range-over-func loop is left.
func (b *graphBuilder) branch(s *ast.BranchStmt, n *Node) {
	var label types.Object
	if s.Label != nil {
		label = b.p.Info.Uses[s.Label]
	}
	place := Place{AtJump, s}
	switch s.Tok {
	case token.GOTO:
		switch outer := b.outer[label]; {
		case outer == nil: // out of a range-over-func body
			b.edge(from{node: n}, b.g.Exit)
		case label.Pos() < s.Pos():
			b.backedge(from{n, place}, b.join(outer))
		default:
			b.edge(from{n, place}, b.join(outer))
		}
	case token.BREAK:
		t := b.targets[b.jumpsTo(label, b.breaks)]
		if t == nil {
			b.edge(from{node: n}, b.g.Exit) // out of a range-over-func body
			return
		}
		if t.breakPlace.Kind != Nowhere {
			place = t.breakPlace
		}
		b.edge(from{n, place}, t.after)
	case token.CONTINUE:
		loop := b.jumpsTo(label, b.loops)
		if t := b.targets[loop]; t != nil && t.again != nil {
			b.backedge(from{n, Place{Backedge, loop}}, t.again)
		} else {
			b.edge(from{node: n}, b.g.Exit) // the end of this range-over-func body, or of one around it
		}
	}
}

// jumpsTo returns the statement that a break or continue names.
func (b *graphBuilder) jumpsTo(label types.Object, around []ast.Stmt) ast.Stmt {
	switch {
	case label != nil:
		return b.named[label]
	case len(around) > 0:
		return around[len(around)-1]
	}
	return nil
}

var placeNames = [...]string{"nowhere", "before", "before label", "at start", "at end", "else", "default", "at jump", "backedge", "after"}

func (k PlaceKind) String() string { return placeNames[k] }
