package transform

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// An edit replaces the source from pos to end, which are equal for an
// insertion.
type edit struct {
	pos, end token.Pos
	text     string
}

// A source is a file and what it was parsed from.
type source struct {
	file *ast.File
	tok  *token.File
	text []byte
}

// render returns the source between from and to with the edits in it applied.
// Edits at one position apply in the order in which they were made.
func (s *source) render(from, to token.Pos, edits []edit) string {
	sorted := slices.Clone(edits)
	slices.SortStableFunc(sorted, func(a, b edit) int { return int(a.pos - b.pos) })
	var b strings.Builder
	at := from
	for _, e := range sorted {
		b.Write(s.text[s.tok.Offset(at):s.tok.Offset(e.pos)])
		b.WriteString(e.text)
		at = e.end
	}
	b.Write(s.text[s.tok.Offset(at):s.tok.Offset(to)])
	return b.String()
}

// slice returns the source of n.
func (s *source) slice(n ast.Node) string {
	return string(s.text[s.tok.Offset(n.Pos()):s.tok.Offset(n.End())])
}
