package profile

import (
	"cmp"
	"slices"
)

// A Site is a call whose callee is known at run time alone: of an interface's method, or of a function
// value.
type Site struct {
	Caller string `json:"caller"`
	File   string `json:"file"`
	Line   string `json:"line"`
	Col    string `json:"col"`
	Called string `json:"called"` // what the source calls: an interface's method, or ? for a function value
	// Calls is the estimate of how many there were.
	Calls   float64  `json:"calls"`
	Targets []Target `json:"targets"` // what was called, the most frequent first
}

// A Target is a function that a site called.
type Target struct {
	Callee string `json:"callee"`
	Share         // of the site's calls
}

// Sites are those of a profile of calls, the most frequent first. Calls that go and defer statements
// make are left out: where they lead matters little.
func (p *Profile) Sites() []Site {
	type place struct{ caller, file, line, col, called string }
	entries := map[place][]*Entry{}
	for i := range p.Entries {
		e := &p.Entries[i]
		if e.Called != "" && e.Part("op") == "call" {
			at := place{e.Part("caller"), e.Part("file"), e.Part("line"), e.Part("col"), e.Called}
			entries[at] = append(entries[at], e)
		}
	}
	var out []Site
	for at, list := range entries {
		s := Site{Caller: at.caller, File: at.file, Line: at.line, Col: at.col, Called: at.called}
		variance := 0.0
		for _, e := range list {
			n, v := p.Moments(e)
			s.Calls, variance = s.Calls+n, variance+v
		}
		for _, e := range list {
			n, _ := p.Moments(e)
			s.Targets = append(s.Targets, Target{e.Part("callee"), share(n/s.Calls, s.Calls*s.Calls/variance)})
		}
		slices.SortFunc(s.Targets, func(a, b Target) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Callee, b.Callee)) })
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Site) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Caller, b.Caller), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	return out
}
