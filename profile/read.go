package profile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dupinst/dupinst/profile/format"
)

// Extension is the suffix of a profile's file name.
const Extension = ".dupinst"

// A Filter chooses processes.
type Filter struct {
	Program string   // the name of one, or "" for any
	Labels  []string // name=value, all of which it has
}

func (f Filter) takes(p *format.Process) bool {
	return (f.Program == "" || f.Program == p.Origin.Name()) && p.Origin.Labelled(f.Labels)
}

// ErrFiles wraps what is wrong with files beside which others can be read.
var ErrFiles = errors.New("some profiles were left out")

// Read returns the processes whose profiles lie in the directories. A file that
// cannot be read is an error that names it; so is a directory without any. Where the error
// is ErrFiles, there are others.
func Read(dirs ...string) ([]*format.Process, error) { return Filter{}.Read(dirs...) }

// Read returns those of them that f takes.
func (f Filter) Read(dirs ...string) ([]*format.Process, error) {
	var out []*format.Process
	var bad []error
	programs := map[string]bool{}
	for _, dir := range dirs {
		list, err := os.ReadDir(dir) // sorted
		if err != nil {
			return nil, fmt.Errorf("cannot read profiles: %w", err)
		}
		found := false
		for _, file := range list {
			if filepath.Ext(file.Name()) != Extension {
				continue
			}
			found = true
			p, err := readFile(filepath.Join(dir, file.Name()))
			if err != nil {
				bad = append(bad, err)
				continue
			}
			programs[p.Origin.Name()] = true
			if f.takes(p) {
				out = append(out, p)
			}
		}
		if !found {
			return nil, fmt.Errorf("cannot read profiles: no *%s file in %s; run the instrumented program with DUPINST_DIR=%s", Extension, dir, dir)
		}
	}
	switch {
	case len(out) == 0 && len(bad) > 0:
		return nil, errors.Join(bad...)
	case len(out) == 0:
		return nil, fmt.Errorf("cannot read profiles: none in %s is of %s; there are those of %s", strings.Join(dirs, " "), f, strings.Join(slices.Sorted(maps.Keys(programs)), ", "))
	case len(bad) > 0:
		return out, fmt.Errorf("%w: %w", ErrFiles, errors.Join(bad...))
	}
	return out, nil
}

func (f Filter) String() string {
	return strings.Join(append([]string{cmp.Or(f.Program, "any program")}, f.Labels...), " with ")
}

func readFile(name string) (*format.Process, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("cannot read profile: %w", err)
	}
	p, err := format.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p.File = name
	return p, nil
}

// ReadProfiles is Read followed by Build.
func ReadProfiles(dirs ...string) ([]*Profile, error) {
	processes, err := Read(dirs...)
	if err != nil {
		return nil, err
	}
	return Build(processes)
}

// Merge adds up processes of one program that ran the same build under the same settings.
func Merge(processes []*format.Process) []*format.Process {
	type settings struct {
		program, build         string
		interval, jitter, seed uint64
		burst, rate, length    uint64
		phases, shadows        bool
		label, apart           string
	}
	merged := map[settings]*merger{}
	var order []*merger
	for _, p := range processes {
		s := settings{p.Origin.Name(), p.Build.Encode(), p.Interval, p.Jitter, p.Seed, p.Burst, cmp.Or(p.Windows.Rate, p.Shadows.Rate, p.Phases.Period), cmp.Or(p.Windows.Length, p.Shadows.Length, p.Phases.Length, p.Rounds.Length), p.Phases.Counted, p.Shadows.Counted, p.Phases.Label, apartness(p)}
		m := merged[s]
		if m == nil {
			m = newMerger(p)
			merged[s] = m
			order = append(order, m)
		}
		m.add(p)
	}
	var out []*format.Process
	for _, m := range order {
		out = append(out, m.process())
	}
	return out
}

type merger struct {
	sum      format.Process
	packages map[string]map[int]uint64           // meta, site
	callees  map[string]map[format.Callee]uint64 // meta, callee without count, root and package
	squares  map[string]map[int]float64          // of roots, by meta and site
	seen     map[string]map[format.Callee]float64
	bursts   []format.Burst // of packages in the order of metas
	metas    map[string]int
}

func newMerger(p *format.Process) *merger {
	return &merger{
		sum:      format.Process{Build: p.Build, Interval: p.Interval, Burst: p.Burst, Jitter: p.Jitter, Seed: p.Seed},
		packages: map[string]map[int]uint64{},
		callees:  map[string]map[format.Callee]uint64{},
		squares:  map[string]map[int]float64{},
		seen:     map[string]map[format.Callee]float64{},
		metas:    map[string]int{},
	}
}

func (m *merger) add(p *format.Process) {
	m.addBursts(p)
	if m.sum.Origin.Processes == 0 {
		m.sum.Origin = p.Origin
	} else {
		m.sum.Origin = m.sum.Origin.Both(p.Origin)
	}
	m.sum.Checks += p.Checks
	m.sum.Samples += p.Samples
	m.sum.Dropped += p.Dropped
	m.sum.Weights += p.Weights
	m.sum.Squares += p.Squares
	m.sum.Governor = both(m.sum.Governor, p.Governor)
	m.sum.Windows = bothWindows(m.sum.Windows, p.Windows)
	m.sum.Phases = bothPhases(m.sum.Phases, p.Phases)
	m.sum.Shadows = bothShadows(m.sum.Shadows, p.Shadows)
	m.sum.Rounds = bothRounds(m.sum.Rounds, p.Rounds)
	m.sum.Apart = bothApart(m.sum.Apart, p.Apart)
	for _, pkg := range p.Packages {
		if m.packages[pkg.Meta] == nil {
			m.packages[pkg.Meta] = map[int]uint64{}
			m.callees[pkg.Meta] = map[format.Callee]uint64{}
			m.squares[pkg.Meta] = map[int]float64{}
			m.seen[pkg.Meta] = map[format.Callee]float64{}
		}
		for _, c := range pkg.Counts {
			m.packages[pkg.Meta][c.Site] += c.N
			m.squares[pkg.Meta][c.Site] += square(c.Root)
		}
	}
	for _, c := range p.Callees {
		n, root, meta := c.N, c.Root, p.Packages[c.Package].Meta
		c.N, c.Root, c.Package = 0, 0, 0
		m.callees[meta][c] += n
		m.seen[meta][c] += square(root)
	}
}

// addBursts adds the bursts of one more process, or of those that are merged in p.
func (m *merger) addBursts(p *format.Process) {
	for _, u := range p.Bursts {
		u.Process += m.sum.Origin.Processes
		u.References = slices.Clone(u.References)
		for i := range u.References {
			r := &u.References[i]
			meta := p.Packages[r.Package].Meta
			at, known := m.metas[meta]
			if !known {
				at = len(m.metas)
				m.metas[meta] = at
			}
			r.Package = at
		}
		m.bursts = append(m.bursts, u)
	}
}

func square(root uint64) float64 { return float64(root) * float64(root) }

func root(squares float64) uint64 { return uint64(math.Round(math.Sqrt(squares))) }

func (m *merger) process() *format.Process {
	p := m.sum
	for meta, counts := range m.packages {
		pkg := format.Package{Meta: meta}
		for site, n := range counts {
			pkg.Counts = append(pkg.Counts, format.Count{Site: site, N: n, Root: root(m.squares[meta][site])})
		}
		slices.SortFunc(pkg.Counts, func(x, y format.Count) int { return cmp.Compare(x.Site, y.Site) })
		p.Packages = append(p.Packages, pkg)
	}
	slices.SortFunc(p.Packages, func(x, y format.Package) int { return cmp.Compare(x.Meta, y.Meta) })
	for i, pkg := range p.Packages {
		first := len(p.Callees)
		for c, n := range m.callees[pkg.Meta] {
			r := root(m.seen[pkg.Meta][c])
			c.N, c.Root, c.Package = n, r, i
			p.Callees = append(p.Callees, c)
		}
		slices.SortFunc(p.Callees[first:], func(x, y format.Callee) int {
			return cmp.Or(cmp.Compare(x.Site, y.Site), cmp.Compare(x.Symbol, y.Symbol), cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Kind, y.Kind), x.Context.Compare(y.Context), x.Path.Compare(y.Path))
		})
	}
	index := make([]int, len(m.metas))
	for i, pkg := range p.Packages {
		if at, has := m.metas[pkg.Meta]; has {
			index[at] = i
		}
	}
	for _, u := range m.bursts {
		for i := range u.References {
			u.References[i].Package = index[u.References[i].Package]
		}
		p.Bursts = append(p.Bursts, u)
	}
	return &p
}

// Write puts each process in a file of its own in dir, which is made if
// missing. A file appears whole or not at all.
func Write(dir string, processes []*format.Process) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("cannot write profiles: %w", err)
	}
	for i, p := range processes {
		data := p.Encode()
		write := func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		}
		if err := WriteFile(filepath.Join(dir, fmt.Sprintf("merged%d%s", i, Extension)), write); err != nil {
			return err
		}
	}
	return nil
}

// WriteFile makes a file of what write writes, whole or not at all. What is there
// and no regular file, a pipe for instance, is written to as it is.
func WriteFile(name string, write func(io.Writer) error) error {
	mode := os.FileMode(0o644)
	if info, err := os.Stat(name); err == nil {
		if !info.Mode().IsRegular() {
			return writeTo(name, write)
		}
		mode = info.Mode().Perm()
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return fmt.Errorf("cannot write %s: %w", name, err)
		}
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".tmp*")
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", name, err)
	}
	err = write(f)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Chmod(f.Name(), mode)
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("cannot write %s: %w", name, err)
	}
	return nil
}

func writeTo(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", name, err)
	}
	err = write(f)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", name, err)
	}
	return nil
}
