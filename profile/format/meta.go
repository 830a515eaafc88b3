package format

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// A Build says what a program was instrumented with.
type Build struct {
	Variant          string // full, exhaustive, …
	Instrumentations []Instrumentation
	// Backend is where code was duplicated: "source" or "compiler", or "" in files from before
	// there was another than the source's.
	Backend string
	// Trigger is what began samples: WindowTrigger, TimerTrigger, or "" for counters.
	Trigger string
}

// Direct reports whether events are counted as they happen, each or the first alone, and no samples taken.
func (b *Build) Direct() bool { return b.Variant == "exhaustive" || b.Variant == "once" }

// The triggers of a program that was built for windows, and of one whose samples a timer begins.
const (
	WindowTrigger = "window"
	TimerTrigger  = "timer"
)

// An Instrumentation describes the keys of one profile.
type Instrumentation struct {
	Name  string
	Key   string   // template of a key's text, each part in braces: "{type}.{field} {access}"
	Parts []string // names of a key's parts; one that ends in # is a number
	// Dynamic is the index of the part that a callee seen at run time
	// replaces, or -1.
	Dynamic int
}

// A Meta describes the sites of one package.
type Meta struct {
	Package string // import path
	Sites   []Site
	// Functions are those that the package declares, its function literals and the
	// bodies of its range-over-func loops included.
	Functions []Function
	Aliases   []Alias
}

// A Site is one place where events are counted.
type Site struct {
	Instrumentation int      // index in Build.Instrumentations
	Parts           []string // as many as the instrumentation names
}

// A Function is a function's name, as the linker would have it if nothing were
// inlined, and where its func keyword stands.
type Function struct {
	Name    string
	File    string
	Line    int
	Literal bool // it has no name in the source: inlining gives its copies other symbols
}

// An Alias names the method behind a wrapper that the compiler writes for a
// promoted method, or to call a method of T on a *T.
type Alias struct {
	Symbol string // the wrapper's
	Name   string // the method's
}

// Encode returns b's encoding.
func (b Build) Encode() string {
	out := appendString(nil, b.Variant)
	out = binary.AppendUvarint(out, uint64(len(b.Instrumentations)))
	for _, in := range b.Instrumentations {
		out = appendString(out, in.Name)
		out = appendString(out, in.Key)
		out = binary.AppendUvarint(out, uint64(in.Dynamic+1))
		out = binary.AppendUvarint(out, uint64(len(in.Parts)))
		for _, p := range in.Parts {
			out = appendString(out, p)
		}
	}
	if b.Backend != "" {
		out = appendString(out, b.Backend)
	}
	if b.Trigger != "" {
		out = appendString(out, b.Trigger)
	}
	return string(out)
}

// DecodeBuild is the inverse of Encode.
func DecodeBuild(s string) (Build, error) {
	d := decoder{rest: []byte(s)}
	b := Build{Variant: d.string()}
	for range d.len() {
		in := Instrumentation{Name: d.string(), Key: d.string(), Dynamic: d.int() - 1}
		for range d.len() {
			in.Parts = append(in.Parts, d.string())
		}
		if in.Dynamic >= len(in.Parts) {
			d.fail("a dynamic part that does not exist")
		}
		b.Instrumentations = append(b.Instrumentations, in)
	}
	if len(d.rest) > 0 && d.err == nil {
		if b.Backend = d.string(); b.Backend == "" {
			d.fail("a back end without a name")
		}
	}
	if len(d.rest) > 0 && d.err == nil {
		if b.Trigger = d.string(); b.Trigger != WindowTrigger && b.Trigger != TimerTrigger {
			d.fail("no trigger that there is")
		}
	}
	return b, d.err
}

// Encode returns m's encoding: the package, a table of all strings, then sites,
// functions and aliases as indices into it.
func (m *Meta) Encode() string {
	index := map[string]uint64{}
	var table, body []byte
	ref := func(s string) {
		i, ok := index[s]
		if !ok {
			i = uint64(len(index))
			index[s] = i
			table = appendString(table, s)
		}
		body = binary.AppendUvarint(body, i)
	}
	body = binary.AppendUvarint(body, uint64(len(m.Sites)))
	for _, s := range m.Sites {
		body = binary.AppendUvarint(body, uint64(s.Instrumentation))
		body = binary.AppendUvarint(body, uint64(len(s.Parts)))
		for _, p := range s.Parts {
			ref(p)
		}
	}
	body = binary.AppendUvarint(body, uint64(len(m.Functions)))
	for _, f := range m.Functions {
		ref(f.Name)
		ref(f.File)
		literal := 0
		if f.Literal {
			literal = 1
		}
		body = binary.AppendUvarint(body, uint64(f.Line)<<1|uint64(literal))
	}
	body = binary.AppendUvarint(body, uint64(len(m.Aliases)))
	for _, a := range m.Aliases {
		ref(a.Symbol)
		ref(a.Name)
	}
	out := appendString(nil, m.Package)
	out = binary.AppendUvarint(out, uint64(len(index)))
	return string(append(append(out, table...), body...))
}

// DecodeMeta is the inverse of Encode. It checks sites against build.
func DecodeMeta(s string, build Build) (*Meta, error) {
	d := decoder{rest: []byte(s)}
	m := &Meta{Package: d.string()}
	var table []string
	for range d.len() {
		table = append(table, d.string())
	}
	ref := func() string {
		if i := d.int(); i < len(table) {
			return table[i]
		}
		d.fail("a string that does not exist")
		return ""
	}
	for range d.len() {
		site := Site{Instrumentation: d.int()}
		for range d.len() {
			site.Parts = append(site.Parts, ref())
		}
		if site.Instrumentation >= len(build.Instrumentations) || len(site.Parts) != len(build.Instrumentations[site.Instrumentation].Parts) {
			d.fail("a site of no instrumentation")
			break
		}
		m.Sites = append(m.Sites, site)
	}
	for range d.len() {
		f := Function{Name: ref(), File: ref()}
		line := d.int()
		f.Line, f.Literal = line>>1, line&1 != 0
		m.Functions = append(m.Functions, f)
	}
	for range d.len() {
		m.Aliases = append(m.Aliases, Alias{ref(), ref()})
	}
	if d.err != nil {
		return nil, fmt.Errorf("meta-data of a package is damaged: %w", d.err)
	}
	return m, nil
}

const maxInt = int(^uint(0) >> 1)

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// A decoder reads varints and strings. Its first failure sticks, and all it
// reads after that is zero.
type decoder struct {
	rest []byte
	err  error
}

func (d *decoder) fail(why string) {
	if d.err == nil {
		d.err = errors.New(why)
	}
	d.rest = nil
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.rest)
	if n <= 0 {
		d.fail("a number is cut off")
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

func (d *decoder) varint() int64 {
	v := d.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

func (d *decoder) int() int {
	v := d.uvarint()
	if v > 1<<31-1 {
		d.fail("a number is out of range")
		return 0
	}
	return int(v)
}

// len reads the length of a list, each of whose elements takes a byte or more.
func (d *decoder) len() int {
	n := d.int()
	if n > len(d.rest) {
		d.fail("a list is cut off")
		return 0
	}
	return n
}

func (d *decoder) byte() byte {
	if len(d.rest) == 0 {
		d.fail("a byte is missing")
		return 0
	}
	b := d.rest[0]
	d.rest = d.rest[1:]
	return b
}

func (d *decoder) string() string {
	n := d.len()
	s := string(d.rest[:n])
	d.rest = d.rest[n:]
	return s
}
