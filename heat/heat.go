// Package heat says how the fields of structs are used, from references that windows have seen with their addresses
// (instrumentation reference): how often each is loaded and stored, by how many goroutines, which are used together,
// and which cache lines go to and fro between goroutines.
//
// Two fields are together where one of an object is referred to within a few references of the other of the same
// object. That is the affinity by which fields of a struct are put on one cache line, or on two (Chilimbi,
// Davidson and Larus, "Cache-Conscious Structure Definition", PLDI 1999), seen for itself: counts of accesses
// do not say what comes after what.
//
// A cache line is handed over where one goroutine refers to it after another, and one of the two stores there. It
// is shared falsely if neither refers to a word that the other does: then fields apart would let each
// goroutine have its own. A window sees one processor; that two have a line at the same moment is not seen, but that
// both do within a short time.
package heat

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/dupinst/dupinst/profile"
)

// ErrNone is the error of profiles without references.
var ErrNone = errors.New("cannot tell the heat of fields: no profile has references with their addresses; build with -instrument=reference -trigger=window, and let the program run for some windows")

const (
	// near is how many references on another of the same object's is together with one.
	near = 8
	// line is the size of a cache line in bytes, and word of what is shared or not.
	line, word = 64, 8
	// soon is in how many nanoseconds a line is handed over, at most.
	soon = 1e9
)

// A Struct is a struct type whose fields were referred to.
type Struct struct {
	Type   string   `json:"type"`
	Events float64  `json:"references"`     // an estimate
	Seen   int      `json:"seen"`           // references with their addresses
	Fields []*Field `json:"fields"`         // as they lie
	Made   []Place  `json:"made,omitempty"` // where objects are put on the heap, if that is known
}

// A Field is one of a struct's.
type Field struct {
	Name       string  `json:"name"`
	Offset     uint64  `json:"offset"`
	Size       uint64  `json:"size"`
	Loads      float64 `json:"loads"` // estimates, as Stores
	Stores     float64 `json:"stores"`
	Seen       int     `json:"seen"`
	Goroutines int     `json:"goroutines"` // that were seen to refer to it
	// Together has of other fields which share of the references to this one had one of that near them.
	Together map[string]float64 `json:"together,omitempty"`

	goroutines map[place]bool
	with       map[string]int
}

// A Handover is of lines that go from one goroutine to another.
type Handover struct {
	Fields [2]string `json:"fields"` // type and field, sorted: what either referred to
	Stores [2]bool   `json:"stores"` // whether it was stored to
	Times  int       `json:"times"`
	False  int       `json:"false"` // times that they had no word in common
	Lines  int       `json:"lines"`
	lines  map[place]bool
}

// A place is an address of a process, or one of its goroutines.
type place struct {
	process int
	at      uint64
}

// A Heat is that of a profile.
type Heat struct {
	Program   string      `json:"program,omitempty"`
	Structs   []*Struct   `json:"structs"`   // by references, descending
	Handovers []*Handover `json:"handovers"` // by times, descending
	Bursts    int         `json:"bursts"`
	Seen      int         `json:"seen"`
}

// Has reports whether a profile is of references, of which some were noted with their addresses.
func Has(p *profile.Profile) bool { return p.Instrumentation == "reference" && len(p.Bursts) > 0 }

// Of is the heat of a profile of references.
func Of(p *profile.Profile) (*Heat, error) {
	if !Has(p) {
		return nil, ErrNone
	}
	f := &finder{heat: &Heat{Program: p.Program, Bursts: len(p.Bursts)}, structs: map[string]*Struct{}, fields: map[string]*Field{}, sites: map[*profile.Entry]*site{}}
	for i := range p.Entries {
		e := &p.Entries[i]
		s, err := siteOf(e)
		if err != nil {
			return nil, err
		}
		field := f.field(s)
		n := p.Estimate(e).N
		f.structs[s.typ].Events += n
		if s.store {
			field.Stores += n
		} else {
			field.Loads += n
		}
	}
	bursts := slices.Clone(p.Bursts)
	slices.SortFunc(bursts, func(a, b profile.Burst) int {
		return cmp.Or(cmp.Compare(a.Process, b.Process), cmp.Compare(a.Begun, b.Begun))
	})
	if err := f.bursts(bursts); err != nil {
		return nil, err
	}
	for _, t := range f.heat.Structs {
		t.finish()
	}
	slices.SortStableFunc(f.heat.Structs, func(a, b *Struct) int { return cmp.Or(cmp.Compare(b.Events, a.Events), cmp.Compare(a.Type, b.Type)) })
	slices.SortFunc(f.heat.Handovers, func(a, b *Handover) int {
		return cmp.Or(cmp.Compare(b.Times, a.Times), cmp.Compare(a.Fields[0], b.Fields[0]), cmp.Compare(a.Fields[1], b.Fields[1]))
	})
	return f.heat, nil
}

// Pairs are how often one of two fields, of which the names are sorted, was referred to near the other.
func (t *Struct) Pairs() map[[2]string]float64 {
	out := map[[2]string]float64{}
	for _, f := range t.Fields {
		for other, n := range f.with {
			out[[2]string{min(f.Name, other), max(f.Name, other)}] += float64(n)
		}
	}
	return out
}

func (t *Struct) finish() {
	slices.SortFunc(t.Fields, func(a, b *Field) int { return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Name, b.Name)) })
	for _, f := range t.Fields {
		t.Seen += f.Seen
		f.Goroutines = len(f.goroutines)
		for other, n := range f.with {
			f.Together[other] = float64(n) / float64(f.Seen)
		}
	}
}

// A site is what a key says.
type site struct {
	typ, field   string
	offset, size uint64
	store        bool
}

func (s *site) name() string { return s.typ + "." + s.field }

func siteOf(e *profile.Entry) (*site, error) {
	s := &site{typ: e.Part("type"), field: e.Part("field"), store: e.Part("access") == "write"}
	for part, to := range map[string]*uint64{"offset": &s.offset, "size": &s.size} {
		n, err := strconv.ParseUint(e.Part(part), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("key %q: its %s is no number: %w", e.Key, part, err)
		}
		*to = n
	}
	return s, nil
}

// A finder goes through bursts.
type finder struct {
	heat    *Heat
	structs map[string]*Struct
	fields  map[string]*Field // by name
	sites   map[*profile.Entry]*site
}

func (f *finder) field(s *site) *Field {
	t := f.structs[s.typ]
	if t == nil {
		t = &Struct{Type: s.typ}
		f.structs[s.typ] = t
		f.heat.Structs = append(f.heat.Structs, t)
	}
	field := f.fields[s.name()]
	if field == nil {
		field = &Field{Name: s.field, Offset: s.offset, Size: s.size, Together: map[string]float64{}, goroutines: map[place]bool{}, with: map[string]int{}}
		f.fields[s.name()] = field
		t.Fields = append(t.Fields, field)
	}
	return field
}

// A reference is one with what its key says. The object begins at its address less its offset, or before, by less
// than the field's size.
type reference struct {
	*site
	*profile.Reference
	of *Field
}

func (f *finder) bursts(bursts []profile.Burst) error {
	lines := map[place][]touch{}
	for i := range bursts {
		b := &bursts[i]
		var references []reference
		for k := range b.References {
			r := &b.References[k]
			s := f.sites[r.Entry]
			if s == nil {
				var err error
				if s, err = siteOf(r.Entry); err != nil {
					return err
				}
				f.sites[r.Entry] = s
			}
			references = append(references, reference{s, r, f.field(s)})
		}
		f.heat.Seen += len(references)
		f.together(b.Process, references)
		touched(lines, b, references)
	}
	f.handovers(lines)
	return nil
}

// together finds what is near each of some references.
func (f *finder) together(process int, references []reference) {
	for i := range references {
		r := &references[i]
		r.of.Seen++
		r.of.goroutines[place{process, r.Goroutine}] = true
		with := map[string]bool{}
		for k := max(0, i-near); k < min(len(references), i+near+1); k++ {
			if o := &references[k]; o.typ == r.typ && o.of != r.of && sameObject(r, o) {
				with[o.of.Name] = true
			}
		}
		for name := range with {
			r.of.with[name]++
		}
	}
}

// sameObject reports whether two fields of a type are of one object: whether it may begin at one address for both. No
// two objects are so near each other that it might where they are not.
func sameObject(a, b *reference) bool {
	if a.size == 0 || b.size == 0 {
		return false
	}
	endA, endB := a.Address-a.offset, b.Address-b.offset
	return max(int64(endA-a.size), int64(endB-b.size)) < min(int64(endA), int64(endB))
}

// A touch is what a goroutine did with a line while no other was seen to.
type touch struct {
	goroutine uint64
	from, to  uint64 // nanoseconds
	words     map[uint64]bool
	stored    map[uint64]bool // words
	fields    map[string]bool // whether they were stored to
}

// touched adds a burst's references to what was done with lines, the bursts being in the order that they began in for
// each process.
func touched(lines map[place][]touch, b *profile.Burst, references []reference) {
	for i := range references {
		r := &references[i]
		if r.OnStack || i > 0 && references[i-1].Address == r.Address && references[i-1].store == r.store {
			continue // of a field that the last one's lies in
		}
		at := place{b.Process, r.Address / line}
		list := lines[at]
		if n := len(list); n == 0 || list[n-1].goroutine != r.Goroutine {
			list = append(list, touch{goroutine: r.Goroutine, from: b.Begun, words: map[uint64]bool{}, stored: map[uint64]bool{}, fields: map[string]bool{}})
			lines[at] = list
		}
		t := &list[len(list)-1]
		t.to = b.Begun
		t.words[r.Address/word] = true
		t.fields[r.name()] = t.fields[r.name()] || r.store
		if r.store {
			t.stored[r.Address/word] = true
		}
	}
}

// handovers adds up what goes from one goroutine to another.
func (f *finder) handovers(lines map[place][]touch) {
	type pair struct {
		fields [2]string
		stores [2]bool
	}
	found := map[pair]*Handover{}
	for at, touches := range lines {
		for i := 1; i < len(touches); i++ {
			a, b := &touches[i-1], &touches[i]
			if len(a.stored)+len(b.stored) == 0 || b.from-a.to > soon {
				continue
			}
			common := overlaps(a.stored, b.words) || overlaps(b.stored, a.words)
			x, y := a.main(), b.main()
			if x > y {
				x, y, a, b = y, x, b, a
			}
			is := pair{[2]string{x, y}, [2]bool{a.fields[x], b.fields[y]}}
			h := found[is]
			if h == nil {
				h = &Handover{Fields: is.fields, Stores: is.stores, lines: map[place]bool{}}
				found[is] = h
				f.heat.Handovers = append(f.heat.Handovers, h)
			}
			h.Times++
			if !common {
				h.False++
			}
			h.lines[at] = true
			h.Lines = len(h.lines)
		}
	}
}

// main is the field that a touch is called by: the first that is stored to, or the first.
func (t *touch) main() string {
	names := slices.Sorted(maps.Keys(t.fields))
	for _, name := range names {
		if t.fields[name] {
			return name
		}
	}
	return names[0]
}

func overlaps(a, b map[uint64]bool) bool {
	for w := range a {
		if b[w] {
			return true
		}
	}
	return false
}
