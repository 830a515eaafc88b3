package flow

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A Package is a type-checked package and its functions.
type Package struct {
	Fset        *token.FileSet
	Types       *types.Package
	Info        *types.Info
	Files       []*ast.File
	Funcs       []*Func // declarations with what is within them, in order, then the initialiser
	Initialiser *Func
	of          map[ast.Node]*Func
	known       *vars
}

// Kinds of functions.
type Kind int

const (
	Declared    Kind = iota // *ast.FuncDecl
	Literal                 // *ast.FuncLit
	Range                   // *ast.RangeStmt over a function: its body
	Initialiser             // the package's variables; no node, no body
)

// A Func is one function of the package.
type Func struct {
	Kind Kind
	Node ast.Node       // see Kind
	Body *ast.BlockStmt // nil for the initialiser
	// Name is what the runtime prints for the function where nothing is
	// inlined: pkg/path.(*T).Method.func1.
	Name   string
	Parent *Func // the function around it, nil for declarations
	// Excluded says why the function cannot carry instrumentation; "" if it can.
	Excluded string
	// Kept says why its source has to stay as it is, though it can; "" if it need not.
	Kept string

	literals, ranges int // numbered so far
}

// Of returns the function that node (of a Kind's type) is.
func (p *Package) Of(node ast.Node) *Func { return p.of[node] }

// New finds the functions of a package.
func New(fset *token.FileSet, pkg *types.Package, info *types.Info, files []*ast.File) *Package {
	p := &Package{Fset: fset, Types: pkg, Info: info, Files: files, of: map[ast.Node]*Func{}}
	n := &namer{p: p, prefix: escape(pkg.Path())}
	inits := 0
	for _, f := range files {
		for _, d := range f.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name := n.declared(decl)
			if decl.Recv == nil && decl.Name.Name == "init" {
				name = fmt.Sprintf("%s.init.%d", n.prefix, inits)
				inits++
			}
			fn := &Func{Kind: Declared, Node: decl, Body: decl.Body, Name: name, Excluded: exclusion(decl), Kept: marked(decl, kept)}
			n.enter(fn, decl.Body)
		}
	}
	n.initialiser()
	return p
}

// NameOf returns the name of a declared function or method, of any package, as
// the runtime prints it.
func NameOf(f *types.Func) string {
	f = f.Origin()
	sig := f.Signature()
	pkg := ""
	if f.Pkg() != nil {
		pkg = escape(f.Pkg().Path()) + "."
	}
	recv := sig.Recv()
	if recv == nil {
		if sig.TypeParams().Len() > 0 {
			return pkg + f.Name() + "[...]"
		}
		return pkg + f.Name()
	}
	t, star := recv.Type(), false
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		t, star = ptr.Elem(), true
	}
	base := "?"
	if named, ok := types.Unalias(t).(*types.Named); ok {
		base = named.Obj().Name()
		if named.TypeParams().Len() > 0 || named.TypeArgs().Len() > 0 {
			base += "[...]"
		}
	}
	if star {
		base = "(*" + base + ")"
	}
	return pkg + base + "." + f.Name()
}

// escape writes an import path as the linker does in symbols: dots of the last
// element, and what is not printable ASCII, as %xx.
func escape(path string) string {
	slash := strings.LastIndexByte(path, '/')
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		c := path[i]
		if c <= ' ' || (c == '.' && i > slash) || c == '%' || c == '"' || c >= 0x7f {
			fmt.Fprintf(&b, "%%%02x", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

// notInstrumentable are the directives after which a function may not call, or
// grow its stack: the runtime's own, and cgo's, whose callees know where arguments lie.
var notInstrumentable = []string{
	"//go:nosplit", "//go:systemstack", "//go:nowritebarrier", "//go:nowritebarrierrec",
	"//go:yeswritebarrierrec", "//go:uintptrkeepalive", "//go:cgo_unsafe_args",
}

// kept are those after which a function's source may not be changed: what is written into it
// would have no code of the race detector's.
var kept = []string{"//go:norace"}

func exclusion(decl *ast.FuncDecl) string {
	switch {
	case decl.Body == nil:
		return "it has no body"
	case decl.Name.Name == "_":
		return "it is blank, and never called"
	}
	return marked(decl, notInstrumentable)
}

// marked says with which of some directives decl is marked, if with any.
func marked(decl *ast.FuncDecl, directives []string) string {
	if decl.Doc == nil {
		return ""
	}
	for _, c := range decl.Doc.List {
		for _, d := range directives {
			if c.Text == d || strings.HasPrefix(c.Text, d+" ") {
				return "it is marked " + d
			}
		}
	}
	return ""
}

// DefersRecover reports whether fn has a "defer recover()". Such a call recovers
// only if the runtime counts one frame for fn, and where the compiler has laid
// the code of an inlined call out as the last of fn, the runtime counts two.
func (p *Package) DefersRecover(fn *Func) bool {
	found := false
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if d, ok := n.(*ast.DeferStmt); ok && p.callsBuiltin(d.Call, "recover") {
			found = true
		}
		_, lit := n.(*ast.FuncLit)
		return !found && !lit
	})
	return found
}

// forking are the names of what makes a process, in packages syscall and
// golang.org/x/sys/unix.
var forking = []string{"rawVforkSyscall", "SYS_CLONE", "SYS_CLONE3", "SYS_FORK", "SYS_VFORK"}

// Forks reports whether fn, or a function that it is written in, makes a process by
// a system call. The child goes on in fn, on one thread, perhaps in its parent's
// memory. There it may not call what could grow the stack, give up its thread or wait
// for a lock: the parent would go on with what is the child's, as if it were the
// child. So is all of package syscall's that is marked go:norace, which may run then.
func (p *Package) Forks(fn *Func) bool {
	for fn.Parent != nil && fn.Parent.Body != nil {
		fn = fn.Parent
	}
	found := p.Types.Path() == "syscall" && fn.Kept != ""
	if fn.Body != nil {
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && slices.Contains(forking, id.Name) && p.Info.Uses[id] != nil
			return !found
		})
	}
	return found
}

// A namer numbers function literals and range-over-func bodies as the compiler
// does: in the order of the source, per enclosing function, leaving out
// branches that a constant condition rules out (cmd/compile/internal/ir,
// closureName).
type namer struct {
	p      *Package
	prefix string
}

func (n *namer) declared(decl *ast.FuncDecl) string {
	if f, ok := n.p.Info.Defs[decl.Name].(*types.Func); ok {
		if name := NameOf(f); decl.Name.Name != "_" {
			return n.prefix + strings.TrimPrefix(name, escape(f.Pkg().Path()))
		}
	}
	return n.prefix + "." + decl.Name.Name
}

// initialiser enters the package's variables, in the order in which they are
// initialised.
func (n *namer) initialiser() {
	fn := &Func{Kind: Initialiser, Name: n.prefix + ".init"}
	n.p.Funcs, n.p.Initialiser = append(n.p.Funcs, fn), fn
	for _, in := range n.p.Info.InitOrder {
		n.walk(fn, in.Rhs)
	}
}

func (n *namer) enter(fn *Func, body *ast.BlockStmt) {
	n.p.Funcs = append(n.p.Funcs, fn)
	if fn.Node != nil {
		n.p.of[fn.Node] = fn
	}
	if body != nil {
		n.walk(fn, body)
	}
}

// walk enters the functions within root, whose enclosing function is fn.
func (n *namer) walk(fn *Func, root ast.Node) {
	ast.Inspect(root, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncLit:
			n.enter(n.literal(fn, node), node.Body)
			return false
		case *ast.RangeStmt:
			if !n.p.RangesFunc(node) {
				return true
			}
			for _, e := range []ast.Expr{node.Key, node.Value, node.X} {
				if e != nil {
					n.walk(fn, e)
				}
			}
			n.enter(n.rangeBody(fn, node), node.Body)
			return false
		case *ast.IfStmt:
			return n.branch(fn, node)
		}
		return true
	})
}

// branch walks an if statement whose condition is constant, in which only one
// branch is compiled; the functions of the other are entered last, so that they
// are known but take no number before the others. It reports whether the
// caller is to walk the statement itself.
func (n *namer) branch(fn *Func, node *ast.IfStmt) bool {
	v := n.p.static(node.Cond)
	if v == 0 {
		return true
	}
	if node.Init != nil {
		n.walk(fn, node.Init)
	}
	taken, dead := ast.Stmt(node.Body), node.Else
	if v < 0 {
		taken, dead = node.Else, node.Body
	}
	if taken != nil {
		n.walk(fn, taken)
	}
	// A literal in a condition whose value is known is in an operand that is never
	// evaluated.
	o := owner(fn)
	literals, ranges := o.literals, o.ranges
	n.walk(fn, node.Cond)
	if dead != nil {
		n.walk(fn, dead)
	}
	o.literals, o.ranges = literals, ranges
	return false
}

// owner is the function whose counters number the functions within fn.
func owner(fn *Func) *Func {
	for fn.Kind == Range {
		fn = fn.Parent
	}
	return fn
}

func (n *namer) literal(fn *Func, lit *ast.FuncLit) *Func {
	o := owner(fn)
	o.literals++
	sep := "."
	if o.Kind != Literal {
		sep = ".func"
	}
	return &Func{Kind: Literal, Node: lit, Body: lit.Body, Name: fmt.Sprintf("%s%s%d", o.Name, sep, o.literals), Parent: fn, Excluded: fn.Excluded, Kept: fn.Kept}
}

func (n *namer) rangeBody(fn *Func, loop *ast.RangeStmt) *Func {
	o := owner(fn)
	o.ranges++
	return &Func{Kind: Range, Node: loop, Body: loop.Body, Name: fmt.Sprintf("%s-range%d", o.Name, o.ranges), Parent: fn, Excluded: fn.Excluded, Kept: fn.Kept}
}
