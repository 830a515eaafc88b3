package profile

import (
	"path/filepath"
	"testing"

	"github.com/dupinst/dupinst/profile/format"
)

// referring is a process with a package before that of its references, if it is to have one.
func referring(begun uint64, before bool) *format.Process {
	build := format.Build{Variant: "windows", Backend: "compiler", Trigger: format.WindowTrigger, Instrumentations: []format.Instrumentation{
		{Name: "reference", Key: "{field} {access}", Parts: []string{"field", "access"}, Dynamic: -1},
	}}
	meta := func(name string) string {
		m := format.Meta{Package: name, Sites: []format.Site{{Parts: []string{name + ".x", "read"}}, {Parts: []string{name + ".y", "write"}}}}
		return m.Encode()
	}
	p := &format.Process{Build: build, Origin: format.Origin{Processes: 1}, Windows: format.Windows{Rate: 25, Length: 1000}, Samples: 1}
	if before {
		p.Packages = append(p.Packages, format.Package{Meta: meta("a")})
	}
	at := len(p.Packages)
	p.Packages = append(p.Packages, format.Package{Meta: meta("b"), Counts: []format.Count{{Site: 1, N: 2}}})
	p.Bursts = []format.Burst{{Begun: begun, References: []format.Reference{{Package: at, Site: 1, Goroutine: 14, Address: 64}, {Package: at, Site: 1, Goroutine: 15, Address: 72}}}}
	return p
}

// Bursts stay those of their processes, and of their packages, whatever they are merged with.
func TestMergeBursts(t *testing.T) {
	t.Parallel()
	dir, twice := filepath.Join(t.TempDir(), "sum"), filepath.Join(t.TempDir(), "twice")
	if err := Write(dir, Merge([]*format.Process{referring(5, false), referring(6, true), referring(5, false)})); err != nil {
		t.Fatal(err)
	}
	merged, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(twice, Merge(append(merged, referring(7, true)))); err != nil {
		t.Fatal(err)
	}
	profiles, err := ReadProfiles(twice)
	if err != nil || len(profiles) != 1 {
		t.Fatal(profiles, err)
	}
	bursts := profiles[0].Bursts
	if len(bursts) != 4 {
		t.Fatalf("%d bursts", len(bursts))
	}
	for i, b := range bursts {
		r := b.References
		if b.Process != i || len(r) != 2 || r[0].Entry.Key != "b.y write" || r[0].Goroutine != 7 || r[0].OnStack || !r[1].OnStack || r[1].Address != 72 {
			t.Errorf("the %d-th is of process %d: %+v", i, b.Process, b)
		}
	}
}

func TestBurstsSince(t *testing.T) {
	t.Parallel()
	before, after := referring(5, false), referring(6, false)
	after.Bursts = append(after.Bursts, before.Bursts...)
	got, err := Since(before, after)
	if err != nil || len(got.Bursts) != 1 || got.Bursts[0].Begun != 6 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestHostileBursts(t *testing.T) {
	t.Parallel()
	p := referring(5, false)
	p.Bursts[0].References[0].Site = 2
	if _, err := Build([]*format.Process{p}); err == nil {
		t.Error("a reference of no site is no error")
	}
	p.Bursts[0].References[0] = format.Reference{Package: 1}
	if _, err := format.Decode(p.Encode()); err == nil {
		t.Error("a reference of no package is no error")
	}
}
