package cover

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/cover"

	"github.com/dupinst/dupinst/profile"
	"github.com/dupinst/dupinst/profile/format"
)

func entry(function, line, count string, n uint64) profile.Entry {
	return profile.Entry{Key: line, Count: n, Parts: []profile.Part{
		{Name: "function", Value: function}, {Name: "file", Value: "/src/f.go"}, {Name: "line", Value: line}, {Name: "col", Value: "2"},
		{Name: "endline", Value: line}, {Name: "endcol", Value: "9"}, {Name: "statements", Value: count},
	}}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	p := &profile.Profile{
		Interval: 10, Checks: 50, Samples: 5,
		Entries: []profile.Entry{entry("m.f", "7", "2", 3)}, Never: []profile.Entry{entry("m.f", "5", "1", 0)},
	}
	var b bytes.Buffer
	if err := Write(&b, p); err != nil {
		t.Fatal(err)
	}
	if want := "mode: count\n/src/f.go:5.2,5.9 1 0\n/src/f.go:7.2,7.9 2 30\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
	if got, err := cover.ParseProfilesFromReader(&b); err != nil || len(got) != 1 || len(got[0].Blocks) != 2 {
		t.Errorf("go tool cover reads %v, %v", got, err)
	}
	p.Entries[0].Parts[2].Value = "x"
	if err := Write(&b, p); err == nil {
		t.Error("a line that is no number was written")
	}
	dir := filepath.Join(t.TempDir(), "data")
	if err := WriteData(dir, p); err == nil {
		t.Error("a line that is no number was written as data")
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("there is a directory for what was not written")
	}
}

// TestWriteData has go tool covdata read what is written, and what is written again.
func TestWriteData(t *testing.T) {
	t.Parallel()
	p := &profile.Profile{
		Origins: []format.Origin{{}, {Module: "path\texample.com/cmd/prog\nmod\texample.com\n"}},
		Entries: []profile.Entry{
			entry("main.main", "300", "1", 2), entry("example.com/a.b/p%2eq.(*T[...]).f", "9", "3", 1<<40),
			entry("example.com/a.b/p%2eq.(*T[...]).f", "8", "300", 7), entry("example.com/p.g.func1", "4", "1", 1),
		},
		Never: []profile.Entry{entry("example.com/p.g", "2", "1", 0), entry("main.main", "301", "1", 0), entry("main.init", "11", "1", 0)},
	}
	dir := t.TempDir()
	for range 2 {
		if err := WriteData(dir, p); err != nil {
			t.Fatal(err)
		}
	}
	text := covdata(t, "textfmt", "-i="+dir, "-o=/dev/stdout")
	if want := `mode: count
example.com/a.b/p.q/f.go:8.2,8.9 300 7
example.com/a.b/p.q/f.go:9.2,9.9 3 4294967295
example.com/cmd/prog/f.go:11.2,11.9 1 0
example.com/cmd/prog/f.go:300.2,300.9 1 2
example.com/cmd/prog/f.go:301.2,301.9 1 0
example.com/p/f.go:2.2,2.9 1 0
example.com/p/f.go:4.2,4.9 1 1
`; text != want {
		t.Errorf("%s\nwant:\n%s", text, want)
	}
	if got := covdata(t, "func", "-i="+dir); !strings.Contains(got, "prog/f.go:300:\tmain\t") || !strings.Contains(got, "\t(*T[...]).f\t") {
		t.Errorf("functions:\n%s", got)
	}
	p.Entries[0].Count = 100
	if err := WriteData(dir, p); err != nil {
		t.Fatal(err)
	}
	if got := covdata(t, "textfmt", "-i="+dir, "-o=/dev/stdout"); !strings.Contains(got, "300.2,300.9 1 102\n") {
		t.Errorf("two profiles do not add up:\n%s", got)
	}
}

func covdata(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"tool", "covdata"}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("go tool covdata %s: %v\n%s", args[0], err, out)
	}
	return string(out)
}
