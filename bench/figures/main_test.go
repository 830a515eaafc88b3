package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each paper's tables become figures, with what they are of in them.
func TestDraw(t *testing.T) {
	t.Parallel()
	for paper, c := range map[string]struct {
		csv   string
		files map[string][]string
	}{
		"arnold-ryder": {
			"Tables 1 to 3, instructions, calledge:\nworkload,plain,exhaustive,no\ncompress,11.12G,+11.84%,+1.26%\nmean,+18.46%,+3.57%\nTable 4:\nworkload,interval,calls,fields\nsat,10,99,99\nmean,10,99.9,99.8\nmean,100,99.6,99.7\n",
			map[string][]string{"arnold-ryder-1.svg": {"compress", "mean", "exhaustive", "no"}, "arnold-ryder-2.svg": {"fields, theirs", "interval"}},
		},
		"hps": {
			"hot call pairs:\nchecks,1/100,1/1000\n1,99.3,98.5\n10,99.2,98.4\nFigure 8,instructions:\nworkload,plain,auto,auto@1000x10\nsat,11.12G,+1.84%,+2.26%\nmean,+1.46%,+2.57%\n",
			map[string][]string{"hps-1.svg": {"hot call pairs", "10 checks"}, "hps-2.svg": {"instructions", "mean", "auto@1000x10"}},
		},
		"instant": {
			"settings,workload,time,processor,edges,ways\nwindow:1/s:1ms,sat,+1%,+2%,98,99\nphase:1/s:1ms,sat,-1%,-2%,97,98\n",
			map[string][]string{"instant-1.svg": {"sat", "phase:1/s:1ms"}},
		},
		"shadow": {
			"workload,trigger,profile,overlap,expected,hot-90%,top-5%,top-value\nsat,shadow,path,87.3,99.8,86.4,99.2,-\nheap,shadows,computed\n10 MB,826,× 1.7\n",
			map[string][]string{"shadow-1.svg": {"Shadow Profiling: path", "top-5%"}},
		},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, paper+".csv"), []byte(c.csv), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := draw(paper, dir); err != nil {
			t.Errorf("%s: %v", paper, err)
		}
		drawn, err := filepath.Glob(filepath.Join(dir, "*.svg"))
		if err != nil || len(drawn) != len(c.files) {
			t.Errorf("%s: %v, %v", paper, drawn, err)
		}
		for file, texts := range c.files {
			svg, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				t.Error(err)
			}
			for _, text := range texts {
				if !strings.Contains(string(svg), text) {
					t.Errorf("%s does not have %q", file, text)
				}
			}
		}
	}
}

// What is no table of numbers is an error, and nothing is drawn of it.
func TestDrawRefuses(t *testing.T) {
	t.Parallel()
	for csv, want := range map[string]string{
		"":                          "no table that is drawn",
		"1,2,3\n":                   "stands in no table",
		"checks,1/100\n1,2,3\n":     "more columns",
		"checks,1/100\n\"1,2,3\n":   "parse error",
		"checks,many\n1,2\n10,20\n": "there is nothing of 1 checks",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "hps.csv"), []byte(csv), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := draw("hps", dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", csv, err, want)
		}
		if drawn, _ := filepath.Glob(filepath.Join(dir, "*.svg")); len(drawn) > 0 {
			t.Errorf("%q: %v", csv, drawn)
		}
	}
}
