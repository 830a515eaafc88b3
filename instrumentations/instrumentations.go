// Package instrumentations owns what an instrumentation is: a set of sites,
// places in a function where an event is observed, each with a key under which
// it is counted. What happens at a site is the same for all of them (a count is
// added); when it happens, in which copy of the code and behind which check, is
// the business of package transform, which knows no instrumentation by name.
//
// One instrumentation is one folder below this one and one line in package all.
package instrumentations

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/dupinst/dupinst/flow"
	"github.com/dupinst/dupinst/profile/format"
)

// An Instrumentation is a constant value.
type Instrumentation struct {
	Format format.Instrumentation
	Doc    string // one line for dupinst's help
	// Sites returns the sites in fn itself, not in functions within it.
	Sites func(pkg *Unit, fn *flow.Func) []Site
	// OnDemand keeps it out of what is instrumented by default.
	OnDemand bool
	// Statements says that an event is at a statement as a whole: control comes to it.
	Statements bool
}

// A Unit is the package that is instrumented.
type Unit struct {
	*flow.Package
	// Position is where the compiler will say that pos is: //line directives
	// and -trimpath applied.
	Position func(pos token.Pos) token.Position
}

// Named lists the package's functions for its meta-data.
func (u *Unit) Named() []format.Function {
	var out []format.Function
	for _, fn := range u.Funcs {
		if fn.Kind == flow.Initialiser {
			continue
		}
		p := u.Position(fn.Node.Pos())
		out = append(out, format.Function{
			Name: fn.Name, File: p.Filename, Line: p.Line, Literal: fn.Kind == flow.Literal || fn.Kind == flow.Range,
		})
	}
	return out
}

// A Site is one place where an event is counted.
type Site struct {
	// Event is the expression or statement of whose evaluation the event is
	// part.
	Event ast.Node
	Parts []string // the key, one value for each part of the format
	Callee
}

// A Callee says how a part known only at run time is found there.
type Callee struct {
	Dynamic Dynamic
	Operand ast.Expr // the function value, or the method call's receiver
	Via     []string // embedded fields from Operand to the interface
	Method  int      // index among the interface's methods, in the runtime's order
}

// Dynamic is the way to a callee.
type Dynamic int

const (
	Static    Dynamic = iota // the callee is known: Parts is complete
	FuncValue                // the code that Operand's value points to
	Interface                // the method in the interface value's table
)

// Select returns the instrumentations named in the comma-separated list.
func Select(table []*Instrumentation, list string) ([]*Instrumentation, error) {
	var out []*Instrumentation
	for _, name := range strings.Split(list, ",") {
		i := slices.IndexFunc(table, func(in *Instrumentation) bool { return in.Format.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("no instrumentation %q; there are %s", name, strings.Join(Names(table), ", "))
		}
		if slices.Contains(out, table[i]) {
			return nil, fmt.Errorf("instrumentation %q is named twice", name)
		}
		out = append(out, table[i])
	}
	return out, nil
}

// Default lists those that are not on demand.
func Default(table []*Instrumentation) []*Instrumentation {
	return slices.DeleteFunc(slices.Clone(table), func(in *Instrumentation) bool { return in.OnDemand })
}

// Names lists the table's names.
func Names(table []*Instrumentation) []string {
	var names []string
	for _, in := range table {
		names = append(names, in.Format.Name)
	}
	return names
}

// Formats lists the table's formats.
func Formats(table []*Instrumentation) []format.Instrumentation {
	var out []format.Instrumentation
	for _, in := range table {
		out = append(out, in.Format)
	}
	return out
}
