package archives_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dupinst/dupinst/gobuild/archives"
)

// archive is one as the compiler writes it, with a build ID, what it exports, and an object.
func archive(id, exports, object string) string {
	head := fmt.Sprintf("go object linux amd64 go1.26 X:none\nbuild id %q\n\n", id)
	exports, object = head+exports, head+object
	return "!<arch>\n" + fmt.Sprintf("%-16s%-12d%-6d%-6d%-8o%-10d`\n", "__.PKGDEF", 0, 0, 0, 0o644, len(exports)) + exports +
		fmt.Sprintf("%-16s%-12d%-6d%-6d%-8o%-10d`\n", "_go_.o", 0, 0, 0, 0o644, len(object)) + object
}

// A step is one of a test's, in a work directory of its own.
type step struct {
	tool, work, source string
	args, env          []string
	input              string
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

func newStep(t *testing.T, dir string) *step {
	t.Helper()
	work, err := os.MkdirTemp(dir, "work")
	if err != nil {
		t.Fatal(err)
	}
	s := &step{tool: filepath.Join(dir, "compile"), work: work, source: filepath.Join(dir, "a.go"), env: []string{"GOOS=linux", "GOGC=50", "HOME=/"}}
	imported := write(t, filepath.Join(work, "b.a"), archive("id of b in "+filepath.Base(work), "exports", "object"))
	config := write(t, filepath.Join(work, "importcfg"), "# import config\npackagefile b="+imported+"\n")
	made := write(t, filepath.Join(work, "made.go"), "package a")
	s.args = []string{"-o", filepath.Join(work, "a.a"), "-trimpath", work + "=>", "-p", "a", "-std", "-buildid", "id-" + filepath.Base(work)[:4], "-c=2", "-importcfg", config, "-pack", "-asmhdr", filepath.Join(work, "a.h"), s.source, made}
	return s
}

func (s *step) of(t *testing.T, dir string) *archives.Step {
	t.Helper()
	k, err := archives.Of(filepath.Join(dir, "kept"), s.tool, s.args, s.env, s.input)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func (s *step) set(name, value string) { s.args[slices.Index(s.args, name)+1] = value }

// What was made is found again by a step that differs in nothing that counts, and by no other.
func TestTake(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*testing.T, *step)
		found  bool
	}{
		{"another work directory", func(*testing.T, *step) {}, true},
		{"another build ID", func(_ *testing.T, s *step) { s.set("-buildid", "id-five") }, true},
		{"a longer build ID", func(_ *testing.T, s *step) { s.set("-buildid", "id-of-another-length") }, false},
		{"more threads", func(_ *testing.T, s *step) { s.args[slices.Index(s.args, "-c=2")] = "-c=4" }, true},
		{"another collector", func(_ *testing.T, s *step) { s.env[1] = "GOGC=100" }, true},
		{"another object of an import", func(t *testing.T, s *step) {
			write(t, filepath.Join(s.work, "b.a"), archive("b", "exports", "another"))
		}, true},
		{"other exports", func(t *testing.T, s *step) {
			write(t, filepath.Join(s.work, "b.a"), archive("b", "others", "object"))
		}, false},
		{"another system", func(_ *testing.T, s *step) { s.env[0] = "GOOS=darwin" }, false},
		{"one more flag", func(_ *testing.T, s *step) { s.args = append([]string{"-race"}, s.args...) }, false},
		{"another package", func(_ *testing.T, s *step) { s.set("-p", "b") }, false},
		{"another input", func(_ *testing.T, s *step) { s.input = "variant windows\n" }, false},
		{"another source", func(t *testing.T, s *step) { write(t, filepath.Join(s.work, "made.go"), "package a // 2") }, false},
		{"a file less", func(_ *testing.T, s *step) { s.args = s.args[:len(s.args)-1] }, false},
		{"another compiler", func(t *testing.T, s *step) { s.tool = write(t, s.tool+"2", "compiler 2") }, false},
		{"no header", func(_ *testing.T, s *step) {
			i := slices.Index(s.args, "-asmhdr")
			s.args = slices.Delete(s.args, i, i+2)
		}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, filepath.Join(dir, "compile"), "compiler")
			write(t, filepath.Join(dir, "a.go"), "package a")
			first := newStep(t, dir)
			kept := first.of(t, dir)
			if found, err := kept.Take(); found || err != nil {
				t.Fatal(found, err)
			}
			write(t, filepath.Join(first.work, "a.a"), archive("id-work", "", "code"))
			write(t, filepath.Join(first.work, "a.h"), "header")
			if err := kept.Put(); err != nil {
				t.Fatal(err)
			}
			second := newStep(t, dir)
			test.change(t, second)
			found, err := second.of(t, dir).Take()
			if found != test.found || err != nil {
				t.Fatalf("found: %t, %v", found, err)
			}
			if !found {
				return
			}
			id := second.args[slices.Index(second.args, "-buildid")+1]
			for name, want := range map[string]string{"a.a": archive(id, "", "code"), "a.h": "header"} {
				if got, err := os.ReadFile(filepath.Join(second.work, name)); err != nil || string(got) != want {
					t.Errorf("%s: %v\n%q, want\n%q", name, err, got, want)
				}
			}
		})
	}
}

// A step that may write what is not its archive is not kept.
func TestOf(t *testing.T) {
	t.Parallel()
	for _, change := range []func(*step){
		func(s *step) { s.args = append([]string{"-m"}, s.args...) },
		func(s *step) { s.args = append([]string{"-embedcfg=x"}, s.args...) },
		func(s *step) { s.env = append(s.env, "GOSSAFUNC=f") },
		func(s *step) { s.args = append([]string{"-p", "again"}, s.args...) },
		func(s *step) { s.args = []string{"-p"} },
		func(s *step) { s.args = []string{"-V=full"} },
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "compile"), "compiler")
		write(t, filepath.Join(dir, "a.go"), "package a")
		s := newStep(t, dir)
		change(s)
		if s.of(t, dir) != nil {
			t.Errorf("%v, %v is kept", s.args, s.env)
		}
	}
}

func TestBroken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "compile"), "compiler")
	write(t, filepath.Join(dir, "a.go"), "package a")
	whole := archive("b", "exports", "object")
	for _, text := range []string{"", "!<arch>\n", whole[:90], strings.Replace(whole, "__.PKGDEF", "_go_.o   ", 1), strings.Replace(whole, "!<arch>", "!<ARCH>", 1)} {
		s := newStep(t, dir)
		write(t, filepath.Join(s.work, "b.a"), text)
		if _, err := archives.Of(dir, s.tool, s.args, s.env, ""); err == nil || !strings.Contains(err.Error(), "archive") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// FuzzArchive reads imports that may be anything: what is no archive is an error that says so.
func FuzzArchive(f *testing.F) {
	f.Add(archive("b", "exports", "object"))
	f.Add("!<arch>\n__.PKGDEF       0           0     0     644     -1        `\n")
	f.Fuzz(func(t *testing.T, text string) {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "compile"), "compiler")
		write(t, filepath.Join(dir, "a.go"), "package a")
		s := newStep(t, dir)
		write(t, filepath.Join(s.work, "b.a"), text)
		if _, err := archives.Of(dir, s.tool, s.args, s.env, ""); err != nil && !strings.Contains(err.Error(), "b.a is no ") {
			t.Error(err)
		}
	})
}

// What nobody asks for is removed, once a day.
func TestTrim(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	now := time.Now()
	old, used := write(t, filepath.Join(dir, "old.a"), ""), write(t, filepath.Join(dir, "used.a"), "")
	for name, ago := range map[string]time.Duration{old: 50 * time.Hour, used: time.Hour} {
		if err := os.Chtimes(name, now.Add(-ago), now.Add(-ago)); err != nil {
			t.Fatal(err)
		}
	}
	there := func() (names []string) {
		files, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			names = append(names, f.Name())
		}
		return names
	}
	for _, step := range []struct {
		after time.Duration
		want  string
	}{{0, "[trimmed used.a]"}, {23 * time.Hour, "[trimmed used.a]"}, {60 * time.Hour, "[trimmed]"}} {
		if err := archives.Trim(dir, now.Add(step.after), 48*time.Hour); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(there()); got != step.want {
			t.Errorf("after %v there are %s, want %s", step.after, got, step.want)
		}
	}
}
