package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
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
	"noinit.go":           "it reads its own list of init functions, to which a package variable's call edge adds one",
	"linkmain_run.go":     "it runs the linker on files of its directory",
	"linkobj.go":          "it runs the linker on files of its directory",
	"linkx_run.go":        "it runs the linker on files of its directory",
	"fixedbugs/bug369.go": "it runs the compiler on files of its directory, and compares times",
}

// gorootCases lists them.
func gorootCases(r *runner) ([]*Case, error) {
	root, err := goroot()
	if err != nil {
		return nil, err
	}
	root = filepath.Join(root, "test")
	if _, err := os.Stat(root); err != nil {
		return nil, fmt.Errorf("this Go distribution comes without its test programs: %w", err)
	}
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
			switch {
			case run == nil || !fits:
				continue
			case unfit[name] != "":
				run = func(*attempt, string, []string) error { return skippedError{errors.New(unfit[name])} }
			}
			cases = append(cases, &Case{Name: "goroot/" + strings.TrimSuffix(name, ".go"), run: func(a *attempt) error { return run(a, f, args) }})
		}
	}
	return cases, nil
}

func goroot() (string, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

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
			if fields := strings.Fields(strings.TrimPrefix(line, "//")); len(fields) > 0 {
				action, args = fields[0], fields[1:]
			}
		case line != "" && !strings.HasPrefix(line, "//"):
			return action, args, action != ""
		}
	}
	return action, args, action != ""
}

// tagged reports whether a build tag is set.
func tagged(tag string) bool {
	if minor, ok := strings.CutPrefix(tag, "go1."); ok {
		n, err := strconv.Atoi(minor)
		own, err2 := strconv.Atoi(strings.SplitN(strings.TrimPrefix(runtime.Version(), "go1."), ".", 2)[0])
		return err == nil && err2 == nil && n <= own
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

// actions are the recipes that are followed.
var actions = map[string]func(a *attempt, file string, args []string) error{
	"run": runProgram, "rundir": runDir, "runindir": runInDir, "runoutput": runOutput, "errorcheck": checkErrors,
}

var gorootIntervals = []string{"1", "2", "1000", "off"}

func runProgram(a *attempt, file string, args []string) error {
	var build []string
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		build, args = append(build, args[0]), args[1:]
	}
	build = append(build, file)
	for len(args) > 0 && strings.HasSuffix(args[0], ".go") {
		build, args = append(build, filepath.Join(filepath.Dir(file), args[0])), args[1:]
	}
	return a.program(program{dir: a.dir, build: build, args: args, intervals: gorootIntervals})
}

// runOutput runs the program that a program prints.
func runOutput(a *attempt, file string, args []string) error {
	src, err := a.command(runLimit, filepath.Dir(file), host, "go", append([]string{"run", file}, args...)...)
	if err != nil {
		return plainError{err}
	}
	made := filepath.Join(a.dir, "made.go")
	if err := os.WriteFile(made, []byte(src), 0o666); err != nil {
		return err
	}
	return a.program(program{dir: a.dir, build: []string{made}, intervals: gorootIntervals})
}

// runInDir runs the package in the directory that belongs to file.
func runInDir(a *attempt, file string, args []string) error {
	if len(args) > 0 {
		return skippedError{fmt.Errorf("its flags %v are not known here", args)}
	}
	dir := filepath.Join(a.dir, "src")
	if err := os.CopyFS(dir, os.DirFS(strings.TrimSuffix(file, ".go")+".dir")); err != nil {
		return err
	}
	if err := writeModule(dir, strings.TrimSuffix(filepath.Base(file), ".go")+".dir", "1.14"); err != nil {
		return err
	}
	return a.program(program{dir: dir, build: []string{"."}, intervals: gorootIntervals})
}

func writeModule(dir, name, version string) error {
	return os.WriteFile(filepath.Join(dir, "go.mod"), fmt.Appendf(nil, "module %s\n\ngo %s\n", name, version), 0o666)
}

// relative is an import of a package in the same directory.
var relative = regexp.MustCompile(`"\./([\w.]+)"`)

// runDir runs the main package of a directory in which the files of each package
// lie side by side: each gets a directory of its own.
func runDir(a *attempt, file string, args []string) error {
	if len(args) > 0 {
		return skippedError{fmt.Errorf("its flags %v are not known here", args)}
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
		f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.PackageClauseOnly)
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
	}
	if err := writeModule(dir, "test", strings.TrimPrefix(strings.Join(strings.Split(runtime.Version(), ".")[:2], "."), "go")); err != nil {
		return err
	}
	return a.program(program{dir: dir, build: []string{"."}, intervals: gorootIntervals})
}

// checkErrors compares the errors of a program that does not compile.
func checkErrors(a *attempt, file string, args []string) error {
	for _, f := range args {
		if !strings.HasPrefix(f, "-lang=") {
			return skippedError{fmt.Errorf("its flags %v are of the compiler's own reports", args)}
		}
	}
	build := []string{"build", "-o", os.DevNull}
	if len(args) > 0 {
		build = append(build, "-gcflags="+strings.Join(args, " "))
	}
	build = append(build, file)
	want, plainErr := a.command(buildLimit, a.dir, nil, "go", build...)
	for _, v := range a.c.variants {
		got, err := a.command(buildLimit, a.dir, nil, "go", append([]string{build[0], "-toolexec=" + a.dupinst + " -variant=" + v}, build[1:]...)...)
		switch {
		case (err == nil) != (plainErr == nil):
			return fmt.Errorf("%s: %v, plain: %v", v, err, plainErr)
		case got != want:
			return fmt.Errorf("%s: the compiler prints %s", v, difference(got, want))
		}
	}
	return nil
}
