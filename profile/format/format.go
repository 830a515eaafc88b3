// Package format owns the layout of a profile file. The part linked into users'
// programs (runtime/core) writes it, package profile reads it; this package is
// all that they share, and imports nothing of the rest.
//
// A file is
//
//	magic     "dupinst\x00profile\x05", the last byte being the version
//	build     string: what the program was instrumented with (see Build)
//	origin    strings: program, build ID, module, host, Go release, dupinst version, labels;
//	          numbers: process ID, begun, ended, processes (see Origin)
//	settings  interval, jitter in millionths of the interval, seed
//	totals    checks, samples, dropped events, weights, squares
//	governor  budget, changes, longest, spent, time (see Governor)
//	windows   rate, length, late, open, busy, moved, frames, batches (see Windows), if the build's
//	          trigger is windows
//	packages  each 1, meta string (see Meta), counts; then 0
//	nodes     of calling contexts, each 1 more than its parent's ordinal, from 1, or 1; its frames,
//	          of functions that were inlined into one another, the innermost first, each 1, symbol,
//	          file, line, and the function's first line; then 0; then a parent of 0
//	callees   values, contexts and paths, each count, package ordinal, site, symbol, file, line, kind
//	          byte, of a context its node, and of a path the number of its sites and of each, from its
//	          beginning on, package ordinal and site; of one that goes on in what is called the number of its
//	          marks and of each its byte and, where it has a site, package ordinal and site; then a count of 0
//	bursts    of references: each the number of its references, process, begun (see Burst); of each
//	          reference package ordinal, site, goroutine, address, the last by how much it is beyond the one
//	          before, as a signed varint; then a number of 0
//	besides   where phases were counted, 1 and begun, missed, time (see Phases); where samples last more than
//	          one check, 2 and how many; where shadows counted, 3 and rate, length, begun, lost, spent, stood, longest (see Shadows);
//	          where phases by the clock were, 4 and begun, missed, time, period, length, stood, longest;
//	          where phases by a label were, 5 and begun, missed, time, label; where shadows ended early, 6 and how many;
//	          where instrumentations were sampled apart, 7 and of each often, lasts, samples, open, moved, late (see Apart);
//	          where traps were laid again after rounds, 8 and length, begun (see TrapRounds)
//	crc       CRC-32 (IEEE) of all the above, four bytes, low byte first
//
// where a number is an unsigned varint as in encoding/binary, a string is its
// length and bytes, and counts are pairs (distance from the last non-zero
// counter, count) ended by two zeros, the first distance counting from -1. Where the
// trigger is windows, each count is followed by its root (see Count).
package format

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"io"
	"slices"
	"unique"
)

// Magic begins every file.
const Magic = "dupinst\x00profile\x05"

// Kinds of a callee, or of a value that a site noted.
const (
	KindPlain   = 0
	KindWrapper = 1 // made by the compiler; the symbol is the wrapper's own
	KindType    = 2 // the symbol is the type whose method was called, the file its package's path
	KindValue   = 3 // no code: the symbol is a value, or a type that is one
	KindOthers  = 4 // no code: the values of a site that were not kept apart
	KindContext = 5 // no code: a calling context
	KindPath    = 6 // no code: a path
	KindAcross  = 7 // no code: a path that goes on in what is called
)

// A Process is what one process of an instrumented program recorded.
type Process struct {
	File     string // that it was read from, "" if it was not
	Build    Build
	Origin   Origin
	Interval uint64 // checks between samples, of a timer nanoseconds; 0: never sampled
	Jitter   uint64 // millionths of the interval
	Seed     uint64
	Checks   uint64
	Samples  uint64
	Dropped  uint64 // events lost because a table was full
	Weights  uint64 // of all samples, beyond 1 for each: a governor's work
	Squares  uint64 // of the weights, beyond 1 for each
	Governor Governor
	Windows  Windows
	Packages []Package
	Callees  []Callee
	Bursts   []Burst
	Phases   Phases
	Burst    uint64 // checks that a sample lasts; 0: one
	Shadows  Shadows
	Rounds   TrapRounds
	Apart    []Apart // of the build's instrumentations, where not all were sampled alike
}

// A Governor is what one was asked for and did: it raises the interval above the one
// that was set, by whole multiples, and each event in a sample adds its interval's to
// the counter.
type Governor struct {
	Budget  uint64 // millionths of the processor time that samples may cost; 0: there was none
	Changes uint64 // of the interval
	Longest uint64 // interval, in checks
	Spent   uint64 // nanoseconds that samples took, as it reckons
	Time    uint64 // nanoseconds of processor time that it has seen
}

// Windows are those of a program that was built for them; each that opened is a sample.
type Windows struct {
	Rate    uint64 // for each running processor a second
	Length  uint64 // nanoseconds
	Late    uint64 // that did not open, for no thread came by in time
	Open    uint64 // nanoseconds that they were open while the processor was not idle
	Busy    uint64 // nanoseconds in which processors were not idle, together
	Moved   uint64 // program counters that were set to their twins, of one for each window
	Frames  uint64 // return addresses that were
	Batches uint64 // of windows (see Count)
}

// A Package is one instrumented package's counters.
type Package struct {
	Meta   string // encoded
	Counts []Count
}

// A Count is a site's index in its package's Meta and how often it was hit.
type Count struct {
	Site int
	N    uint64
	// Root is the root of the sum of squares of the counts of each batch of windows.
	Root uint64
}

// A Callee counts the calls of one function from a site whose callee is known
// only at run time, or how often a value was the one that a site notes, or in which context an event was, or
// how often a path was taken that begins with a site.
type Callee struct {
	N       uint64
	Root    uint64 // see Count
	Package int    // index in Process.Packages
	Site    int
	Symbol  string // the linker's name of the function
	File    string // where it is declared; "" where unknown
	Line    int
	Kind    byte
	Context Context
	Path    Path
}

// A Burst is references in a row, of one window: what one processor's goroutines loaded and stored.
type Burst struct {
	Process    uint64 // of those that were merged, from 0
	Begun      uint64 // nanoseconds of the machine's clock
	References []Reference
}

// A Reference is an instruction's that loads or stores.
type Reference struct {
	Package   int // index in Process.Packages
	Site      int
	Goroutine uint64 // twice its number, and 1 more where the address is on its stack
	Address   uint64
}

// A Context is a calling context: a frame in its caller's. Contexts that are alike are equal, in whichever
// process they were.
type Context struct{ handle unique.Handle[Frame] }

// A Frame is a function that has been called, at a line of it.
type Frame struct {
	Caller Context
	Symbol string // the linker's name of the function
	File   string // where it is declared; "" where unknown
	Line   int    // where it has got to
	First  int    // where it begins
}

// In is a frame as a context.
func In(f Frame) Context { return Context{unique.Make(f)} }

// Frame is the context's innermost. It reports false where there is none.
func (c Context) Frame() (Frame, bool) {
	if c == (Context{}) {
		return Frame{}, false
	}
	return c.handle.Value(), true
}

// Compare orders contexts, the same in every process.
func (c Context) Compare(other Context) int {
	for c != other {
		f, some := c.Frame()
		g, others := other.Frame()
		switch {
		case !some:
			return -1
		case !others:
			return 1
		}
		if n := cmp.Or(cmp.Compare(f.Symbol, g.Symbol), cmp.Compare(f.File, g.File), cmp.Compare(f.Line, g.Line), cmp.Compare(f.First, g.First)); n != 0 {
			return n
		}
		c, other = f.Caller, g.Caller
	}
	return 0
}

// A Path is a path through a function: a site that it comes by, and the rest. Paths that are alike are
// equal, in whichever process they were.
type Path struct{ handle unique.Handle[Step] }

// A Step is a site of a path, of a package that has meta-data of the sum, or another mark, which has neither but for Rounds.
type Step struct {
	Mark Mark
	Sum  uint64 // MetaSum's
	Site int
	Rest Path
}

// A Mark says what a step is. All but sites are of paths that go on in what is called.
type Mark byte

const (
	Passed Mark = iota // a site is passed
	Opens              // the path goes on in what is called
	Closes             // it comes back
	Rounds             // what is called, by a site of its, has gone round a loop, and is left out
	More               // more was called, and is left out
	marks
)

// Sited reports whether the step has a site.
func (m Mark) Sited() bool { return m == Passed || m == Rounds }

// Along is a step as a path.
func Along(s Step) Path { return Path{unique.Make(s)} }

// Step is the path's first. It reports false where there is none.
func (p Path) Step() (Step, bool) {
	if p == (Path{}) {
		return Step{}, false
	}
	return p.handle.Value(), true
}

// Compare orders paths, the same in every process.
func (p Path) Compare(other Path) int {
	for p != other {
		s, some := p.Step()
		t, others := other.Step()
		switch {
		case !some:
			return -1
		case !others:
			return 1
		}
		if n := cmp.Or(cmp.Compare(s.Sum, t.Sum), cmp.Compare(s.Site, t.Site), cmp.Compare(s.Mark, t.Mark)); n != 0 {
			return n
		}
		p, other = s.Rest, t.Rest
	}
	return 0
}

// MetaSum tells a package's encoded meta-data from others.
func MetaSum(meta string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, meta)
	return h.Sum64()
}

// sums are those of p's packages.
func (p *Process) sums() []uint64 {
	out := make([]uint64, len(p.Packages))
	for i, pkg := range p.Packages {
		out[i] = MetaSum(pkg.Meta)
	}
	return out
}

// deepest is how many frames a context may have; the runtime has fewer, of functions that were inlined
// into others a few each.
const deepest = 1 << 14

// Decode reads a whole file. Every count and length is checked against the
// bytes that are there, so hostile input costs no more memory than its size.
func Decode(data []byte) (*Process, error) {
	if len(data) < len(Magic) || string(data[:len(Magic)-1]) != Magic[:len(Magic)-1] {
		return nil, errors.New("not a dupinst profile")
	}
	if v := data[len(Magic)-1]; v != Magic[len(Magic)-1] {
		return nil, fmt.Errorf("profile of format version %d; this dupinst reads version %d", v, Magic[len(Magic)-1])
	}
	body := len(data) - 4
	if body < len(Magic) || crc32.ChecksumIEEE(data[:body]) != binary.LittleEndian.Uint32(data[body:]) {
		return nil, errors.New("profile is truncated or damaged: its checksum does not match")
	}
	d := decoder{rest: data[len(Magic):body]}
	p := d.process()
	if d.err == nil && len(d.rest) > 0 {
		d.fail("bytes after the end")
	}
	if d.err != nil {
		return nil, fmt.Errorf("profile is damaged: %w", d.err)
	}
	return p, nil
}

// Encode is the inverse of Decode.
func (p *Process) Encode() []byte {
	b := []byte(Magic)
	b = appendString(b, p.Build.Encode())
	for _, s := range p.Origin.strings() {
		b = appendString(b, *s)
	}
	for _, v := range p.Origin.numbers() {
		b = binary.AppendUvarint(b, *v)
	}
	for _, v := range p.numbers() {
		b = binary.AppendUvarint(b, *v)
	}
	for _, pkg := range p.Packages {
		b = append(b, 1)
		b = appendString(b, pkg.Meta)
		last := -1
		for _, c := range pkg.Counts {
			b = binary.AppendUvarint(b, uint64(c.Site-last))
			b = binary.AppendUvarint(b, c.N)
			if p.Build.Trigger == WindowTrigger {
				b = binary.AppendUvarint(b, c.Root)
			}
			last = c.Site
		}
		b = append(b, 0, 0)
	}
	b = append(b, 0)
	nodes := map[Context]int{{}: 0}
	for _, c := range p.Callees {
		b = c.Context.append(b, nodes)
	}
	b = append(b, 0)
	ordinals := map[uint64]int{}
	for i, sum := range p.sums() {
		ordinals[sum] = i
	}
	for _, c := range p.Callees {
		b = binary.AppendUvarint(b, c.N)
		if p.Build.Trigger == WindowTrigger {
			b = binary.AppendUvarint(b, c.Root)
		}
		b = binary.AppendUvarint(b, uint64(c.Package))
		b = binary.AppendUvarint(b, uint64(c.Site))
		b = appendString(b, c.Symbol)
		b = appendString(b, c.File)
		b = binary.AppendUvarint(b, uint64(c.Line))
		b = append(b, c.Kind)
		if c.Kind == KindContext {
			b = binary.AppendUvarint(b, uint64(nodes[c.Context]))
		}
		if c.Kind == KindPath || c.Kind == KindAcross {
			b = c.Path.append(b, ordinals, c.Kind == KindAcross)
		}
	}
	b = append(b, 0)
	for _, burst := range p.Bursts {
		b = burst.append(b)
	}
	b = append(b, 0)
	b = p.appendBesides(b)
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

// append appends the nodes of a context that have no number yet, and numbers them.
func (c Context) append(b []byte, nodes map[Context]int) []byte {
	var found []Context
	for at := c; ; {
		if _, known := nodes[at]; known {
			break
		}
		found = append(found, at)
		f, _ := at.Frame()
		at = f.Caller
	}
	for _, at := range slices.Backward(found) {
		f, _ := at.Frame()
		b = binary.AppendUvarint(b, uint64(nodes[f.Caller])+1)
		b = append(b, 1)
		b = appendString(appendString(b, f.Symbol), f.File)
		b = binary.AppendUvarint(b, uint64(f.Line))
		b = binary.AppendUvarint(b, uint64(f.First))
		b = append(b, 0)
		nodes[at] = len(nodes)
	}
	return b
}

// append appends the sites of a path, with marks if there are others.
func (p Path) append(b []byte, ordinals map[uint64]int, marked bool) []byte {
	n := uint64(0)
	for s, ok := p.Step(); ok; s, ok = s.Rest.Step() {
		n++
	}
	b = binary.AppendUvarint(b, n)
	for s, ok := p.Step(); ok; s, ok = s.Rest.Step() {
		if marked {
			b = append(b, byte(s.Mark))
		}
		if !s.Mark.Sited() {
			continue
		}
		b = binary.AppendUvarint(b, uint64(ordinals[s.Sum]))
		b = binary.AppendUvarint(b, uint64(s.Site))
	}
	return b
}

func (u *Burst) append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(u.References)))
	b = binary.AppendUvarint(b, u.Process)
	b = binary.AppendUvarint(b, u.Begun)
	last := uint64(0)
	for _, r := range u.References {
		b = binary.AppendUvarint(b, uint64(r.Package))
		b = binary.AppendUvarint(b, uint64(r.Site))
		b = binary.AppendUvarint(b, r.Goroutine)
		b = binary.AppendVarint(b, int64(r.Address-last))
		last = r.Address
	}
	return b
}

// numbers are p's settings and totals, in the order of the file.
func (p *Process) numbers() []*uint64 {
	g, w := &p.Governor, &p.Windows
	numbers := []*uint64{
		&p.Interval, &p.Jitter, &p.Seed, &p.Checks, &p.Samples, &p.Dropped, &p.Weights, &p.Squares,
		&g.Budget, &g.Changes, &g.Longest, &g.Spent, &g.Time,
	}
	if p.Build.Trigger == WindowTrigger {
		numbers = append(numbers, &w.Rate, &w.Length, &w.Late, &w.Open, &w.Busy, &w.Moved, &w.Frames, &w.Batches)
	}
	return numbers
}

func (d *decoder) process() *Process {
	p := &Process{}
	build, err := DecodeBuild(d.string())
	if err != nil {
		d.fail(err.Error())
	}
	p.Build = build
	for _, s := range p.Origin.strings() {
		*s = d.string()
	}
	for _, v := range p.Origin.numbers() {
		*v = d.uvarint()
	}
	for _, v := range p.numbers() {
		*v = d.uvarint()
	}
	for d.byte() == 1 && d.err == nil {
		p.Packages = append(p.Packages, Package{Meta: d.string(), Counts: d.counts(p.Build.Trigger)})
	}
	nodes, sums := d.nodes(), p.sums()
	for n := d.uvarint(); n != 0 && d.err == nil; n = d.uvarint() {
		c := Callee{N: n, Root: d.root(p.Build.Trigger), Package: d.int(), Site: d.int(), Symbol: d.string(), File: d.string(), Line: d.int(), Kind: d.byte()}
		if c.Package >= len(p.Packages) {
			d.fail("a callee of no package")
		}
		if c.Kind == KindContext {
			at := d.int()
			if at >= len(nodes) {
				d.fail("a context that is no node")
				break
			}
			c.Context = nodes[at]
		}
		if c.Kind == KindPath || c.Kind == KindAcross {
			c.Path = d.path(sums, c.Kind == KindAcross)
		}
		p.Callees = append(p.Callees, c)
	}
	if len(d.rest) > 0 && d.err == nil { // files from before there were any end here
		p.Bursts = d.bursts(len(p.Packages))
	}
	d.besides(p)
	return p
}

func (d *decoder) bursts(packages int) (out []Burst) {
	for n := d.len(); n != 0 && d.err == nil; n = d.len() {
		u := Burst{Process: d.uvarint(), Begun: d.uvarint()}
		last := uint64(0)
		for range n {
			r := Reference{Package: d.int(), Site: d.int(), Goroutine: d.uvarint()}
			last += uint64(d.varint())
			r.Address = last
			if d.err == nil && r.Package >= packages {
				d.fail("a reference of no package")
			}
			if d.err != nil {
				return out
			}
			u.References = append(u.References, r)
		}
		out = append(out, u)
	}
	return out
}

// nodes are the nodes of calling contexts by their ordinals, of which 0 is none.
func (d *decoder) nodes() []Context {
	nodes, depth := []Context{{}}, []int{0}
	for parent := d.int(); parent != 0 && d.err == nil; parent = d.int() {
		if parent > len(nodes) {
			d.fail("a node before its parent")
			break
		}
		at := nodes[parent-1]
		var frames []Frame
		for d.byte() == 1 && d.err == nil {
			frames = append(frames, Frame{Symbol: d.string(), File: d.string(), Line: d.int(), First: d.int()})
		}
		deep := depth[parent-1] + len(frames)
		if deep > deepest {
			d.fail("a context without an end")
			break
		}
		for _, f := range slices.Backward(frames) {
			f.Caller = at
			at = In(f)
		}
		nodes, depth = append(nodes, at), append(depth, deep)
	}
	return nodes
}

// path are the sites of one, and its marks.
func (d *decoder) path(sums []uint64, marked bool) (p Path) {
	var steps []Step
	open := 0
	for range d.len() {
		var s Step
		if marked {
			s.Mark = Mark(d.byte())
		}
		switch s.Mark {
		case Opens:
			open++
		case Closes:
			open--
		}
		if s.Mark >= marks || open < 0 {
			d.fail("a path that is no path")
			return Path{}
		}
		if s.Mark.Sited() {
			at := d.int()
			if at >= len(sums) {
				d.fail("a path through no package")
				return Path{}
			}
			s.Sum, s.Site = sums[at], d.int()
		}
		steps = append(steps, s)
	}
	if open > 0 {
		d.fail("a path that is no path")
		return Path{}
	}
	for _, s := range slices.Backward(steps) {
		s.Rest = p
		p = Along(s)
	}
	return p
}

// root is a count's, if it has one.
func (d *decoder) root(trigger string) uint64 {
	if trigger != WindowTrigger {
		return 0
	}
	return d.uvarint()
}

func (d *decoder) counts(trigger string) []Count {
	var counts []Count
	for last := -1; d.err == nil; {
		step, n := d.int(), d.uvarint()
		if step == 0 {
			break
		}
		if last > maxInt-step {
			d.fail("a counter out of range")
			break
		}
		last += step
		counts = append(counts, Count{last, n, d.root(trigger)})
	}
	return counts
}
