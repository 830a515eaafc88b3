package transform

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/dupinst/dupinst/flow"
	"github.com/dupinst/dupinst/runtime/core"
)

// A check on its entry makes a small function too dear to inline, and a larger one
// slower than need be, if it is acyclic. Such a
// function is transparent: beside the original, with its own check, for whoever
// reaches it through an interface, a function value, go, defer, reflection or
// code that is not instrumented, it has a plain copy, which calls in checking
// code use, so that it is inlined as before; and a copy with probes, which calls
// in duplicated code use. What it does is sampled with its caller, and so in
// proportion. It is acyclic, and so are calls of copies by copies: what a sample
// does stays bounded, and each cycle of calls has a check.
//
// A call of a transparent function is to the control-flow graph what a probe is:
// it differs in duplicated code.

// transparentCost is the estimated cost up to which a function is transparent,
// in the inliner's terms. Ten times as much was no faster that could be measured,
// and makes of a sample more of a cluster.
const (
	transparentCost = 300
	importedCost    = 20 // of the inlined body of a function of another package
	intrinsicCost   = 3
)

// A copied is a function that has copies, as calls of them need it.
type copied struct {
	fn      *types.Func
	pkg     string // its import path, "" for the package itself
	recv    string // its receiver's type name, "" if it has none
	pointer bool   // the receiver is a pointer
	quiet   bool   // its copies call nothing that has a check
}

func (c *copied) name(m mode) string {
	return core.CopyName(m == probed, c.quiet, c.recv, c.pointer, c.fn.Name())
}

// A directCall is a call of a function that has copies.
type directCall struct {
	*copied
	sel *ast.SelectorExpr // x.f where the function is a method, else nil
	op  string            // what makes the receiver of x and via: "", "&" or "*"
	via string            // embedded fields from x to the receiver, each after a dot
}

// A copier finds transparent functions and the calls of them.
type copier struct {
	unit     *flow.Package
	sites    func(*flow.Func) int // a function's number of sites
	declared map[*types.Func]*flow.Func
	imports  map[*types.Package]bool
	// transparent has the functions that were looked at; nil: it is not one, or
	// is being looked at.
	transparent map[*flow.Func]*copied
	cost        map[*flow.Func]int
	calls       map[*flow.Func]map[*ast.CallExpr]*directCall
	quiet       map[*flow.Func]bool // functions that were asked whether they are silent
	used        map[*copied]bool    // by calls of this package
}

func newCopier(unit *flow.Package, sites func(*flow.Func) int) *copier {
	c := &copier{
		unit: unit, sites: sites, declared: map[*types.Func]*flow.Func{}, imports: map[*types.Package]bool{},
		transparent: map[*flow.Func]*copied{}, cost: map[*flow.Func]int{}, calls: map[*flow.Func]map[*ast.CallExpr]*directCall{},
		quiet: map[*flow.Func]bool{},
	}
	for _, fn := range unit.Funcs {
		if decl, ok := fn.Node.(*ast.FuncDecl); ok {
			if obj, ok := unit.Info.Defs[decl.Name].(*types.Func); ok {
				c.declared[obj] = fn
			}
		}
	}
	for _, p := range unit.Types.Imports() {
		c.imports[p] = true
	}
	return c
}

// examine decides whether fn is transparent. A call of a function that is being
// examined stays a call of the original, so that calls of copies have no cycle.
func (c *copier) examine(fn *flow.Func) *copied {
	if t, ok := c.transparent[fn]; ok {
		return t
	}
	c.transparent[fn] = nil
	c.cost[fn] = flow.InlineCall
	if c.unit.Simple(fn) != "" || signature(c.unit, fn.Node.(*ast.FuncDecl)) == "" || c.known(fn) {
		return nil
	}
	calls := c.directCalls(fn)
	cost := c.unit.InlineCost(fn.Body, func(call *ast.CallExpr) int { return c.callCost(call, calls[call]) })
	if cost <= flow.InlineBudget {
		c.cost[fn] = cost
	}
	if cost > transparentCost || c.sites(fn)+len(calls) == 0 {
		return nil
	}
	t := describe(c.unit.Info.Defs[fn.Node.(*ast.FuncDecl).Name].(*types.Func))
	t.quiet = true
	c.unit.Inspect(fn.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && c.unit.IsCall(call) {
			t.quiet = t.quiet && (calls[call] != nil && calls[call].quiet || c.silent(call))
		}
		return true
	})
	c.transparent[fn] = t
	return t
}

// known reports whether the compiler puts instructions of its own in the place of
// calls of fn, which it knows by its name.
func (c *copier) known(fn *flow.Func) bool {
	return slices.Contains(intrinsics[c.unit.Types.Path()], fn.Node.(*ast.FuncDecl).Name.Name)
}

// intrinsics are those functions (cmd/compile/internal/ssagen, intrinsics.go) in packages
// that are not the runtime's own, but not what is known for some processors only, and
// otherwise inlined.
var intrinsics = map[string][]string{
	"math":     {"sqrt", "Trunc", "Ceil", "Floor", "RoundToEven", "FMA"},
	"math/big": {"mulWW"},
}

// callCost is what the inliner takes a call to cost.
func (c *copier) callCost(call *ast.CallExpr, d *directCall) int {
	f := c.unit.Callee(call)
	switch fn := c.declared[f]; {
	case fn != nil && c.cost[fn] != 0:
		return c.cost[fn]
	case fn != nil:
		c.examine(fn)
		return c.cost[fn]
	case d != nil:
		return importedCost
	case f != nil && f.Pkg() != nil && fewInstructions[f.Pkg().Path()]:
		return intrinsicCost
	}
	return flow.InlineCall
}

// fewInstructions are packages most of whose functions are a few instructions.
var fewInstructions = map[string]bool{"sync/atomic": true, "internal/runtime/atomic": true, "math/bits": true, "internal/runtime/sys": true}

// silent reports whether call runs nothing that has a check: nothing that is
// instrumented, and no call but such.
func (c *copier) silent(call *ast.CallExpr) bool {
	f := c.unit.Callee(call)
	if f == nil {
		return false
	}
	fn := c.declared[f]
	if fn == nil {
		return f.Pkg() != nil && neverInstrumented[f.Pkg().Path()]
	}
	if fn.Body == nil || c.sites(fn) > 0 {
		return false
	}
	if known, ok := c.quiet[fn]; ok {
		return known
	}
	c.quiet[fn] = false
	quiet := true
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			quiet = false
		case *ast.RangeStmt:
			quiet = quiet && !c.unit.RangesFunc(n)
		case *ast.CallExpr:
			quiet = quiet && (!c.unit.IsCall(n) || c.silent(n))
		}
		return quiet
	})
	c.quiet[fn] = quiet
	return quiet
}

// neverInstrumented are packages of the runtime's own that others call.
var neverInstrumented = map[string]bool{"sync/atomic": true, "internal/runtime/atomic": true, "internal/runtime/sys": true}

// describe says how the copies of f are named.
func describe(f *types.Func) *copied {
	t := &copied{fn: f}
	if recv := f.Signature().Recv(); recv != nil {
		r := types.Unalias(recv.Type())
		if p, ok := r.(*types.Pointer); ok {
			t.pointer, r = true, types.Unalias(p.Elem())
		}
		t.recv = r.(*types.Named).Obj().Name()
	}
	return t
}

// of returns how f's copies are named if it has any.
func (c *copier) of(f *types.Func) *copied {
	if fn := c.declared[f]; fn != nil {
		return c.examine(fn)
	}
	if f == nil || !c.imports[f.Pkg()] {
		return nil
	}
	for _, quiet := range []bool{false, true} {
		t := describe(f)
		t.quiet = quiet
		if f.Pkg().Scope().Lookup(t.name(checking)) != nil {
			t.pkg = f.Pkg().Path()
			return t
		}
	}
	return nil
}

// called reports whether a call may use t's copies: one of this package, once all
// of its functions have been asked for theirs, or of one that imports it.
func (c *copier) called(t *copied) bool {
	if t.fn.Exported() && c.unit.Types.Name() != "main" {
		return true
	}
	if c.used == nil {
		c.used = map[*copied]bool{}
		for _, calls := range c.calls {
			for _, d := range calls {
				c.used[d.copied] = true
			}
		}
	}
	return c.used[t]
}

// directCalls finds the calls in fn itself that can use copies: neither those of
// go and defer statements, which run elsewhere or later.
func (c *copier) directCalls(fn *flow.Func) map[*ast.CallExpr]*directCall {
	if calls, ok := c.calls[fn]; ok || fn.Body == nil {
		return calls
	}
	calls := map[*ast.CallExpr]*directCall{}
	later := map[*ast.CallExpr]bool{}
	visit := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			later[n.Call] = true
		case *ast.DeferStmt:
			later[n.Call] = true
		case *ast.CallExpr:
			if d := c.direct(n); d != nil && !later[n] {
				calls[n] = d
			}
		}
		return true
	}
	c.unit.Inspect(fn.Body, visit)
	c.calls[fn] = calls
	return calls
}

// direct returns how call is written with a copy, or nil.
func (c *copier) direct(call *ast.CallExpr) *directCall {
	f := c.unit.Callee(call)
	t := c.of(f)
	if t == nil {
		return nil
	}
	if t.recv == "" {
		return &directCall{copied: t}
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	if len(call.Args) == 1 {
		if _, ok := c.unit.Info.TypeOf(call.Args[0]).(*types.Tuple); ok {
			return nil // f(g()): no receiver can stand before them
		}
	}
	if !c.inferred(call, f) {
		return nil
	}
	d := &directCall{copied: t, sel: sel}
	s := c.unit.Info.Selections[sel]
	at := s.Recv()
	for _, i := range s.Index()[:len(s.Index())-1] {
		if p, ok := at.Underlying().(*types.Pointer); ok {
			at = p.Elem()
		}
		field := at.Underlying().(*types.Struct).Field(i)
		if !field.Exported() && field.Pkg() != c.unit.Types {
			return nil
		}
		d.via += "." + field.Name()
		at = field.Type()
	}
	_, pointer := types.Unalias(at).(*types.Pointer)
	switch {
	case t.pointer && !pointer:
		d.op = "&"
	case !t.pointer && pointer:
		d.op = "*"
	}
	return d
}

// inferred reports whether a call of a method, written as one of a function with the
// receiver as first argument, has the method's type arguments: each argument whose
// parameter's type depends on them must have just that type. (Else one of another
// type, assigned to an interface, say, contradicts the receiver.)
func (c *copier) inferred(call *ast.CallExpr, f *types.Func) bool {
	generic := f.Origin().Signature().Params()
	sig := c.unit.Info.TypeOf(call.Fun).(*types.Signature)
	for i, arg := range call.Args {
		at := min(i, generic.Len()-1)
		want, origin := sig.Params().At(at).Type(), generic.At(at).Type()
		if types.Identical(want, origin) {
			continue
		}
		if sig.Variadic() && at == generic.Len()-1 && !call.Ellipsis.IsValid() {
			want = want.(*types.Slice).Elem()
		}
		if !types.Identical(c.unit.Info.TypeOf(arg), want) {
			return false
		}
	}
	return true
}

// signature is what stands between the name of a copy of a function and its
// parameters: type parameters, and the receiver as the first parameter; "" where
// that cannot be written.
func signature(p *flow.Package, decl *ast.FuncDecl) string {
	if decl.Recv == nil {
		return "("
	}
	recv := decl.Recv.List[0]
	typ := ast.Unparen(recv.Type)
	star, ok := typ.(*ast.StarExpr)
	if ok {
		typ = ast.Unparen(star.X)
	}
	var params []ast.Expr
	switch t := typ.(type) {
	case *ast.IndexExpr:
		typ, params = t.X, []ast.Expr{t.Index}
	case *ast.IndexListExpr:
		typ, params = t.X, t.Indices
	}
	name, args, list := "_", "", ""
	if id, ok := typ.(*ast.Ident); ok {
		args = id.Name
	}
	if args == "" {
		return ""
	}
	if len(params) > 0 {
		obj, ok := p.Info.Uses[typ.(*ast.Ident)].(*types.TypeName)
		if !ok {
			return ""
		}
		named, ok := obj.Type().(*types.Named)
		if !ok {
			return ""
		}
		var decls, uses []string
		for i, e := range params {
			constraint := constraintText(p, named.TypeParams().At(i).Constraint())
			id, ok := e.(*ast.Ident)
			if !ok || constraint == "" {
				return ""
			}
			name := id.Name
			if name == "_" {
				name = fmt.Sprintf("Dupinst_%d", i)
			}
			decls, uses = append(decls, name+" "+constraint), append(uses, name)
		}
		list = "[" + strings.Join(decls, ", ") + "]"
		args += "[" + strings.Join(uses, ", ") + "]"
	}
	if star != nil {
		args = "*" + args
	}
	if len(recv.Names) > 0 {
		name = recv.Names[0].Name
	}
	out := fmt.Sprintf("%s(%s %s", list, name, args)
	if len(decl.Type.Params.List) > 0 {
		out += ", "
	}
	return out
}

// constraintText writes a constraint where it can be named anywhere in the
// package, else "".
func constraintText(p *flow.Package, t types.Type) string {
	if i, ok := t.Underlying().(*types.Interface); ok && i.Empty() {
		return "interface{}"
	}
	named, ok := types.Unalias(t).(*types.Named)
	switch {
	case !ok || named.TypeArgs().Len() > 0:
		return ""
	case named.Obj().Pkg() == p.Types && named.Obj().Parent() == p.Types.Scope(),
		named.Obj().Pkg() == nil && p.Types.Scope().Lookup(named.Obj().Name()) == nil:
		return named.Obj().Name()
	}
	return ""
}

// copies emits the two copies of a transparent function behind it.
func (e *emitter) copies(fn *flow.Func, t *copied) {
	saved := e.plan
	plan := *e.plans[fn]
	// There is no check in them, and no backedge.
	plan.Shape, plan.Checks, plan.local, plan.strips, plan.versioned, plan.flush = Untouched, nil, nil, nil, nil, nil
	e.plan = &plan
	defer func() { e.plan = saved }()
	decl := fn.Node.(*ast.FuncDecl)
	out := ""
	for _, m := range []mode{checking, probed} {
		made := e.capture(func() {
			if decl.Recv != nil {
				e.nameParams(decl)
			}
			if m == probed {
				e.start(fn.Body, fn.Body.Lbrace+1, m)
			}
			e.list(fn.Body.List, m)
		})
		from := decl.Name.End() // type parameters stand here, too
		head := ""
		if decl.Recv != nil {
			head, from = signature(e.pkg, decl), decl.Type.Params.Opening+1
		}
		out += fmt.Sprintf("; func %s%s%s%s%s", e.line(decl.Name.Pos()), t.name(m), head, e.line(from), e.render(from, fn.Body.End(), made))
	}
	e.insert(decl.End(), "%s%s", out, e.line(decl.End()))
}

// nameParams gives parameters names that have none, so that they can follow a
// receiver that has one.
func (e *emitter) nameParams(decl *ast.FuncDecl) {
	for _, f := range decl.Type.Params.List {
		if len(f.Names) == 0 {
			e.insert(f.Type.Pos(), "_ ")
		}
	}
}

// direct emits a call of a copy.
func (e *emitter) direct(call *ast.CallExpr, d *directCall, m mode) {
	name := d.name(m)
	if d.sel == nil {
		fun := flow.Operand(call)
		if sel, ok := fun.(*ast.SelectorExpr); ok {
			fun = sel.Sel // its package stays imported as it is
		}
		e.replace(fun.Pos(), fun.End(), name)
	} else {
		if d.pkg != "" {
			name = e.imported(d.pkg) + "." + name
		}
		x := d.sel.X
		if e.tok.Line(x.Pos()) != e.tok.Line(call.Lparen) {
			e.insert(x.Pos(), "%s%s(%s%s", e.line(call.Lparen), name, e.line(x.Pos()), d.op)
		} else {
			e.insert(x.Pos(), "%s(%s", name, d.op)
		}
		e.expr(x, m)
		comma := ""
		if len(call.Args) > 0 {
			comma = ", "
		}
		e.replace(x.End(), call.Lparen+1, d.via+comma)
	}
	for _, a := range call.Args {
		e.expr(a, m)
	}
}

// define emits s, a statement in shared code that declares variables, once for
// each mode, if it calls copies and what it declares can be declared before it.
func (e *emitter) define(s *ast.AssignStmt) bool {
	if s.Tok != token.DEFINE || !e.plan.bothWays(s) {
		return false
	}
	vars := e.plan.hoist(e.pkg, []ast.Stmt{s}, 0, 0)
	if vars == "" {
		return false
	}
	from, to := s.Pos(), s.End()
	emit := func(m mode) string {
		return e.render(from, to, e.capture(func() {
			e.edits = append(e.edits, edit{s.TokPos, s.TokPos + 2, "="})
			e.expr(s, m)
		}))
	}
	e.edits = append(e.edits, edit{from, to, fmt.Sprintf("%sif !%s { %s } else { %s%s }", vars, e.bit(), emit(checking), e.line(from), emit(probed))})
	return true
}

// imported is the name under which the file imports a package for its copies.
func (e *emitter) imported(path string) string {
	if _, ok := e.imports[path]; !ok {
		e.imports[path] = fmt.Sprintf("%sq%d", e.names.prefix, len(e.imports))
	}
	return e.imports[path]
}
