package dupinst_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	links    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	headings = regexp.MustCompile(`(?m)^#+ (.*)$`)
	fences   = regexp.MustCompile(`(?s)\x60[^\x60]*\x60`)
	notInIDs = regexp.MustCompile(`[^a-z0-9 _-]`)
)

// TestDocs follows the links of the README and of docs, to files and to headings, and holds the README short.
func TestDocs(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("docs/*.md")
	if err != nil || len(pages) < 10 {
		t.Fatal(pages, err)
	}
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	readme := read("README.md")
	if n := strings.Count(readme, "\n"); n > 150 {
		t.Errorf("the README has %d lines", n)
	}
	linked := map[string]bool{}
	for _, page := range append(pages, "README.md") {
		for _, link := range links.FindAllStringSubmatch(fences.ReplaceAllString(read(page), ""), -1) {
			name, heading, anchored := strings.Cut(link[1], "#")
			if strings.Contains(name, "://") {
				continue
			}
			to := page
			if name != "" {
				to = filepath.Join(filepath.Dir(page), name)
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s: %v", page, link[1], err)
				continue
			}
			if linked[to] = linked[to] || to != page; anchored && !hasHeading(read(to), heading) {
				t.Errorf("%s links to %s, and there is no such heading", page, link[1])
			}
		}
	}
	for _, page := range pages {
		if !linked[page] {
			t.Errorf("no page links to %s", page)
		}
	}
}

// hasHeading reports whether a page has a heading of that anchor.
func hasHeading(text, anchor string) bool {
	for _, heading := range headings.FindAllStringSubmatch(text, -1) {
		if strings.ReplaceAll(notInIDs.ReplaceAllString(strings.ToLower(heading[1]), ""), " ", "-") == anchor {
			return true
		}
	}
	return false
}

// TestHazards has each hazard that the back ends' comments name guarded by a test, a script or a program that there is.
func TestHazards(t *testing.T) {
	t.Parallel()
	tests, err := exec.Command("git", "grep", "-hoE", "^func Test[A-Za-z0-9]+", "--", "*_test.go").Output()
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for test := range strings.FieldsSeq(string(tests)) {
		there[test] = true
	}
	for _, pattern := range []string{"testdata/programs/*", "testdata/scripts/*.txtar"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			there[filepath.Base(name)] = true
		}
	}
	guard := regexp.MustCompile(`\b(Test[A-Z]\w*)|[(;] ?programs? (\w+)(?: and (\w+))?[);]|\[(\w+)\]|testdata/scripts/(\w+\.txtar)|GOROOT/test's issue\d+`)
	for _, name := range []string{"compiler/pass/dupinst/doc.go", "transform/doc.go"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, hazards, ok := strings.Cut(string(text), "// # Hazards\n//\n")
		if !ok {
			t.Fatalf("%s names no hazards", name)
		}
		hazards, _, _ = strings.Cut(hazards, "\npackage ")
		for _, paragraph := range strings.Split(hazards, "\n//\n")[1:] {
			paragraph = strings.ReplaceAll(paragraph, "\n// ", " ")
			guards := guard.FindAllStringSubmatch(paragraph, -1)
			if len(guards) == 0 {
				t.Errorf("%s: nothing guards against this: %s", name, paragraph)
			}
			for _, m := range guards {
				for _, g := range m[1:] {
					if g != "" && !there[g] {
						t.Errorf("%s: there is no %s", name, g)
					}
				}
			}
		}
	}
}
