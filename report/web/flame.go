package web

import (
	"cmp"
	"slices"

	"github.com/dupinst/dupinst/profile"
)

// A flame is the tree of calling contexts that a flame graph draws (Gregg, The Flame Graph, CACM 2016): for each node its caller's, which
// comes before it, the function's name, and the events in that and in all that it called. Node 0 is the whole program.
type flame struct {
	Callers []int     `json:"callers"`
	Names   []int     `json:"names"`
	Events  []float64 `json:"events"`
	Colder  int       `json:"colder"` // nodes that are left out
}

// flameNodes is how many a page carries, those of the most events: far more than can be seen.
const flameNodes = 50_000

// flameOf is a profile's, nil where it has no contexts.
func flameOf(p *profile.Profile, intern func(string) int) *flame {
	type call struct {
		caller int
		name   string
	}
	f := &flame{Callers: []int{0}, Names: []int{intern("all")}, Events: []float64{0}}
	nodes := map[call]int{}
	for i := range p.Entries {
		e := &p.Entries[i]
		if e.Stack == nil {
			continue
		}
		n := p.Estimate(e).N
		at := 0
		f.Events[0] += n
		for _, frame := range slices.Backward(e.Stack.Calls()) {
			c := call{at, frame.Function}
			next, ok := nodes[c]
			if !ok {
				next = len(f.Callers)
				nodes[c] = next
				f.Callers, f.Names, f.Events = append(f.Callers, at), append(f.Names, intern(frame.Function)), append(f.Events, 0)
			}
			at = next
			f.Events[at] += n
		}
	}
	if len(nodes) == 0 {
		return nil
	}
	return f.hottest(flameNodes)
}

// hottest is the tree's nodes of the most events. As a caller has as many as what it calls, and comes first, it is kept with that.
func (f *flame) hottest(most int) *flame {
	if len(f.Callers) <= most {
		return f
	}
	kept := make([]int, len(f.Callers))
	for i := range kept {
		kept[i] = i
	}
	slices.SortFunc(kept, func(a, b int) int { return cmp.Or(cmp.Compare(f.Events[b], f.Events[a]), cmp.Compare(a, b)) })
	kept = kept[:most]
	slices.Sort(kept)
	out, to := &flame{Colder: len(f.Callers) - most}, map[int]int{}
	for i, at := range kept {
		to[at] = i
		out.Callers, out.Names, out.Events = append(out.Callers, to[f.Callers[at]]), append(out.Names, f.Names[at]), append(out.Events, f.Events[at])
	}
	return out
}
