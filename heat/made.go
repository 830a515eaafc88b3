package heat

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/dupinst/dupinst/profile"
)

// A Place is where objects of a type are put on the heap: by themselves, or as elements of a slice.
type Place struct {
	Type     string  `json:"type"` // what is made
	Function string  `json:"function"`
	File     string  `json:"file"`
	Line     int     `json:"line"`
	Column   int     `json:"column"`
	By       string  `json:"by"`
	Events   float64 `json:"allocations"` // an estimate
	Share    float64 `json:"share"`       // of all that have such objects
}

// Made says of each struct type where objects of it are put on the heap, from the profiles of allocations among some: an
// address does not say where its object was made, which for most was before the window, but where all of its type are made in one place
// it was there. The most frequent are first.
func Made(profiles []*profile.Profile) (map[string][]Place, error) {
	made, all := map[string][]Place{}, map[string]float64{}
	for _, p := range profiles {
		if p.Instrumentation != "allocation" {
			continue
		}
		for i := range p.Entries {
			e := &p.Entries[i]
			n := p.Estimate(e).N
			if n == 0 {
				continue
			}
			at := Place{Type: e.Part("type"), Function: e.Part("function"), File: e.Part("file"), By: e.Part("by"), Events: n}
			for part, to := range map[string]*int{"line": &at.Line, "col": &at.Column} {
				var err error
				if *to, err = strconv.Atoi(e.Part(part)); err != nil {
					return nil, fmt.Errorf("key %q: its %s is no number: %w", e.Key, part, err)
				}
			}
			of := elementOf(at.Type)
			made[of] = append(made[of], at)
			all[of] += n
		}
	}
	for of, places := range made {
		for i := range places {
			places[i].Share = places[i].Events / all[of]
		}
		slices.SortStableFunc(places, func(a, b Place) int { return cmp.Compare(b.Events, a.Events) })
	}
	return made, nil
}

// Put adds to structs where their objects are put on the heap.
func (h *Heat) Put(made map[string][]Place) {
	for _, t := range h.Structs {
		t.Made = made[t.Type]
	}
}

// elementOf is the type of what lies in the arrays and slices of a type.
func elementOf(t string) string {
	for strings.HasPrefix(t, "[") {
		_, t, _ = strings.Cut(t, "]")
	}
	return t
}

// placesShown are how many places are named of a type.
const placesShown = 4

// fprintMade writes where objects of some types are made, as far as it is known.
func fprintMade(w io.Writer, made map[string][]Place, types []string) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, t := range types {
		places := made[t]
		for i, p := range places {
			if i == placesShown && len(places) > placesShown+1 {
				fmt.Fprintf(tw, "  \t… %d more\n", len(places)-i)
				break
			}
			name, by := t, p.By
			if i > 0 {
				name = ""
			}
			if elementOf(p.Type) != p.Type {
				by += " " + p.Type
			}
			function := p.Function[strings.LastIndexByte(p.Function, '/')+1:]
			fmt.Fprintf(tw, "  %s\t%.1f%%\t%s:%d:%d\t%s\t%s\n", name, 100*p.Share, filepath.Base(p.File), p.Line, p.Column, function, by)
		}
	}
	return tw.Flush()
}
