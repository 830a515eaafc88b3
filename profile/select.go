package profile

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Select leaves the entries whose keys focus matches and ignore does not; nil matches all, and
// none. Shares stay those in all events.
func (p *Profile) Select(focus, ignore *regexp.Regexp) *Profile {
	out := *p
	out.Entries = nil
	for i := range p.Entries {
		e := p.Entries[i]
		if (focus == nil || focus.MatchString(e.Key)) && (ignore == nil || !ignore.MatchString(e.Key)) {
			out.Entries = append(out.Entries, e)
			continue
		}
		n, variance := p.Moments(&e)
		out.rest, out.restVariance = out.rest+n, out.restVariance+variance
	}
	return &out
}

// Groups are what By adds up.
var Groups = []string{"package", "file", "function", "line", "struct", "callee"}

// By adds up the entries of one package, file, function, line, struct or callee: that in which an event
// happened or, of fields, whose struct it is, or that is called. It reports false if keys do not say.
func (p *Profile) By(what string) (*Profile, bool) {
	out := *p
	out.Entries, out.Never = nil, nil
	index := map[string]int{}
	for i := range p.Entries {
		e := p.Entries[i]
		key, ok := e.group(what)
		if !ok {
			return nil, false
		}
		e.Key, e.Parts, e.Called, e.Stack = key, []Part{{Name: what, Value: key}}, "", nil
		out.add(index, e)
	}
	out.sort()
	return &out, true
}

// Unplaced adds up the entries that differ in their positions alone: those of a program whose
// source was changed are elsewhere.
func (p *Profile) Unplaced() *Profile {
	out := *p
	out.Entries, out.Never = nil, nil
	index := map[string]int{}
	for i := range p.Entries {
		e := p.Entries[i]
		var parts []Part
		var key []string
		for _, part := range e.Parts {
			if part.Name == p.Dynamic && e.Stack != nil {
				part.Value = folded(e.Stack, false)
			}
			if !part.Number && part.Name != "file" {
				parts, key = append(parts, part), append(key, part.Value)
			}
		}
		if len(parts) < len(e.Parts) {
			e.Key, e.Parts = strings.Join(key, " "), parts
		}
		out.add(index, e)
	}
	out.sort()
	return &out
}

// add adds up e with the entry of its key.
func (p *Profile) add(index map[string]int, e Entry) {
	at, ok := index[e.Key]
	if !ok {
		index[e.Key] = len(p.Entries)
		p.Entries = append(p.Entries, e)
		return
	}
	sum := &p.Entries[at]
	sum.Count, sum.n, sum.variance, sum.spread = sum.Count+e.Count, sum.n+e.n, sum.variance+e.variance, sum.spread+e.spread
}

func (p *Profile) sort() {
	slices.SortFunc(p.Entries, func(x, y Entry) int {
		return cmp.Or(cmp.Compare(y.n, x.n), cmp.Compare(y.Count, x.Count), cmp.Compare(x.Key, y.Key))
	})
}

// group is what e is added up under.
func (e *Entry) group(what string) (string, bool) {
	function := cmp.Or(e.Part("caller"), e.Part("function"))
	switch file := e.Part("file"); {
	case what == "package":
		name := cmp.Or(function, e.Part("type"))
		path, _ := CutPackage(name)
		return path, name != ""
	case what == "file":
		return file, file != ""
	case what == "line":
		return fmt.Sprintf("%s:%s", file, e.Part("line")), file != ""
	case what == "function":
		return function, function != ""
	case what == "callee":
		return e.Part("callee"), e.Part("callee") != ""
	case what == "struct":
		return e.Part("type"), e.Part("type") != ""
	}
	return "", false
}
