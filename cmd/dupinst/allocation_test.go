package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/dupinst/dupinst/profile"
)

// TestAllocations holds what is counted of program allocations against what it says of itself, and against what the runtime's
// profile of memory has seen: exhaustively, at interval 1, and of a build without inlining.
func TestAllocations(t *testing.T) {
	t.Parallel()
	const rounds = 50
	dir, _ := programs(t)
	source, err := os.ReadFile(filepath.Join(dir, "allocations", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	said := regexp.MustCompile(`^(\d+) (.+) (new|&|literal|make|append|func|variable \w+)$`)
	want, lines := map[string]uint64{}, map[int]uint64{}
	for i, line := range strings.Split(string(source), "\n") {
		_, comment, ok := strings.Cut(line, "\t// ")
		if _, behind, some := strings.Cut(line, " // "); some {
			comment, ok = behind, true
		}
		if !ok {
			continue
		}
		for _, one := range strings.Split(comment, "; ") {
			m := said.FindStringSubmatch(strings.TrimSpace(one))
			if m == nil {
				continue
			}
			n, err := strconv.ParseUint(m[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			want[fmt.Sprint(i+1, " ", m[2], " ", m[3])] += n * rounds
			switch {
			case strings.HasPrefix(m[2], "chan "): // of which the runtime makes two objects
				lines[i+1] += 2 * n * rounds
			case !strings.HasPrefix(m[2], "map["): // which package internal/runtime/maps makes
				lines[i+1] += n * rounds
			}
		}
	}
	if len(want) < 20 {
		t.Fatalf("the program says of %d objects alone what they are", len(want))
	}
	for name, of := range map[string]struct {
		variant, interval string
		flags             []string
	}{
		"exhaustive": {compiled("exhaustive"), "", nil},
		"auto":       {compiled("auto"), "1", nil},
		"full":       {compiled("full"), "1", []string{"-gcflags=-l"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if of.flags != nil && testing.Short() {
				t.Skip("it is one more build; the short suite has two")
			}
			bin, prof := filepath.Join(t.TempDir(), "prog"), t.TempDir()
			args := append(arranged(of.variant), "-instrument=allocation", "build", "-o", bin)
			goBuild(t, dir, "dupinst", append(append(args, of.flags...), "./allocations")...)
			ran := execute(t, bin, prof, of.interval, fmt.Sprint("ALLOCATIONS_ROUNDS=", rounds), "ALLOCATIONS_SEEN=1")
			if ran.status != 0 {
				t.Fatalf("%+v", ran)
			}
			profiles, err := profile.ReadProfiles(prof)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]uint64{}
			for i := range profiles[0].Entries {
				e := &profiles[0].Entries[i]
				if f := e.Part("function"); e.Count > 0 && f != "main.main" && f != "main.seen" {
					got[e.Part("line")+" "+e.Part("type")+" "+e.Part("by")] += e.Count
				}
			}
			diffCounts(t, want, got)
			seen := map[int]uint64{}
			for at := range strings.Lines(ran.stdout) {
				var line int
				var n uint64
				if k, _ := fmt.Sscanf(at, "line %d %d", &line, &n); k == 2 {
					seen[line] = n
				}
			}
			for line, n := range lines {
				if seen[line] != n {
					t.Errorf("line %d: the runtime has seen %d objects, and %d are counted", line, seen[line], n)
				}
			}
		})
	}
}
