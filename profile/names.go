package profile

import (
	"fmt"
	gopath "path"
	"regexp"
	"slices"
	"strings"

	"github.com/dupinst/dupinst/profile/format"
)

// names turns a callee seen at run time into the name that the source gives it.
// The linker's symbol will not do by itself: it shows shapes of generic
// functions, and a function literal inlined with its function has a symbol for
// each copy, which depends on what the compiler inlined into what.
type names struct {
	literals map[place][]string
	aliases  map[string]string
	packages map[string]bool // those with meta-data
	stacks   map[format.Context]*Stack
}

type place struct {
	file string
	line int
}

func newNames() *names {
	return &names{map[place][]string{}, map[string]string{}, map[string]bool{}, map[format.Context]*Stack{}}
}

func (n *names) add(m *format.Meta, ins []format.Instrumentation) {
	n.packages[m.Package] = true
	named := map[string]bool{} // by sites: called where they stand, or by a variable's name
	for _, s := range m.Sites {
		if d := ins[s.Instrumentation].Dynamic; d >= 0 {
			named[s.Parts[d]] = true
		}
	}
	// Those last, for they are hardly what a call of a value finds.
	for _, last := range []bool{false, true} {
		for _, f := range m.Functions {
			if f.Literal && named[f.Name] == last {
				at := place{f.File, f.Line}
				n.literals[at] = append(n.literals[at], f.Name)
			}
		}
	}
	for _, a := range m.Aliases {
		n.aliases[a.Symbol] = a.Name
	}
}

// Others stands for the values of a site that were not kept apart.
const Others = "(others)"

// literal matches the tail that the compiler gives a function literal's symbol.
var literal = regexp.MustCompile(`(\.func\d+|\.\d+|-range\d+)(\.func\d+|\.\d+|-range\d+)*$`)

// callee returns c's name as the runtime would print it if nothing had been
// inlined. method is what the site calls: the interface's method.
func (n *names) callee(c format.Callee, method string) string {
	switch c.Kind {
	case format.KindType:
		return methodOf(c, method)
	case format.KindValue:
		return c.Symbol
	case format.KindOthers:
		return Others
	}
	name, bound := strings.CutSuffix(brackets(c.Symbol), "-fm")
	if alias, ok := n.aliases[name]; ok {
		return alias
	}
	if !literal.MatchString(name) {
		if c.Kind == format.KindWrapper && !bound {
			// The method lies behind: (*T).M for a method of T.
			if pkg, method, ok := strings.Cut(name, ".(*"); ok {
				return pkg + "." + strings.Replace(method, ")", "", 1)
			}
		}
		return name
	}
	switch known := n.literals[place{c.File, c.Line}]; {
	case len(known) == 0:
	case len(known) == 1:
		return known[0]
	default:
		for _, k := range known {
			if k == name {
				return name
			}
		}
		return known[0]
	}
	if path, _ := CutPackage(name); n.packages[path] {
		// A literal of a package without meta-data, inlined into one with it.
		return literal.ReplaceAllString(name, fmt.Sprintf(".func@%s:%d", gopath.Base(c.File), c.Line))
	}
	return name
}

// beneath are the functions below a program's own in every stack.
var beneath = []string{"runtime.goexit", "runtime.main"}

// stack is a calling context as the source has it.
func (n *names) stack(c format.Context) *Stack {
	f, ok := c.Frame()
	if !ok {
		return nil
	}
	if known := n.stacks[c]; known != nil {
		return known
	}
	caller := n.stack(f.Caller)
	if caller != nil && caller.Caller == nil && slices.Contains(beneath, caller.Function) {
		caller = nil
	}
	s := &Stack{Called{n.callee(format.Callee{Symbol: f.Symbol, File: f.File, Line: f.First}, ""), f.File, f.Line}, caller}
	n.stacks[c] = s
	return s
}

// folded is a stack as one line, from the outermost function on, with the lines of calls if they are to
// be told apart.
func folded(stack *Stack, lines bool) string {
	var b strings.Builder
	for i, f := range slices.Backward(stack.Calls()) {
		b.WriteString(f.Function)
		if i > 0 {
			if lines {
				fmt.Fprintf(&b, ":%d", f.Line)
			}
			b.WriteByte(';')
		}
	}
	return b.String()
}

// path names a path by its statements, each by line and column, with the functions that they are of where
// these change. What is called stands in parentheses, and three dots for what is left out.
func path(in format.Instrumentation, p format.Path, sums map[uint64]*format.Meta) string {
	part := func(site format.Site, name string) string {
		if i := slices.Index(in.Parts, name); i >= 0 {
			return site.Parts[i]
		}
		return "?"
	}
	words := []string{}
	within, outside := "", []string(nil) // the function that the last step was in, and those that it was called by
	for s, ok := p.Step(); ok; s, ok = s.Rest.Step() {
		switch s.Mark {
		case format.Opens:
			words, within, outside = append(words, "("), "", append(outside, within)
			continue
		case format.Closes:
			last := len(outside) - 1
			words, within, outside = append(words, ")"), outside[last], outside[:last]
			continue
		case format.More:
			words = append(words, "...")
			continue
		}
		site := sums[s.Sum].Sites[s.Site]
		f := part(site, "function")
		if s.Mark == format.Rounds {
			words = append(words, "(", f, "...", ")")
			continue
		}
		if f != within {
			within = f
			words = append(words, f)
		}
		words = append(words, part(site, "line#")+"."+part(site, "col#"))
	}
	return strings.Join(words, " ")
}

// methodOf names the method of a type.
func methodOf(c format.Callee, method string) string {
	method = method[strings.LastIndexByte(method, '.')+1:]
	t, star := strings.CutPrefix(brackets(c.Symbol), "*")
	t = t[strings.LastIndexByte(t[:argsStart(t)], '.')+1:]
	if star {
		t = "(*" + t + ")"
	}
	return c.File + "." + t + "." + method
}

// CutPackage returns the package path at the head of a symbol, in which the
// linker writes the dots of the last element as %2e, and what follows its dot.
func CutPackage(symbol string) (path, name string) {
	slash := strings.LastIndexByte(symbol[:argsStart(symbol)], '/') + 1
	last, name, _ := strings.Cut(symbol[slash:], ".")
	return strings.ReplaceAll(symbol[:slash]+last, "%2e", "."), name
}

func argsStart(symbol string) int {
	if i := strings.IndexAny(symbol, "[("); i >= 0 {
		return i
	}
	return len(symbol)
}

// brackets abbreviates type arguments as the runtime does when it prints.
func brackets(symbol string) string {
	i := strings.IndexByte(symbol, '[')
	j := strings.LastIndexByte(symbol, ']')
	if i < 0 || j < i {
		return symbol
	}
	return symbol[:i] + "[...]" + symbol[j+1:]
}
