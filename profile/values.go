package profile

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// A ValueSite is a place where a value was noted, or a callee that is known at run time alone.
type ValueSite struct {
	Parts []Part `json:"parts"` // of the key, but for the value
	// Events is the estimate of how many there were.
	Events float64     `json:"events"`
	Values []ValueSeen `json:"values"` // the most frequent first, and Others last
}

// A ValueSeen is a value of a site's.
type ValueSeen struct {
	Value string `json:"value"`
	Share        // of the site's events
}

// ValueSites are those of p, the most frequent first.
func (p *Profile) ValueSites() []ValueSite {
	entries := map[string][]*Entry{}
	for i := range p.Entries {
		if e := &p.Entries[i]; e.Called != "" {
			at := e.site(p.Dynamic)
			entries[at] = append(entries[at], e)
		}
	}
	var out []ValueSite
	for _, list := range entries {
		s := ValueSite{Parts: slices.DeleteFunc(slices.Clone(list[0].Parts), func(part Part) bool { return part.Name == p.Dynamic })}
		variance := 0.0
		for _, e := range list {
			n, v := p.Moments(e)
			s.Events, variance = s.Events+n, variance+v
		}
		for _, e := range list {
			n, _ := p.Moments(e)
			s.Values = append(s.Values, ValueSeen{e.Part(p.Dynamic), share(n/s.Events, s.Events*s.Events/variance)})
		}
		slices.SortFunc(s.Values, func(a, b ValueSeen) int {
			if others := (a.Value == Others); others != (b.Value == Others) {
				if others {
					return 1
				}
				return -1
			}
			return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Value, b.Value))
		})
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b ValueSite) int {
		return cmp.Or(cmp.Compare(b.Events, a.Events), slices.CompareFunc(a.Parts, b.Parts, func(x, y Part) int { return cmp.Compare(x.Value, y.Value) }))
	})
	return out
}

// Beside adds up with Others what q no longer tells apart: of a site that q has Others of, the values that q has
// not are among them. A table of frequent values keeps other ones when the same program runs again, and loses more the
// longer that runs: so of two such profiles each is compared beside the other.
func (p *Profile) Beside(q *Profile) *Profile {
	others, kept := map[string]*Entry{}, map[string]bool{}
	for i := range q.Entries {
		e := &q.Entries[i]
		kept[e.Key] = true
		if q.Dynamic != "" && e.Part(q.Dynamic) == Others {
			others[e.site(q.Dynamic)] = e
		}
	}
	if len(others) == 0 {
		return p
	}
	out := *p
	out.Entries = nil
	index := map[string]int{}
	for _, e := range p.Entries {
		if o := others[e.site(p.Dynamic)]; o != nil && !kept[e.Key] {
			e.Key, e.Parts, e.Called, e.Stack = o.Key, o.Parts, o.Called, o.Stack
		}
		out.add(index, e)
	}
	out.sort()
	return &out
}

// site is what an entry's key says but for the value.
func (e *Entry) site(value string) string {
	var b strings.Builder
	for _, part := range e.Parts {
		if part.Name != value {
			b.WriteString(part.Value)
			b.WriteByte(0)
		}
	}
	return b.String()
}

// Part is a part of the site's key, "" if it has none of that name.
func (s *ValueSite) Part(name string) string {
	for _, part := range s.Parts {
		if part.Name == name {
			return part.Value
		}
	}
	return ""
}

// fits is the part of the slices that are to fit into a capacity that is proposed.
const fits = 0.9

// Capacity proposes one for slices that an append makes, of a site that notes the old capacity where it
// grows them: the least that nine tenths of those which begin without one would never outgrow. What
// it saves is the share of the site's growths. There is none where too little is known, or less than
// half would be saved.
func (s *ValueSite) Capacity() (capacity int, saves float64, ok bool) {
	type growth struct {
		from  int
		share float64
	}
	var all []growth
	for _, v := range s.Values {
		n, err := strconv.Atoi(v.Value)
		if err != nil {
			if v.N > 1-fits {
				return 0, 0, false
			}
			continue
		}
		all = append(all, growth{n, v.N})
	}
	slices.SortFunc(all, func(a, b growth) int { return cmp.Compare(a.from, b.from) })
	if len(all) == 0 || all[0].from != 0 {
		return 0, 0, false
	}
	begun := all[0].share
	saves = -begun // for make takes the place of the first growth
	for i, g := range all {
		beyond := 0.0
		for _, later := range all[i:] {
			beyond = max(beyond, later.share)
		}
		if beyond <= (1-fits)*begun {
			return g.from, saves, saves >= 0.5
		}
		saves += g.share
	}
	// Nothing outgrows what the last growth makes, which is twice as much, or less for long slices.
	return 2 * all[len(all)-1].from, saves, saves >= 0.5
}
