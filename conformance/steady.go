package main

import (
	"context"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A test that depends on time ends by how busy the machine is. It is unsteady if the
// instrumented build passes it when run again, and the plain build does not always
// pass it, run alone and again and again while others want the processors. Such a test
// is counted and named apart.

const (
	unsteadyTests = 5    // that differ at once; of more, none is looked at
	steadyRuns    = 1000 // of the plain build, at most
	steadyLimit   = 3 * time.Minute
	againRuns     = 10 // of the instrumented build, at most
)

// steady tells those lost tests that are unsteady from the others, and notes them. again
// runs a test instrumented, and reports whether it passes.
func (a *attempt) steady(dir, how string, lost []test, again func(test) (bool, error)) (stay, unsteady []test, err error) {
	tops := map[test]bool{}
	for _, t := range lost {
		tops[whole(lost, t)] = false
	}
	if len(tops) > unsteadyTests {
		return lost, nil, nil
	}
	for _, t := range slices.SortedFunc(maps.Keys(tops), test.compare) {
		failed, runs, err := a.unsteady(dir, t, again)
		if err != nil {
			return nil, nil, fmt.Errorf("cannot run %s again: %w", t, err)
		}
		if failed > 0 {
			tops[t] = true
			a.wavering = append(a.wavering, fmt.Sprintf("%s %s: the plain build fails it in %d of %d runs on a busy machine", how, t, failed, runs))
		}
	}
	for _, t := range lost {
		if tops[whole(lost, t)] {
			unsteady = append(unsteady, t)
		} else {
			stay = append(stay, t)
		}
	}
	return stay, unsteady, nil
}

// whole is the test to run for t: all that t is a part of, if that is lost, too.
func whole(lost []test, t test) test {
	if top := t.top(); slices.Contains(lost, top) {
		return top
	}
	return t
}

// unsteady returns how often the plain build failed a test, and of how many runs: 0 if
// it is not unsteady.
func (a *attempt) unsteady(dir string, t test, again func(test) (bool, error)) (failed, runs int, err error) {
	passes := false
	for i := 0; i < againRuns && !passes; i++ {
		if passes, err = again(t); err != nil {
			return 0, 0, err
		}
	}
	if !passes {
		return 0, 0, nil
	}
	file := filepath.Join(a.dir, a.target.program("steady"))
	if out, err := a.command(buildLimit, dir, nil, "go", slices.Concat([]string{"test"}, a.flags(), []string{"-c", "-vet=off", "-o", file, t.pkg})...); err != nil {
		return 0, 0, fmt.Errorf("go test -c: %w: %.300s", err, out)
	}
	where, err := a.command(buildLimit, dir, nil, "go", "list", "-f", "{{.Dir}}", t.pkg)
	if err != nil {
		return 0, 0, fmt.Errorf("go list: %w: %.300s", err, where)
	}
	ctx, cancel := context.WithTimeout(a.ctx, steadyLimit)
	defer cancel()
	if err := keepBusy(ctx); err != nil {
		return 0, 0, err
	}
	command := a.target.command(file, []string{"-test.short", "-test.count=1", "-test.run=" + t.pattern()})
	for ctx.Err() == nil && runs < steadyRuns && (failed == 0 || failed == runs) {
		runs++
		if _, err := a.command(runLimit, strings.TrimSpace(where), nil, command[0], command[1:]...); err != nil {
			failed++
		}
	}
	if failed == runs { // it cannot be run like this
		return 0, 0, a.ctx.Err()
	}
	return failed, runs, a.ctx.Err()
}

// keepBusy has two processes want each processor until ctx ends.
func keepBusy(ctx context.Context) error {
	for range 2 * runtime.NumCPU() {
		cmd := exec.CommandContext(ctx, "sh", "-c", "while :; do :; done")
		if err := cmd.Start(); err != nil {
			return err
		}
		go cmd.Wait() // ctx ends it
	}
	return nil
}
