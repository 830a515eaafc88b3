package command

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"io"
	"os"
	"strings"

	"github.com/dupinst/dupinst/explain"
	"github.com/dupinst/dupinst/gobuild"
	"github.com/dupinst/dupinst/instrumentations"
	"github.com/dupinst/dupinst/load"
	"github.com/dupinst/dupinst/transform"
)

const explainSynopsis = `[flags] explain [-format=FORMAT] [-o FILE] [packages or functions]

Says what is made of each function, and why. An argument that begins with a dot
or a slash, or has a slash or ... in it, is a package pattern, as are std, cmd and
all; any other names functions: by their whole name, as a stack trace has it, or
the end of it, as in (*T).Method. Without a pattern, the packages are ./... .
Flags before explain, -variant and -instrument, are those of a build.
`

// explainCommand explains what a build would do.
func explainCommand(in *invocation) (int, error) {
	fs, parse := in.flags("explain", explainSynopsis)
	format := fs.String("format", "text", "text, json, summary (numbers of functions, by outcome and reason), dot, svg (one function) or html; the last two need Graphviz")
	out := fs.String("o", "", "`file` to write to, instead of standard output")
	if err := parse(); err != nil {
		return misuse, err
	}
	write, ok := map[string]func(context.Context, io.Writer, []*explain.Function) error{
		"text":    func(_ context.Context, w io.Writer, f []*explain.Function) error { return explain.Text(w, f) },
		"summary": func(_ context.Context, w io.Writer, f []*explain.Function) error { return explain.Summary(w, f) },
		"json":    func(_ context.Context, w io.Writer, f []*explain.Function) error { return explain.JSON(w, f) },
		"dot":     writeDOT,
		"svg":     writeSVG,
		"html":    explain.HTML,
	}[*format]
	if !ok {
		return misuse, usagef("explain: no format %q; there are text, json, summary, dot, svg and html", *format)
	}
	if in.config.Packages != nil || in.config.Audit {
		return misuse, usagef("explain: takes -variant and -instrument before it, not -pkgs nor -audit; name packages after it")
	}
	backend, err := in.config.Prepare(in.ctx, in.stderr)
	if err != nil {
		return failed, err
	}
	var b bytes.Buffer
	find := in.functions
	if backend == gobuild.Compiler {
		find = in.compiled
	}
	functions, err := find(fs.Args())
	if err == nil {
		err = write(in.ctx, &b, functions)
	}
	if err != nil {
		return failed, err
	}
	if *out == "" {
		_, err = in.stdout.Write(b.Bytes())
	} else {
		err = os.WriteFile(*out, b.Bytes(), 0o666)
	}
	if err != nil {
		return failed, fmt.Errorf("cannot write the explanation: %w", err)
	}
	return 0, nil
}

func writeDOT(_ context.Context, w io.Writer, functions []*explain.Function) error {
	_, err := io.WriteString(w, explain.DOT(functions))
	return err
}

func writeSVG(ctx context.Context, w io.Writer, functions []*explain.Function) error {
	if len(functions) != 1 {
		return fmt.Errorf("cannot draw %d functions as one SVG: name one, or use -format=html", len(functions))
	}
	drawings, err := explain.SVG(ctx, functions)
	if err != nil {
		return err
	}
	if drawings[0] == "" {
		return fmt.Errorf("cannot draw %s: %s", functions[0].Name, functions[0].Why)
	}
	_, err = io.WriteString(w, drawings[0]+"\n")
	return err
}

// arguments tells patterns of packages from names of functions.
func arguments(args []string) (patterns, names []string) {
	for _, a := range args {
		if a == "std" || a == "cmd" || a == "all" || strings.HasPrefix(a, ".") || strings.Contains(a, "...") || strings.Contains(a, "/") && !strings.Contains(a, "(") {
			patterns = append(patterns, a)
		} else {
			names = append(names, a)
		}
	}
	if patterns == nil {
		patterns = []string{"./..."}
	}
	return patterns, names
}

// compiled has the compiler plan what args name.
func (in *invocation) compiled(args []string) ([]*explain.Function, error) {
	patterns, names := arguments(args)
	plans, err := in.config.Explain(in.ctx, patterns)
	if err != nil {
		return nil, err
	}
	return named(explain.Compiled(plans), names)
}

// functions plans what args name.
func (in *invocation) functions(args []string) ([]*explain.Function, error) {
	patterns, names := arguments(args)
	packages, err := load.Patterns(in.ctx, "", patterns)
	if err != nil {
		return nil, err
	}
	var out []*explain.Function
	for _, pkg := range packages {
		if gobuild.RuntimeOwn(pkg.Types.Path()) {
			for _, fn := range pkg.Funcs {
				fn.Excluded = "package runtime is built from its package"
			}
		}
		r, err := transform.Package(&instrumentations.Unit{Package: pkg.Package, Position: pkg.Fset.Position}, transform.Options{
			Variant: in.config.Variant, Instrumentations: in.config.Instrumentations,
			Leave:  func(*ast.File) bool { return false },
			Source: func(f *ast.File) []byte { return pkg.Sources[f] },
			Header: func(*ast.File) string { return "" },
		})
		if err != nil {
			return nil, fmt.Errorf("cannot explain package %s: %w", pkg.Types.Path(), err)
		}
		out = append(out, explain.Functions(pkg, r.Plans)...)
	}
	return named(out, names)
}

// named returns those of the functions that names name, all if there are none.
func named(functions []*explain.Function, names []string) ([]*explain.Function, error) {
	if len(names) == 0 {
		return functions, nil
	}
	var out []*explain.Function
	for _, name := range names {
		n := len(out)
		for _, f := range functions {
			if f.Named(name) {
				out = append(out, f)
			}
		}
		if len(out) == n {
			return nil, fmt.Errorf("cannot explain %s: no function has that name, or a name that ends so", name)
		}
	}
	return out, nil
}
