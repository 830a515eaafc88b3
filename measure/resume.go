package measure

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dupinst/dupinst/profile"
)

// An unfinished experiment is kept in a file from round to round, with what it is of: all of
// the plan, dupinst itself, and the programs that were built.
type unfinished struct {
	Plan   string
	Sums   map[string]string // of programs, by their builds' names
	Builds map[string]Build
	Times  map[string][]float64 // by series' names
	before int                  // rounds that were done earlier
	old    *unfinished
}

const unfinishedFile = "unfinished.json"

// resume reads what an experiment of the same plan has left, if one has.
func (e *experiment) resume() error {
	dupinst, err := checksum(e.Dupinst)
	if err != nil {
		return err
	}
	plan := *e.Plan
	plan.Progress, plan.Dir = nil, ""
	text, err := json.Marshal(struct {
		Plan
		Progress *struct{} // which has no encoding
		Dupinst  string
	}{plan, nil, dupinst})
	if err != nil {
		return fmt.Errorf("cannot keep the plan: %w", err)
	}
	e.unfinished = unfinished{Plan: string(text), Sums: map[string]string{}, Builds: map[string]Build{}, Times: map[string][]float64{}}
	text, err = os.ReadFile(filepath.Join(e.dir, unfinishedFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var old unfinished
	if err == nil {
		err = json.Unmarshal(text, &old)
	}
	if err != nil {
		return fmt.Errorf("cannot go on with the experiment in %s (remove it to begin anew): %w", e.Dir, err)
	}
	if old.Plan == e.unfinished.Plan {
		e.old = &old
	}
	return nil
}

// known takes what was measured of a build if that made the same program; if it did not, no
// round is known.
func (e *experiment) known(b *Build, sum string) bool {
	if e.old == nil || e.old.Sums[b.Name] != sum {
		if e.old != nil {
			e.old.Times = nil
		}
		return false
	}
	b.Text, b.Seconds = e.old.Builds[b.Name].Text, e.old.Builds[b.Name].Seconds
	e.Sums[b.Name], e.Builds[b.Name] = sum, *b
	if b == e.result.Builds[len(e.result.Builds)-1] {
		e.take()
	}
	return true
}

// take takes the times of the rounds that were done of all series.
func (e *experiment) take() {
	e.before = e.Runs
	for _, s := range e.result.Series {
		e.before = min(e.before, len(e.old.Times[s.name()]))
	}
	for _, s := range e.result.Series {
		s.Times = append(s.Times, e.old.Times[s.name()][:e.before]...)
	}
}

func (e *experiment) built(b *Build, sum string) error {
	e.Sums[b.Name], e.Builds[b.Name] = sum, *b
	return e.keep()
}

// measured keeps the times of a round.
func (e *experiment) measured(round int) error {
	if round == 0 {
		return nil
	}
	for _, s := range e.result.Series {
		e.Times[s.name()] = s.Times
	}
	return e.keep()
}

func (e *experiment) keep() error {
	return profile.WriteFile(filepath.Join(e.dir, unfinishedFile), func(w io.Writer) error {
		return json.NewEncoder(w).Encode(e.unfinished)
	})
}

// finished leaves nothing to go on with.
func (e *experiment) finished() error {
	if err := os.Remove(filepath.Join(e.dir, unfinishedFile)); err != nil {
		return fmt.Errorf("cannot end the experiment: %w", err)
	}
	return nil
}

func checksum(name string) (string, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("cannot take the checksum of a program: %w", err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(data)), nil
}
