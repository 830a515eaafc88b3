package heat

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/dupinst/dupinst/profile"
)

var update = flag.Bool("update", false, "write golden files")

// made makes a profile of references to fields of a type with two lines, of which each call of burst adds some.
type made struct {
	profile.Profile
	at map[string]*profile.Entry
}

func newMade() *made {
	m := &made{Profile: profile.Profile{Instrumentation: "reference", Variant: "exhaustive"}, at: map[string]*profile.Entry{}}
	for _, f := range []struct {
		field        string
		offset, size int
	}{{"a", 0, 8}, {"b", 8, 8}, {"s", 16, 16}, {"c", 64, 8}} {
		for _, access := range []string{"read", "write"} {
			m.Entries = append(m.Entries, profile.Entry{
				Key: "p.T." + f.field + " " + access, Count: 10,
				Parts: []profile.Part{
					{Name: "type", Value: "p.T"}, {Name: "field", Value: f.field}, {Name: "access", Value: access},
					{Name: "offset", Value: fmt.Sprint(f.offset), Number: true}, {Name: "size", Value: fmt.Sprint(f.size), Number: true},
				},
			})
		}
	}
	for i := range m.Entries {
		m.at[m.Entries[i].Key] = &m.Entries[i]
	}
	return m
}

// ref is a reference of a goroutine's to a field of the object at an address.
type ref struct {
	goroutine uint64
	key       string
	object    uint64
	at        uint64 // behind it
}

func (m *made) burst(process int, begun uint64, refs ...ref) {
	b := profile.Burst{Process: process, Begun: begun}
	for _, r := range refs {
		b.References = append(b.References, profile.Reference{Entry: m.at["p.T."+r.key], Goroutine: r.goroutine, Address: r.object + r.at})
	}
	m.Bursts = append(m.Bursts, b)
}

func TestHeat(t *testing.T) {
	t.Parallel()
	const x, y = 0x1000, 0x1080 // objects side by side
	m := newMade()
	// Two goroutines have words of one line, then the same word; another process has the same addresses.
	m.burst(0, 3e9, ref{1, "a write", x, 0}, ref{1, "s read", x, 24}, ref{1, "a write", y, 0})
	m.burst(0, 1e9, ref{1, "a write", x, 0}, ref{1, "c read", x, 64})
	m.burst(0, 1e9+1e6, ref{2, "b write", x, 8}, ref{2, "c read", y, 64})
	m.burst(0, 1e9+2e6, ref{1, "a write", x, 0}, ref{1, "b read", x, 8})
	m.burst(1, 1e9+3e6, ref{3, "a write", x, 0})
	// Too late to be one that hands over, and a line that nobody stores to.
	m.burst(0, 9e9, ref{2, "a write", x, 0}, ref{2, "c read", x, 64})
	h, err := Of(&m.Profile)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := h.Fprint(&got, 0); err != nil {
		t.Fatal(err)
	}
	golden(t, "heat.txt", got.String())
}

// golden holds a text against a file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// allocations is a profile of as many of each type.
func allocations(of ...[2]string) *profile.Profile {
	p := &profile.Profile{Instrumentation: "allocation", Variant: "exhaustive"}
	for i, a := range of {
		n, _ := strconv.ParseUint(a[1], 10, 64)
		p.Entries = append(p.Entries, profile.Entry{Key: fmt.Sprint(i), Count: n, Parts: []profile.Part{
			{Name: "type", Value: a[0]}, {Name: "function", Value: "p.f"}, {Name: "file", Value: "/src/p.go"},
			{Name: "line", Value: strconv.Itoa(10 + i), Number: true}, {Name: "col", Value: "4", Number: true}, {Name: "by", Value: "new"},
		}})
	}
	return p
}

// A list's nodes come in the same order each time, and two lists' are alike; what comes once is no stream, and neither is a
// word that is read again and again.
func TestStreams(t *testing.T) {
	t.Parallel()
	m := newMade()
	for i := range uint64(30) {
		list := 0x10000 + i%2*0x10000
		m.burst(0, i,
			ref{1, "a read", list, 0}, ref{1, "c read", list, 64}, ref{1, "a read", list + 0x1000, 0}, ref{1, "s write", list + 0x1000, 16},
			ref{1, "b read", 0x100000 + i*0x100, 8}, ref{1, "a read", 0x8000, 0}, ref{1, "a read", 0x8000, 0}, ref{1, "a read", 0x8000, 0},
		)
	}
	streams, err := Streams(&m.Profile)
	if err != nil {
		t.Fatal(err)
	}
	made, err := Made([]*profile.Profile{&m.Profile, allocations(
		[2]string{"p.T", "30"}, [2]string{"[]p.T", "70"}, [2]string{"[4][]p.T", "100"}, [2]string{"p.T", "0"}, [2]string{"*p.T", "1000"},
	)})
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := FprintStreams(&got, streams, made, 0); err != nil {
		t.Fatal(err)
	}
	golden(t, "streams.txt", got.String())
	m.Bursts = nil
	if _, err := Streams(&m.Profile); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
}

// Strings' words are of the object that they lie in, however near another is.
func TestSameObject(t *testing.T) {
	t.Parallel()
	const size = 24 // a string behind a word
	word, text := &site{typ: "p.U", field: "n", size: 8}, &site{typ: "p.U", field: "s", offset: 8, size: 16}
	at := func(s *site, address uint64) *reference {
		return &reference{s, &profile.Reference{Address: address}, nil}
	}
	for object := uint64(0x1000); object < 0x1000+10*size; object += size {
		for other := uint64(0x1000); other < 0x1000+10*size; other += size {
			for within := uint64(0); within < 16; within += 8 {
				if got := sameObject(at(word, object), at(text, other+8+within)); got != (object == other) {
					t.Errorf("%#x and %#x: %t", object, other+within, got)
				}
			}
		}
	}
}

func TestNone(t *testing.T) {
	t.Parallel()
	if _, err := Of(&profile.Profile{Instrumentation: "calledge"}); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
	m := newMade()
	m.burst(0, 1, ref{1, "a read", 0x1000, 0})
	m.Entries[0].Parts[3].Value = "-"
	if _, err := Of(&m.Profile); err == nil {
		t.Error("an offset that is no number is no error")
	}
	p := allocations([2]string{"p.T", "1"})
	p.Entries[0].Parts[3].Value = "-"
	if _, err := Made([]*profile.Profile{p}); err == nil {
		t.Error("a line that is no number is no error")
	}
}
