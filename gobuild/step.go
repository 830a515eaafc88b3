package gobuild

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A step is one run of a tool by the go command.
type step struct {
	tool string   // path of the tool
	runs string   // of what runs in its place, if not ""
	args []string // response files expanded
	// importing is TOOLEXEC_IMPORTPATH: the package's path as go list prints it.
	importing string
	env       []string // added to the environment
	// input, if not nil, makes what the tool reads on its standard input, while it runs.
	input func() (string, error)
}

// newStep reads a tool's arguments.
func newStep(tool string, args []string) (*step, error) {
	s := &step{tool: tool, importing: os.Getenv("TOOLEXEC_IMPORTPATH")}
	for _, a := range args {
		name, ok := strings.CutPrefix(a, "@")
		if !ok {
			s.args = append(s.args, a)
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("cannot read response file: %w", err)
		}
		for _, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
			s.args = append(s.args, unescape(strings.TrimSuffix(line, "\r")))
		}
	}
	return s, nil
}

// unescape undoes the escapes of a response file (cmd/internal/objabi,
// DecodeArg): \n and \\.
func unescape(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\n`, "\n").Replace(s)
}

// name is the tool's name.
func (s *step) name() string { return strings.TrimSuffix(filepath.Base(s.tool), ".exe") }

// flag returns the value of a flag, in either form, or "".
func (s *step) flag(name string) string {
	for i, a := range s.args {
		if v, ok := strings.CutPrefix(a, "-"+name+"="); ok {
			return v
		}
		if a == "-"+name && i+1 < len(s.args) {
			return s.args[i+1]
		}
	}
	return ""
}

// setFlag changes a flag that is set.
func (s *step) setFlag(name, value string) {
	for i, a := range s.args {
		if strings.HasPrefix(a, "-"+name+"=") {
			s.args[i] = "-" + name + "=" + value
		}
		if a == "-"+name && i+1 < len(s.args) {
			s.args[i+1] = value
		}
	}
}

// drop removes a flag of the form -name=value.
func (s *step) drop(name string) {
	s.args = slices.DeleteFunc(s.args, func(a string) bool { return strings.HasPrefix(a, "-"+name+"=") })
}

// files are the Go files of a compile step, its last arguments.
func (s *step) files() []string {
	i := len(s.args)
	for i > 0 && strings.HasSuffix(s.args[i-1], ".go") {
		i--
	}
	return s.args[i:]
}

// setFiles replaces them.
func (s *step) setFiles(files []string) {
	s.args = append(s.args[:len(s.args)-len(s.files()):len(s.args)-len(s.files())], files...)
}

// path is the package's path as the compiler is told: main for a command.
func (s *step) path() string { return s.flag("p") }

func (s *step) std() bool { return slices.Contains(s.args, "-std") }

// importPath is the package's import path. A test's variants have that of the
// package they test.
func (s *step) importPath() string {
	path, forTest, variant := strings.Cut(s.importing, " ")
	if path == "" {
		path = s.path()
	}
	if variant && strings.HasSuffix(forTest, ".test]") {
		path = strings.TrimSuffix(path, "_test")
	}
	return path
}

// testMain reports whether the package is the main package that go test makes.
func (s *step) testMain() bool {
	files := s.files()
	return len(files) == 1 && filepath.Base(files[0]) == "_testmain.go"
}

// liesIn reports whether a source file of the package lies in dir. Those that
// cgo and cover have rewritten do not say.
func (s *step) liesIn(dir string) bool {
	work := filepath.Dir(s.flag("o"))
	for _, f := range s.files() {
		if d := filepath.Dir(f); filepath.IsAbs(f) && d != work && filepath.Dir(d) != work {
			return d == dir
		}
	}
	return true
}

// scratch is a directory of the step's own, which -trimpath hides.
func (s *step) scratch() (string, error) {
	dir := filepath.Join(filepath.Dir(s.flag("o")), "dupinst")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", fmt.Errorf("cannot write rewritten files: %w", err)
	}
	return dir, nil
}

// root is the directory of the toolchain that the tool belongs to.
func (s *step) root() string { return filepath.Join(filepath.Dir(s.tool), "..", "..", "..") }

// src is where that has the standard library's source.
func (s *step) src() string { return filepath.Join(s.root(), "src") }

// goCommand is its go command.
func (s *step) goCommand() string {
	name := filepath.Join(s.root(), "bin", "go")
	if _, err := os.Stat(name); err == nil {
		return name
	}
	return "go"
}
