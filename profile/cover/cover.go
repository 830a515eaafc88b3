// Package cover writes profiles of basic blocks as the go command's coverage data,
// in count mode or, where blocks were counted once, in set mode: as the text that go tool cover reads, and as the files that programs
// built with -cover leave in GOCOVERDIR, for go tool covdata.
//
// Counts of a sampled profile are estimates. A block of which no sample was taken
// has a count of 0: it was executed rarely, if at all.
package cover

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/dupinst/dupinst/profile"
)

// A block is one of the source's.
type block struct {
	function, file string
	at             [5]uint32 // line, column, end line, end column, statements
	n              uint64
}

// blocks are p's, in the order of the source.
func blocks(p *profile.Profile) ([]block, error) {
	var blocks []block
	for _, entries := range [][]profile.Entry{p.Entries, p.Never} {
		for i := range entries {
			e := &entries[i]
			b := block{function: e.Part("function"), file: e.Part("file")}
			if e.Count > 0 {
				b.n = max(1, uint64(math.Round(p.Estimate(e).N)))
			}
			if p.Once() { // by each of several processes
				b.n = min(b.n, 1)
			}
			for i, name := range []string{"line", "col", "endline", "endcol", "statements"} {
				n, err := strconv.ParseUint(e.Part(name), 10, 32)
				if err != nil {
					return nil, fmt.Errorf("cannot write coverage of key %q: its %s is no number: %w", e.Key, name, err)
				}
				b.at[i] = uint32(n)
			}
			blocks = append(blocks, b)
		}
	}
	slices.SortFunc(blocks, func(a, b block) int {
		return cmp.Or(cmp.Compare(a.file, b.file), slices.Compare(a.at[:], b.at[:]), cmp.Compare(a.function, b.function))
	})
	return blocks, nil
}

// Write writes p, of the block instrumentation, as text. Files have the names
// that the compiler gave them; go tool cover opens absolute ones, and finds those
// of builds with -trimpath by their import paths.
func Write(w io.Writer, p *profile.Profile) error {
	blocks, err := blocks(p)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	mode := "count"
	if p.Once() {
		mode = "set"
	}
	fmt.Fprintf(out, "mode: %s\n", mode)
	for _, b := range blocks {
		fmt.Fprintf(out, "%s:%d.%d,%d.%d %d %d\n", b.file, b.at[0], b.at[1], b.at[2], b.at[3], b.at[4], b.n)
	}
	return out.Flush()
}
