package main_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// orMore is said of a loop that went on when the window closed.
const orMore = " or more"

// A trips is what a profile says of a loop.
type trips struct {
	left   uint64 // how often it was
	rounds uint64 // in all, if they are known of each time
	known  bool
}

// loop reports whether a key is a loop's.
func loop(key string, _ uint64) bool { return strings.HasPrefix(key, "trip ") }

var tripKey = regexp.MustCompile(`^trip .* \S*?([^/ ]*\.go:\d+:\d+) rounds of the loop = (.*)$`)

// tripsOf are the loops of a profile, by the name of their file, line and column.
func tripsOf(t *testing.T, profile map[string]uint64) map[string]trips {
	t.Helper()
	out := map[string]trips{}
	for key, n := range profile {
		m := tripKey.FindStringSubmatch(key)
		if m == nil {
			if loop(key, n) {
				t.Errorf("%s is no loop's key", key)
			}
			continue
		}
		l, seen := out[m[1]]
		rounds, err := strconv.ParseUint(strings.TrimSuffix(m[2], orMore), 10, 64)
		l.known = err == nil && (l.known || !seen)
		l.left += n
		l.rounds += n * rounds
		out[m[1]] = l
	}
	return out
}

// leftByPanics are loops that a fault ends now and then, or a panic of what they call.
var leftByPanics = map[string]bool{
	"held/main.go:51:2":      true,
	"forgets/main.go:11:2":   true,
	"bounded/main.go:141:2":  true,
	"panics/main.go:77:0":    true,
	"loops/versions.go:96:2": true,
}

// checkTrips checks that loops in a package's directory go round as often as the blocks are entered that
// their bodies begin with.
func checkTrips(t *testing.T, dir string, profile map[string]uint64) {
	t.Helper()
	loops := tripsOf(t, profile)
	blocks := map[string]uint64{}
	begins := regexp.MustCompile(`^block .* \S*?([^/ ]*\.go:\d+\.\d+),`)
	for key, n := range profile {
		if m := begins.FindStringSubmatch(key); m != nil {
			blocks[m[1]] += n
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			var body *ast.BlockStmt
			switch n := n.(type) {
			case *ast.ForStmt:
				body = n.Body
			case *ast.RangeStmt:
				body = n.Body
			default:
				return true
			}
			at, from := fset.Position(n.Pos()), fset.Position(body.Lbrace)
			name := filepath.Base(file)
			key := fmt.Sprintf("%s:%d:%d", name, at.Line, at.Column)
			entered := blocks[fmt.Sprintf("%s:%d.%d", name, from.Line, from.Column)]
			l, ok := loops[key]
			if broken := leftByPanics[filepath.Base(dir)+"/"+key]; ok && l.known && (l.rounds > entered || l.rounds < entered && !broken) {
				t.Errorf("%s goes round %d times, and its body is entered %d times", key, l.rounds, entered)
			}
			return true
		})
	}
}

// checkCut checks that windows see no loop more often than it was left.
func checkCut(t *testing.T, truth, seen map[string]uint64) {
	t.Helper()
	loops := tripsOf(t, truth)
	for at, l := range tripsOf(t, seen) {
		if l.left > loops[at].left {
			t.Errorf("%s is left %d times, of %d", at, l.left, loops[at].left)
		}
	}
}

// TestTrips looks at each time that a loop of program trips is left, which is said behind the loop's head.
func TestTrips(t *testing.T) {
	t.Parallel()
	onlyWindows(t)
	dir, _ := programs(t)
	bin, prof := filepath.Join(t.TempDir(), "trips"), filepath.Join(t.TempDir(), "prof")
	goBuild(t, dir, "dupinst", append(arranged(compiled("exhaustive")), "-instrument=path,block,calledge,trip", "build", "-o", bin, "./trips")...)
	execute(t, bin, prof, "")
	got := map[string][]string{}
	for key, n := range counts(t, prof) {
		if m := tripKey.FindStringSubmatch(key); m != nil {
			line := strings.Split(m[1], ":")[1]
			for range n {
				got[line] = append(got[line], m[2])
			}
		}
	}
	source, err := os.ReadFile(filepath.Join(dir, "trips", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range strings.Split(string(source), "\n") {
		_, said, _ := strings.Cut(text, "{ // ")
		want, line := strings.Fields(said), strconv.Itoa(i+1)
		slices.Sort(want)
		slices.Sort(got[line])
		if !slices.Equal(got[line], want) {
			t.Errorf("line %s goes round %v, want %v", line, got[line], want)
		}
	}
}
