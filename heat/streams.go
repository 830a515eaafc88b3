package heat

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dupinst/dupinst/profile"
	"github.com/dupinst/dupinst/sequitur"
)

// A hot data stream is a sequence of references to the same addresses that comes again and again, found in a grammar of
// all that bursts have seen (Chilimbi and Hirzel, PLDI 2002): what a rule makes is one if its length times
// how often it is used, but within others, is a share of all references. Streams do not overlap, so that their
// shares add up.

const (
	// hot is that share.
	hot = 0.001
	// shortest and longest are how many references a stream has.
	shortest, longest = 2, 100
)

// A Stream is a hot data stream.
type Stream struct {
	References []Element `json:"references"`
	Times      int       `json:"times"`
	Share      float64   `json:"share"` // of all references that were seen
	// On how many cache lines its words lie, and on how many they would find room.
	Lines  int `json:"lines"`
	Packed int `json:"packed"`
}

// An Element is one of its references.
type Element struct {
	Type   string `json:"type"`
	Field  string `json:"field"`
	Store  bool   `json:"store,omitempty"`
	Object int    `json:"object"` // of the stream's, from 1
	at     uint64
}

// Streams are the hot data streams of the bursts in a profile of references, those with most references first.
func Streams(p *profile.Profile) ([]Stream, error) {
	if !Has(p) {
		return nil, ErrNone
	}
	type key struct {
		process int
		entry   *profile.Entry
		address uint64
	}
	numbers := map[key]int{}
	var known []reference
	g := sequitur.New()
	all, apart := 0, 0
	for i := range p.Bursts {
		b := &p.Bursts[i]
		last := reference{site: &site{}, Reference: &profile.Reference{}}
		for k := range b.References {
			r := &b.References[k]
			is := key{b.Process, r.Entry, r.Address}
			n, seen := numbers[is]
			if !seen {
				s, err := siteOf(r.Entry)
				if err != nil {
					return nil, err
				}
				n = len(known)
				numbers[is] = n
				known = append(known, reference{s, r, nil})
			}
			// What lies in another field is noted for both.
			if last.Address == r.Address && last.store == known[n].store && last.typ != known[n].typ {
				continue
			}
			last = known[n]
			g.Append(n)
			all++
		}
		apart--
		g.Append(apart) // which stands nowhere else
	}
	return hotOf(g.Rules(), known, all), nil
}

// hotOf are the hot streams of a grammar's rules, each of which stands behind those that it is used in.
func hotOf(rules [][]sequitur.Symbol, known []reference, all int) []Stream {
	length, uses, cold := make([]int, len(rules)), make([]int, len(rules)), make([]int, len(rules))
	for r := len(rules) - 1; r >= 0; r-- {
		for _, s := range rules[r] {
			if s.Rule {
				length[r] += length[s.Value]
			} else {
				length[r]++
			}
		}
	}
	uses[0], cold[0] = 1, 1
	var out []Stream
	for r, symbols := range rules {
		taken := uses[r] - cold[r] // by streams that it is part of
		if r > 0 && shortest <= length[r] && length[r] <= longest && float64(length[r]*cold[r]) >= hot*float64(all) {
			if s := streamOf(expand(rules, r, nil), known); s.varies() {
				s.Times, s.Share = cold[r], float64(length[r]*cold[r])/float64(all)
				out = append(out, s)
				taken = uses[r]
			}
		}
		for _, s := range symbols {
			if s.Rule {
				uses[s.Value] += uses[r]
				cold[s.Value] += uses[r] - taken
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Stream) int { return cmp.Compare(b.Share, a.Share) })
	return out
}

// expand is what a rule makes.
func expand(rules [][]sequitur.Symbol, r int, to []int) []int {
	for _, s := range rules[r] {
		if s.Rule {
			to = expand(rules, s.Value, to)
		} else {
			to = append(to, s.Value)
		}
	}
	return to
}

func streamOf(numbers []int, known []reference) (s Stream) {
	var objects []*reference // the first of each
	lines, words := map[uint64]bool{}, map[uint64]bool{}
	for _, n := range numbers {
		r := &known[n]
		object := slices.IndexFunc(objects, func(o *reference) bool { return o.typ == r.typ && (o == r || sameObject(o, r)) })
		if object < 0 {
			object = len(objects)
			objects = append(objects, r)
		}
		s.References = append(s.References, Element{r.typ, r.field, r.store, object + 1, r.Address})
		lines[r.Address/line], words[r.Address/word] = true, true
	}
	s.Lines, s.Packed = len(lines), (len(words)*word+line-1)/line
	return s
}

// varies reports whether a stream is of more than one word.
func (s *Stream) varies() bool {
	return slices.ContainsFunc(s.References, func(e Element) bool { return e.at/word != s.References[0].at/word })
}

// elementsShown are how many references of a stream are shown.
const elementsShown = 12

// FprintStreams writes streams, those of the n hottest shapes (0 for all), and where their objects are made, if that is known.
func FprintStreams(w io.Writer, streams []Stream, made map[string][]Place, n int) error {
	sum, lines, packed := 0.0, 0.0, 0.0
	for i := range streams {
		s := &streams[i]
		sum += s.Share
		lines += float64(s.Lines * s.Times)
		packed += float64(s.Packed * s.Times)
	}
	if _, err := fmt.Fprintf(w, "%d hot data streams, %.1f%% of the references that were seen\n", len(streams), 100*sum); err != nil || len(streams) == 0 {
		return err
	}
	if _, err := fmt.Fprintf(w, "packed, they would be on %.0f%% of the cache lines that they are on\n", 100*packed/lines); err != nil {
		return err
	}
	alike := shapes(streams)
	shown := alike
	if n > 0 {
		shown = alike[:min(n, len(alike))]
	}
	for _, of := range shown {
		s := of.streams[0]
		many := ""
		if len(of.streams) > 1 {
			many = fmt.Sprintf("%d streams of ", len(of.streams))
		}
		if _, err := fmt.Fprintf(w, "\n%.2f%%: %s%d references, %d times, on %d lines, packed %d\n  %s\n", 100*of.share, many, len(s.References), of.times, s.Lines, s.Packed, s.text(elementsShown)); err != nil {
			return err
		}
	}
	if len(shown) < len(alike) {
		if _, err := fmt.Fprintf(w, "\n… %d more; -n 0 shows all\n", len(alike)-len(shown)); err != nil {
			return err
		}
	}
	var types []string
	for _, of := range shown {
		for _, e := range of.streams[0].References {
			if made[e.Type] != nil && !slices.Contains(types, e.Type) {
				types = append(types, e.Type)
			}
		}
	}
	if len(types) == 0 {
		return nil
	}
	if _, err := fmt.Fprintf(w, "\nWhere objects of these types are put on the heap\n"); err != nil {
		return err
	}
	return fprintMade(w, made, types)
}

// A shape is streams of the same fields, of other objects each.
type shape struct {
	streams []*Stream
	times   int
	share   float64
}

// shapes are those of streams, those with most references first.
func shapes(streams []Stream) []*shape {
	var out []*shape
	of := map[string]*shape{}
	for i := range streams {
		s := &streams[i]
		text := s.text(len(s.References))
		if of[text] == nil {
			of[text] = &shape{}
			out = append(out, of[text])
		}
		a := of[text]
		a.streams = append(a.streams, s)
		a.times += s.Times
		a.share += s.Share
	}
	slices.SortStableFunc(out, func(a, b *shape) int { return cmp.Compare(b.share, a.share) })
	return out
}

// text is a stream's references, of objects that are told by their numbers: so many, or all.
func (s *Stream) text(shown int) string {
	var out []string
	typ, object := "", 0
	for i, e := range s.References {
		if i == shown && len(s.References) > shown+1 {
			out = append(out, fmt.Sprintf("… %d more", len(s.References)-i))
			break
		}
		text := "." + e.Field
		if e.Type != typ || e.Object != object {
			typ, object = e.Type, e.Object
			text = fmt.Sprintf("%s#%d%s", e.Type, e.Object, text)
		}
		if e.Store {
			text += "="
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}
