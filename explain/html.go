package explain

import (
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"strings"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// A section is a function on the page.
type section struct {
	*Function
	ID      string
	Base    string // name of the file
	Drawing template.HTML
	Lines   []sourceLine
}

// A sourceLine is a line of a function's source.
type sourceLine struct {
	N     int
	Text  string
	Probe bool   // something on it has a probe
	Note  string // why it is not duplicated
}

// HTML writes one page that needs nothing else: each function's decision, its
// source, and its graph beside it.
func HTML(ctx context.Context, w io.Writer, functions []*Function) error {
	drawings, err := SVG(ctx, functions)
	if err != nil {
		return err
	}
	var sections []section
	for i, f := range functions {
		sections = append(sections, section{
			Function: f, ID: fmt.Sprintf("f%d", i), Base: filepath.Base(f.File),
			Drawing: template.HTML(drawings[i]), Lines: f.listing(),
		})
	}
	if err := page.Execute(w, sections); err != nil {
		return fmt.Errorf("cannot write the page: %w", err)
	}
	return nil
}

// listing is f's source, line by line.
func (f *Function) listing() []sourceLine {
	if f.pass != nil {
		return f.passListing()
	}
	text, from, to := f.source()
	if text == nil {
		return nil
	}
	tok := f.pkg.Fset.File(from)
	first := f.line(from)
	start := tok.Offset(from) - f.pkg.Fset.PositionFor(from, false).Column + 1
	var out []sourceLine
	for i, s := range strings.Split(string(text[start:tok.Offset(to)]), "\n") {
		out = append(out, sourceLine{N: first + i, Text: strings.TrimSuffix(s, "\r")})
	}
	if f.plan.Parts == nil {
		return out
	}
	for _, n := range f.plan.Parts.Graph.Nodes {
		if f.plan.Parts.Probed[n.Index] && len(n.Spans) > 0 {
			out[f.line(n.Spans[0].From)-first].Probe = true
		}
	}
	for s, why := range f.plan.Shared {
		out[f.line(s.Pos())-first].Note = why
	}
	return out
}
