package sites

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/dupinst/dupinst/instrumentations"
)

// valueSpot says where the compiler finds the word that a site notes: by the instruction that has it,
// which stands where the node does. An argument is counted from the last one, for the compiler puts
// receivers and dictionaries in front of them.
func (l *lister) valueSpot(s instrumentations.Site) (spot, error) {
	if n, ok := s.Event.(ast.Stmt); ok && s.Value.Of.OfPath() {
		at := l.at(n.Pos(), statement)
		if at.word = passed; s.Value.Of == instrumentations.Across {
			at.word = across
		}
		return at, nil
	}
	if s.Value.Of.Allocates() {
		return l.allocationSpot(s)
	}
	form, word, err := s.Value.Noted()
	if err != nil {
		return spot{}, err
	}
	c, operand := class(0), 0
	var pos token.Pos
	if n, ok := s.Event.(ast.Stmt); ok && s.Value.Of == instrumentations.Context {
		at := l.at(n.Pos(), statement)
		at.form = int(form)
		return at, nil
	}
	switch n := s.Event.(type) {
	case *ast.SelectorExpr:
		if s.Value.Of == instrumentations.Load || s.Value.Of == instrumentations.Store {
			at := l.at(l.dot(n), referred)
			at.form, at.word = int(form), s.Value.Index<<1
			if s.Value.Of == instrumentations.Store {
				at.word |= 1
			}
			return at, nil
		}
	case *ast.CallExpr:
		pos = n.Lparen
		c, operand = l.ofCall(n, s.Value)
	case *ast.IndexExpr:
		if isMap(l.unit.Info.TypeOf(n.X)) && s.Value.Of == instrumentations.MapLen {
			pos, c, operand = n.Lbrack, mapped, mapOperand
		}
	case *ast.RangeStmt:
		if isMap(l.unit.Info.TypeOf(n.X)) && s.Value.Of == instrumentations.MapLen {
			pos, c, operand = n.Range, mapped, mapOperand
		}
	case *ast.BinaryExpr:
		if divides(n.Op) && s.Value.Of == instrumentations.Divisor {
			pos, c = n.OpPos, divided
		}
	case *ast.AssignStmt:
		if (n.Tok == token.QUO_ASSIGN || n.Tok == token.REM_ASSIGN) && s.Value.Of == instrumentations.Divisor {
			pos, c = n.TokPos, divided
		}
	}
	if c == 0 {
		return spot{}, fmt.Errorf("%v: a %T has no such value, or one that the compiler's pass does not find", l.unit.Position(s.Event.Pos()), s.Event)
	}
	at := l.at(pos, c)
	at.form, at.word = int(form), operand*words+word
	return at, nil
}

// allocationSpot says where the compiler finds that memory is asked for: a call of the runtime's that stands where what makes
// the object does.
func (l *lister) allocationSpot(s instrumentations.Site) (spot, error) {
	of := s.Value.Of
	fits := false
	var pos token.Pos
	switch n := s.Event.(type) {
	case *ast.CallExpr:
		pos = n.Lparen
		fits = of == map[string]instrumentations.Operand{"new": instrumentations.Object, "make": instrumentations.Made, "append": instrumentations.Grown}[l.builtin(n)]
	case *ast.UnaryExpr:
		_, literal := ast.Unparen(n.X).(*ast.CompositeLit)
		pos, fits = n.OpPos, literal && n.Op == token.AND && of == instrumentations.Object
	case *ast.CompositeLit:
		pos, fits = n.Lbrace, of == instrumentations.Object || of == instrumentations.Made && isMap(l.unit.Info.TypeOf(n))
	case *ast.FuncLit:
		pos, fits = n.Type.Func, of == instrumentations.Object
	case *ast.Ident:
		_, variable := l.unit.Info.Defs[n].(*types.Var)
		pos, fits = n.NamePos, variable && of == instrumentations.Object
	}
	if !fits {
		return spot{}, fmt.Errorf("%v: an event at a %T, which the compiler's pass does not know to ask for memory", l.unit.Position(s.Event.Pos()), s.Event)
	}
	at := l.at(pos, allocated)
	at.word = map[instrumentations.Operand]int{instrumentations.Object: object, instrumentations.Made: making, instrumentations.Grown: growing}[of]
	return at, nil
}

// tripSpots says where the compiler finds a loop: where control comes to it, and to its body.
func (l *lister) tripSpots(s instrumentations.Site) ([]spot, error) {
	form, _, err := s.Value.Noted()
	if err != nil {
		return nil, err
	}
	switch n := s.Event.(type) {
	case *ast.ForStmt, *ast.RangeStmt, *ast.LabeledStmt:
		begins, round := l.at(n.Pos(), statement), l.at(s.Value.Lap.Pos(), statement)
		begins.word, round.word, round.form = come, lap, int(form)
		return []spot{begins, round}, nil
	}
	return nil, fmt.Errorf("%v: a %T is no loop", l.unit.Position(s.Event.Pos()), s.Event)
}

// The operands of the runtime's functions that are noted.
const (
	mapOperand     = 1 // of mapaccess1 and the like
	lengthOperand  = 1 // of makeslice, makemap, makechan and growslice
	makeCapOperand = 2
	growCapOperand = 2
)

// ofCall is the class of a value of a call, and its operand.
func (l *lister) ofCall(n *ast.CallExpr, v instrumentations.Value) (class, int) {
	builtin := l.builtin(n)
	switch {
	case v.Of == instrumentations.MadeLen && builtin == "make":
		return made, lengthOperand
	case v.Of == instrumentations.MadeCap && builtin == "make" && isSlice(l.unit.Info.TypeOf(n)):
		return made, makeCapOperand
	case v.Of == instrumentations.GrownLen && builtin == "append":
		return grown, lengthOperand
	case v.Of == instrumentations.GrownCap && builtin == "append":
		return grown, growCapOperand
	case v.Of == instrumentations.MapLen && (builtin == "delete" || builtin == "clear" && isMap(l.unit.Info.TypeOf(n.Args[0]))):
		return mapped, mapOperand
	}
	if builtin != "" || !l.unit.IsCall(n) || l.launched[n] {
		return 0, 0
	}
	sig, ok := l.unit.Info.TypeOf(n.Fun).Underlying().(*types.Signature)
	switch {
	case !ok || v.Index < 0:
	case v.Of == instrumentations.Argument && v.Index < sig.Params().Len():
		return argument, sig.Params().Len() - 1 - v.Index
	case v.Of == instrumentations.Result && v.Index < sig.Results().Len():
		return result, v.Index
	}
	return 0, 0
}

// builtin is the name of the builtin function that n calls, if it does.
func (l *lister) builtin(n *ast.CallExpr) string {
	id, ok := ast.Unparen(n.Fun).(*ast.Ident)
	if !ok {
		return ""
	}
	if b, ok := l.unit.Info.Uses[id].(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}

func divides(op token.Token) bool { return op == token.QUO || op == token.REM }

func isMap(t types.Type) bool {
	_, ok := t.Underlying().(*types.Map)
	return ok
}

func isSlice(t types.Type) bool {
	_, ok := t.Underlying().(*types.Slice)
	return ok
}
