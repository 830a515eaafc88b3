package layout

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/format"
	"go/token"
	"slices"
)

// ErrOneLine is the error for a struct whose fields do not stand on lines of their
// own.
var ErrOneLine = errors.New("its fields do not each stand on lines of their own")

// An Edit replaces what lies between two offsets of a file.
type Edit struct {
	From, To int
	Text     []byte
}

// Reorder returns the edit of src, the text of the file that declares s, that puts
// its fields into the proposed order. Comments stay with the field that they stand
// before, or behind on its last line.
func (s *Struct) Reorder(file *token.File, src []byte) (Edit, error) {
	body := s.syntax.Fields
	chunks := make([][]byte, len(body.List))
	from := endOfLine(src, file.Offset(body.Opening))
	edit := Edit{From: from}
	for i, f := range body.List {
		if file.Offset(f.Pos()) < from {
			return Edit{}, ErrOneLine
		}
		end := f.End()
		if f.Comment != nil {
			end = f.Comment.End()
		}
		to := endOfLine(src, file.Offset(end))
		if to > file.Offset(body.Closing) {
			return Edit{}, ErrOneLine
		}
		chunks[i] = src[from:to]
		from = to
	}
	edit.To = from
	last := -1
	for _, f := range s.Proposed.Fields {
		if f.unit != last {
			edit.Text = append(edit.Text, chunks[f.unit]...)
			last = f.unit
		}
	}
	return edit, nil
}

// Apply returns src with edits made, and formatted.
func Apply(src []byte, edits []Edit) ([]byte, error) {
	edits = slices.Clone(edits)
	slices.SortFunc(edits, func(a, b Edit) int { return cmp.Compare(a.From, b.From) })
	var out []byte
	at := 0
	for _, e := range edits {
		if e.From < at {
			continue // a struct type within one that is reordered: another time
		}
		out = append(append(out, src[at:e.From]...), e.Text...)
		at = e.To
	}
	formatted, err := format.Source(append(out, src[at:]...))
	if err != nil {
		return nil, fmt.Errorf("cannot format the reordered file: %w", err)
	}
	return formatted, nil
}

// endOfLine is the offset behind the line in which at stands.
func endOfLine(src []byte, at int) int {
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(src)
}
