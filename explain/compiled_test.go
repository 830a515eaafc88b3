package explain

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/dupinst/dupinst/compiler/plan"
)

// TestCompiled compares explanations and graphs of the compiler's plans with the golden file:
// of a function with a loop, a probe under a condition in it, and one behind it.
func TestCompiled(t *testing.T) {
	t.Parallel()
	name := filepath.Join("..", "testdata", "explain", "compiled", "loop.txtar")
	ar, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(t.TempDir(), "input.go")
	if err := os.WriteFile(source, ar.Files[0].Data, 0o666); err != nil {
		t.Fatal(err)
	}
	g := &plan.Graph{Succs: [][]int{{1}, {5, 2}, {4, 3}, {4}, {1}, {}}}
	lines := [][]int{{3}, {4}, {5}, {6}, {4}, {9}}
	probes := []int{0, 0, 0, 2, 0, 1}
	probed := make([]bool, len(probes))
	for n := range probes {
		probed[n] = probes[n] > 0
	}
	out := &txtar.Archive{Comment: ar.Comment, Files: ar.Files[:1:1]}
	for _, v := range []plan.Variant{plan.Full, plan.Partial, plan.No, plan.Exhaustive} {
		f := &plan.Function{Name: "p.(*T).f", File: "input.go", Line: 3, Source: source, From: 3, To: 10, Probes: 3, Checks: 2}
		for n := range probes {
			f.Nodes = append(f.Nodes, plan.Node{Lines: lines[n], Probes: probes[n]})
		}
		plan.Make(g, probed, v).Describe(f)
		functions := Compiled([]*plan.Function{f})
		var text, listing bytes.Buffer
		if err := Text(&text, functions); err != nil {
			t.Fatal(err)
		}
		for _, l := range functions[0].listing() {
			listing.WriteString(map[bool]string{true: "| ", false: "  "}[l.Probe] + l.Text + "\n")
		}
		out.Files = append(out.Files,
			txtar.File{Name: string(v) + ".text", Data: text.Bytes()},
			txtar.File{Name: string(v) + ".listing", Data: listing.Bytes()},
			txtar.File{Name: string(v) + ".dot", Data: []byte(DOT(functions))},
		)
	}
	golden(t, name, ar, out)
}

// TestCompiledLeft explains a function that is left alone, whose file is not there.
func TestCompiledLeft(t *testing.T) {
	t.Parallel()
	f := Compiled([]*plan.Function{{Name: "p.f", File: "input.go", Line: 3, Source: "none.go", From: 3, To: 9, Why: "there is nothing to count"}})
	var text strings.Builder
	if err := Text(&text, f); err != nil {
		t.Fatal(err)
	}
	if got, want := text.String(), "p.f\n\tinput.go:3\n\tnothing in it is counted, and it is as the plain build has it\n\tnone: there is nothing to count\n"; got != want {
		t.Errorf("got %q", got)
	}
	text.Reset()
	if err := Text(&text, Compiled([]*plan.Function{{Name: "p.f", Probes: 3, Why: "it is marked go:nosplit"}})); err != nil || !strings.Contains(text.String(), "nothing in it is counted") {
		t.Errorf("one that is left alone with its events: %q, %v", text.String(), err)
	}
	if DOT(f) != "" || !slices.Equal(f[0].listing(), nil) || f[0].Shape != "untouched" {
		t.Errorf("it has a graph %q or a listing %v", DOT(f), f[0].listing())
	}
}
