// Package instrumentations owns what an instrumentation is: a set of sites,
// places in a function where an event is observed, each with a key under which
// it is counted. What happens at a site is the same for all of them (a count is
// added, and a callee or a value may be noted); when it happens, in which copy of the code and behind which check, is
// the business of the back ends, which know no instrumentation by name.
//
// One instrumentation is one folder below this one and one line in package all, or a package of
// anybody's (package own).
package instrumentations

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
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
	// Values says that sites may note values, which the source's back end has no probes for.
	Values bool
	// Paths says that sites show paths, for which all of a function is to be copied, or nothing.
	Paths bool
	// Across says that the paths go on in what is called, as those do that sites of Across show.
	Across bool
	// Addresses says that sites are of references to memory, whose addresses windows note: they count instructions that
	// load and store.
	Addresses bool
	// Trips says that sites note how often loops go round, for which control is to stay in copies from the
	// loop's beginning to its end.
	Trips bool
}

// A Unit is the package that is instrumented.
type Unit struct {
	*flow.Package
	// Position is where the compiler will say that pos is: //line directives
	// and -trimpath applied.
	Position func(pos token.Pos) token.Position
	// Sizes are those of the machine that is compiled for; the compiler's back end has them.
	Sizes types.Sizes
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
	Value Value
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

// Find returns the sites in fn. An instrumentation may be anyone's: a panic in it is an error, as is a
// site whose key is not of its format.
func (in *Instrumentation) Find(u *Unit, fn *flow.Func) (sites []Site, err error) {
	defer func() {
		if r := recover(); r != nil {
			sites, err = nil, fmt.Errorf("instrumentation %s panics: %v\n%s", in.Format.Name, r, debug.Stack())
		}
	}()
	sites = in.Sites(u, fn)
	for _, s := range sites {
		if s.Event == nil {
			return nil, fmt.Errorf("instrumentation %s has a site without an event", in.Format.Name)
		}
		if len(s.Parts) != len(in.Format.Parts) {
			return nil, fmt.Errorf("%v: instrumentation %s has a key of %d parts, where its format has %d", u.Position(s.Event.Pos()), in.Format.Name, len(s.Parts), len(in.Format.Parts))
		}
		if s.Dynamic != Static && in.Format.Dynamic < 0 {
			return nil, fmt.Errorf("%v: instrumentation %s has a callee that is known at run time, where its format has no part for one", u.Position(s.Event.Pos()), in.Format.Name)
		}
		if s.Value.Of != Nothing {
			if err := in.notes(s); err != nil {
				return nil, fmt.Errorf("%v: instrumentation %s: %w", u.Position(s.Event.Pos()), in.Format.Name, err)
			}
		}
		for i, part := range in.Format.Parts {
			if strings.HasSuffix(part, "#") {
				if _, err := strconv.ParseUint(s.Parts[i], 10, 53); err != nil {
					return nil, fmt.Errorf("%v: instrumentation %s: %s is to be a number: %w", u.Position(s.Event.Pos()), in.Format.Name, part, err)
				}
			}
		}
	}
	return sites, nil
}

// notes says what is wrong with a site that notes a value, if anything is.
func (in *Instrumentation) notes(s Site) error {
	switch {
	case !in.Values:
		return errors.New("it notes a value, and does not say that it has Values")
	case s.Value.Of.Allocates() && s.Dynamic == Static:
		return nil
	case in.Format.Dynamic < 0 && !in.Addresses:
		return errors.New("it notes a value, and its format has no dynamic part for one")
	case s.Dynamic != Static:
		return errors.New("a site notes a value or a callee, not both")
	case s.Value.Of.OfPath() != in.Paths:
		return errors.New("its sites show paths, or it says that they do, and not both")
	case (s.Value.Of == Across) != in.Across:
		return errors.New("its sites show paths that go on in what is called, or it says that they do, and not both")
	case (s.Value.Of == Load || s.Value.Of == Store) != in.Addresses:
		return errors.New("its sites are of references, or it says that they are, and not both")
	case (s.Value.Of == Trips) != in.Trips:
		return errors.New("its sites note how often loops go round, or it says that they do, and not both")
	}
	_, _, err := s.Value.Noted()
	return err
}

// part is a part's place in a key.
var part = regexp.MustCompile(`\{[^{}]*\}`)

// Check says what is wrong with a table of instrumentations, if anything is.
func Check(table []*Instrumentation) error {
	names := map[string]bool{}
	for _, in := range table {
		if in == nil || in.Sites == nil {
			return errors.New("an instrumentation has no Sites")
		}
		f := in.Format
		if !regexp.MustCompile(`^[a-z][a-z0-9_]*$`).MatchString(f.Name) {
			return fmt.Errorf("an instrumentation cannot be called %q: names are of small letters, digits and underscores", f.Name)
		}
		if names[f.Name] {
			return fmt.Errorf("there are two instrumentations called %s", f.Name)
		}
		names[f.Name] = true
		if f.Dynamic < -1 || f.Dynamic >= len(f.Parts) {
			return fmt.Errorf("instrumentation %s has no part %d, which is to be the callee; -1 is for none", f.Name, f.Dynamic)
		}
		for _, place := range part.FindAllString(f.Key, -1) {
			if name := strings.Trim(place, "{}"); !slices.Contains(f.Parts, name) && !slices.Contains(f.Parts, name+"#") {
				return fmt.Errorf("instrumentation %s: its key %s names a part %q, which it has not", f.Name, f.Key, name)
			}
		}
	}
	return nil
}

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
