package flow

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Labels is what is known of a function's labels and jumps.
type Labels struct {
	jumps    map[types.Object][]token.Pos // gotos to each label
	back     map[*ast.BranchStmt]bool     // gotos that jump back
	used     map[types.Object][]token.Pos // all statements that name a label
	loops    map[*ast.BranchStmt]ast.Stmt // of continue: the loop it continues
	targeted map[types.Object]bool        // by a jump back
}

// LabelsOf finds the jumps of fn.
func (p *Package) LabelsOf(fn *Func) *Labels {
	l := &Labels{
		jumps: map[types.Object][]token.Pos{}, back: map[*ast.BranchStmt]bool{}, used: map[types.Object][]token.Pos{},
		loops: map[*ast.BranchStmt]ast.Stmt{}, targeted: map[types.Object]bool{},
	}
	w := &jumpWalk{p: p, l: l, named: map[types.Object]ast.Stmt{}}
	ast.Inspect(fn.Body, w.visit)
	return l
}

// Back reports whether b is a goto that jumps back.
func (l *Labels) Back(b *ast.BranchStmt) bool { return l.back[b] }

// Continues returns the loop that b, a continue statement, continues.
func (l *Labels) Continues(b *ast.BranchStmt) ast.Stmt { return l.loops[b] }

// Goto reports whether a goto names label.
func (l *Labels) Goto(label types.Object) bool { return len(l.jumps[label]) > 0 }

// OnlyGoto reports whether no break or continue names label.
func (l *Labels) OnlyGoto(label types.Object) bool { return len(l.jumps[label]) == len(l.used[label]) }

type jumpWalk struct {
	p     *Package
	l     *Labels
	named map[types.Object]ast.Stmt
	loop  []ast.Stmt
}

// visit walks one function with the bodies of its range-over-func loops, whose
// jumps may lead out into it.
func (w *jumpWalk) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncLit:
		return false
	case *ast.LabeledStmt:
		w.named[w.p.Info.Defs[n.Label]] = n.Stmt
	case *ast.ForStmt:
		return w.inside(n, n.Body)
	case *ast.RangeStmt:
		return w.inside(n, n.Body)
	case *ast.BranchStmt:
		w.branch(n)
	}
	return true
}

func (w *jumpWalk) inside(loop ast.Stmt, body *ast.BlockStmt) bool {
	w.loop = append(w.loop, loop)
	ast.Inspect(body, w.visit)
	w.loop = w.loop[:len(w.loop)-1]
	return false
}

func (w *jumpWalk) branch(b *ast.BranchStmt) {
	var label types.Object
	if b.Label != nil {
		label = w.p.Info.Uses[b.Label]
		w.l.used[label] = append(w.l.used[label], b.Pos())
	}
	switch b.Tok {
	case token.GOTO:
		w.l.jumps[label] = append(w.l.jumps[label], b.Pos())
		if label.Pos() < b.Pos() {
			w.l.back[b] = true
			w.l.targeted[label] = true
		}
	case token.CONTINUE:
		if label != nil {
			w.l.loops[b] = w.named[label]
		} else if len(w.loop) > 0 {
			w.l.loops[b] = w.loop[len(w.loop)-1]
		}
	}
}

// Obstacle says why s cannot be in a duplicated segment, in two copies one of
// which runs; "" if it can. A segment is acyclic, declares no type (two
// declarations are two types), holds no function literal (copies of nested
// literals would grow without bound) and no defer statement (of too many the
// compiler keeps a list). Where whole is set, s is part of a body
// that is copied as a whole, labels included.
func (p *Package) Obstacle(s ast.Stmt, l *Labels, whole bool) string {
	why := ""
	ast.Inspect(s, func(n ast.Node) bool {
		if why != "" {
			return false
		}
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			why = "a loop"
		case *ast.FuncLit:
			why = "a function literal"
		case *ast.DeferStmt:
			why = "a defer statement"
		case *ast.TypeSpec:
			why = "a type declaration"
		case *ast.LabeledStmt:
			why = p.labelObstacle(n, s, l, whole)
		case *ast.BranchStmt:
			if n == s && n.Tok == token.FALLTHROUGH {
				why = "a fallthrough"
			}
		}
		return why == ""
	})
	return why
}

func (p *Package) labelObstacle(n *ast.LabeledStmt, s ast.Stmt, l *Labels, whole bool) string {
	label := p.Info.Defs[n.Label]
	if l.targeted[label] {
		return "a loop made by goto"
	}
	for _, pos := range l.used[label] {
		if !whole && (pos < s.Pos() || pos >= s.End()) {
			return "a label that is jumped to from elsewhere"
		}
	}
	return ""
}

// Declares returns the objects that s itself declares in the scope it stands
// in, and those of that scope that it assigns to with :=.
func (p *Package) Declares(s ast.Stmt) (declared, reused []types.Object) {
	switch s := s.(type) {
	case *ast.LabeledStmt:
		return p.Declares(s.Stmt)
	case *ast.AssignStmt:
		if s.Tok != token.DEFINE {
			return nil, nil
		}
		for _, e := range s.Lhs {
			id := e.(*ast.Ident)
			if obj := p.Info.Defs[id]; obj != nil {
				declared = append(declared, obj)
			} else if obj := p.Info.Uses[id]; obj != nil {
				reused = append(reused, obj)
			}
		}
	case *ast.DeclStmt:
		for _, spec := range s.Decl.(*ast.GenDecl).Specs {
			if v, ok := spec.(*ast.ValueSpec); ok {
				for _, id := range v.Names {
					if obj := p.Info.Defs[id]; obj != nil {
						declared = append(declared, obj)
					}
				}
			}
		}
	}
	return declared, reused
}
