// Package profile owns the data that instrumented programs leave: it reads the
// files of a directory, resolves their sites to keys, and adds up what belongs
// together. It knows nothing of how a profile is shown, compared or exported.
//
// A profile is, for one instrumentation, a count for each key. Counts of
// sampled profiles are those recorded, not scaled: they are proportional to
// the truth (Arnold and Ryder, PLDI 2001, §2.2).
package profile

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dupinst/dupinst/profile/format"
)

// A Profile is what one instrumentation recorded under one variant and
// interval, summed over all processes.
type Profile struct {
	Program         string // its main package's path, as far as that is known
	Origins         []format.Origin
	Instrumentation string
	Dynamic         string // the part of a key that is known at run time alone, a callee or a value; "": none
	Variant         string
	Backend         string // where code was duplicated: "source", or "compiler"
	Trigger         string // what began samples: format.WindowTrigger, or "" for counters
	Windows         format.Windows
	Phases          format.Phases
	Burst           uint64 // checks that a sample lasts
	Shadows         format.Shadows
	Rounds          format.TrapRounds
	Interval        uint64   // checks between samples; 0: never sampled, or no framework
	Intervals       []uint64 // of a combined profile, whose Interval is 0; else nil
	Checks          uint64   // executed, in all processes
	Samples         uint64   // triggered
	Total           uint64   // sum of the entries' counts
	Dropped         uint64   // events lost to full tables
	Weights         uint64   // of the samples, and their squares, both beyond 1 for each:
	Squares         uint64   // under a governor, those after longer intervals weigh more
	Governor        format.Governor
	Entries         []Entry // by count, descending, then key
	Never           []Entry // what could have been counted, and was not, by key
	Bursts          []Burst // of references
	// Functions says where functions are declared, by the names that keys have, as
	// far as that is known. Profiles that were built together share it.
	Functions map[string]Function
	// The estimate of the events that Select left out, and its variance.
	rest, restVariance float64
}

// Locate gives files the names that find says, in positions and not in keys.
func Locate(profiles []*Profile, find func(string) string) {
	found := map[string]string{}
	at := func(name string) string {
		if _, ok := found[name]; !ok {
			found[name] = find(name)
		}
		return found[name]
	}
	done := map[string]bool{} // functions, whose map profiles share
	for _, p := range profiles {
		for name, f := range p.Functions {
			if !done[name] {
				done[name] = true
				f.File = at(f.File)
				p.Functions[name] = f
			}
		}
		for _, list := range [][]Entry{p.Entries, p.Never} {
			for _, e := range list {
				for i := range e.Parts {
					if e.Parts[i].Name == "file" {
						e.Parts[i].Value = at(e.Parts[i].Value)
					}
				}
			}
		}
	}
}

// Processes is how many were added up.
func (p *Profile) Processes() (n uint64) {
	for _, o := range p.Origins {
		n += o.Processes
	}
	return n
}

// A Function is where a function is declared.
type Function struct {
	File string
	Line int // of its func keyword
}

// An Entry is one key and its count.
type Entry struct {
	Key   string
	Parts []Part
	Count uint64
	// Called is what the source calls where the callee was found at run time: an interface's method,
	// or ? for a function value. Where a value was noted it is what the site says in its place.
	Called string
	// Stack is the calling context, where that is known: the function that the event is in, and its callers.
	Stack *Stack
	// In a combined profile: the estimate of the true count, and its variance.
	n, variance float64
	// Of windows: the variance of the count.
	spread float64
}

// A Burst is references in a row, of one window.
type Burst struct {
	Process    int    // bursts of one have addresses and goroutines in common
	Begun      uint64 // nanoseconds of that's clock
	References []Reference
}

// A Reference is a load or store: of the entry's key.
type Reference struct {
	Entry     *Entry
	Goroutine uint64
	Address   uint64
	OnStack   bool // of the goroutine's
}

// A Called is a function in a calling context, and the line that it has got to.
type Called struct {
	Function string
	File     string
	Line     int
}

// A Stack is a calling context: a function that has been called, in its caller's. Those of one process have their callers' in common: a million contexts
// are of hardly more functions' calls.
type Stack struct {
	Called
	Caller *Stack // nil of the outermost
}

// Calls are a stack's functions, the innermost first.
func (s *Stack) Calls() (out []Called) {
	for ; s != nil; s = s.Caller {
		out = append(out, s.Called)
	}
	return out
}

// A Part is one component of a key.
type Part struct {
	Name   string
	Value  string
	Number bool // Value is a decimal number
}

// Build resolves processes to profiles, in the order of programs, instrumentations,
// variants and intervals. Where the error is ErrFiles, some are damaged and left out.
func Build(processes []*format.Process) ([]*Profile, error) {
	return BuildPer(processes, func(o *format.Origin) string { return o.Name() })
}

// BuildPer is Build where programs are what name makes of origins.
func BuildPer(processes []*format.Process, name func(*format.Origin) string) ([]*Profile, error) {
	b := builder{name: name, groups: map[group]*accumulator{}, functions: map[string]Function{}}
	var bad []error
	for _, p := range processes {
		metas, err := decoded(p)
		if err != nil {
			bad = append(bad, named(p, err))
			continue
		}
		if err := b.add(p, metas); err != nil {
			return nil, named(p, err)
		}
	}
	if len(bad) > 0 && len(bad) == len(processes) {
		return nil, errors.Join(bad...)
	}
	var out []*Profile
	for g, a := range b.groups {
		out = append(out, a.profile(g, b.functions))
	}
	slices.SortFunc(out, func(x, y *Profile) int {
		return cmp.Or(cmp.Compare(x.Program, y.Program), cmp.Compare(x.Instrumentation, y.Instrumentation), cmp.Compare(x.Variant, y.Variant), cmp.Compare(x.Backend, y.Backend), cmp.Compare(x.Trigger, y.Trigger), cmp.Compare(x.Interval, y.Interval), cmp.Compare(x.Burst, y.Burst), cmp.Compare(x.Windows.Rate, y.Windows.Rate), cmp.Compare(x.Windows.Length, y.Windows.Length), cmp.Compare(x.Phases.Period, y.Phases.Period), cmp.Compare(x.Phases.Length, y.Phases.Length), cmp.Compare(x.Phases.Label, y.Phases.Label))
	})
	if len(bad) > 0 {
		return out, fmt.Errorf("%w: %w", ErrFiles, errors.Join(bad...))
	}
	return out, nil
}

// named is an error of a process with its file.
func named(p *format.Process, err error) error {
	if p.File == "" {
		return err
	}
	return fmt.Errorf("%s: %w", p.File, err)
}

// decoded are the meta-data of p's packages, of which its counters are.
func decoded(p *format.Process) ([]*format.Meta, error) {
	metas, sums := make([]*format.Meta, len(p.Packages)), map[uint64]int{}
	for i, pkg := range p.Packages {
		sums[format.MetaSum(pkg.Meta)] = i
		m, err := format.DecodeMeta(pkg.Meta, p.Build)
		if err != nil {
			return nil, err
		}
		metas[i] = m
		for _, c := range pkg.Counts {
			if c.Site >= len(m.Sites) {
				return nil, fmt.Errorf("package %s: counter %d belongs to no site", m.Package, c.Site)
			}
		}
	}
	for _, c := range p.Callees {
		m := metas[c.Package]
		if c.Site >= len(m.Sites) {
			return nil, fmt.Errorf("package %s: a callee of site %d, which does not exist", m.Package, c.Site)
		}
		if in := p.Build.Instrumentations[m.Sites[c.Site].Instrumentation]; in.Dynamic < 0 {
			return nil, fmt.Errorf("package %s: a callee of a site of %s", m.Package, in.Name)
		}
	}
	for _, c := range p.Callees {
		for s, ok := c.Path.Step(); ok; s, ok = s.Rest.Step() {
			if !s.Mark.Sited() {
				continue
			}
			m := metas[sums[s.Sum]]
			if s.Site >= len(m.Sites) {
				return nil, fmt.Errorf("package %s: a path through site %d, which does not exist", m.Package, s.Site)
			}
			if in := m.Sites[s.Site].Instrumentation; in != metas[c.Package].Sites[c.Site].Instrumentation {
				return nil, fmt.Errorf("package %s: a path through a site of %s", m.Package, p.Build.Instrumentations[in].Name)
			}
		}
	}
	for _, u := range p.Bursts {
		for _, r := range u.References {
			if m := metas[r.Package]; r.Site >= len(m.Sites) {
				return nil, fmt.Errorf("package %s: a reference of site %d, which does not exist", m.Package, r.Site)
			}
		}
	}
	return metas, nil
}

// A group is what makes counts comparable.
type group struct {
	program, instrumentation, variant, backend, trigger string
	interval, burst, rate, length                       uint64 // the last two of windows, of shadows, or of phases by the clock, which have a period for a rate
	phases, shadows                                     bool
	label                                               string // of phases
}

type accumulator struct {
	checks, samples, dropped, weights, squares uint64
	governor                                   format.Governor
	windows                                    format.Windows
	phases                                     format.Phases
	shadows                                    format.Shadows
	rounds                                     format.TrapRounds
	dynamic                                    string
	origins                                    []format.Origin
	entries                                    map[string]*Entry
	bursts                                     []Burst
}

type builder struct {
	name      func(*format.Origin) string
	groups    map[group]*accumulator
	functions map[string]Function
	room      int                // bytes left for the keys of the process that is being added
	processes int                // that have been added
	deviation map[*Entry]float64 // of the counts of that process, where it had windows
}

// Keys are longer than the file that has their parts, by how much depends on it
// alone: what a process's keys may take, in bytes, and for each byte of its
// meta-data. Keys of real programs need some thirty for a byte.
const (
	keyRoom           = 64 << 20
	keyRoomForByte    = 128
	keyRoomForContext = 2 << 10
)

func (b *builder) group(p *format.Process, in format.Instrumentation) *accumulator {
	g := group{b.name(&p.Origin), in.Name, p.Build.Variant, cmp.Or(p.Build.Backend, "source"), p.Build.Trigger, p.Interval, max(1, p.Burst), cmp.Or(p.Windows.Rate, p.Shadows.Rate, p.Phases.Period), cmp.Or(p.Windows.Length, p.Shadows.Length, p.Phases.Length, p.Rounds.Length), p.Phases.Counted, p.Shadows.Counted, p.Phases.Label}
	if p.Build.Direct() || p.Build.Trigger == format.WindowTrigger {
		g.interval, g.burst = 0, 1 // no framework, or no checks: the settings had no effect
	}
	a := b.groups[g]
	if a == nil {
		a = &accumulator{entries: map[string]*Entry{}}
		if in.Dynamic >= 0 {
			a.dynamic = strings.TrimSuffix(in.Parts[in.Dynamic], "#")
		}
		b.groups[g] = a
	}
	return a
}

func (b *builder) add(p *format.Process, metas []*format.Meta) error {
	accs := make([]*accumulator, len(p.Build.Instrumentations))
	for i, in := range p.Build.Instrumentations {
		of := asSampled(p, i)
		accs[i] = b.group(of, in)
		accs[i].origins = append(accs[i].origins, p.Origin)
		accs[i].checks += p.Checks
		accs[i].samples += of.Samples
		accs[i].dropped += p.Dropped
		accs[i].weights += p.Weights
		accs[i].squares += p.Squares
		accs[i].governor = both(accs[i].governor, p.Governor)
		accs[i].windows = bothWindows(accs[i].windows, of.Windows)
		accs[i].phases = bothPhases(accs[i].phases, p.Phases)
		accs[i].shadows = bothShadows(accs[i].shadows, p.Shadows)
		accs[i].rounds = bothRounds(accs[i].rounds, p.Rounds)
	}
	b.deviation = map[*Entry]float64{}
	b.room = keyRoom + keyRoomForByte*len(p.Callees)
	for _, c := range p.Callees {
		if c.Kind == format.KindContext {
			b.room += keyRoomForContext
		}
		for s, ok := c.Path.Step(); ok; s, ok = s.Rest.Step() {
			b.room += keyRoomForByte
		}
	}
	for _, pkg := range p.Packages {
		b.room += keyRoomForByte * len(pkg.Meta)
	}
	names, sums := newNames(), map[uint64]*format.Meta{}
	for i, m := range metas {
		sums[format.MetaSum(p.Packages[i].Meta)] = m
		names.add(m, p.Build.Instrumentations)
		for _, f := range m.Functions {
			b.functions[f.Name] = Function{f.File, f.Line}
		}
		for _, s := range m.Sites {
			if in := p.Build.Instrumentations[s.Instrumentation]; in.Dynamic < 0 {
				if _, err := b.count(accs[s.Instrumentation], in, s.Parts, 0); err != nil {
					return err
				}
			}
		}
	}
	dynamic := dynamicSites(p)
	for i, pkg := range p.Packages {
		for _, c := range pkg.Counts {
			site := metas[i].Sites[c.Site]
			if dynamic[[2]int{i, c.Site}] {
				continue
			}
			e, err := b.count(accs[site.Instrumentation], p.Build.Instrumentations[site.Instrumentation], site.Parts, c.N)
			if err != nil {
				return err
			}
			b.deviate(e, p, c.N, c.Root)
		}
	}
	for _, c := range p.Callees {
		site := metas[c.Package].Sites[c.Site]
		in := p.Build.Instrumentations[site.Instrumentation]
		parts := slices.Clone(site.Parts)
		var stack *Stack
		switch c.Kind {
		case format.KindContext:
			stack = names.stack(c.Context)
			parts[in.Dynamic] = folded(stack, true)
		case format.KindPath, format.KindAcross:
			parts[in.Dynamic] = path(in, c.Path, sums)
		default:
			parts[in.Dynamic] = names.callee(c, site.Parts[in.Dynamic])
		}
		if _, known := b.functions[parts[in.Dynamic]]; !known && c.Kind == format.KindPlain && c.File != "" {
			b.functions[parts[in.Dynamic]] = Function{c.File, c.Line}
		}
		e, err := b.count(accs[site.Instrumentation], in, parts, c.N)
		if err != nil {
			return err
		}
		e.Called, e.Stack = site.Parts[in.Dynamic], stack
		b.deviate(e, p, c.N, c.Root)
	}
	if err := b.addBursts(p, metas, accs); err != nil {
		return err
	}
	for e, d := range b.deviation {
		e.spread += d * d
	}
	return nil
}

// addBursts adds a process's bursts to the profiles of the instrumentations that their references are of.
func (b *builder) addBursts(p *format.Process, metas []*format.Meta, accs []*accumulator) error {
	entries := map[[2]int]*Entry{}
	first := b.processes
	for _, u := range p.Bursts {
		into := map[*accumulator]*Burst{}
		for _, r := range u.References {
			site := metas[r.Package].Sites[r.Site]
			a := accs[site.Instrumentation]
			e := entries[[2]int{r.Package, r.Site}]
			if e == nil {
				var err error
				if e, err = b.count(a, p.Build.Instrumentations[site.Instrumentation], site.Parts, 0); err != nil {
					return err
				}
				entries[[2]int{r.Package, r.Site}] = e
			}
			to := into[a]
			if to == nil {
				a.bursts = append(a.bursts, Burst{Process: first + int(u.Process), Begun: u.Begun})
				to = &a.bursts[len(a.bursts)-1]
				into[a] = to
			}
			to.References = append(to.References, Reference{e, r.Goroutine >> 1, r.Address, r.Goroutine&1 != 0})
		}
	}
	b.processes += max(1, int(p.Origin.Processes))
	return nil
}

// deviate adds the standard deviation of a count of windows, n, whose batches' counts have
// squares that sum up to root's, to those of its key in the same process: they are taken to
// depend on each other as far as that is possible.
func (b *builder) deviate(e *Entry, p *format.Process, n, root uint64) {
	if p.Build.Trigger != format.WindowTrigger {
		return
	}
	deviation := float64(n) // one batch says nothing
	if batches := float64(p.Windows.Batches); batches > 1 {
		sum, squares := float64(n), float64(root)*float64(root)
		deviation = math.Sqrt(max(squares-sum*sum/batches, 0) * batches / (batches - 1))
	}
	b.deviation[e] += deviation
}

// both is what two governors did.
func both(a, b format.Governor) format.Governor {
	return format.Governor{
		Budget: max(a.Budget, b.Budget), Changes: a.Changes + b.Changes, Longest: max(a.Longest, b.Longest),
		Spent: a.Spent + b.Spent, Time: a.Time + b.Time,
	}
}

// bothWindows are the windows of two processes.
func bothWindows(a, b format.Windows) format.Windows {
	return format.Windows{
		Rate: max(a.Rate, b.Rate), Length: max(a.Length, b.Length),
		Late: a.Late + b.Late, Open: a.Open + b.Open, Busy: a.Busy + b.Busy, Batches: a.Batches + b.Batches,
		Moved: a.Moved + b.Moved, Frames: a.Frames + b.Frames,
	}
}

// bothPhases are the phases of two processes.
func bothPhases(a, b format.Phases) format.Phases {
	return format.Phases{
		Counted: a.Counted || b.Counted, Begun: a.Begun + b.Begun, Missed: a.Missed + b.Missed, Time: a.Time + b.Time,
		Period: max(a.Period, b.Period), Length: max(a.Length, b.Length), Stood: a.Stood + b.Stood, Longest: max(a.Longest, b.Longest), Label: cmp.Or(a.Label, b.Label),
	}
}

// bothShadows are the shadows of two processes.
func bothShadows(a, b format.Shadows) format.Shadows {
	return format.Shadows{Counted: a.Counted || b.Counted, Rate: max(a.Rate, b.Rate), Length: max(a.Length, b.Length), Begun: a.Begun + b.Begun, Lost: a.Lost + b.Lost, Spent: a.Spent + b.Spent, Stood: a.Stood + b.Stood, Longest: max(a.Longest, b.Longest), Early: a.Early + b.Early}
}

// bothRounds are the rounds of two processes.
func bothRounds(a, b format.TrapRounds) format.TrapRounds {
	return format.TrapRounds{Length: max(a.Length, b.Length), Begun: a.Begun + b.Begun}
}

// dynamicSites are the sites whose counts stand among the callees. Their own
// counter holds the sum, of which a full table may have dropped some.
func dynamicSites(p *format.Process) map[[2]int]bool {
	m := map[[2]int]bool{}
	for _, c := range p.Callees {
		m[[2]int{c.Package, c.Site}] = true
	}
	return m
}

// count adds n to the key of in that has the parts.
func (b *builder) count(a *accumulator, in format.Instrumentation, parts []string, n uint64) (*Entry, error) {
	for _, part := range parts {
		b.room -= len(part)
	}
	if b.room -= len(in.Key); b.room < 0 {
		return nil, errors.New("profile is damaged: its keys take more memory than those of any program")
	}
	key := keyOf(in, parts)
	e := a.entries[key]
	if e == nil {
		made := NewEntry(in, parts)
		e = &made
		a.entries[key] = e
	}
	e.Count += n
	return e, nil
}

// NewEntry returns the entry of in's key with these parts, not counted yet.
func NewEntry(in format.Instrumentation, parts []string) Entry {
	e := Entry{Key: keyOf(in, parts)}
	for i, name := range in.Parts {
		text, number := strings.CutSuffix(name, "#")
		e.Parts = append(e.Parts, Part{text, parts[i], number})
	}
	return e
}

func keyOf(in format.Instrumentation, parts []string) string {
	key := in.Key
	for i, name := range in.Parts {
		what := "{" + strings.TrimSuffix(name, "#") + "}"
		if key == what { // keys of contexts are long: one is had once
			return parts[i]
		}
		key = strings.Replace(key, what, parts[i], 1)
	}
	return key
}

func (a *accumulator) profile(g group, functions map[string]Function) *Profile {
	p := &Profile{
		Program: g.program, Origins: a.origins,
		Instrumentation: g.instrumentation, Dynamic: a.dynamic, Variant: g.variant, Backend: g.backend, Interval: g.interval,
		Checks: a.checks, Samples: a.samples, Dropped: a.dropped, Weights: a.weights, Squares: a.squares, Governor: a.governor, Trigger: g.trigger, Windows: a.windows, Phases: a.phases, Burst: g.burst, Shadows: a.shadows, Rounds: a.rounds, Entries: []Entry{}, Functions: functions, Bursts: a.bursts,
	}
	for _, e := range a.entries {
		if e.Count == 0 {
			p.Never = append(p.Never, *e)
			continue
		}
		p.Total += e.Count
		p.Entries = append(p.Entries, *e)
	}
	slices.SortFunc(p.Never, func(x, y Entry) int { return cmp.Compare(x.Key, y.Key) })
	slices.SortFunc(p.Entries, func(x, y Entry) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Key, y.Key))
	})
	return p
}
