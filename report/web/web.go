// Package web shows profiles in a browser: one page, which needs nothing else, no
// network and no server. What can be seen is in its data, a JSON object with a
// table of all strings and, for each profile, its keys as rows of numbers; what is
// shown of that is up to page.js, which draws only the rows in sight, so that a
// profile of a hundred thousand keys opens at once.
package web

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/dupinst/dupinst/heat"
	"github.com/dupinst/dupinst/layout"
	"github.com/dupinst/dupinst/overlap"
	"github.com/dupinst/dupinst/profile"
	"github.com/dupinst/dupinst/profile/format"
)

//go:embed page.html
var pageText string

//go:embed page.css
var style string

//go:embed page.js
var script string

var page = template.Must(template.New("page").Parse(pageText))

// A Page is what is shown.
type Page struct {
	Title    string
	Profiles []*profile.Profile // one of each instrumentation
	// Against are profiles to compare with, the truth if there is one; may be nil.
	Against []*profile.Profile
	// Structs are those whose order of fields is shown, with a better one if there is
	// one; may be nil.
	Structs []*layout.Struct
	// Stamp, if it is not "", is what the page's server says at the address "stamp" as long as
	// the page is what there is to be shown.
	Stamp string
}

// sourceRoom is how many bytes of source a page carries: the files with the
// hottest keys come first.
const sourceRoom = 8 << 20

type data struct {
	Strings   []string          `json:"strings"`
	Profiles  []table           `json:"profiles"`
	Functions [][3]int          `json:"functions"` // name, file, line
	Sources   map[string]string `json:"sources"`
	Against   []comparison      `json:"against"`
	Structs   []structure       `json:"structs"`
	Heat      *heat.Heat        `json:"heat"` // nil: no references with addresses
}

// A structure is a struct's order of fields, and a better one.
type structure struct {
	Name     string `json:"name"`
	Now      order  `json:"now"`
	Proposed *order `json:"proposed"`
}

type order struct {
	Size   int64   `json:"size"`
	Lines  int     `json:"lines"` // cache lines that hold hot fields
	Fields []field `json:"fields"`
}

type field struct {
	Name   string `json:"name"`
	Offset int64  `json:"offset"`
	Size   int64  `json:"size"`
	Hot    bool   `json:"hot"`
}

func orderOf(o *layout.Order) *order {
	if o == nil {
		return nil
	}
	out := &order{o.Size, o.Lines, []field{}}
	for _, f := range o.Fields {
		out.Fields = append(out.Fields, field{f.Name, f.Offset, f.Size, f.Hot})
	}
	return out
}

// A table is a profile. Rows holds, for each key, its count and its parts: a
// number as it is, a string as its index in the table of strings.
type table struct {
	Name     string `json:"name"`
	Variant  string `json:"variant"`
	Interval uint64 `json:"interval"`
	Governed string `json:"governed,omitempty"`
	Began    string `json:"began,omitempty"` // how samples did, where not by a count of checks
	// Of a combined profile, its intervals; of one, of one whose samples differ in
	// weight, and of windows, each row's estimate and variance.
	Intervals []uint64  `json:"intervals,omitempty"`
	Weights   []float64 `json:"weights,omitempty"`
	Checks    uint64    `json:"checks"`
	Samples   uint64    `json:"samples"`
	Total     uint64    `json:"total"`
	Dropped   uint64    `json:"dropped"`
	Scale     float64   `json:"scale"`
	Together  float64   `json:"together"` // events that a sample has on average
	Expected  float64   `json:"expected"` // overlap with the truth, of independent samples, as many
	Parts     []string  `json:"parts"`
	Numbers   []bool    `json:"numbers"`
	Rows      []uint64  `json:"rows"`
	Keys      int       `json:"keys"`   // of which Rows has the hottest
	Events    float64   `json:"events"` // at all of them, as estimated
	Flame     *flame    `json:"flame,omitempty"`
}

type comparison struct {
	overlap.Result
	Variant  string `json:"variant"`
	Interval uint64 `json:"interval"`
	Shares   []bar  `json:"shares"` // of the hottest keys of the profile compared with
	// Chance is the overlap to be expected of two samples of one program.
	Chance      float64              `json:"chance"`
	Significant int                  `json:"significant"`
	Differences []overlap.Difference `json:"differences"` // the most significant
}

// differences is how many a page carries of each instrumentation.
const differences = 5000

type bar struct {
	Key   string  `json:"key"`
	Other float64 `json:"other"` // per cent, of the profile compared with
	Own   float64 `json:"own"`
}

// hottest is how many keys a page carries of instrumentations whose keys are long, and from which nothing else is derived: contexts, paths, values.
const hottest = 5_000

// figureKeys is how many keys a comparison shows.
const figureKeys = 40

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	d, err := p.data()
	if err != nil {
		return err
	}
	text, err := json.Marshal(d) // which escapes what could end a script element
	if err != nil {
		return fmt.Errorf("cannot write the page's data: %w", err)
	}
	return page.Execute(w, map[string]any{
		"Title": p.Title, "Stamp": p.Stamp, "Style": template.CSS(style), "Script": template.JS(script), "Data": template.JS(text),
	})
}

func (p *Page) data() (*data, error) {
	// Lists that are empty, not null: the script iterates over all of them.
	d := &data{Strings: []string{}, Functions: [][3]int{}, Sources: map[string]string{}, Profiles: []table{}, Against: []comparison{}, Structs: []structure{}}
	for _, s := range p.Structs {
		d.Structs = append(d.Structs, structure{s.Name, *orderOf(&s.Now), orderOf(s.Proposed)})
	}
	index := map[string]int{}
	intern := func(s string) int {
		i, ok := index[s]
		if !ok {
			i = len(d.Strings)
			index[s] = i
			d.Strings = append(d.Strings, s)
		}
		return i
	}
	room := sourceRoom
	for _, prof := range p.Profiles {
		if d.Heat == nil && heat.Has(prof) {
			found, err := heat.Of(prof)
			if err != nil {
				return nil, err
			}
			made, err := heat.Made(p.Profiles)
			if err != nil {
				return nil, err
			}
			found.Put(made)
			d.Heat = found
		}
		t := table{
			Name: prof.Instrumentation, Variant: prof.Variant, Interval: prof.Interval, Intervals: prof.Intervals, Governed: prof.Governed(), Began: prof.Began(), Checks: prof.Checks, Samples: prof.Samples,
			Total: prof.Total, Dropped: prof.Dropped, Scale: prof.Scale(), Together: prof.Together(), Expected: overlap.Compare(prof, prof).Expected, Parts: []string{}, Numbers: []bool{}, Rows: []uint64{}, Flame: flameOf(prof, intern),
			Keys: len(prof.Entries), Events: prof.Events(),
		}
		shown := len(prof.Entries)
		if !slices.Contains([]string{"calledge", "fieldaccess", "block"}, prof.Instrumentation) {
			shown = min(shown, hottest)
		}
		for i := range prof.Entries[:shown] {
			e := &prof.Entries[i]
			t.Rows = append(t.Rows, e.Count)
			if t.Intervals != nil || prof.Weights > 0 || prof.Trigger == format.WindowTrigger {
				n, variance := prof.Moments(e)
				t.Weights = append(t.Weights, n, variance)
			}
			for _, part := range e.Parts {
				if len(t.Parts) < len(e.Parts) {
					t.Parts, t.Numbers = append(t.Parts, part.Name), append(t.Numbers, part.Number)
				}
				if !part.Number {
					t.Rows = append(t.Rows, uint64(intern(part.Value)))
					continue
				}
				n, err := strconv.ParseUint(part.Value, 10, 53)
				if err != nil {
					return nil, fmt.Errorf("key %q: its %s is no number: %w", e.Key, part.Name, err)
				}
				t.Rows = append(t.Rows, n)
			}
			room -= d.source(e.Part("file"), room)
		}
		d.Profiles = append(d.Profiles, t)
	}
	p.functions(d, index)
	for _, other := range p.Against {
		for _, own := range p.Profiles {
			if own.Instrumentation == other.Instrumentation {
				d.Against = append(d.Against, compare(other, own))
			}
		}
	}
	return d, nil
}

// source adds a file's text, if it is there and fits, and returns its size. A
// profile may come from another machine: a file that is not here is not shown.
func (d *data) source(file string, room int) int {
	if _, done := d.Sources[file]; done || !filepath.IsAbs(file) || filepath.Ext(file) != ".go" {
		return 0
	}
	text, err := os.ReadFile(file)
	if err != nil || len(text) > room {
		return 0
	}
	d.Sources[file] = string(text)
	return len(text)
}

// functions adds where the functions are that keys name.
func (p *Page) functions(d *data, index map[string]int) {
	if len(p.Profiles) == 0 {
		return
	}
	for i := range d.Strings { // those added below are files
		f, ok := p.Profiles[0].Functions[d.Strings[i]]
		if !ok {
			continue
		}
		at, ok := index[f.File]
		if !ok {
			at = len(d.Strings)
			index[f.File] = at
			d.Strings = append(d.Strings, f.File)
		}
		d.Functions = append(d.Functions, [3]int{i, at, f.Line})
	}
}

func compare(other, own *profile.Profile) comparison {
	c := comparison{Result: overlap.Compare(other, own), Variant: other.Variant, Interval: other.Interval, Shares: []bar{}}
	d := overlap.Differ(other.Unplaced(), own.Unplaced())
	c.Chance, c.Significant = d.Expected, d.Significant
	c.Differences = d.Differences[:min(differences, len(d.Differences))]
	other, own = other.Beside(own), own.Beside(other)
	index := map[string]*profile.Entry{}
	for i := range own.Entries {
		index[own.Entries[i].Key] = &own.Entries[i]
	}
	ownAll, otherAll := own.Events(), other.Events()
	for i := range other.Entries[:min(figureKeys, len(other.Entries))] {
		e := &other.Entries[i]
		b := bar{Key: e.Key, Other: 100 * other.Estimate(e).N / otherAll}
		if mine := index[e.Key]; mine != nil {
			b.Own = 100 * own.Estimate(mine).N / ownAll
		}
		c.Shares = append(c.Shares, b)
	}
	return c
}
