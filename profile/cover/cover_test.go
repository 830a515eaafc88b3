package cover

import (
	"bytes"
	"testing"

	"golang.org/x/tools/cover"

	"github.com/dupinst/dupinst/profile"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	block := func(line, count string, n uint64) profile.Entry {
		return profile.Entry{Key: line, Count: n, Parts: []profile.Part{
			{Name: "function", Value: "m.f"}, {Name: "file", Value: "m/f.go"}, {Name: "line", Value: line}, {Name: "col", Value: "2"},
			{Name: "endline", Value: line}, {Name: "endcol", Value: "9"}, {Name: "statements", Value: count},
		}}
	}
	p := &profile.Profile{Interval: 10, Checks: 50, Samples: 5, Entries: []profile.Entry{block("7", "2", 3)}, Never: []profile.Entry{block("5", "1", 0)}}
	var b bytes.Buffer
	if err := Write(&b, p); err != nil {
		t.Fatal(err)
	}
	if want := "mode: count\nm/f.go:5.2,5.9 1 0\nm/f.go:7.2,7.9 2 30\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
	if got, err := cover.ParseProfilesFromReader(&b); err != nil || len(got) != 1 || len(got[0].Blocks) != 2 {
		t.Errorf("go tool cover reads %v, %v", got, err)
	}
	p.Entries[0].Parts[2].Value = "x"
	if err := Write(&b, p); err == nil {
		t.Error("a line that is no number was written")
	}
}
