// Package block counts how often each basic block of the source is entered: what
// the go command's coverage counts, sampled.
//
// A block is a run of statements that are executed one after the other unless one
// of them panics or does not return: it ends behind a statement that transfers
// control or holds statements of its own (of an if, its header is the block's),
// or a function literal. Blocks without statements are not counted.
package block

import (
	"go/ast"
	"go/token"
	"strconv"

	"github.com/dupinst/dupinst/flow"
	"github.com/dupinst/dupinst/instrumentations"
	"github.com/dupinst/dupinst/profile/format"
)

// Instrumentation is the basic-block instrumentation.
var Instrumentation = &instrumentations.Instrumentation{
	Format: format.Instrumentation{
		Name:    "block",
		Key:     "{function} {file}:{line}.{col},{endline}.{endcol} {statements}",
		Parts:   []string{"function", "file", "line#", "col#", "endline#", "endcol#", "statements#"},
		Dynamic: -1,
	},
	Doc:      "basic blocks of the source, as for coverage",
	Sites:    sites,
	OnDemand: true,

	Statements: true,
}

func sites(u *instrumentations.Unit, fn *flow.Func) []instrumentations.Site {
	if fn.Body == nil {
		return nil
	}
	f := &finder{u: u, fn: fn}
	u.Inspect(fn.Body, f.visit)
	return f.sites
}

type finder struct {
	u     *instrumentations.Unit
	fn    *flow.Func
	sites []instrumentations.Site
}

func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BlockStmt:
		f.list(n.List, n.Lbrace, n.Rbrace+1)
	case *ast.CaseClause:
		f.list(n.Body, n.Colon+1, n.End())
	case *ast.CommClause:
		f.list(n.Body, n.Colon+1, n.End())
	}
	return true
}

// list enters the blocks of a list of statements that lies between from and to.
func (f *finder) list(list []ast.Stmt, from, to token.Pos) {
	for len(list) > 0 && !clause(list[0]) {
		if labeled(list[0]) {
			from = list[0].Pos() // a goto leads there
		}
		n := 1
		for n < len(list) && !ends(list[n-1]) && !labeled(list[n]) {
			n++
		}
		end := to
		if last := list[n-1]; ends(last) {
			end = boundary(last)
		} else if n < len(list) {
			end = list[n].Pos()
		}
		f.add(list[:n], from, end)
		list = list[n:]
		if len(list) > 0 {
			from = list[0].Pos()
		}
	}
}

func (f *finder) add(run []ast.Stmt, from, end token.Pos) {
	if _, empty := run[0].(*ast.EmptyStmt); empty && len(run) == 1 || from == end {
		return
	}
	start, stop := f.u.Position(from), f.u.Position(end)
	parts := []string{f.fn.Name, start.Filename}
	for _, n := range []int{start.Line, start.Column, stop.Line, stop.Column, len(run)} {
		parts = append(parts, strconv.Itoa(n))
	}
	f.sites = append(f.sites, instrumentations.Site{Event: run[0], Parts: parts})
}

// clause reports whether s is one of the body of a switch or select statement.
func clause(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}

func labeled(s ast.Stmt) bool {
	_, ok := s.(*ast.LabeledStmt)
	return ok
}

// ends reports whether a block ends with s.
func ends(s ast.Stmt) bool {
	switch s := flow.Unlabeled(s).(type) {
	case *ast.BlockStmt, *ast.BranchStmt, *ast.ForStmt, *ast.IfStmt, *ast.RangeStmt,
		*ast.ReturnStmt, *ast.SelectStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt:
		return true
	case *ast.ExprStmt:
		if call, ok := s.X.(*ast.CallExpr); ok {
			if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "panic" {
				return true
			}
		}
	}
	return literalIn(s) != nil
}

// literalIn returns the first function literal in n.
func literalIn(n ast.Node) (first *ast.FuncLit) {
	ast.Inspect(n, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok && first == nil {
			first = lit
		}
		return first == nil
	})
	return first
}

// boundary is where what s evaluates in its own block ends: before the first
// statement within it.
func boundary(s ast.Stmt) token.Pos {
	s = flow.Unlabeled(s)
	end := s.End()
	switch s := s.(type) {
	case *ast.BlockStmt:
		end = s.Lbrace
	case *ast.IfStmt:
		end = s.Body.Lbrace
	case *ast.ForStmt:
		end = s.Body.Lbrace
	case *ast.RangeStmt:
		end = s.Body.Lbrace
	case *ast.SwitchStmt:
		end = s.Body.Lbrace
	case *ast.TypeSwitchStmt:
		end = s.Body.Lbrace
	case *ast.SelectStmt:
		end = s.Body.Lbrace
	}
	if lit := literalIn(s); lit != nil {
		end = min(end, lit.Body.Lbrace)
	}
	return end
}
