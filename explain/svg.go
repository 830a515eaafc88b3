package explain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// SVG lays the functions' graphs out with Graphviz, whose dot command has to be
// installed, and returns one drawing for each, "" where there is no graph.
func SVG(ctx context.Context, functions []*Function) ([]string, error) {
	out := make([]string, len(functions))
	text := DOT(functions)
	if text == "" {
		return out, nil
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "dot", "-Tsvg")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), &stdout, &stderr
	if err := cmd.Run(); errors.Is(err, exec.ErrNotFound) {
		return nil, errors.New("cannot draw: Graphviz's dot command is not installed (Debian: apt install graphviz); -format=dot needs none")
	} else if err != nil {
		return nil, fmt.Errorf("cannot draw: dot: %w\n%s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	drawings := strings.Split(stdout.String(), "<?xml ")[1:]
	for i, f := range functions {
		if !f.hasGraph() {
			continue
		}
		if len(drawings) == 0 {
			return nil, errors.New("cannot draw: dot gave fewer drawings than there are functions")
		}
		_, svg, _ := strings.Cut(drawings[0], "<svg")
		out[i], drawings = "<svg"+strings.TrimRight(svg, "\n"), drawings[1:]
	}
	return out, nil
}
