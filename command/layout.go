package command

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/dupinst/dupinst/layout"
	"github.com/dupinst/dupinst/load"
	"github.com/dupinst/dupinst/profile"
)

func layoutCommand(in *invocation) (int, error) {
	fs, parse := in.flags("layout", `layout [flags] DIR [packages]

Shows the structs that the packages (default ./...) declare, with how often their
fields are accessed, says which are on how many cache lines and, where the hot ones
would fit on fewer, in which order.`)
	n := fs.Int("n", 20, "show the `N` most accessed structs; 0 shows all")
	patch := fs.Bool("diff", false, "print the proposed orders as a diff of the source")
	write := fs.Bool("w", false, "write the proposed orders to the source; whether the program depends on the order is for you to know")
	if err := parse(); err != nil {
		return misuse, err
	}
	switch {
	case fs.NArg() == 0:
		return misuse, usagef("layout: no directory of profiles given")
	case *n < 0:
		return misuse, usagef("layout: -n must not be negative")
	case *patch && *write:
		return misuse, usagef("layout: -diff and -w exclude each other")
	}
	uses, err := layout.Read(fs.Arg(0))
	if err != nil {
		return failed, err
	}
	packages, err := in.packages(fs.Args()[1:])
	if err != nil {
		return failed, err
	}
	found := &structs{edits: map[string][]layout.Edit{}, sources: map[string][]byte{}}
	for _, pkg := range packages {
		if err := found.add(pkg, uses); err != nil {
			return failed, err
		}
	}
	if found.n == 0 {
		return failed, fmt.Errorf("no struct of the packages is in the profile")
	}
	switch {
	case *patch, *write:
		for _, r := range found.refused {
			fmt.Fprintln(in.stderr, "dupinst:", r)
		}
		if *patch {
			return 0, found.diff(in.stdout)
		}
		return 0, found.write(in.stdout)
	}
	if *n == 0 {
		*n = found.n
	}
	return 0, found.print(in.stdout, *n)
}

// structs are those that packages declare, and the edits that reorder them.
type structs struct {
	n       int
	texts   []shown
	edits   map[string][]layout.Edit
	sources map[string][]byte
	refused []string
}

type shown struct {
	accesses float64
	text     string
}

// targetSizes are the sizes of types on the machine that the go command builds for.
func targetSizes() types.Sizes {
	return types.SizesFor("gc", cmp.Or(os.Getenv("GOARCH"), runtime.GOARCH))
}

func (s *structs) add(pkg *load.Package, uses layout.Uses) error {
	for _, t := range layout.Structs(pkg.Files, pkg.Info, targetSizes(), uses) {
		s.n++
		var b bytes.Buffer
		if err := t.Fprint(&b, pkg.Fset); err != nil {
			return err
		}
		s.texts = append(s.texts, shown{t.Accesses, b.String()})
		if t.Proposed == nil {
			continue
		}
		file := pkg.Fset.File(t.Pos)
		for f, src := range pkg.Sources {
			if pkg.Fset.File(f.FileStart) != file {
				continue
			}
			e, err := t.Reorder(file, src)
			if errors.Is(err, layout.ErrOneLine) {
				s.refused = append(s.refused, fmt.Sprintf("%s: %s is left as it is: %v", pkg.Fset.Position(t.Pos), t.Name, err))
				continue
			} else if err != nil {
				return err
			}
			s.edits[file.Name()] = append(s.edits[file.Name()], e)
			s.sources[file.Name()] = src
		}
	}
	return nil
}

func (s *structs) print(w io.Writer, n int) error {
	slices.SortStableFunc(s.texts, func(a, b shown) int { return cmp.Compare(b.accesses, a.accesses) })
	for i, t := range s.texts[:min(n, len(s.texts))] {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if _, err := io.WriteString(w, t.text); err != nil {
			return err
		}
	}
	return nil
}

// files calls f for each file that changes, in the order of their names.
func (s *structs) files(f func(name string, before, after []byte) error) error {
	var names []string
	for name := range s.edits {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		after, err := layout.Apply(s.sources[name], s.edits[name])
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := f(name, s.sources[name], after); err != nil {
			return err
		}
	}
	return nil
}

func (s *structs) diff(w io.Writer) error {
	return s.files(func(name string, before, after []byte) error {
		path, err := below(name)
		if err != nil {
			return err
		}
		_, err = w.Write(diff.Diff("a/"+path, before, "b/"+path, after))
		return err
	})
}

// below is the path of a file from the current directory, for git apply and patch -p1, which take
// none that leads out of it.
func below(name string) (string, error) {
	dir, err := os.Getwd()
	path := ""
	if err == nil {
		path, err = filepath.Rel(dir, name)
	}
	if err == nil && !filepath.IsLocal(path) {
		err = errors.New("it is not below the current directory")
	}
	if err != nil {
		return "", fmt.Errorf("cannot write a diff of %s: %w", name, err)
	}
	return filepath.ToSlash(path), nil
}

func (s *structs) write(w io.Writer) error {
	return s.files(func(name string, _, after []byte) error {
		fmt.Fprintln(w, name)
		return profile.WriteFile(name, func(w io.Writer) error {
			_, err := w.Write(after)
			return err
		})
	})
}
