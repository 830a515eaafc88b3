// Package patch owns what dupinst changes in the Go runtime: a field in the
// goroutine descriptor, a line where a goroutine is born, one where the
// main goroutine begins, one before every way out of the process, one where a goroutine gets
// other labels, and one where a signal is handled (by Unix); and for windows, on Linux,
// one wherever a running goroutine's stack guard is set or a coroutine goes on, one where a stack
// check has failed, two where a processor becomes idle and ceases to be, and one where a signal comes to a
// thread that is in C; and for shadows, one where the heap has grown, and two where the
// runtime gets memory for what it notes of the heap. The rest of what it needs there are files of its own
// (runtime/core).
//
// Every place is found in the syntax tree, by what it is and not by where it
// stands. One that is not found is an error: a runtime that is not as expected
// is not patched by guesswork.
package patch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// A File is a file of package runtime.
type File struct {
	Name   string // its path
	Source []byte
}

// places are those that every runtime has, and placesOf those of a system's. The exits are
// named by their files.
var (
	places = []string{"field", "birth", "start", "exec", "labels", "exit:proc.go", "exit:panic.go", "exit:runtime.go"}

	placesOf = map[string][]string{
		"darwin":  {"signal", "switch", "exit:signal_unix.go"},
		"linux":   {"signal", "switch", "exit:signal_unix.go", "guard:execute", "guard:exitsyscall", "guard:copystack", "guard:newstack", "poison", "coro", "rest", "wake", "stray", "grown", "metadata:persistentChunkSize", "metadata:gcBitsChunkBytes"},
		"windows": {"signal", "console", "exit:signal_windows.go"},
	}
)

// Apply returns the new source of those files of the runtime for goos that change, by
// name. Lines stay where they were.
func Apply(goos string, files []File) (map[string]string, error) {
	p := &patcher{fset: token.NewFileSet(), done: map[string]int{}, out: map[string]string{}}
	for _, f := range files {
		if err := p.file(f); err != nil {
			return nil, err
		}
	}
	for _, need := range slices.Concat(places, placesOf[goos]) {
		if p.done[need] == 0 {
			return nil, fmt.Errorf("cannot patch package runtime: no place for %q; this Go release is not supported", need)
		}
	}
	return p.out, nil
}

type patcher struct {
	fset *token.FileSet
	done map[string]int // places found, by what is put there
	out  map[string]string
	in   []insertion // of the file at hand
}

type insertion struct {
	pos  token.Pos
	text string
}

func (p *patcher) file(f File) error {
	// Most files have nothing to change; do not parse them.
	text := string(f.Source)
	if !strings.Contains(text, "stackGuard") && !strings.Contains(text, "coroswitch_m(") && !strings.Contains(text, "exit(") && !strings.Contains(text, "racefini()") && !strings.Contains(text, "type g struct") && !strings.Contains(text, "func ctrlHandler(") && !strings.Contains(text, "func runtime_setProfLabel(") && !strings.Contains(text, ") grow(npage uintptr)") && !strings.Contains(text, "persistentalloc1(") && !strings.Contains(text, "newArenaMayUnlock(") {
		return nil
	}
	file, err := parser.ParseFile(p.fset, f.Name, f.Source, parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("cannot patch package runtime: %w", err)
	}
	p.in = nil
	base := filepath.Base(f.Name)
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			p.descriptor(d)
		case *ast.FuncDecl:
			if d.Body != nil && d.Name.Name != "exit" {
				p.function(d, base)
			}
		}
	}
	if len(p.in) > 0 {
		p.out[f.Name] = p.apply(file, text)
	}
	return nil
}

// apply returns text with the insertions made.
func (p *patcher) apply(file *ast.File, text string) string {
	slices.SortStableFunc(p.in, func(a, b insertion) int { return int(a.pos - b.pos) })
	tok := p.fset.File(file.FileStart)
	var b strings.Builder
	at := 0
	for _, in := range p.in {
		b.WriteString(text[at:tok.Offset(in.pos)])
		b.WriteString(in.text)
		at = tok.Offset(in.pos)
	}
	return b.String() + text[at:]
}

func (p *patcher) insert(what string, pos token.Pos, text string) {
	p.done[what]++
	p.in = append(p.in, insertion{pos, text})
}

// descriptor adds a field to type g, behind m: what the compiler, the linker and
// C code know by offset stands before it, and a check's instructions are shorter
// where the offset fits into a byte.
func (p *patcher) descriptor(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		if t, ok := spec.(*ast.TypeSpec); ok && t.Name.Name == "g" {
			if s, ok := t.Type.(*ast.StructType); ok {
				for _, f := range s.Fields.List {
					if len(f.Names) == 1 && f.Names[0].Name == "m" {
						p.insert("field", f.Type.End(), "; dupinst dupinstG")
					}
				}
			}
		}
	}
}

// function patches one function. What ends the process is found in all of them.
func (p *patcher) function(d *ast.FuncDecl, base string) {
	ast.Inspect(d.Body, func(n ast.Node) bool {
		s, ok := n.(*ast.ExprStmt)
		if !ok {
			return true
		}
		switch name := called(s); {
		case name == "exit" || name == "racefini":
			p.insert("exit:"+base, s.Pos(), "dupinstFlush(); ")
		case name == "lockOSThread" && d.Name.Name == "main":
			p.insert("start", s.Pos(), "dupinstInit(); ")
		}
		return true
	})
	switch d.Name.Name {
	case "newproc1":
		p.birth(d)
	case "execute", "exitsyscall", "copystack", "newstack":
		p.guard(d)
	case "pidleget":
		if last, ok := d.Body.List[len(d.Body.List)-1].(*ast.ReturnStmt); ok {
			if pp, now := idle(last.Results); now != "" {
				p.insert("wake", last.Pos(), "dupinstStir("+pp+", "+now+"); ")
			}
		}
	case "pidleput":
		params := d.Type.Params.List
		last, ok := d.Body.List[len(d.Body.List)-1].(*ast.ReturnStmt)
		if ok && len(last.Results) == 1 && len(params) > 0 && len(params[0].Names) == 1 {
			if _, now := idle([]ast.Expr{params[0].Names[0], last.Results[0]}); now != "" {
				p.insert("rest", last.Pos(), "dupinstRests("+params[0].Names[0].Name+", "+now+"); ")
			}
		}
	case "coroswitch_m":
		if last, ok := d.Body.List[len(d.Body.List)-1].(*ast.ExprStmt); ok && called(last) == "gogo" {
			p.insert("coro", last.Pos(), "dupinstJoin(gnext); ")
		}
	case "grow":
		p.grown(d)
	case "persistentalloc1", "newArenaMayUnlock":
		p.metadata(d)
	case "badsignal":
		p.insert("stray", d.Body.Lbrace+1, " if dupinstStray(sig, c) { return }; ")
	case "dieFromSignal":
		p.insert("signal", d.Body.Lbrace+1, " dupinstDie(); ")
	case "dieFromException": // of Windows, as dieFromSignal is of the others
		p.insert("signal", d.Body.Lbrace+1, " dupinstFlush(); ")
	case "ctrlHandler":
		p.console(d)
	case "sighandler":
		p.insert("switch", d.Body.Lbrace+1, " if dupinstSignalled(sig, info, ctxt, gp) { return }; ")
	case "runtime_setProfLabel":
		if of := d.Type.Params.List; len(of) == 1 && len(of[0].Names) == 1 {
			p.insert("labels", d.Body.Rbrace, "dupinstRelabelled("+of[0].Names[0].Name+") ")
		}
	case "syscall_runtime_BeforeExec":
		p.insert("exec", d.Body.Lbrace+1, " dupinstFlush(); ")
	}
}

// grown tells of memory that the heap has got, wherever it is made known to the allocator of pages.
func (p *patcher) grown(d *ast.FuncDecl) {
	ast.Inspect(d.Body, func(n ast.Node) bool {
		if s, ok := n.(*ast.ExprStmt); ok {
			call, _ := s.X.(*ast.CallExpr)
			if call != nil && len(call.Args) == 2 && types.ExprString(call.Fun) == "h.pages.grow" {
				p.insert("grown", s.End(), fmt.Sprintf("; dupinstGrown(%s, %s)", types.ExprString(call.Args[0]), types.ExprString(call.Args[1])))
			}
		}
		return true
	})
}

// metadata may move what the runtime has got to note something of the heap in.
func (p *patcher) metadata(d *ast.FuncDecl) {
	ast.Inspect(d.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || types.ExprString(call.Fun) != "sysAlloc" {
			return true
		}
		if size, ok := call.Args[0].(*ast.Ident); ok && (size.Name == "persistentChunkSize" || size.Name == "gcBitsChunkBytes") {
			p.insert("metadata:"+size.Name, call.Pos(), "dupinstMetadata(")
			p.insert("metadata:"+size.Name, call.End(), ", "+size.Name+")")
		}
		return true
	})
}

// birth sets the new goroutine's field where newproc1 has recorded its parent
// and what it starts at.
func (p *patcher) birth(d *ast.FuncDecl) {
	parent := ""
	for _, s := range d.Body.List {
		assign, ok := s.(*ast.AssignStmt)
		if !ok || len(assign.Lhs) != 1 {
			continue
		}
		switch child, field := selected(assign.Lhs[0]); field {
		case "parentGoid":
			parent, _ = selected(assign.Rhs[0])
		case "startpc":
			if parent != "" && child != "" {
				p.insert("birth", s.End(), fmt.Sprintf("; dupinstBorn(%s, %s)", child, parent))
			}
		}
	}
}

// guard lets a window that is open poison a stack's guard that has been set, and a stack check
// that a poison made fail be tried again.
func (p *patcher) guard(d *ast.FuncDecl) {
	ast.Inspect(d.Body, func(n ast.Node) bool {
		s, ok := n.(*ast.AssignStmt)
		if !ok || len(s.Lhs) != 1 || len(s.Rhs) != 1 {
			return true
		}
		gp, field := selected(s.Lhs[0])
		if sum, ok := s.Rhs[0].(*ast.BinaryExpr); ok && field == "stackguard0" && sum.Op == token.ADD {
			does := "dupinstGuard"
			switch d.Name.Name {
			case "execute":
				does = "dupinstJoin"
			case "exitsyscall":
				does = "dupinstBack"
			}
			p.insert("guard:"+d.Name.Name, s.End(), "; "+does+"("+gp+")")
		}
		if id, ok := s.Lhs[0].(*ast.Ident); ok && id.Name == "preempt" && d.Name.Name == "newstack" && s.Tok == token.DEFINE {
			p.insert("poison", s.Pos(), "if dupinstRoom(gp, stackguard0) { gogo(&gp.sched) }; ")
		}
		return true
	})
}

// console writes the profile where Windows ends a process for something that happened at
// its console, which the program does not want to hear of.
func (p *patcher) console(d *ast.FuncDecl) {
	if ret, ok := d.Body.List[len(d.Body.List)-1].(*ast.ReturnStmt); ok {
		p.insert("console", ret.Pos(), "dupinstFlush(); ")
	}
}

// selected returns the names in x.f.
func selected(e ast.Expr) (x, field string) {
	if sel, ok := e.(*ast.SelectorExpr); ok {
		if id, ok := sel.X.(*ast.Ident); ok {
			return id.Name, sel.Sel.Name
		}
	}
	return "", ""
}

// idle are the names of a processor and of the time, if that is what two expressions are.
func idle(of []ast.Expr) (pp, now string) {
	if len(of) != 2 {
		return "", ""
	}
	p, ok := of[0].(*ast.Ident)
	at, is := of[1].(*ast.Ident)
	if !ok || !is {
		return "", ""
	}
	return p.Name, at.Name
}

// called returns the name of the function that s calls.
func called(s *ast.ExprStmt) string {
	if call, ok := s.X.(*ast.CallExpr); ok {
		if id, ok := call.Fun.(*ast.Ident); ok {
			return id.Name
		}
	}
	return ""
}
