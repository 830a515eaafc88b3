// Package sites lists a package's sites for the pass in the compiler: for each the position
// of the node that the event is at, as the compiler says it, the class of that node, and
// the index of the site's counter. What the sites are is for instrumentations to say, on
// syntax and types; the pass knows classes and never an instrumentation.
package sites

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/dupinst/dupinst/flow"
	"github.com/dupinst/dupinst/instrumentations"
	"github.com/dupinst/dupinst/profile/format"
)

// A class says at what kind of node an event is.
type class int

// The classes, as the pass has them (compiler/pass/dupinst/table.go).
const (
	field     class = 1 + iota // a selector that names a field
	call                       // a call
	dynamic                    // a call whose callee is known at run time
	launch                     // the call of a go or defer statement
	statement                  // a statement of a list
	index                      // an index expression
	argument                   // a call, of which an argument is noted
	result                     // or a result
	made                       // make
	grown                      // append
	mapped                     // what accesses a map
	divided                    // a division
	referred                   // a selector of a field, of whose loads or stores the addresses are noted
	allocated                  // what may put an object on the heap
)

// words is how many words a value may have in registers of which one is noted: the operand's index
// and the word are one number.
const words = 4

// The words of statements that show where control comes by (compiler/pass/dupinst, path.go and trip.go).
const (
	passed = 1 + iota // which path is taken
	come              // a loop begins
	lap               // a round of it does
	across            // which path is taken that goes on in what is called (across.go)
)

// The words of what may put an object on the heap: which of the runtime's functions does (compiler/pass/dupinst, allocation.go).
const (
	object  = 1 + iota
	making  // what make makes
	growing // what append does
)

// Options say what to list.
type Options struct {
	Instrumentations []*instrumentations.Instrumentation
	// Leave reports whether the functions of a file are to stay as they are.
	Leave func(file *ast.File) bool
	// Source returns what a file was parsed from.
	Source func(file *ast.File) []byte
	// Assembly are the names that the package's assembly refers to.
	Assembly []string
	Lanes    bool // each instrumentation has one of its own
}

// A Table is a package's sites.
type Table struct {
	Meta  format.Meta
	spots []spot
	known []string // functions all calls of which are known
	left  []string // functions that are to stay as they are, whatever is inlined into them
}

type spot struct {
	file      string
	line, col int
	class     class
	index     int
	// Of a site that notes a value: its number among those, from 1, what is noted, and where it is found.
	value, form, word int
	lane              int // of the weight, by which its instrumentation counts
}

// List finds the sites of a package.
func List(u *instrumentations.Unit, o Options) (*Table, error) {
	t := &Table{Meta: format.Meta{Package: u.Types.Path()}}
	l := &lister{unit: u, options: o, launched: launched(u.Files), calls: map[*ast.Ident]bool{}}
	t.known = l.known()
	values := 0
	for _, fn := range u.Funcs {
		if fn.Kind != flow.Initialiser && u.Forks(fn) {
			t.left = append(t.left, fn.Name)
			continue
		}
		if fn.Excluded != "" || l.left(fn) {
			continue
		}
		for i, in := range o.Instrumentations {
			found, err := in.Find(u, fn)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", fn.Name, err)
			}
			for _, s := range found {
				spots, err := l.spots(s, in)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", fn.Name, err)
				}
				for _, at := range spots {
					at.index = len(t.Meta.Sites)
					if o.Lanes {
						at.lane = i
					}
					if at.form != 0 {
						values++
						at.value = values
					}
					t.spots = append(t.spots, at)
				}
				t.Meta.Sites = append(t.Meta.Sites, format.Site{Instrumentation: i, Parts: s.Parts})
			}
		}
	}
	t.Meta.Functions = u.Named()
	t.Meta.Aliases = u.Wrappers()
	slices.SortStableFunc(t.spots, func(a, b spot) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.col, b.col))
	})
	return t, nil
}

// Encode writes the table for the pass.
func (t *Table) Encode() string {
	var b strings.Builder
	for _, name := range t.left {
		fmt.Fprintf(&b, "leave %s\n", name)
	}
	for _, name := range t.known {
		fmt.Fprintf(&b, "known %s\n", name)
	}
	fmt.Fprintf(&b, "sites %d\n", len(t.Meta.Sites))
	fmt.Fprintf(&b, "spots %d\n", len(t.spots))
	if len(t.Meta.Sites) == 0 {
		return b.String()
	}
	fmt.Fprintf(&b, "meta %s\n", hex.EncodeToString([]byte(t.Meta.Encode())))
	file := ""
	for _, s := range t.spots {
		if s.file != file {
			file = s.file
			fmt.Fprintf(&b, "file %s\n", file)
		}
		fmt.Fprintf(&b, "%d %d %d %d %d %d %d %d\n", s.line, s.col, s.class, s.index, s.value, s.form, s.word, s.lane)
	}
	return b.String()
}

// launched returns the calls of go and defer statements.
func launched(files []*ast.File) map[ast.Node]bool {
	calls := map[ast.Node]bool{}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				calls[n.Call] = true
			case *ast.DeferStmt:
				calls[n.Call] = true
			}
			return true
		})
	}
	return calls
}

type lister struct {
	unit     *instrumentations.Unit
	options  Options
	launched map[ast.Node]bool
	calls    map[*ast.Ident]bool // the names that are called
}

// left reports whether fn's file is to stay as it is.
func (l *lister) left(fn *flow.Func) bool {
	return fn.Node != nil && l.options.Leave(l.file(fn.Node.Pos()))
}

func (l *lister) file(pos token.Pos) *ast.File {
	for _, f := range l.unit.Files {
		if f.FileStart <= pos && pos < f.FileEnd {
			return f
		}
	}
	return nil
}

// spots says where the compiler finds a site of in's.
func (l *lister) spots(s instrumentations.Site, in *instrumentations.Instrumentation) ([]spot, error) {
	if s.Value.Of == instrumentations.Trips {
		return l.tripSpots(s)
	}
	find := l.valueSpot
	if s.Value.Of == instrumentations.Nothing {
		find = func(s instrumentations.Site) (spot, error) { return l.spot(s, in) }
	}
	at, err := find(s)
	return []spot{at}, err
}

func (l *lister) spot(s instrumentations.Site, in *instrumentations.Instrumentation) (spot, error) {
	var pos token.Pos
	var c class
	switch n := s.Event.(type) {
	case ast.Stmt:
		_, ranges := n.(*ast.RangeStmt)
		switch pos = n.Pos(); {
		case in.Statements:
			c = statement
		case ranges: // over a function
			c = call
		}
	case *ast.SelectorExpr:
		pos, c = l.dot(n), field
	case *ast.IndexExpr:
		pos, c = n.Lbrack, index
	case *ast.CallExpr:
		if !l.unit.IsCall(n) {
			return spot{}, fmt.Errorf("%v: an event at a conversion or a call of a builtin function, which the compiler's pass does not know", l.unit.Position(n.Pos()))
		}
		pos, c = n.Lparen, call
		if l.launched[n] {
			c = launch
		}
	}
	if c == 0 {
		return spot{}, fmt.Errorf("%v: an event at a %T, which the compiler's pass does not know", l.unit.Position(s.Event.Pos()), s.Event)
	}
	if s.Dynamic != instrumentations.Static {
		c = dynamic
	}
	return l.at(pos, c), nil
}

func (l *lister) at(pos token.Pos, c class) spot {
	p := l.unit.Fset.PositionFor(pos, false)
	return spot{file: p.Filename, line: p.Line, col: p.Column, class: c}
}

// dot is where a selector's dot stands: behind the operand, white space and comments.
func (l *lister) dot(sel *ast.SelectorExpr) token.Pos {
	f := l.file(sel.Pos())
	text, tok := l.options.Source(f), l.unit.Fset.File(f.FileStart)
	at := tok.Offset(sel.X.End())
	for end := tok.Offset(sel.Sel.Pos()); at < end; at++ {
		switch {
		case text[at] == '.':
			return tok.Pos(at)
		case strings.HasPrefix(string(text[at:end]), "/*"):
			at += 2 + strings.Index(string(text[at+2:end]), "*/") + 1
		case strings.HasPrefix(string(text[at:end]), "//"):
			at += strings.IndexByte(string(text[at:end]), '\n')
		}
	}
	return sel.Sel.Pos()
}
