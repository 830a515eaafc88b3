package format

import (
	"encoding/binary"
	"hash/crc32"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func example() *Process {
	build := Build{Variant: "full", Instrumentations: []Instrumentation{
		{Name: "calledge", Key: "{caller} {callee}", Parts: []string{"caller", "callee"}, Dynamic: 1},
		{Name: "fieldaccess", Key: "{field}", Parts: []string{"field"}, Dynamic: -1},
	}}
	meta := Meta{Package: "a/b", Sites: []Site{
		{0, []string{"f", "g"}}, {1, []string{"x"}}, {0, []string{"g", "?"}},
	}, Functions: []Function{{"a/b.f.func1", "a.go", 7, true}, {"a/b.f", "a.go", 5, false}}, Aliases: []Alias{{"a/b.(*T).M", "a/b.T.M"}}}
	main := In(Frame{Symbol: "main.main", File: "m.go", Line: 2, First: 1})
	passed := func(site int) Step { return Step{Sum: MetaSum(meta.Encode()), Site: site} }
	rounds := passed(2)
	rounds.Mark = Rounds
	return &Process{
		Build: build, Origin: Origin{"./prog", "id", "path\tx/prog\nmod\tx\tv1.2.3\t\n", "host", "go1.26.8", "v0.1.0", "a=b,c=d", 13, 14, 15, 1}, Interval: 1000, Jitter: 1, Seed: 2, Checks: 3, Samples: 4, Dropped: 5, Weights: 6, Squares: 7,
		Governor: Governor{Budget: 8, Changes: 9, Longest: 10, Spent: 11, Time: 12},
		Packages: []Package{{Meta: meta.Encode(), Counts: []Count{{Site: 0, N: 1}, {Site: 2, N: 300}}}},
		Callees: []Callee{
			{N: 300, Package: 0, Site: 2, Symbol: "h", File: "h.go", Line: 9, Kind: KindWrapper},
			{N: 5, Package: 0, Site: 2, Symbol: "-7", Kind: KindValue}, {N: 6, Package: 0, Site: 2, Kind: KindOthers},
			{N: 7, Package: 0, Site: 2, Kind: KindContext, Context: In(Frame{Caller: main, Symbol: "f", File: "f.go", Line: 12, First: 10})},
			{N: 8, Package: 0, Site: 2, Kind: KindContext, Context: main},
			{N: 9, Package: 0, Site: 0, Kind: KindPath, Path: along(passed(0), passed(2))},
			{N: 10, Package: 0, Site: 0, Kind: KindAcross, Path: along(passed(0), Step{Mark: Opens}, passed(2), rounds, Step{Mark: More}, Step{Mark: Closes})},
		},
	}
}

// along is a path.
func along(steps ...Step) (p Path) {
	for _, s := range slices.Backward(steps) {
		s.Rest = p
		p = Along(s)
	}
	return p
}

// windows is example of a program that was built for windows.
func windows() *Process {
	p := example()
	p.Build.Backend, p.Build.Trigger = "compiler", WindowTrigger
	p.Windows = Windows{Rate: 13, Length: 14, Late: 15, Open: 16, Busy: 17, Moved: 18, Frames: 19, Batches: 20}
	p.Phases, p.Burst, p.Shadows = Phases{Counted: true, Begun: 21, Missed: 22, Time: 23}, 24, Shadows{true, 25, 26, 27, 28, 29, 30, 31, 32}
	for i := range p.Build.Instrumentations {
		p.Apart = append(p.Apart, Apart{uint64(40 + i), 50, 60, 70, 80, uint64(90 + i)})
	}
	p.Packages[0].Counts[1].Root, p.Callees[0].Root = 200, 201
	p.Bursts = []Burst{{Process: 2, Begun: 300, References: []Reference{{Site: 1, Goroutine: 7, Address: 1 << 40}, {Site: 2, Goroutine: 8, Address: 1<<40 - 8}}}}
	return p
}

// clocked is example of a program with phases by the clock, and labelled of one with phases by a label.
func clocked() *Process {
	p := example()
	p.Phases = Phases{true, 1, 2, 3, 4, 5, 6, 7, ""}
	return p
}

func labelled() *Process {
	p := example()
	p.Phases = Phases{Counted: true, Begun: 1, Missed: 2, Time: 3, Label: "a=b"}
	return p
}

// again is of one whose traps were laid again.
func again() *Process {
	p := example()
	p.Rounds = TrapRounds{1e9, 7}
	return p
}

// What belongs to something that is not there is damage.
func TestAlone(t *testing.T) {
	t.Parallel()
	for wrong, more := range map[string][]byte{
		"shadows that ended early, and none":                       {hasEarly, 1},
		"others sampled apart than the build has instrumentations": {hasApart, 99},
		"rounds of no length, or none":                             {hasRounds, 5, 0},
	} {
		text := example().Encode()
		text = append(text[:len(text)-4], more...)
		text = binary.LittleEndian.AppendUint32(text, crc32.ChecksumIEEE(text))
		if _, err := Decode(text); err == nil || !strings.Contains(err.Error(), wrong) {
			t.Errorf("%v, want %s", err, wrong)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, want := range []*Process{example(), windows(), clocked(), labelled(), again()} {
		roundTrip(t, want)
	}
}

func roundTrip(t *testing.T, want *Process) {
	got, err := Decode(want.Encode())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	meta, err := DecodeMeta(got.Packages[0].Meta, got.Build)
	if err != nil || meta.Package != "a/b" || len(meta.Sites) != 3 || meta.Functions[0].Line != 7 || !meta.Functions[0].Literal || meta.Functions[1].Literal || meta.Aliases[0].Name != "a/b.T.M" {
		t.Errorf("%+v, %v", meta, err)
	}
}

func TestDamage(t *testing.T) {
	t.Parallel()
	for _, p := range []*Process{example(), windows(), clocked(), labelled(), again()} {
		damage(t, p.Encode())
	}
}

func damage(t *testing.T, data []byte) {
	for i := range data {
		if _, err := Decode(data[:i]); err == nil {
			t.Errorf("cut off at %d: no error", i)
		}
		flipped := append([]byte(nil), data...)
		flipped[i] ^= 0x10
		if _, err := Decode(flipped); err == nil {
			t.Errorf("bit flipped at %d: no error", i)
		}
	}
	newer := append([]byte(nil), data...)
	newer[len(Magic)-1] = 9
	if _, err := Decode(newer); err == nil || !strings.Contains(err.Error(), "version 9; this dupinst reads version 5") {
		t.Errorf("a newer version: %v", err)
	}
}

// FuzzDecode gives the decoders any bytes behind a right magic and checksum.
func FuzzDecode(f *testing.F) {
	for _, p := range []*Process{example(), windows(), clocked(), labelled(), again()} {
		data := p.Encode()
		f.Add(data[len(Magic) : len(data)-4])
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, body []byte) {
		b := append([]byte(Magic), body...)
		p, err := Decode(binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b)))
		if err != nil {
			return
		}
		for _, pkg := range p.Packages {
			if m, err := DecodeMeta(pkg.Meta, p.Build); err == nil {
				m.Encode()
			}
		}
		again, err := Decode(p.Encode())
		if err != nil || !reflect.DeepEqual(p, again) {
			t.Errorf("read again: %v\n%+v\n%+v", err, p, again)
		}
	})
}

func exampleTrace() []byte {
	p := example()
	b := appendString([]byte(TraceMagic), p.Build.Encode())
	b = append(b, 0, 1)
	b = appendString(b, p.Packages[0].Meta)
	b = append(b, 0, 1, 2, 3, 4, 0)
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

func TestTrace(t *testing.T) {
	t.Parallel()
	data := exampleTrace()
	got, err := DecodeTrace(data)
	if err != nil {
		t.Fatal(err)
	}
	if want := []Event{{0, 2, 3, 4}}; !reflect.DeepEqual(got.Events, want) || len(got.Metas) != 1 {
		t.Errorf("%+v", got)
	}
	for i := range data {
		if _, err := DecodeTrace(data[:i]); err == nil {
			t.Errorf("cut off at %d: no error", i)
		}
	}
}

// FuzzTrace gives the decoder any bytes behind a right magic and checksum.
func FuzzTrace(f *testing.F) {
	data := exampleTrace()
	f.Add(data[len(TraceMagic) : len(data)-4])
	f.Fuzz(func(t *testing.T, body []byte) {
		b := append([]byte(TraceMagic), body...)
		tr, err := DecodeTrace(binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b)))
		if err != nil {
			return
		}
		for _, e := range tr.Events {
			if e.Package < 0 || e.Package >= len(tr.Metas) {
				t.Errorf("%+v", e)
			}
		}
	})
}

func TestOrigin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		origin        Origin
		name, version string
	}{
		{Origin{Program: "/bin/prog", Module: "path\tx/y/prog\nmod\tx\tv1.2.3\th1:=\n"}, "x/y/prog", "v1.2.3"},
		{Origin{Program: `C:\\bin\\prog.exe`, Module: "path\tcommand-line-arguments\n"}, "prog", ""},
		{Origin{Program: "./prog"}, "prog", ""},
		{Origin{Program: "/tmp/y.test", Module: "path\tx/y.test\nmod\tx\t(devel)\t\n"}, "tests of x", "(devel)"},
		{Origin{Program: "/tmp/y.test", Module: "path\tx/y.test\n"}, "x/y.test", ""},
	} {
		if name, version := c.origin.Name(), c.origin.Version(); name != c.name || version != c.version {
			t.Errorf("%+v: %q, %q", c.origin, name, version)
		}
	}
	o := example().Origin
	if !o.Labelled(nil) || !o.Labelled([]string{"c=d", "a=b"}) || o.Labelled([]string{"a=b", "c=e"}) || o.Facet("c") != "d" || o.Facet("process") != "13" || o.Facet("none") != "" {
		t.Errorf("labels of %+v", o)
	}
	p := o
	p.Host, p.Process, p.Begun, p.Ended = "other", 14, 10, 12
	if both := o.Both(p); both.Host != "" || both.BuildID != "id" || both.Process != 0 || both.Begun != 10 || both.Ended != 15 || both.Processes != 2 {
		t.Errorf("both: %+v", both)
	}
}
