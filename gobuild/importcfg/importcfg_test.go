package importcfg

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestConfig(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	archive := filepath.Join(dir, "a.a")
	name := filepath.Join(dir, "importcfg")
	text := "# import config\nimportmap a=vendor/a\npackagefile vendor/a=" + archive
	if err := os.WriteFile(archive, []byte("data"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := Read(name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Open("a")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if data, err := io.ReadAll(r); err != nil || string(data) != "data" {
		t.Errorf("%q, %v", data, err)
	}
	if c.Has("runtime") {
		t.Error("has runtime")
	}
	c.Add("runtime", "/r.a")
	if err := c.Write(name); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(name); err != nil || string(data) != text+"\npackagefile runtime=/r.a\n" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := c.Open("b"); err == nil || !strings.Contains(err.Error(), `no archive of package "b"`) {
		t.Error(err)
	}
	if err := os.WriteFile(name, []byte("\npackagefile oops\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(name); err == nil || !strings.Contains(err.Error(), "importcfg:2: ") {
		t.Error(err)
	}
}

// FuzzRead reads what may be anything: a line that is none is an error with its number.
func FuzzRead(f *testing.F) {
	f.Add("# import config\nimportmap a=vendor/a\npackagefile vendor/a=b.a\n")
	f.Add("packagefile a")
	f.Fuzz(func(t *testing.T, text string) {
		name := filepath.Join(t.TempDir(), "importcfg")
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		c, err := Read(name)
		if err != nil {
			if !strings.HasPrefix(err.Error(), name+":") {
				t.Error(err)
			}
			return
		}
		c.Add("added", "added.a")
		if err := c.Write(name); err != nil {
			t.Fatal(err)
		}
		if again, err := Read(name); err != nil || !again.Has("added") {
			t.Errorf("what was added is not read again: %v", err)
		}
	})
}
