package explain

import (
	"fmt"
	"strings"
)

// What both kinds of plans are drawn with, in Graphviz's language.

const attributes = `	graph [rankdir=TB, fontname="Helvetica", fontsize=12, nodesep=0.3, ranksep=0.4, style="rounded"]
	node [shape=box, style="rounded,filled", fillcolor=white, fontname="Menlo,Consolas,monospace", fontsize=10, margin="0.12,0.06"]
	edge [fontname="Helvetica", fontsize=9, arrowsize=0.7]
`

// Styles of nodes, and of edges: a backedge, where a sample begins, and where it ends.
const (
	probedStyle = `, fillcolor="#2f4858", fontcolor=white`
	endStyle    = `, shape=oval, fillcolor="#e4e7eb"`
	backStyle   = ` [constraint=false, color="#7b8794"]`
	sampleStyle = ` [color="#d64545", label="sample", fontcolor="#d64545"]`
	leaveStyle  = ` [constraint=false, style=dashed, color="#3e8e7e"]`
)

// beginHalf begins the cluster of checking or of duplicated code.
func beginHalf(b *strings.Builder, half string) {
	fmt.Fprintf(b, "\tsubgraph cluster_%s {\n\t\tlabel=\"%s code\"; color=\"#9aa5b1\"\n", half, half)
}

// diamond draws a check. where, if it is not empty, is shown when it is pointed at.
func diamond(b *strings.Builder, id, label, where string) {
	if where != "" {
		where = fmt.Sprintf(", tooltip=%q", where)
	}
	fmt.Fprintf(b, "\t\t%s [shape=diamond, style=filled, class=check, fillcolor=\"#f6c453\", label=%q, fontsize=9, margin=\"0.02\"%s]\n", id, label, where)
}

// few are lines of a label, those in the middle left out if they are many.
func few(lines []string) string {
	if len(lines) > 6 {
		lines = append(append(lines[:3:3], "…"), lines[len(lines)-2:]...)
	}
	return strings.Join(lines, "\n") + "\n"
}

func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// quoted is a label of lines that are set to the left.
func quoted(label string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\l`).Replace(label)
}
