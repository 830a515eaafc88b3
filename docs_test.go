package dupinst_test

import (
	"os"
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
