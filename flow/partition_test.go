package flow_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/dupinst/dupinst/flow"
)

// partition divides the body of a function whose calls of hit are its probes,
// and names the lines of its top-nodes, bottom-nodes and checks.
func partition(t *testing.T, body string) (top, bottom, checks string) {
	t.Helper()
	src := "package p\n\nvar a, b, c bool\n\nfunc hit() bool { return a }\n\nfunc f(n int) (s int) {\n//line f:1\n" + body + "\n\treturn s\n}\n"
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: importer.Default()}
	pkg, err := conf.Check("p", fset, []*ast.File{file}, info)
	if err != nil {
		t.Fatal(err)
	}
	p := flow.New(fset, pkg, info, []*ast.File{file})
	fn := p.Funcs[1]
	g := p.Graph(fn)
	probed := make([]bool, len(g.Nodes))
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			for _, n := range g.At(call.Pos()) {
				probed[n.Index] = true
			}
		}
		return true
	})
	d := g.Partition(probed)
	line := func(n ast.Node) int { return fset.Position(n.Pos()).Line }
	list := func(in []bool) string {
		var lines []int
		for _, n := range g.Nodes {
			if in[n.Index] && n.Kind == flow.NodeSimple {
				lines = append(lines, line(n.Stmt))
			}
		}
		slices.Sort(lines)
		return strings.Trim(fmt.Sprint(slices.Compact(lines)), "[]")
	}
	var at []string
	for place, c := range d.Checks {
		text := fmt.Sprintf("%s %d", place.Kind, line(place.Node))
		if c.Open {
			text += " open"
		}
		at = append(at, text)
	}
	slices.Sort(at)
	return list(d.Top), list(d.Bottom), strings.Join(at, ", ")
}

func TestPartition(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ body, top, bottom, checks string }{
		"straight": {"s++\nhit()\ns++", "1", "3 4", "before 2"},
		"none":     {"s++\nif a { s++ }", "1 2 3", "1 2 3", ""},
		"branch":   {"if a {\nhit()\n}\ns++", "1", "4 5", "before 2"},
		// The join is not instrumented, but a probe lies behind it.
		"join":         {"if a {\nhit()\n}\nhit()", "1", "5", "before 2, else 1"},
		"two branches": {"if a {\nhit()\n} else {\ns++\n}\nhit()", "1 4", "7", "at end 3, before 2"},
		"switch":       {"switch {\ncase a:\nhit()\ncase b:\ns++\n}\nhit()", "1 5", "8", "at end 4, before 3, default 1"},
		"fallthrough":  {"switch {\ncase a:\nhit()\nfallthrough\ncase b:\nhit()\n}", "1", "8", "at start 5 open, before 3"},
		// A loop without probes carries no check, wherever it stands, and ends no sample.
		"loop without": {"for range n {\ns++\n}\nhit()", "1 2", "5", "before 4"},
		"between":      {"hit()\nfor range n {\ns++\n}\nhit()", "", "6", "before 1"},
		// A check before the probe, once an iteration, and none on the backedge.
		"late in loop": {"for range n {\ns++\nhit()\n}", "1 2 5", "5", "before 3"},
		// Behind the loop the check of the last backedge counts.
		"loop and after": {"for range n {\nhit()\n}\nhit()", "1", "5", "before 2, before 4"},
		"condition":      {"for hit() {\ns++\n}\nhit()", "1", "2 5", "backedge 1, before 1"},
		"post":           {"for i := 0; i < n; hit() {\ns++\n}", "1", "1 2 4", "backedge 1"},
		// Exits from before and from behind the probe: checks as in Full.
		"two exits": {"for {\nif a { break }\nhit()\nif b { break }\n}\nhit()", "1", "7", "backedge 1, before 1"},
		// A label of a simple statement stands before its check.
		"goto":       {"L:\nhit()\nif a { goto L }\ns++", "", "3 4 5", "before 1"},
		"goto label": {"L:\nfor hit() {\n}\nif a { goto L }", "", "4 5", "at jump 4, backedge 2, before label 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top, bottom, checks := partition(t, c.body)
			if top != c.top || bottom != c.bottom || checks != c.checks {
				t.Errorf("%s\ntop %q, bottom %q, checks %q\nwant %q, %q, %q", c.body, top, bottom, checks, c.top, c.bottom, c.checks)
			}
		})
	}
}
