package profile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dupinst/dupinst/profile/format"
)

var build = format.Build{Variant: "full", Instrumentations: []format.Instrumentation{
	{Name: "calledge", Key: "{caller}:{line} {callee}", Parts: []string{"caller", "line#", "callee"}, Dynamic: 2},
	{Name: "fieldaccess", Key: "{field}", Parts: []string{"field"}, Dynamic: -1},
}}

func process(interval uint64, n uint64) *format.Process {
	meta := format.Meta{Package: "p", Sites: []format.Site{
		{Instrumentation: 0, Parts: []string{"p.f", "1", "p.g"}},
		{Instrumentation: 1, Parts: []string{"p.T.x"}},
		{Instrumentation: 0, Parts: []string{"p.f", "2", "p.I.M"}},
	}}
	return &format.Process{
		Build: build, Interval: interval, Checks: 10, Samples: 2,
		Packages: []format.Package{{Meta: meta.Encode(), Counts: []format.Count{{Site: 0, N: n}, {Site: 1, N: 2 * n}, {Site: 2, N: 3}}}},
		Callees: []format.Callee{
			{N: 1, Site: 2, Symbol: "q.A.M"}, {N: 2, Site: 2, Symbol: "q.(*B).M", Kind: format.KindWrapper},
		},
	}
}

func TestBuild(t *testing.T) {
	t.Parallel()
	profiles, err := Build([]*format.Process{process(1, 5), process(1, 7), process(9, 1)})
	if err != nil {
		t.Fatal(err)
	}
	if len(profiles) != 4 {
		t.Fatalf("%d profiles", len(profiles))
	}
	p := profiles[0]
	if p.Instrumentation != "calledge" || p.Interval != 1 || p.Checks != 20 || p.Samples != 4 || p.Total != 18 {
		t.Errorf("%+v", p)
	}
	var got []string
	for _, e := range p.Entries {
		got = append(got, e.Key)
	}
	if want := "p.f:1 p.g|p.f:2 q.B.M|p.f:2 q.A.M"; strings.Join(got, "|") != want {
		t.Errorf("keys %q, want %q", got, want)
	}
}

// A merged directory says what the two say together.
func TestMerge(t *testing.T) {
	t.Parallel()
	all := []*format.Process{process(1, 5), process(1, 7), process(9, 1)}
	dir := filepath.Join(t.TempDir(), "sum")
	if err := Write(dir, Merge(all)); err != nil {
		t.Fatal(err)
	}
	want, err := Build(all)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadProfiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if got[i].Total != want[i].Total || got[i].Checks != want[i].Checks || len(got[i].Entries) != len(want[i].Entries) {
			t.Errorf("got %+v\nwant %+v", got[i], want[i])
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 2 {
		t.Errorf("%v, %v", files, err)
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "odd [name]*")
	if err := Write(dir, []*format.Process{process(1, 1)}); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadProfiles(dir); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "torn.dupinst"), []byte(format.Magic+"x"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadProfiles(dir); err == nil || !strings.Contains(err.Error(), "torn.dupinst: profile is truncated or damaged") {
		t.Errorf("a torn file: %v", err)
	}
}

func TestCallee(t *testing.T) {
	t.Parallel()
	n, ins := newNames(), []format.Instrumentation{{Dynamic: 1}, {Dynamic: -1}}
	n.add(&format.Meta{Package: "m/p", Functions: []format.Function{
		{File: "a.go", Line: 1, Name: "m/p.f.func1", Literal: true}, {File: "a.go", Line: 1, Name: "m/p.f"},
		{File: "a.go", Line: 2, Name: "m/p.g.func1", Literal: true}, {File: "a.go", Line: 2, Name: "m/p.g.func2", Literal: true},
	}, Sites: []format.Site{
		{Parts: []string{"m/p.g", "m/p.g.func1"}}, {Parts: []string{"m/p.g", "?"}}, {Instrumentation: 1, Parts: []string{"m/p.g.func2"}},
	}, Aliases: []format.Alias{{Symbol: "m/p.(*Outer).M", Name: "m/p.(*Inner).M"}}}, ins)
	n.add(&format.Meta{Package: "m/p.v2"}, ins)
	for _, c := range []struct {
		callee format.Callee
		want   string
	}{
		{format.Callee{Symbol: "m/p.f"}, "m/p.f"},
		{format.Callee{Symbol: "m/p.F[go.shape.int]"}, "m/p.F[...]"},
		{format.Callee{Symbol: "m/p.(*T).M-fm"}, "m/p.(*T).M"},
		{format.Callee{Symbol: "m/p.(*T).M", Kind: format.KindWrapper}, "m/p.T.M"},
		{format.Callee{Symbol: "m/p.(*Outer).M", Kind: format.KindWrapper}, "m/p.(*Inner).M"},
		{format.Callee{Symbol: "m/p.main.f.func3", File: "a.go", Line: 1}, "m/p.f.func1"},
		{format.Callee{Symbol: "m/p.g.func2", File: "a.go", Line: 2}, "m/p.g.func2"},
		{format.Callee{Symbol: "m/p.g.func1", File: "a.go", Line: 2}, "m/p.g.func1"},
		// Inlined with g: of the two, func1 is called where it stands.
		{format.Callee{Symbol: "m/p.h.g.func4", File: "a.go", Line: 2}, "m/p.g.func2"},
		{format.Callee{Symbol: "m/p.h.slices.Values[...].func1", File: "/x/iter.go", Line: 9}, "m/p.h.slices.Values[...].func@iter.go:9"},
		{format.Callee{Symbol: "m/p%2ev2.h.Values.func1", File: "/x/iter.go", Line: 9}, "m/p%2ev2.h.Values.func@iter.go:9"},
		{format.Callee{Symbol: "other.f.func1", File: "/x/o.go", Line: 9}, "other.f.func1"},
		{format.Callee{Symbol: "*p.T", File: "m/p", Kind: format.KindType}, "m/p.(*T).Do"},
		{format.Callee{Symbol: "p.T[int]", File: "m/p", Kind: format.KindType}, "m/p.T[...].Do"},
	} {
		if got := n.callee(c.callee, "m/p.I.Do"); got != c.want {
			t.Errorf("%+v: %s, want %s", c.callee, got, c.want)
		}
	}
}

// A file is written whole or not at all, and keeps its mode.
func TestWriteFile(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := WriteFile(name, func(w io.Writer) error {
		w.Write([]byte("half"))
		return broken
	})
	if text, _ := os.ReadFile(name); !errors.Is(err, broken) || string(text) != "old" {
		t.Errorf("%v; the file is %q", err, text)
	}
	if err := WriteFile(name, func(w io.Writer) error { _, err := w.Write([]byte("new")); return err }); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil || info.Mode().Perm() != 0o600 || info.Size() != 3 {
		t.Errorf("%v, %v", info, err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(name, link); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(link, func(w io.Writer) error { _, err := w.Write([]byte("newer")); return err }); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(name); string(text) != "newer" {
		t.Errorf("through a link: %q", text)
	}
	if files, err := os.ReadDir(filepath.Dir(name)); err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
}
