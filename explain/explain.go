// Package explain shows what was decided about functions and why: as text, as
// JSON, and as the control-flow graph of checking and duplicated code, drawn in
// the manner of Arnold and Ryder's Figures 2, 5 and 6 (PLDI 2001). It decides
// nothing itself: all it shows stands in the plans of package transform, or of the pass in
// the compiler.
package explain

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/dupinst/dupinst/compiler/plan"
	"github.com/dupinst/dupinst/load"
	"github.com/dupinst/dupinst/transform"
)

// A Function is a function and what was decided about it. The JSON names and
// their order are released and stay.
type Function struct {
	Name       string   `json:"name"`
	File       string   `json:"file"`
	Line       int      `json:"line"`
	Variant    string   `json:"variant"`
	Shape      string   `json:"shape"`
	Why        string   `json:"why"`
	Probes     int      `json:"probes"`
	Checks     int      `json:"checks"`     // in the code
	Statements int      `json:"statements"` // simple ones and headers; in the compiler, nodes
	Duplicated int      `json:"duplicated"` // of these, written twice
	Shared     []Shared `json:"shared"`
	Backend    string   `json:"backend"`
	Paths      int      `json:"paths,omitempty"` // that are told apart
	Loops      int      `json:"loops,omitempty"` // that are counted

	plan *transform.Plan // in the source
	pkg  *load.Package
	pass *plan.Function // in the compiler
}

// Shared is a statement with probes that is not written twice, and why.
type Shared struct {
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Why    string `json:"why"`
}

// Unit is what Statements counts.
func (f *Function) Unit() string {
	if f.pass != nil {
		return "node"
	}
	return "statement"
}

// Functions describes the plans of a package, but those of package initialisers
// without probes.
func Functions(pkg *load.Package, plans []*transform.Plan) []*Function {
	var out []*Function
	for _, p := range plans {
		if p.Func.Body == nil && p.Probes == 0 {
			continue
		}
		f := &Function{
			Name: p.Func.Name, Variant: string(p.Variant), Shape: string(p.Shape), Why: p.Why,
			Probes: p.Probes, Checks: p.StaticChecks(), Shared: []Shared{}, Backend: "source", plan: p, pkg: pkg,
		}
		if f.Variant == "" {
			f.Variant = "none"
		}
		f.Statements, f.Duplicated = p.Statements()
		pos := pkg.Files[0].Pos()
		if p.Func.Node != nil {
			pos = p.Func.Node.Pos()
		}
		at := pkg.Fset.Position(pos)
		f.File, f.Line = at.Filename, at.Line
		for s, why := range p.Shared {
			at := pkg.Fset.Position(s.Pos())
			f.Shared = append(f.Shared, Shared{at.Line, at.Column, why})
		}
		slices.SortFunc(f.Shared, func(a, b Shared) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
		})
		out = append(out, f)
	}
	return out
}

// Named reports whether name is f's name or the end of it, from an element on.
func (f *Function) Named(name string) bool {
	rest, ok := strings.CutSuffix(f.Name, name)
	return ok && (rest == "" || strings.HasSuffix(rest, ".") || strings.HasSuffix(rest, "/"))
}

// Text writes functions for a person.
func Text(w io.Writer, functions []*Function) error {
	var b strings.Builder
	for i, f := range functions {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s\n\t%s:%d\n\t%s\n\t%s: %s\n", f.Name, f.File, f.Line, f.plainly(), f.Variant, f.Why)
		if f.counts() {
			fmt.Fprintf(&b, "\t%s, %s, %d of %s duplicated\n", f.counted(), count(f.Checks, "check"), f.Duplicated, count(f.Statements, f.Unit()))
		}
		f.nodes(&b)
		for _, s := range f.Shared {
			fmt.Fprintf(&b, "\t%d:%d is not duplicated: %s\n", s.Line, s.Column, s.Why)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// counts reports whether anything in f is counted.
func (f *Function) counts() bool { return f.Probes+f.Paths+f.Loops > 0 }

// counted is what is.
func (f *Function) counted() string {
	of := count(f.Probes, "probe")
	if f.Paths > 0 {
		of += ", " + count(f.Paths, "path")
	}
	if f.Loops > 0 {
		of += ", " + count(f.Loops, "loop")
	}
	return of
}

// plainly says what is made of f in words that need no paper.
func (f *Function) plainly() string {
	switch {
	case f.Variant == "none" || !f.counts() && f.Checks+f.Duplicated == 0:
		return "nothing in it is counted, and it is as the plain build has it"
	case f.Variant == string(plan.Exhaustive):
		return "each event in it is counted, each time"
	case f.Checks == 0 && f.Duplicated == 0:
		return "it costs nothing until a caller is sampled, which then calls a copy of it that counts"
	case f.Checks == 0:
		return "it is there twice, and costs nothing until it is led into the copy, which counts"
	case f.Duplicated == 0:
		return fmt.Sprintf("each thing that is counted looks first whether a sample is due (%s); nothing in it is there twice", count(f.Checks, "check"))
	}
	return fmt.Sprintf("it looks at %s whether a sample is due, and then goes through a copy of itself, which counts, to the next of them", count(f.Checks, "place"))
}

// Summary writes numbers of functions by what is made of them, of functions that
// are left alone by the reason, and of statements with probes that are not written
// twice by the reason, the largest first.
func Summary(w io.Writer, functions []*Function) error {
	outcomes, alone, shared := map[string]int{}, map[string]int{}, map[string]int{}
	for _, f := range functions {
		outcomes[f.Variant+", "+f.Shape]++
		if f.Shape == string(transform.Untouched) {
			why, _, _ := strings.Cut(f.Why, ": ")
			alone[why]++
		}
		for _, s := range f.Shared {
			shared[s.Why]++
		}
	}
	var b strings.Builder
	for _, table := range []struct {
		title  string
		counts map[string]int
	}{
		{fmt.Sprintf("%s: variant, shape", count(len(functions), "function")), outcomes},
		{"functions that are left alone: why", alone},
		{"statements with probes that are not written twice: why", shared},
	} {
		fmt.Fprintln(&b, table.title)
		keys := slices.SortedFunc(maps.Keys(table.counts), func(a, b string) int {
			return cmp.Or(cmp.Compare(table.counts[b], table.counts[a]), cmp.Compare(a, b))
		})
		for _, k := range keys {
			fmt.Fprintf(&b, "%8d  %s\n", table.counts[k], k)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// JSON writes functions as one object.
func JSON(w io.Writer, functions []*Function) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	return enc.Encode(map[string]any{"functions": functions})
}

// source returns f's file, and the positions between which f stands.
func (f *Function) source() (text []byte, from, to token.Pos) {
	node := f.plan.Func.Node
	for _, file := range f.pkg.Files {
		if node != nil && file.FileStart <= node.Pos() && node.Pos() < file.FileEnd {
			if d, ok := node.(*ast.FuncDecl); ok && d.Doc != nil {
				return f.pkg.Sources[file], d.Type.Func, node.End()
			}
			return f.pkg.Sources[file], node.Pos(), node.End()
		}
	}
	return nil, token.NoPos, token.NoPos
}

// line is the line of pos in the file itself, whatever //line directives say.
func (f *Function) line(pos token.Pos) int { return f.pkg.Fset.PositionFor(pos, false).Line }
