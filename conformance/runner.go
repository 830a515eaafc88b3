package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

// A Case is something that is run plain and instrumented.
type Case struct {
	Name     string // corpus, a slash, what it is
	variants []string
	run      func(*attempt) error
}

// A Status is how a case ended.
type Status string

// The statuses there are.
const (
	Passed  Status = "passed"
	Failed  Status = "failed"  // it differs when instrumented
	Plain   Status = "plain"   // it fails, or is not to be built, in the plain build, too
	Skipped Status = "skipped" // it is not run, for the reason given
)

// A Result is how a case ended, as it stands in results.json, a line for each.
type Result struct {
	Name    string  `json:"name"`
	Status  Status  `json:"status"`
	Detail  string  `json:"detail,omitempty"`
	Builds  string  `json:"builds"` // variants, flags, release
	Tool    string  `json:"tool"`   // the build of dupinst
	Notes   string  `json:"notes"`  // the version of known.txt
	Seconds float64 `json:"seconds"`
	// Known are intervals and tests that differ for a known reason.
	Known []string `json:"known,omitempty"`
	// Unsteady are tests that failed instrumented, but do so plain, too, now and then.
	Unsteady []string `json:"unsteady,omitempty"`
}

// Errors that say that a case neither passed nor failed.
type (
	plainError   struct{ error }
	skippedError struct{ error }
)

// A runner runs cases.
type runner struct {
	options
	ctx     context.Context
	dupinst string
	tool    string // what tells its build from others
	notes   string // and known.txt from other versions of it
	known   knownDifferences
	work    string // for builds, removed at the end
	mu      sync.Mutex
	results map[string]Result
	file    *os.File
	failed  error // of writing results or logs

	progress *progress
}

func newRunner(ctx context.Context, o options) (*runner, error) {
	dir, err := filepath.Abs(o.dir)
	if err != nil {
		return nil, err
	}
	o.dir = dir
	r := &runner{options: o, ctx: ctx, results: map[string]Result{}}
	if err := os.MkdirAll(filepath.Join(o.dir, "logs"), 0o777); err != nil {
		return nil, fmt.Errorf("cannot make the directory for results: %w", err)
	}
	if r.work, err = os.MkdirTemp("", "conformance-"); err != nil {
		return nil, err
	}
	if r.known, err = readKnown(knownText); err != nil {
		return nil, err
	}
	if r.dupinst, err = o.dupinst(ctx, r.work); err != nil {
		return nil, err
	}
	build, err := os.ReadFile(r.dupinst)
	if err != nil {
		return nil, err
	}
	r.tool, r.notes = fmt.Sprintf("%.8x", sha256.Sum256(build)), fmt.Sprintf("%.8x", sha256.Sum256([]byte(knownText)))
	if err := r.open(filepath.Join(o.dir, "results.json")); err != nil {
		return nil, err
	}
	return r, nil
}

// open reads the results that there are, and appends to them.
func (r *runner) open(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return fmt.Errorf("cannot open the results: %w", err)
	}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var res Result
		if err := json.Unmarshal(lines.Bytes(), &res); err != nil {
			return fmt.Errorf("cannot read the results in %s: %w", name, err)
		}
		r.results[res.Name] = res
	}
	r.file = f
	return lines.Err()
}

func (r *runner) close() {
	r.file.Close()
	os.RemoveAll(r.work)
}

// all runs the cases that have no result yet from this build of dupinst.
func (r *runner) all(cases []*Case) {
	cases = slices.DeleteFunc(slices.Clone(cases), func(c *Case) bool {
		res, ok := r.results[c.Name]
		return ok && r.holds(res, c)
	})
	r.progress = newProgress(len(cases), r.verbose)
	var running sync.WaitGroup
	next := make(chan *Case)
	for range max(r.parallel, 1) {
		running.Go(func() {
			for c := range next {
				if res := r.one(c); r.ctx.Err() == nil {
					r.progress.ended(res)
				}
			}
		})
	}
	for _, c := range cases {
		if r.ctx.Err() != nil {
			break
		}
		next <- c
	}
	close(next)
	running.Wait()
}

// holds reports whether an earlier result of a case would be had again: it is of the
// same builds, nothing was excused that is no longer known to differ, and what failed
// did so knowing what is known now.
func (r *runner) holds(res Result, c *Case) bool {
	for _, k := range res.Known {
		if interval, test, _ := strings.Cut(k, " "); r.known.find(interval, test) == nil {
			return false
		}
	}
	return res.Builds == r.builds(c) && res.Tool == r.tool && (res.Status != Failed || res.Notes == r.notes)
}

// one runs a case, and enters its result unless it was interrupted.
func (r *runner) one(c *Case) Result {
	start := time.Now()
	res := Result{Name: c.Name, Status: Passed, Builds: r.builds(c), Tool: r.tool, Notes: r.notes}
	a := &attempt{runner: r, c: c}
	err := func() (err error) {
		if a.dir, err = os.MkdirTemp(r.work, "case-"); err != nil {
			return err
		}
		defer os.RemoveAll(a.dir)
		return c.run(a)
	}()
	var plain plainError
	var skipped skippedError
	switch {
	case err == nil:
	case errors.As(err, &plain):
		res.Status = Plain
	case errors.As(err, &skipped):
		res.Status = Skipped
	default:
		res.Status = Failed
	}
	if err != nil {
		res.Detail, _, _ = strings.Cut(err.Error(), "\n")
	}
	res.Seconds, res.Known, res.Unsteady = time.Since(start).Seconds(), a.excused, a.wavering
	if r.ctx.Err() != nil {
		return res
	}
	if err != nil {
		fmt.Fprintf(&a.log, "%s\n", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.results[c.Name] = res
	line, err := json.Marshal(res)
	if err == nil {
		_, err = r.file.Write(append(line, '\n'))
	}
	name := strings.NewReplacer("/", "_", " ", "_").Replace(c.Name) + ".log"
	r.failed = errors.Join(r.failed, err, os.WriteFile(filepath.Join(r.dir, "logs", name), a.log.Bytes(), 0o666))
	return res
}

// report prints the counts by corpus, and names what failed.
func (r *runner) report(out io.Writer, cases []*Case) (bool, error) {
	statuses := []Status{Passed, Failed, Plain, Skipped}
	counts := map[string]map[Status]int{}
	seconds, known, unsteady := map[string]float64{}, map[string]int{}, map[string]int{}
	var corpora, failed, excused, wavering []string
	for _, c := range cases {
		res, corpus := r.results[c.Name], strings.SplitN(c.Name, "/", 2)[0]
		if counts[corpus] == nil {
			counts[corpus] = map[Status]int{}
			corpora = append(corpora, corpus)
		}
		counts[corpus][res.Status]++
		seconds[corpus] += res.Seconds
		known[corpus] += len(res.Known)
		unsteady[corpus] += len(res.Unsteady)
		wavering = append(wavering, res.Unsteady...)
		for _, k := range res.Known {
			interval, test, _ := strings.Cut(k, " ")
			if d := r.known.find(interval, test); d != nil {
				excused = append(excused, fmt.Sprintf("%s at interval %s: %s", test, interval, d.why))
			}
		}
		if res.Status == Failed {
			failed = append(failed, c.Name+": "+res.Detail)
		}
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "corpus\tpassed\tfailed\tplain fails\tskipped\tknown tests\tunsteady\tseconds")
	for _, corpus := range corpora {
		fmt.Fprint(w, corpus)
		for _, s := range statuses {
			fmt.Fprintf(w, "\t%d", counts[corpus][s])
		}
		fmt.Fprintf(w, "\t%d\t%d\t%.0f\n", known[corpus], unsteady[corpus], seconds[corpus])
	}
	if err := w.Flush(); err != nil {
		return false, err
	}
	slices.Sort(excused)
	for _, k := range slices.Compact(excused) {
		fmt.Fprintln(out, "known ", k)
	}
	slices.Sort(wavering)
	for _, u := range wavering {
		fmt.Fprintln(out, "unsteady ", u)
	}
	slices.Sort(failed)
	for _, f := range failed {
		fmt.Fprintln(out, "FAILED", f)
	}
	return len(failed) == 0, r.failed
}

// An attempt is one run of a case.
type attempt struct {
	*runner
	c   *Case
	dir string // of its own
	log bytes.Buffer

	excused  []string // tests that differ as known
	wavering []string // unsteady ones, and why they are thought so
}

// command runs a command in dir, and returns its combined output.
func (a *attempt) command(limit time.Duration, dir string, env []string, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(a.ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.CombinedOutput()
	fmt.Fprintf(&a.log, "$ %s %s\n%.4000s\n", filepath.Base(name), strings.Join(args, " "), out)
	if ctx.Err() == context.DeadlineExceeded {
		return string(out), fmt.Errorf("%s took more than %v", name, limit)
	}
	return string(out), err
}
