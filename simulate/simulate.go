// Package simulate predicts sampled profiles. From the trace of all events of a
// deterministic program it says what any sample interval, jitter and seed will
// record, count for count: an account of the framework that shares no code with
// the one that runs. Tests hold the two against each other.
//
// The model is Arnold and Ryder's (PLDI 2001, §2.2). Each goroutine counts its
// checks down. A check that finds the count spent begins a sample: until the
// next check of the same activation, the events of that activation are
// recorded. Nothing else is. An activation that has no check on its entry, and
// belongs to that of its caller, is in the half of the code that its caller is in.
// The model knows neither variants nor source: where
// the checks were is in the trace, which is the variant's own.
package simulate

import (
	"fmt"
	"strings"

	"github.com/dupinst/dupinst/profile/format"
)

// Settings are those of a run.
type Settings struct {
	Interval uint64 // checks between samples, 1 or more
	Jitter   float64
	Seed     uint64
}

// A Key is a site's package, instrumentation and parts, joined by spaces.
type Key string

// Recorded returns what a process recorded.
func Recorded(p *format.Process) (map[Key]uint64, error) {
	out := map[Key]uint64{}
	for _, pkg := range p.Packages {
		m, err := format.DecodeMeta(pkg.Meta, p.Build)
		if err != nil {
			return nil, err
		}
		for _, c := range pkg.Counts {
			if c.Site >= len(m.Sites) {
				return nil, fmt.Errorf("package %s: counter %d belongs to no site", m.Package, c.Site)
			}
			out[key(p.Build, m, c.Site)] += c.N
		}
	}
	return out, nil
}

func key(b format.Build, m *format.Meta, site int) Key {
	s := m.Sites[site]
	return Key(m.Package + " " + b.Instrumentations[s.Instrumentation].Name + " " + strings.Join(s.Parts, " "))
}

// Predict returns what a run with those settings will record.
func Predict(t *format.Trace, s Settings) (map[Key]uint64, error) {
	if t.Lost > 0 {
		return nil, fmt.Errorf("cannot simulate: the trace lacks %d events", t.Lost)
	}
	metas := make([]*format.Meta, len(t.Metas))
	for i, text := range t.Metas {
		m, err := format.DecodeMeta(text, t.Build)
		if err != nil {
			return nil, err
		}
		metas[i] = m
	}
	out := map[Key]uint64{}
	goroutines := map[uint64]*goroutine{}
	for _, e := range t.Events {
		m := metas[e.Package]
		if e.Site >= len(m.Sites) {
			return nil, fmt.Errorf("package %s: an event at site %d, which does not exist", m.Package, e.Site)
		}
		g := goroutines[e.Goroutine]
		if g == nil {
			g = &goroutine{settings: s, id: e.Goroutine}
			goroutines[e.Goroutine] = g
		}
		a := g.activation(e.Frame)
		site := m.Sites[e.Site]
		if t.Build.Instrumentations[site.Instrumentation].Name != "audit" {
			if a.mode == unchecked {
				return nil, fmt.Errorf("probe %s is reached without a check since the last backedge or the entry", key(t.Build, m, e.Site))
			}
			if a.mode == duplicated {
				out[key(t.Build, m, e.Site)]++
			}
			continue
		}
		switch site.Parts[1] {
		case "entry", "backedge":
			a.mode = unchecked
		case "belongs":
			if len(g.stack) < 2 {
				return nil, fmt.Errorf("%s belongs to its caller's check, and has no caller", site.Parts[0])
			}
			a.mode = g.stack[len(g.stack)-2].mode
		case "check":
			a.mode = checking
			if g.check() {
				a.mode = duplicated
			}
		}
	}
	return out, nil
}

// A mode is the half of the code in which an activation is.
type mode int

const (
	unchecked  mode = iota // since the entry or the last backedge
	checking               // the last check let it pass
	duplicated             // the last check began a sample
)

// A goroutine is the state of one.
type goroutine struct {
	settings Settings
	id       uint64
	stack    []activation // of those that the trace knows
	started  bool
	left     int64 // checks until the next sample
	random   uint64
}

// An activation is a function's that has been called.
type activation struct {
	frame uint64 // its distance from the stack's base
	mode  mode
}

// activation is the one at frame, where the goroutine goes on: those deeper in the stack have ended.
func (g *goroutine) activation(frame uint64) *activation {
	n := len(g.stack)
	for n > 0 && g.stack[n-1].frame > frame {
		n--
	}
	if g.stack = g.stack[:n]; n == 0 || g.stack[n-1].frame < frame {
		g.stack = append(g.stack, activation{frame: frame})
	}
	return &g.stack[len(g.stack)-1]
}

// check is one check; it reports whether it begins a sample.
func (g *goroutine) check() bool {
	interval := int64(g.settings.Interval)
	if !g.started {
		// The first sample is at a random one of the first interval's checks.
		g.started = true
		g.random = splitMix(g.settings.Seed^g.id) | 1
		g.left = int64(g.next() % g.settings.Interval)
	}
	if g.left > 0 {
		g.left--
		return false
	}
	g.left = interval - 1
	if j := min(int64(float64(interval)*g.settings.Jitter), interval-1); j > 0 {
		g.left += int64(g.next()%uint64(2*j+1)) - j
	}
	return true
}

// next is SplitMix64 (Steele, Lea and Flood, OOPSLA 2014, fig. 17).
func (g *goroutine) next() uint64 {
	g.random += 0x9e3779b97f4a7c15
	return splitMix(g.random)
}

func splitMix(z uint64) uint64 {
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}
