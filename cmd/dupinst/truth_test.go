package main_test

import (
	"bufio"
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/interp"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/dupinst/dupinst/profile"
)

// A block is one of Go's own coverage blocks.
type block struct {
	startLine, startCol, endLine, endCol int
	count                                uint64
}

func (b block) contains(line, col int) bool {
	after := line > b.startLine || line == b.startLine && col >= b.startCol
	before := line < b.endLine || line == b.endLine && col < b.endCol
	return after && before
}

// coverBlocks runs a program built by go build -cover -covermode=atomic and
// returns its block counts.
func coverBlocks(t *testing.T, dir, name string) []block {
	t.Helper()
	out := t.TempDir()
	bin := filepath.Join(out, name)
	goBuild(t, dir, "go", "build", "-cover", "-covermode=atomic", "-o", bin, "./"+name)
	execute(t, bin, "", "", "GOCOVERDIR="+out)
	text := filepath.Join(out, "cover.txt")
	goBuild(t, dir, "go", "tool", "covdata", "textfmt", "-i="+out, "-o="+text)
	f, err := os.Open(text)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var blocks []block
	for s := bufio.NewScanner(f); s.Scan(); {
		_, at, ok := strings.Cut(s.Text(), "main.go:")
		if !ok {
			continue
		}
		var b block
		var statements int
		if _, err := fmt.Sscanf(at, "%d.%d,%d.%d %d %d", &b.startLine, &b.startCol, &b.endLine, &b.endCol, &statements, &b.count); err != nil {
			t.Fatalf("%s: %v", s.Text(), err)
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// TestCover holds the profile at interval 1 against Go's own block counts, which
// know nothing of dupinst: a call site that its block always reaches must have
// been reached as often as the block, a function entered as often as called,
// and a field accessed as often as the statements that name it ran.
func TestCover(t *testing.T) {
	t.Parallel()
	dir, _ := programs(t)
	for _, name := range []string{"scope", "jumps", "closures", "generics", "types"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			blocks := coverBlocks(t, dir, name)
			backends(t, func(t *testing.T, in func(string) string) {
				bin := filepath.Join(t.TempDir(), name)
				goBuild(t, dir, "dupinst", append(arranged(in("auto")), "build", "-o", bin, "./"+name)...)
				prof := filepath.Join(t.TempDir(), "prof")
				execute(t, bin, prof, "1")
				profiles, err := profile.ReadProfiles(prof)
				if err != nil {
					t.Fatal(err)
				}
				c := newCovered(t, filepath.Join(dir, name, "main.go"), blocks)
				for _, p := range profiles {
					switch p.Instrumentation {
					case "calledge":
						c.checkCalls(t, p)
					case "fieldaccess":
						c.checkFields(t, p)
					}
				}
			})
		})
	}
}

// covered is a program's syntax with its block counts.
type covered struct {
	fset   *token.FileSet
	file   *ast.File
	info   *types.Info
	blocks []block
}

func newCovered(t *testing.T, name string, blocks []block) *covered {
	t.Helper()
	c := &covered{fset: token.NewFileSet(), blocks: blocks, info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
	}}
	var err error
	if c.file, err = parser.ParseFile(c.fset, name, nil, 0); err != nil {
		t.Fatal(err)
	}
	conf := types.Config{Importer: importer.ForCompiler(c.fset, "gc", nil)}
	if _, err := conf.Check("main", c.fset, []*ast.File{c.file}, c.info); err != nil {
		t.Fatal(err)
	}
	return c
}

// at returns the count of the block around a position, if there is one.
func (c *covered) at(pos token.Pos) (uint64, bool) {
	p := c.fset.PositionFor(pos, false)
	for _, b := range c.blocks {
		if b.contains(p.Line, p.Column) {
			return b.count, true
		}
	}
	return 0, false
}

// simple calls visit for each statement that evaluates all of itself each time
// its block runs: no &&, ||, function literal, nor statement list in it.
func (c *covered) simple(visit func(ast.Stmt)) {
	headers := map[ast.Stmt]bool{} // parts of for statements, which blocks do not count
	ast.Inspect(c.file, func(n ast.Node) bool {
		if f, ok := n.(*ast.ForStmt); ok {
			headers[f.Init], headers[f.Post] = true, true
		}
		s, ok := n.(ast.Stmt)
		if !ok || headers[s] {
			return true
		}
		switch s.(type) {
		case *ast.ExprStmt, *ast.AssignStmt, *ast.IncDecStmt, *ast.ReturnStmt, *ast.SendStmt:
		default:
			return true
		}
		plain := true
		ast.Inspect(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				plain = false
			case *ast.BinaryExpr:
				plain = plain && n.Op != token.LAND && n.Op != token.LOR
			}
			return plain
		})
		if plain {
			visit(s)
		}
		return true
	})
}

func (c *covered) checkCalls(t *testing.T, p *profile.Profile) {
	t.Helper()
	site := map[string]uint64{}   // calls at line:col
	callee := map[string]uint64{} // calls of a function, from anywhere
	for _, e := range p.Entries {
		part := map[string]string{}
		for _, x := range e.Parts {
			part[x.Name] = x.Value
		}
		site[part["line"]+":"+part["col"]] += e.Count
		callee[part["callee"]] += e.Count
	}
	sites, entries := 0, 0
	c.simple(func(s ast.Stmt) {
		ast.Inspect(s, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if tv := c.info.Types[ast.Unparen(call.Fun)]; tv.IsType() || tv.IsBuiltin() {
				return true
			}
			want, ok := c.at(s.Pos())
			if at := c.fset.PositionFor(call.Lparen, false); ok && site[fmt.Sprintf("%d:%d", at.Line, at.Column)] != want {
				t.Errorf("%s: %d calls, its block ran %d times", at, site[fmt.Sprintf("%d:%d", at.Line, at.Column)], want)
			}
			sites++
			return true
		})
	})
	for _, d := range c.file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv != nil || fn.Name.Name == "main" || fn.Name.Name == "init" || len(fn.Body.List) == 0 {
			continue
		}
		name := "main." + fn.Name.Name
		if fn.Type.TypeParams != nil {
			name += "[...]"
		}
		if want, ok := c.at(fn.Body.List[0].Pos()); ok && callee[name] != want {
			t.Errorf("%s: called %d times, entered %d times", name, callee[name], want)
		}
		entries++
	}
	if sites < 5 || entries < 3 {
		t.Errorf("only %d sites and %d entries compared", sites, entries)
	}
}

// checkFields counts the fields that each simple statement names, directly and
// not through promotion or assignment, and compares lower bounds: other
// statements name the same fields.
func (c *covered) checkFields(t *testing.T, p *profile.Profile) {
	t.Helper()
	want := map[string]uint64{}
	elsewhere := map[string]bool{} // named where blocks do not tell how often
	field := func(sel *ast.SelectorExpr) string {
		s := c.info.Selections[sel]
		if s == nil || s.Kind() != types.FieldVal || len(s.Index()) != 1 {
			return ""
		}
		t := s.Recv()
		if ptr, ok := t.Underlying().(*types.Pointer); ok {
			t = ptr.Elem()
		}
		named, ok := types.Unalias(t).(*types.Named)
		if !ok || named.TypeArgs().Len() > 0 {
			return ""
		}
		return "main." + named.Obj().Name() + "." + sel.Sel.Name
	}
	inSimple := map[ast.Node]bool{}
	c.simple(func(s ast.Stmt) {
		double := map[ast.Expr]bool{} // read and written
		switch s := s.(type) {
		case *ast.IncDecStmt:
			double[s.X] = true
		case *ast.AssignStmt:
			if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
				double[s.Lhs[0]] = true
			}
		}
		n, ok := c.at(s.Pos())
		ast.Inspect(s, func(node ast.Node) bool {
			if sel, isSel := node.(*ast.SelectorExpr); isSel && ok {
				inSimple[sel] = true
				if f := field(sel); f != "" {
					want[f] += n
					if double[sel] {
						want[f] += n
					}
				}
			}
			return true
		})
	})
	ast.Inspect(c.file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && !inSimple[sel] {
			elsewhere[field(sel)] = true
		}
		return true
	})
	got := map[string]uint64{}
	for _, e := range p.Entries {
		got[e.Parts[0].Value+"."+e.Parts[1].Value] += e.Count
	}
	exact := 0
	for f, n := range want {
		switch {
		case elsewhere[f] && got[f] < n:
			t.Errorf("%s: %d accesses, the blocks that name it ran %d times", f, got[f], n)
		case !elsewhere[f] && got[f] != n && !promoted[f]:
			t.Errorf("%s: %d accesses, want %d", f, got[f], n)
		case !elsewhere[f]:
			exact++
		}
	}
	t.Logf("%d fields compared, %d of them exactly", len(want), exact)
	if len(want) == 0 {
		t.Error("no field compared")
	}
}

// promoted are the fields that programs also reach through promotion or as a
// part of another, which checkFields does not follow.
var promoted = map[string]bool{
	"main.inner.a": true, "main.inner.b": true, "main.outer.middle": true, "main.middle.inner": true,
	"main.outer.inner2": true, "main.outer.list": true,
}

// TestInterp holds the profile at interval 1 against the SSA interpreter's
// trace: function entries and field instructions.
func TestInterp(t *testing.T) {
	t.Parallel()
	if name := os.Getenv("DUPINST_TEST_INTERP"); name != "" {
		interpret(name)
		return
	}
	for _, name := range []string{"list", "matrix", "state"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, err := filepath.Abs(filepath.Join("..", "..", "testdata", "interp"))
			if err != nil {
				t.Fatal(err)
			}
			entries, fields := trace(t, filepath.Join(dir, name, "main.go"))
			backends(t, func(t *testing.T, in func(string) string) {
				bin := filepath.Join(t.TempDir(), name)
				goBuild(t, dir, "dupinst", append(arranged(in("auto")), "build", "-o", bin, "./"+name)...)
				prof := filepath.Join(t.TempDir(), "prof")
				execute(t, bin, prof, "1")
				calls, accesses := map[string]uint64{"main.main": 1}, map[string]uint64{}
				profiles, err := profile.ReadProfiles(prof)
				if err != nil {
					t.Fatal(err)
				}
				for _, p := range profiles {
					for _, e := range p.Entries {
						switch p.Instrumentation {
						case "calledge":
							calls[e.Parts[5].Value] += e.Count
						case "fieldaccess":
							accesses[e.Parts[1].Value] += e.Count
						}
					}
				}
				diffCounts(t, entries, calls)
				diffCounts(t, fields, accesses)
			})
		})
	}
}

// trace interprets a program in another process (the interpreter prints to
// standard error) and counts what its trace shows.
func trace(t *testing.T, name string) (entries, fields map[string]uint64) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestInterp$")
	cmd.Env = append(os.Environ(), "DUPINST_TEST_INTERP="+name)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("interpreting %s: %v\n%.2000s", name, err, stderr.String())
	}
	entries, fields = map[string]uint64{}, map[string]uint64{}
	enter := regexp.MustCompile(`^Entering (\S+) at`)
	field := regexp.MustCompile(`\.(\w+) \[#\d+\]$`)
	for s := bufio.NewScanner(&stderr); s.Scan(); {
		if m := enter.FindStringSubmatch(s.Text()); m != nil && m[1] != "main.init" {
			entries[symbol(m[1])]++
		}
		if m := field.FindStringSubmatch(s.Text()); m != nil {
			fields[m[1]]++
		}
	}
	return entries, fields
}

// symbol turns the name that package ssa gives a function into the runtime's.
func symbol(name string) string {
	if rest, ok := strings.CutPrefix(name, "(*main."); ok {
		return "main.(*" + rest
	}
	if rest, ok := strings.CutPrefix(name, "(main."); ok {
		return "main." + strings.Replace(rest, ")", "", 1)
	}
	if outer, n, ok := strings.Cut(name, "$"); ok {
		return outer + ".func" + n
	}
	return name
}

// interpret runs the program with a trace on standard error.
func interpret(name string) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, nil, 0)
	if err == nil {
		var pkg *ssa.Package
		pkg, _, err = ssautil.BuildPackage(&types.Config{}, fset, types.NewPackage("main", "main"), []*ast.File{file}, ssa.NaiveForm)
		if err == nil {
			interp.Interpret(pkg, interp.EnableTracing, types.SizesFor("gc", "amd64"), name, nil)
			return
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
