package rewrite

import (
	"strings"
	"testing"
)

func TestEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"main", "package main\n\nfunc main() { f() }\n", "package main; import dupinst_rt \"" + Runtime + "\"\n\nfunc main() { defer dupinst_rt.DupinstMain()();  f() }\n"},
		{"a method", "package main\n\ntype t int\n\nfunc (t) main() {}\n", ""},
		{"exit", "package main\n\nimport \"os\"\n\nfunc f() { os.Exit(g()) }\n", "package main; import dupinst_rt \"" + Runtime + "\"\n\nimport \"os\"\n\nfunc f() { os.Exit(dupinst_rt.DupinstExit(g())) }\n"},
		{"another name", "package main; import rt \"" + Runtime + "\"\n\nimport sys \"os\"\n\nvar _ = rt.DupinstTrue\n\nfunc f() { sys.Exit(1); os.Exit(2) }\n", "package main; import rt \"" + Runtime + "\"\n\nimport sys \"os\"\n\nvar _ = rt.DupinstTrue\n\nfunc f() { sys.Exit(rt.DupinstExit(1)); os.Exit(2) }\n"},
		{"shadowed", "package main\n\nimport \"os\"\n\nvar _ = os.Args\n\nfunc f(os t) { os.Exit(1) }\n", ""},
		{"a value", "package main\n\nimport \"os\"\n\nvar exit = os.Exit\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.want == "" {
				c.want = c.text
			}
			got, err := ends(c.text, true, Runtime)
			if err != nil || got != c.want {
				t.Errorf("got %s, %v\nwant %s", got, err, c.want)
			}
			if strings.Count(got, "\n") != strings.Count(c.text, "\n") {
				t.Error("lines have moved")
			}
		})
	}
	if got, err := ends("package lib\n\nfunc main() {}\n", false, Runtime); err != nil || strings.Contains(got, "defer") {
		t.Errorf("in another package: %s, %v", got, err)
	}
}

func TestDataName(t *testing.T) {
	t.Parallel()
	for first, want := range map[string]string{"a.go": "0_dupinst.go", "0.go": "0-dupinst.go", "000.go": "0-dupinst.go", "0-a.go": "0--dupinst.go"} {
		if got, err := dataName(first); got != want || got >= first || err != nil {
			t.Errorf("before %s: %s, %v, want %s", first, got, err, want)
		}
	}
	if got, err := dataName("!.go"); err == nil {
		t.Errorf("before !.go: %s", got)
	}
}
