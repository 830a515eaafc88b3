package gobuild

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestStep(t *testing.T) {
	t.Parallel()
	response := filepath.Join(t.TempDir(), "args")
	if err := os.WriteFile(response, []byte("-p\nmain\n-lang=go1.15\n/src/a\\\\b.go\n/src/c.go\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := newStep("/go/pkg/tool/linux_amd64/compile", []string{"-o", "/work/b001/_pkg_.a", "@" + response})
	if err != nil {
		t.Fatal(err)
	}
	if s.name() != "compile" || s.path() != "main" || s.flag("lang") != "go1.15" || s.std() {
		t.Errorf("%+v", s)
	}
	if want := []string{`/src/a\b.go`, "/src/c.go"}; !reflect.DeepEqual(s.files(), want) {
		t.Errorf("files %q", s.files())
	}
	raiseLanguage(s, s.flag("lang"))
	s.setFlag("p", "other")
	s.setFiles([]string{"x.go"})
	want := []string{"-o", "/work/b001/_pkg_.a", "-p", "other", "-lang=go1.18", "x.go"}
	if !reflect.DeepEqual(s.args, want) {
		t.Errorf("arguments %q, want %q", s.args, want)
	}
	if _, err := newStep("compile", []string{"@/nowhere"}); err == nil {
		t.Error("a response file that is not there is accepted")
	}
}

func TestImportPath(t *testing.T) {
	t.Parallel()
	for importing, want := range map[string]string{
		"a/b": "a/b", "a/b [a/b.test]": "a/b", "a/b_test [a/b.test]": "a/b", "a/b_test": "a/b_test",
		"a/b [main]": "a/b", "": "p",
	} {
		s := &step{importing: importing, args: []string{"-p", "p"}}
		if got := s.importPath(); got != want {
			t.Errorf("%q: %q, want %q", importing, got, want)
		}
	}
}

func TestTrimpath(t *testing.T) {
	t.Parallel()
	trim := parseTrimpath("/work/b001=>;/src/mod=>example.com/m@v1;/src=>s")
	for name, want := range map[string]string{
		"/work/b001/x.go": "x.go", "/src/mod/a/x.go": "example.com/m@v1/a/x.go", "/src/x.go": "s/x.go",
		"/srcs/x.go": "/srcs/x.go", "rel/x.go": "rel/x.go",
	} {
		if got := trim.apply(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestSupported(t *testing.T) {
	t.Parallel()
	for line, ok := range map[string]bool{
		"compile version go1.26.8\n":              true,
		"compile version go1.26":                  true,
		"compile version go1.26rc1":               true,
		"compile version go1.27.1":                true,
		"compile version go1.25.5 X:nocoverage":   true,
		"compile version go1.23.9":                false,
		"compile version go1.28.0":                false,
		"compile version go1.2":                   false,
		"compile version devel buildID=a/b/c/d":   false,
		"compile version go1.260.1 buildID=a/b/c": false,
	} {
		if err := supportedBy("go1.27.1", line); (err == nil) != ok {
			t.Errorf("%q: %v", line, err)
		}
	}
	const older = "this dupinst was built with go1.26"
	for _, own := range []string{"go1.26.8", "go1.26.8 X:nocoverage"} {
		if err := supportedBy(own, "compile version go1.27.1"); err == nil || !strings.Contains(err.Error(), older) {
			t.Errorf("built with %s, with a newer release: %v", own, err)
		}
	}
}

func TestToolexec(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		self []string
		want string
	}{
		{[]string{"/bin/dupinst", "-variant=full"}, "/bin/dupinst -variant=full"},
		{[]string{"/my bin/dupinst", "-pkgs=a b"}, "'/my bin/dupinst' '-pkgs=a b'"},
		{[]string{"/it's/dupinst"}, `"/it's/dupinst"`},
		{[]string{`/it's "x"/dupinst`}, ""},
	} {
		got, err := (&Config{Self: c.self}).toolexec()
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%q: %q, %v", c.self, got, err)
		}
	}
}
