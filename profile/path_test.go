package profile

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dupinst/dupinst/profile/format"
)

// marks are those of paths that go on in what is called.
var marks = map[byte]format.Mark{'(': format.Opens, ')': format.Closes, '*': format.Rounds, '.': format.More}

// withPaths is a process of two packages, in which paths were taken.
func withPaths(paths map[string]uint64) *format.Process {
	p := &format.Process{Build: format.Build{Variant: "full", Backend: "compiler", Instrumentations: []format.Instrumentation{
		{Name: "path", Key: "{path}", Parts: []string{"function", "file", "line#", "col#", "path"}, Dynamic: 4},
		{Name: "fieldaccess", Key: "{field}", Parts: []string{"field"}, Dynamic: -1},
		{Name: "calledge", Key: "{caller} {callee}", Parts: []string{"caller", "callee"}, Dynamic: 1},
	}}}
	for _, fn := range []string{"a.f", "b.g"} {
		meta := format.Meta{Package: fn[:1]}
		for line := range 4 {
			meta.Sites = append(meta.Sites, format.Site{Parts: []string{fn, fn + ".go", strconv.Itoa(line), "2", "?"}})
		}
		meta.Sites = append(meta.Sites, format.Site{Instrumentation: 2, Parts: []string{fn, "?"}})
		p.Packages = append(p.Packages, format.Package{Meta: meta.Encode()})
	}
	for path, n := range paths {
		c := format.Callee{N: n, Kind: format.KindPath}
		for i, word := range slices.Backward(strings.Fields(path)) {
			step := format.Step{Rest: c.Path}
			if mark, marked := marks[word[0]]; marked {
				step.Mark, c.Kind = mark, format.KindAcross
				word = word[1:]
			}
			if step.Mark.Sited() {
				pkg := int(word[0] - 'a')
				step.Site, _ = strconv.Atoi(word[1:])
				step.Sum = format.MetaSum(p.Packages[pkg].Meta)
				if i == 0 {
					c.Package, c.Site = pkg, step.Site
				}
			}
			c.Path = format.Along(step)
		}
		p.Callees = append(p.Callees, c)
	}
	return p
}

// pathsOf are the counts of processes' paths.
func pathsOf(t *testing.T, processes []*format.Process) map[string]uint64 {
	t.Helper()
	profiles, err := Build(processes)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(profiles, func(p *Profile) bool { return p.Instrumentation == "path" })
	got := map[string]uint64{}
	for _, e := range profiles[i].Entries {
		got[e.Key] = e.Count
	}
	return got
}

func TestPaths(t *testing.T) {
	t.Parallel()
	p := withPaths(map[string]uint64{"a0 a2 b1 b2 a3": 3, "b0": 4})
	again, err := format.Decode(p.Encode())
	if err != nil {
		t.Fatal(err)
	}
	swapped := withPaths(map[string]uint64{"b0": 5})
	slices.Reverse(swapped.Packages)
	swapped.Callees[0].Package = 0
	merged := Merge([]*format.Process{again, swapped})
	left, err := Since(p, merged[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		process *format.Process
		want    map[string]uint64
	}{
		{merged[0], map[string]uint64{"a.f 0.2 2.2 b.g 1.2 2.2 a.f 3.2": 3, "b.g 0.2": 9}},
		{left, map[string]uint64{"b.g 0.2": 5}},
	} {
		got := pathsOf(t, []*format.Process{c.process})
		for key, n := range c.want {
			if got[key] != n || len(got) != len(c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		}
	}
}

// Paths that go on in what is called are kept apart by what they are, and named with that in parentheses.
func TestInterpaths(t *testing.T) {
	t.Parallel()
	p := withPaths(map[string]uint64{"a0 a2 ( b1 b2 ( a3 ) ) *b0 .": 3, "a0 a2 ( b1 b2 ) *b0 .": 4, "a0 a2": 5})
	again, err := format.Decode(p.Encode())
	if err != nil {
		t.Fatal(err)
	}
	got := pathsOf(t, Merge([]*format.Process{p, again}))
	want := map[string]uint64{
		"a.f 0.2 2.2 ( b.g 1.2 2.2 ( a.f 3.2 ) ) ( b.g ... ) ...": 6,
		"a.f 0.2 2.2 ( b.g 1.2 2.2 ) ( b.g ... ) ...":             8,
		"a.f 0.2 2.2": 10,
	}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, path := range []string{"a0 )", "a0 ( b1", "a0 ) ( b1"} {
		if _, err := format.Decode(withPaths(map[string]uint64{path: 1}).Encode()); err == nil || !strings.Contains(err.Error(), "a path that is no path") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestBadPaths(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"a0 b9": "package b: a path through site 9, which does not exist",
		"a0 a4": "package a: a path through a site of calledge",
	} {
		if _, err := Build([]*format.Process{withPaths(map[string]uint64{path: 1})}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
}
