package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"go/version"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// The Go project's own test programs: those of GOROOT/test that its runner
// (cmd/internal/testdir) runs, and those whose errors it checks.

// testDirs are the directories that hold programs.
var testDirs = []string{
	".", "ken", "chan", "interface", "internal/runtime/sys", "syntax", "dwarf", "fixedbugs", "codegen", "abi",
	"typeparam", "typeparam/mdempsky", "arenas",
}

// unfit are programs that cannot be compared, with the reason.
var unfit = map[string]string{
	"noinit.go": "it reads its own list of init functions, to which a package variable's call edge adds one",
}

// gorootCases lists them.
func gorootCases(r *runner) ([]*Case, error) {
	// Toolchains that are modules come without the programs, so those of the own release
	// are what others build, too.
	root, err := goroot("GOTOOLCHAIN=local")
	if err != nil {
		return nil, err
	}
	root = filepath.Join(root, "test")
	if _, err := os.Stat(root); err != nil {
		return nil, fmt.Errorf("this Go distribution comes without its test programs: %w", err)
	}
	importcfg := sync.OnceValues(r.importcfg)
	var cases []*Case
	for _, dir := range testDirs {
		files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			src, err := os.ReadFile(f)
			if err != nil {
				return nil, err
			}
			name, _ := filepath.Rel(root, f)
			action, args, fits := recipe(string(src))
			run := actions[action]
			if run == nil || !fits {
				continue
			}
			s := setupOf(args)
			s.root = root
			cases = append(cases, &Case{Name: "goroot/" + strings.TrimSuffix(name, ".go"), run: func(a *attempt) error {
				if unfit[name] != "" {
					return skippedError{errors.New(unfit[name])}
				}
				if bytes.Contains(src, []byte("STDLIB_IMPORTCFG")) {
					file, err := importcfg()
					if err != nil {
						return err
					}
					s.env = append(s.env, "STDLIB_IMPORTCFG="+file)
				}
				return run(a, f, s)
			}})
		}
	}
	return cases, nil
}

// importcfg writes where the compiled standard packages are, for programs that run the
// compiler themselves.
func (r *runner) importcfg() (string, error) {
	out, err := r.list("-export", "-f", "{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}", "std")
	if err != nil {
		return "", err
	}
	file := filepath.Join(r.work, "importcfg")
	return file, os.WriteFile(file, []byte(out), 0o666)
}

func goroot(env ...string) (string, error) {
	cmd := exec.Command("go", "env", "GOROOT")
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// field is a word of a recipe, which can be quoted in part.
var field = regexp.MustCompile(`(?:[^\s"']|"[^"]*"|'[^']*')+`)

// recipe reads what is to be done with a program off its first comment, and
// whether it is for this platform off those before its package clause.
func recipe(src string) (action string, args []string, fits bool) {
	first := true
	for line := range strings.Lines(src) {
		line = strings.TrimSpace(line)
		switch {
		case constraint.IsGoBuild(line):
			e, err := constraint.Parse(line)
			if err != nil || !e.Eval(tagged) {
				return "", nil, false
			}
		case first && strings.HasPrefix(line, "//"):
			first = false
			fields := field.FindAllString(strings.TrimPrefix(line, "//"), -1)
			for i, f := range fields {
				fields[i] = strings.NewReplacer("'", "", `"`, "").Replace(f)
			}
			if len(fields) > 0 {
				action, args = fields[0], fields[1:]
			}
		case line != "" && !strings.HasPrefix(line, "//"):
			return action, args, action != ""
		}
	}
	return action, args, action != ""
}

// language is the version of Go that programs are built with (1.26).
func language() string {
	if v := version.Lang(os.Getenv("GOTOOLCHAIN")); v != "" {
		return strings.TrimPrefix(v, "go")
	}
	return strings.TrimPrefix(version.Lang(runtime.Version()), "go")
}

// tagged reports whether a build tag is set.
func tagged(tag string) bool {
	if version.IsValid(tag) {
		return version.Compare(tag, "go"+language()) <= 0
	}
	system, arch := cmp.Or(os.Getenv("GOOS"), runtime.GOOS), cmp.Or(os.Getenv("GOARCH"), runtime.GOARCH)
	switch tag {
	case system, arch, "gc":
		return true
	case "cgo": // which the go command leaves out where it builds for another system
		return system == runtime.GOOS && arch == runtime.GOARCH
	case "unix":
		return system != "windows"
	}
	return false
}

// A setup is how a recipe has a program built and run.
type setup struct {
	root     string   // GOROOT/test, where programs run
	flags    []string // of the go command, or of the compiler
	args     []string // of the program, or its other files
	env      []string
	language string // version of Go of the module that runindir makes
}

// setupOf reads it off a recipe's arguments.
func setupOf(args []string) setup {
	s := setup{language: "1.14"}
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		flag, value := args[0], ""
		args = args[1:]
		if slices.Contains([]string{"-t", "-goexperiment", "-godebug", "-gomodversion"}, flag) && len(args) > 0 {
			value, args = args[0], args[1:]
		}
		switch flag {
		case "-0", "-1", "-t": // whether there are errors, and how long it may take
		case "-goexperiment":
			s.env = append(s.env, "GOEXPERIMENT="+value)
		case "-godebug":
			s.env = append(s.env, "GODEBUG="+value)
		case "-gomodversion":
			s.language = value
		default:
			s.flags = append(s.flags, flag)
		}
	}
	s.args = args
	return s
}

// actions are the recipes that are followed.
var actions = map[string]func(a *attempt, file string, s setup) error{
	"run": runProgram, "rundir": runDir, "runindir": runInDir, "runoutput": runOutput, "errorcheck": checkErrors,
}

var gorootIntervals = []string{"1", "2", "1000", "off"}

func runProgram(a *attempt, file string, s setup) error {
	build := append(s.flags, file)
	for len(s.args) > 0 && strings.HasSuffix(s.args[0], ".go") {
		build, s.args = append(build, filepath.Join(filepath.Dir(file), s.args[0])), s.args[1:]
	}
	return a.program(program{dir: s.root, build: build, args: s.args, env: s.env, intervals: gorootIntervals})
}

// runOutput runs the program that a program prints.
func runOutput(a *attempt, file string, s setup) error {
	name, err := filepath.Rel(s.root, file)
	if err != nil {
		return err
	}
	src, err := a.command(runLimit, s.root, slices.Concat(host, s.env), "go", append([]string{"run", name}, s.args...)...)
	if err != nil {
		return plainError{err}
	}
	made := filepath.Join(a.dir, "made.go")
	if err := os.WriteFile(made, []byte(src), 0o666); err != nil {
		return err
	}
	return a.program(program{dir: s.root, build: append(s.flags, made), env: s.env, intervals: gorootIntervals})
}

// runInDir runs the package in the directory that belongs to file.
func runInDir(a *attempt, file string, s setup) error {
	dir := filepath.Join(a.dir, "src")
	if err := os.CopyFS(dir, os.DirFS(strings.TrimSuffix(file, ".go")+".dir")); err != nil {
		return err
	}
	if err := writeModule(dir, strings.TrimSuffix(filepath.Base(file), ".go")+".dir", s.language); err != nil {
		return err
	}
	return a.program(program{dir: dir, build: append(s.flags, "."), args: s.args, env: s.env, intervals: gorootIntervals})
}

func writeModule(dir, name, version string) error {
	return os.WriteFile(filepath.Join(dir, "go.mod"), fmt.Appendf(nil, "module %s\n\ngo %s\n", name, version), 0o666)
}

// relative is an import of a package in the same directory.
var relative = regexp.MustCompile(`"\./([\w.]+)"`)

// runDir runs the main package of a directory in which the files of each package
// lie side by side: each gets a directory of its own.
func runDir(a *attempt, file string, s setup) error {
	compiler, linker := s.flags, []string(nil)
	if i := slices.Index(s.flags, "-ldflags"); i >= 0 {
		compiler, linker = s.flags[:i], s.flags[i+1:]
	}
	from := strings.TrimSuffix(file, ".go") + ".dir"
	files, err := fs.Glob(os.DirFS(from), "*")
	if err != nil {
		return err
	}
	dir := filepath.Join(a.dir, "src")
	for _, name := range files {
		src, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return err
		}
		if filepath.Ext(name) != ".go" {
			return skippedError{fmt.Errorf("it has a file %s, for the assembler", name)}
		}
		// What the go command would take for a test is none here.
		name = strings.ReplaceAll(name, "_test.go", "_file.go")
		f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
		if err != nil {
			return plainError{err}
		}
		// The runner names packages by the file's name, main by its clause.
		to := filepath.Join(dir, strings.TrimSuffix(name, ".go"))
		if f.Name.Name == "main" {
			to = dir
		}
		if err := os.MkdirAll(to, 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, name), relative.ReplaceAll(src, []byte(`"test/$1"`)), 0o666); err != nil {
			return err
		}
		if slices.ContainsFunc(f.Decls, bodiless) {
			// With a file for the assembler, the go command lets the compiler take it.
			if err := os.WriteFile(filepath.Join(to, "empty.s"), nil, 0o666); err != nil {
				return err
			}
		}
	}
	if err := writeModule(dir, "test", language()); err != nil {
		return err
	}
	var build []string
	if len(compiler) > 0 {
		build = append(build, "-gcflags=test/...="+strings.Join(compiler, " "))
	}
	if len(linker) > 0 {
		build = append(build, "-ldflags="+strings.Join(linker, " "))
	}
	return a.program(program{dir: dir, build: append(build, "."), args: s.args, env: s.env, intervals: gorootIntervals})
}

func bodiless(d ast.Decl) bool {
	f, ok := d.(*ast.FuncDecl)
	return ok && f.Body == nil
}

// reports are flags with which the compiler tells what it makes of a program, which is
// another one when it is instrumented.
var reports = regexp.MustCompile(`^-(m|live|wb|d)\b`)

// checkErrors compares the errors of a program that does not compile: all of them, as
// the runner does.
func checkErrors(a *attempt, file string, s setup) error {
	for _, f := range s.flags {
		if reports.MatchString(f) && f != "-d=panic" {
			return skippedError{fmt.Errorf("its flags %v are of the compiler's own reports", s.flags)}
		}
	}
	build := []string{"build", "-o", os.DevNull, "-gcflags=-e " + strings.Join(s.flags, " "), file}
	want, plainErr := a.command(buildLimit, a.dir, s.env, "go", build...)
	for _, v := range a.c.variants {
		got, err := a.command(buildLimit, a.dir, s.env, "go", append([]string{build[0], "-toolexec=" + a.dupinst + " " + strings.Join(a.arranged(a.backend, v), " ")}, build[1:]...)...)
		switch {
		case (err == nil) != (plainErr == nil):
			return fmt.Errorf("%s: %v, plain: %v", v, err, plainErr)
		case got != want:
			return fmt.Errorf("%s: the compiler prints %s", v, difference(got, want))
		}
	}
	return nil
}
