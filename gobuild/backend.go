package gobuild

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/dupinst/dupinst/compiler/sites"
	"github.com/dupinst/dupinst/compiler/toolchain"
	"github.com/dupinst/dupinst/gobuild/importcfg"
	"github.com/dupinst/dupinst/instrumentations"
	"github.com/dupinst/dupinst/runtime/core"
	"github.com/dupinst/dupinst/transform"
)

// A Backend is where code is duplicated.
type Backend string

// The back ends there are.
const (
	Source   Backend = "source"   // in the source, before the compiler sees it
	Compiler Backend = "compiler" // in the compiler, after it has allocated registers
	Auto     Backend = "auto"     // the compiler's where it can be extended, else the source's
)

// ParseBackend returns the back end of that name.
func ParseBackend(name string) (Backend, error) {
	switch b := Backend(name); b {
	case Source, Compiler, Auto:
		return b, nil
	}
	return "", fmt.Errorf("no back end %q; there are %s, %s and %s", name, Auto, Compiler, Source)
}

// architectures are those that the compiler's pass knows.
var architectures = []string{"amd64", "arm64"}

// A choice is a back end that has been settled.
type choice struct {
	backend Backend
	tool    string // the extended compiler, for Compiler
	why     string // why Auto is Source
}

// choose settles the back end for a toolchain, given the path of one of its tools, and
// builds the extended compiler if it is not there. Every process of a build comes to the
// same choice.
func (c *Config) choose(ctx context.Context, tool, goarch string, log io.Writer) (choice, error) {
	if c.Trigger == Window {
		if err := c.windows(goarch); err != nil {
			return choice{}, err
		}
	}
	if err := cmp.Or(c.noPaths(), c.noTrips(), c.noAddresses(), c.once(goarch), c.noLanes()); err != nil {
		return choice{}, err
	}
	if c.Trigger == Timer && (c.Backend == Source || c.Backend == "") {
		return choice{}, fmt.Errorf("cannot begin samples by a timer in code that is duplicated in the source, whose loops keep their counters to themselves; -trigger=counter does")
	}
	if c.Backend == Source || c.Backend == "" {
		err := c.Variant.InSource()
		if err == nil {
			err = c.noValues()
		}
		return choice{backend: Source}, err
	}
	compiler, err := c.extended(ctx, tool, goarch, log)
	var no *unfit
	switch {
	case err == nil:
		return choice{backend: Compiler, tool: compiler}, nil
	case (c.Trigger == Window || c.Trigger == Timer) && errors.As(err, &no):
		return choice{}, fmt.Errorf("%w; -trigger=counter does without", err)
	case c.Backend == Auto && c.Variant.InSource() == nil && c.noValues() == nil && !c.Apart && errors.As(err, &no):
		return choice{backend: Source, why: err.Error()}, nil
	case errors.As(err, &no) && (c.Apart || cmp.Or(c.noValues(), c.Variant.InSource()) != nil):
		return choice{}, err
	case errors.As(err, &no):
		return choice{}, fmt.Errorf("%w; -backend=source does without", err)
	}
	return choice{}, err
}

// noValues says why the source's back end is not for what is to be noted, if it is not.
func (c *Config) noValues() error {
	for _, in := range c.Instrumentations {
		if in.Paths {
			return fmt.Errorf("cannot count paths, as instrumentation %s does, in code that is duplicated in the source; -backend=compiler can", in.Format.Name)
		}
		if in.Values {
			return fmt.Errorf("cannot note values, as instrumentation %s does, in code that is duplicated in the source; -backend=compiler can", in.Format.Name)
		}
	}
	return nil
}

// noPaths says why paths cannot be counted, if they are to be and cannot.
func (c *Config) noPaths() error {
	of := ""
	for _, in := range c.Instrumentations {
		switch {
		case !in.Paths:
		case of != "":
			return fmt.Errorf("cannot count the paths of both %s and %s: a function's have one number each; choose one", of, in.Format.Name)
		case c.Audit:
			return fmt.Errorf("cannot audit paths, which instrumentation %s counts: they are no events of a check's", in.Format.Name)
		case c.Trigger != Window && c.Variant != transform.Full && c.Variant != transform.Exhaustive:
			return fmt.Errorf("cannot count paths, as instrumentation %s does, under -variant=%s: a sample would have parts of them; -variant=full and -trigger=window have whole ones", in.Format.Name, c.Variant)
		case in.Across && c.Apart:
			return fmt.Errorf("cannot sample apart paths that go on in what is called, as those of instrumentation %s do; without -apart they can be counted", in.Format.Name)
		case in.Across && c.Trigger == Timer:
			return fmt.Errorf("cannot count paths that go on in what is called, as instrumentation %s does, with -trigger=%s, whose samples are of one check; -trigger=window sees what comes after each other", in.Format.Name, c.Trigger)
		}
		if in.Paths {
			of = in.Format.Name
		}
	}
	return nil
}

// noTrips says why it cannot be noted how often loops go round, if it is to be and cannot.
func (c *Config) noTrips() error {
	for _, in := range c.Instrumentations {
		if in.Trips && c.Trigger != Window && c.Variant != transform.Exhaustive {
			return fmt.Errorf("cannot note how often loops go round, as instrumentation %s does, with samples of -trigger=%s, which end before the loop does; -trigger=window sees it from beginning to end", in.Format.Name, cmp.Or(c.Trigger, Counter))
		}
	}
	return nil
}

// noAddresses says why addresses cannot be noted, if they are to be and cannot.
func (c *Config) noAddresses() error {
	for _, in := range c.Instrumentations {
		if in.Addresses && c.Trigger != Window && c.Variant != transform.Exhaustive {
			return fmt.Errorf("cannot note addresses, as instrumentation %s does, with samples of -trigger=%s, which have hardly two references in a row; -trigger=window sees hundreds", in.Format.Name, cmp.Or(c.Trigger, Counter))
		}
	}
	return nil
}

// once says why nothing can be counted once, if it is to be and cannot.
func (c *Config) once(goarch string) error {
	if c.Variant != transform.Once {
		return nil
	}
	goos, _ := target()
	names := instrumentations.Names(c.Instrumentations)
	switch {
	case c.Backend == Source || c.Backend == "":
		return c.Variant.InSource()
	case goos != "linux" || goarch != "amd64":
		return fmt.Errorf("cannot put traps into code on %s/%s, as -variant=%s does: linux/amd64 is what they are written for; -variant=exhaustive does without", goos, goarch, c.Variant)
	case c.Trigger != "" && c.Trigger != Counter:
		return fmt.Errorf("cannot begin samples by a %s under -variant=%s, which takes none", c.Trigger, c.Variant)
	case c.Audit || c.Plans:
		return fmt.Errorf("cannot audit or explain -variant=%s: it has no checks and no copies", c.Variant)
	case !slices.Equal(names, []string{"block"}):
		return fmt.Errorf("cannot count %s under -variant=%s: it is for blocks alone, as -instrument=block", strings.Join(names, ","), c.Variant)
	}
	return nil
}

// mostLanes is how many instrumentations can be sampled apart: the bytes of a weight.
const mostLanes = 8

// noLanes says why instrumentations cannot be sampled apart, if they are to be and cannot.
func (c *Config) noLanes() error {
	const how = "cannot sample instrumentations apart"
	switch {
	case !c.Apart:
		return nil
	case c.Backend == Source || c.Backend == "":
		return fmt.Errorf("%s in code that is duplicated in the source; -backend=compiler can", how)
	case c.Variant == transform.Exhaustive || c.Variant == transform.Once || c.Variant == transform.Copies:
		return fmt.Errorf("%s under -variant=%s, which takes no samples", how, c.Variant)
	case c.Trigger == Timer:
		return fmt.Errorf("%s by a timer; -trigger=counter and -trigger=window can", how)
	case c.Audit:
		return fmt.Errorf("%s and audit them: an audit has one interval", how)
	case len(c.Instrumentations) > mostLanes:
		return fmt.Errorf("%s that are %d: it can be %d at most", how, len(c.Instrumentations), mostLanes)
	}
	return nil
}

// windows says why there can be no windows, if that is so.
func (c *Config) windows(goarch string) error {
	goos, _ := target()
	const instead = "-trigger=counter does without"
	switch {
	case c.Backend == Source || c.Backend == "":
		return fmt.Errorf("cannot open windows in code that is duplicated in the source; %s", instead)
	case goos != "linux" || goarch != "amd64" && goarch != "arm64":
		return fmt.Errorf("cannot open windows on %s/%s: its signals are not known, those of linux/amd64 and linux/arm64 are; %s", goos, goarch, instead)
	case c.Variant != transform.Auto && c.Variant != transform.Full:
		return fmt.Errorf("cannot open windows under -variant=%s: they need copies of everything, as full has; %s", c.Variant, instead)
	case c.Audit:
		return fmt.Errorf("cannot audit windows: there are no checks to count; %s", instead)
	}
	return nil
}

// An unfit is the error of a build that the compiler's back end is not for.
type unfit struct{ error }

func (e *unfit) Unwrap() error { return e.error }

func (c *Config) extended(ctx context.Context, tool, goarch string, log io.Writer) (string, error) {
	if !slices.Contains(architectures, goarch) {
		return "", &unfit{fmt.Errorf("cannot duplicate code in the compiler for %s: it knows %s", goarch, strings.Join(architectures, ", "))}
	}
	if strconv.IntSize < 64 {
		return "", &unfit{fmt.Errorf("cannot duplicate code in the compiler on %s: it needs words of 64 bits", runtime.GOARCH)}
	}
	r := toolchain.Release{Root: filepath.Join(filepath.Dir(tool), "..", "..", "..")}
	text, err := os.ReadFile(filepath.Join(r.Root, "VERSION"))
	if err != nil {
		return "", &unfit{fmt.Errorf("cannot extend the compiler: cannot say which release it is: %w", err)}
	}
	r.Version, _, _ = strings.Cut(strings.TrimSpace(string(text)), "\n")
	if err := supported(r.Version); err != nil {
		return "", err
	}
	name, err := toolchain.Compile(ctx, r, log)
	if errors.Is(err, toolchain.ErrUnfit) {
		err = &unfit{err}
	}
	return name, err
}

// settle puts the back end that is chosen for a step into a copy of c.
func (c *Config) settle(ctx context.Context, s *step) (*Config, error) {
	_, goarch := target()
	chosen, err := c.choose(ctx, s.tool, goarch, terminal{})
	if err != nil {
		return nil, err
	}
	settled := *c
	settled.Backend = chosen.backend
	if chosen.backend == Compiler && s.name() == "compile" {
		s.runs = chosen.tool
	}
	return &settled, nil
}

// terminal writes to the terminal that the go command runs in, if there is one: what a tool
// writes to its standard error the go command keeps, and replays with each later build.
type terminal struct{}

func (terminal) Write(b []byte) (int, error) {
	if tty, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0); err == nil {
		defer tty.Close()
		return tty.Write(b)
	}
	return len(b), nil
}

// Prepare settles the back end for the toolchain that the go command would use here, builds
// the extended compiler if it is not there, and says on log what takes a minute, and why
// Auto is Source if it is. It returns the back end that was chosen.
func (c *Config) Prepare(ctx context.Context, log io.Writer) (Backend, error) {
	if c.Backend == Source {
		chosen, err := c.choose(ctx, "", "", log)
		return chosen.backend, err
	}
	out, err := exec.CommandContext(ctx, "go", "env", "GOARCH", "GOTOOLDIR").Output()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(lines) != 2 {
		return c.Backend, nil // what is wrong, the go command will say of its own build
	}
	chosen, err := c.choose(ctx, filepath.Join(strings.TrimSpace(lines[1]), "compile"), strings.TrimSpace(lines[0]), log)
	if err == nil && chosen.why != "" {
		fmt.Fprintf(log, "dupinst: code is duplicated in the source: %s\n", chosen.why)
	}
	return chosen.backend, err
}

// pass has the extended compiler instrument the package of a compile step. It reads what
// to do once it has checked types, as is done here meanwhile.
func (c *Config) pass(ctx context.Context, s *step) error {
	sc, err := c.resolveFor(ctx, s)
	if err != nil {
		return err
	}
	if c.outside(s, sc) {
		c.uncounted(s)
		return nil
	}
	text := fmt.Sprintf("variant %s\n", c.Variant)
	switch {
	case c.Trigger == Window:
		text = "variant windows\n"
	case c.Variant == transform.Auto:
		for _, checks := range c.Elide {
			text += fmt.Sprintf("elide %s\n", checks)
		}
	}
	if c.Apart {
		text += "lanes\n"
	}
	if c.Bisect != "" {
		text += fmt.Sprintf("bisect %s\n", c.Bisect)
	}
	if c.Plans {
		name, err := plansFile(s.flag("buildid"))
		if err != nil {
			return err
		}
		text += fmt.Sprintf("plans %s\n", name)
	}
	if c.Audit {
		text += fmt.Sprintf("audit %d\n", len(c.Instrumentations))
	}
	s.env = append(s.env, "DUPINST_PASS=1")
	s.input = func() (string, error) {
		if !sc.contains(s) || c.Variant == transform.Once && verifies(s) {
			return text, nil
		}
		table, err := c.table(s)
		if err != nil {
			return "", err
		}
		return text + table.Encode(), nil
	}
	return nil
}

// uncounted has the package of a compile step compiled as one that has nothing to count, nor can have anything inlined that
// has: as without dupinst, but for windows, which lead through it.
func (c *Config) uncounted(s *step) {
	if c.Trigger == Window {
		s.env = append(s.env, "DUPINST_PASS=1")
		s.input = func() (string, error) { return "variant windows\n", nil }
	}
}

// outside reports whether a step's package is of the standard library, and none of that is in scope.
func (c *Config) outside(s *step, sc *scope) bool {
	return s.std() && !sc.reachesStd(s.src()) && c.Bisect == ""
}

// verifies reports whether the package of a compile step is of the cryptographic module, which compares its code with a sum
// when the program starts (crypto/internal/fips140/check), and so has no traps: neither for its own blocks nor, by the pass,
// for others' that are inlined there.
func verifies(s *step) bool {
	return s.std() && strings.HasPrefix(s.path(), "crypto/internal/fips140")
}

// table lists the sites of the package of a compile step.
func (c *Config) table(s *step) (*sites.Table, error) {
	cfg, err := importcfg.Read(s.flag("importcfg"))
	if err != nil {
		return nil, err
	}
	unit, pkg, err := c.load(s, cfg)
	if err != nil {
		return nil, err
	}
	assembly, err := referred(s.flag("symabis"))
	if err != nil {
		return nil, err
	}
	table, err := sites.List(unit, sites.Options{
		Assembly:         assembly,
		Instrumentations: c.Instrumentations,
		Lanes:            c.Apart,
		Leave: func(f *ast.File) bool {
			return strings.HasPrefix(filepath.Base(pkg.Fset.File(f.FileStart).Name()), "_cgo_")
		},
		Source: func(f *ast.File) []byte { return pkg.Sources[f] },
	})
	if err != nil {
		return nil, fmt.Errorf("cannot instrument package %s: %w", s.path(), err)
	}
	return table, nil
}

// referred are the names of the package's functions that its assembly refers to, which the
// assembler has listed in a file, if there is one.
func referred(file string) ([]string, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("cannot read what assembly refers to: %w", err)
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "ref" {
			names = append(names, fields[1][strings.LastIndex(fields[1], ".")+1:])
		}
	}
	return names, nil
}

// assemble adds dupinst's routines to an assembler step of package runtime.
func (c *Config) assemble(s *step) error {
	_, goarch := target()
	name := "asm_" + goarch + ".s"
	for i, a := range s.args {
		if filepath.Base(a) != name || strings.HasPrefix(a, "-") {
			continue
		}
		own, err := os.ReadFile(a)
		if err != nil {
			return fmt.Errorf("cannot patch package runtime: %w", err)
		}
		added, err := core.Assembly(goarch)
		if err != nil {
			return fmt.Errorf("cannot patch package runtime: %w", err)
		}
		dir, err := s.scratch()
		if err != nil {
			return err
		}
		s.args[i] = filepath.Join(dir, name)
		defined := "#define DUPINST_LOCK LOCK\n#define DUPINST_OWN"
		if c.Trigger == Window { // one thread at a time counts, or each in an area of its own
			defined = "#define DUPINST_LOCK\n#define DUPINST_OWN BYTE $0x65\n#define DUPINST_WINDOWS"
		}
		text := fmt.Sprintf("#line 1 %q\n%s\n%s\n#line 1 %q\n%s", a, own, defined, "dupinst.s", added)
		if err := os.WriteFile(s.args[i], []byte(text), 0o666); err != nil {
			return fmt.Errorf("cannot patch package runtime: %w", err)
		}
	}
	return nil
}
