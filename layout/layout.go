// Package layout proposes an order of a struct's fields from how often each is
// accessed: those that are hot together, on as few cache lines as they fit, and
// the struct no larger than before. It is structure field reordering as of
// Chilimbi, Davidson and Larus ("Cache-Conscious Structure Definition", PLDI
// 1999, §3): by how hot fields are alone, for which of them are used one after the
// other a count does not say; or, from profiles of references, by which are used together
// (package heat).
//
// A field is hot if it is one of the most accessed ones that together make nine
// tenths of the struct's accesses. A struct is assumed to begin on a cache line,
// as the allocator has it for sizes that are multiples of one; where it is an
// element of a slice it may not.
//
// What the order of fields means to a program cannot all be seen: literals without
// field names, conversions between struct types, package unsafe, cgo and
// encodings by position (encoding/binary, fmt's %v, the order of JSON members)
// depend on it. What the compiler would refuse is found when the package is built;
// the rest is for a person to know, who is asked by -w being a flag.
package layout

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/dupinst/dupinst/heat"
	"github.com/dupinst/dupinst/profile"
)

// line is the size of a cache line in bytes.
const line = 64

// hotShare is what share of its struct's accesses the hot fields have together.
const hotShare = 0.9

// Uses are how the fields of struct types are used, by the type's name as instrumentations have it.
type Uses struct {
	Accesses map[string]map[string]float64 // estimates, by field
	// Together are how often one of two fields, of which the names are sorted, was used near the other, where that is known.
	Together map[string]map[[2]string]float64
}

// Of are the uses of fields that a profile of their accesses says, or of references.
func Of(p *profile.Profile) (Uses, error) {
	u := Uses{map[string]map[string]float64{}, map[string]map[[2]string]float64{}}
	for i := range p.Entries {
		e := &p.Entries[i]
		t := e.Part("type")
		if u.Accesses[t] == nil {
			u.Accesses[t] = map[string]float64{}
		}
		u.Accesses[t][e.Part("field")] += p.Estimate(e).N
	}
	if !heat.Has(p) {
		return u, nil
	}
	h, err := heat.Of(p)
	if err != nil {
		return u, err
	}
	for _, t := range h.Structs {
		u.Together[t.Type] = t.Pairs()
	}
	return u, nil
}

// add adds what another profile says.
func (u *Uses) add(v Uses) {
	for t, fields := range v.Accesses {
		if u.Accesses[t] == nil {
			u.Accesses[t] = map[string]float64{}
		}
		for name, n := range fields {
			u.Accesses[t][name] += n
		}
	}
	for t, pairs := range v.Together {
		if u.Together[t] == nil {
			u.Together[t] = map[[2]string]float64{}
		}
		for names, n := range pairs {
			u.Together[t][names] += n
		}
	}
}

// instrumentations are those whose profiles say how fields are used, the better first.
var instrumentations = []string{"reference", "fieldaccess"}

// Choose is the profiles of which the uses of fields are to be added up: of references, if there are any.
func Choose(profiles []*profile.Profile) []*profile.Profile {
	for _, name := range instrumentations {
		var out []*profile.Profile
		for _, p := range profiles {
			if p.Instrumentation == name {
				out = append(out, p)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// A Struct is a struct type with its fields in some order.
type Struct struct {
	Name     string // as the profile has it
	Pos      token.Pos
	Accesses float64
	Now      Order
	Proposed *Order // nil if there is none that is better
	spec     *ast.TypeSpec
	syntax   *ast.StructType
	together map[[2]string]float64
}

// An Order is the fields of a struct in an order, with what follows from it.
type Order struct {
	Fields []Field
	Size   int64 // bytes
	Lines  int   // cache lines that hold hot fields
	// Apart is the share of what is used together that lies on two lines; -1 if that is not known.
	Apart float64
}

// A Field is one of a struct's.
type Field struct {
	Name     string
	Offset   int64
	Size     int64
	Accesses float64
	Hot      bool
	unit     int // index of its declaration, which may have several names
	align    int64
	fixed    bool
}

// Structs examines the struct types that a package declares, outside of functions,
// the most accessed first. Those without accesses, and those with type parameters, whose size is not
// known, are left out.
func Structs(files []*ast.File, info *types.Info, sizes types.Sizes, uses Uses) []*Struct {
	var out []*Struct
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			syntax, ok := spec.Type.(*ast.StructType)
			if !ok || spec.TypeParams != nil || spec.Assign.IsValid() {
				return true
			}
			if s := examine(spec, syntax, info, sizes, uses); s != nil {
				out = append(out, s)
			}
			return true
		})
	}
	slices.SortStableFunc(out, func(a, b *Struct) int { return cmp.Compare(b.Accesses, a.Accesses) })
	return out
}

func examine(spec *ast.TypeSpec, syntax *ast.StructType, info *types.Info, sizes types.Sizes, uses Uses) *Struct {
	obj, ok := info.Defs[spec.Name].(*types.TypeName)
	if !ok || obj.Parent() != obj.Pkg().Scope() {
		return nil // a type declared in a function: the profile does not tell it from others of that name
	}
	t, ok := obj.Type().Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	path := obj.Pkg().Path()
	if obj.Pkg().Name() == "main" {
		path = "main" // as the compiler is told
	}
	s := &Struct{Name: path + "." + obj.Name(), Pos: spec.Name.Pos(), spec: spec, syntax: syntax}
	counts := uses.Accesses[s.Name]
	s.together = uses.Together[s.Name]
	var fields []Field
	for unit, f := range syntax.Fields.List {
		for range max(1, len(f.Names)) {
			v := t.Field(len(fields))
			fields = append(fields, Field{
				Name: v.Name(), Size: sizes.Sizeof(v.Type()), Accesses: counts[v.Name()], unit: unit, align: sizes.Alignof(v.Type()), fixed: fixes(v),
			})
			s.Accesses += counts[v.Name()]
		}
	}
	if s.Accesses == 0 {
		return nil
	}
	markHot(fields, s.Accesses)
	s.Now = s.place(fields)
	if !slices.ContainsFunc(fields, func(f Field) bool { return f.fixed }) {
		s.propose(fields)
	}
	return s
}

// fixes reports whether a field says that those around it are where they are on
// purpose: padding, or the mark of a struct that others read.
func fixes(v *types.Var) bool {
	named, ok := types.Unalias(v.Type()).(*types.Named)
	return v.Name() == "_" || ok && named.Obj().Name() == "HostLayout"
}

// markHot marks the most accessed fields.
func markHot(fields []Field, all float64) {
	order := make([]int, len(fields))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(fields[b].Accesses, fields[a].Accesses) })
	sum := 0.0
	for _, i := range order {
		if sum >= hotShare*all {
			break
		}
		fields[i].Hot = true
		sum += fields[i].Accesses
	}
}

// place computes offsets as the compiler does: each field at the next multiple of
// its alignment, and a byte behind a last field of no size, so that its address
// is one of the struct.
func (s *Struct) place(fields []Field) Order {
	o := Order{Fields: slices.Clone(fields)}
	align, at := int64(1), int64(0)
	hot := map[int64]bool{}
	for i := range o.Fields {
		f := &o.Fields[i]
		at = roundUp(at, f.align)
		f.Offset = at
		align = max(align, f.align)
		at += f.Size
		if f.Hot && f.Size > 0 {
			for l := f.Offset / line; l <= (at-1)/line; l++ {
				hot[l] = true
			}
		}
	}
	if n := len(fields); n > 0 && fields[n-1].Size == 0 && at > 0 {
		at++
	}
	o.Size, o.Lines, o.Apart = roundUp(at, align), len(hot), s.apart(o.Fields)
	return o
}

// apart is the share of what is used together that lies on two cache lines where fields lie so.
func (s *Struct) apart(fields []Field) float64 {
	lines := map[string][2]int64{} // of a field
	for _, f := range fields {
		lines[f.Name] = [2]int64{f.Offset / line, (f.Offset + max(f.Size, 1) - 1) / line}
	}
	sum, all := 0.0, 0.0
	for names, n := range s.together {
		x, y := lines[names[0]], lines[names[1]]
		all += n
		if x[1] < y[0] || y[1] < x[0] {
			sum += n
		}
	}
	if all == 0 {
		return -1
	}
	return sum / all
}

func roundUp(n, to int64) int64 { return (n + to - 1) / to * to }

// propose looks for an order that puts hot fields on fewer lines, or as many in
// a smaller struct, and takes the first of the best.
func (s *Struct) propose(fields []Field) {
	units := make([][]Field, len(s.syntax.Fields.List))
	for _, f := range fields {
		units[f.unit] = append(units[f.unit], f)
	}
	sum := func(u []Field) (n float64) {
		for _, f := range u {
			n += f.Accesses
		}
		return n
	}
	hot := func(u []Field) int {
		if slices.ContainsFunc(u, func(f Field) bool { return f.Hot }) {
			return 0
		}
		return 1
	}
	// A field of no size at the end would add a byte.
	empty := func(u []Field) int {
		if u[0].Size == 0 {
			return 0
		}
		return 1
	}
	byHeat := func(a, b []Field) int { return cmp.Or(cmp.Compare(hot(a), hot(b)), cmp.Compare(sum(b), sum(a))) }
	byHeatAlign := func(a, b []Field) int {
		return cmp.Or(cmp.Compare(hot(a), hot(b)), cmp.Compare(b[0].align, a[0].align), cmp.Compare(sum(b), sum(a)))
	}
	byAlign := func(a, b []Field) int {
		return cmp.Or(cmp.Compare(b[0].align, a[0].align), cmp.Compare(sum(b), sum(a)))
	}
	var orders [][][]Field
	for _, less := range []func(a, b []Field) int{byHeat, byHeatAlign, byAlign} {
		order := slices.Clone(units)
		slices.SortStableFunc(order, func(a, b []Field) int { return cmp.Or(cmp.Compare(empty(a), empty(b)), less(a, b)) })
		orders = append(orders, order)
	}
	if len(s.together) > 0 {
		orders = append(orders, s.byCompany(orders[0]))
	}
	for _, order := range orders {
		o := s.place(slices.Concat(order...))
		best := &s.Now
		if s.Proposed != nil {
			best = s.Proposed
		}
		if o.Size <= s.Now.Size && o.better(best) {
			s.Proposed = &o
		}
	}
}

// gain is by how much of what is used together fewer must lie on two lines for an order to be better.
const gain = 0.01

// better reports whether o is better than another order, which is no smaller.
func (o *Order) better(than *Order) bool {
	switch {
	case o.Apart < than.Apart-gain:
		return true
	case o.Apart > than.Apart+gain:
		return false
	}
	return o.Lines < than.Lines || o.Lines == than.Lines && o.Size < than.Size
}

// byCompany puts units, of which the hottest come first, where they are used together with what is on the same
// cache line: each is the one that is used most with what the line has already, or the hottest.
func (s *Struct) byCompany(units [][]Field) [][]Field {
	rest := slices.Clone(units)
	var out [][]Field
	at := int64(0) // where the next one goes
	first := 0     // of out on its line
	for len(rest) > 0 {
		best, most := 0, 0.0
		for i, u := range rest {
			n := 0.0
			for _, on := range out[first:] {
				n += s.company(on, u)
			}
			if n > most {
				best, most = i, n
			}
		}
		u := rest[best]
		rest = slices.Delete(rest, best, best+1)
		begin := at
		for _, f := range u {
			at = roundUp(at, f.align) + f.Size
		}
		switch out = append(out, u); {
		case at%line == 0:
			first = len(out)
		case at/line > begin/line:
			first = len(out) - 1
		}
	}
	return out
}

// company is how often the fields of two units are used together.
func (s *Struct) company(a, b []Field) (n float64) {
	for _, f := range a {
		for _, g := range b {
			n += s.together[[2]string{min(f.Name, g.Name), max(f.Name, g.Name)}]
		}
	}
	return n
}
