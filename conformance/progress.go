package main

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// A progress shows how far a run is: a bar where standard error is a terminal, else a
// line now and then; and a line for each case that failed, or with -v for each.
type progress struct {
	mu                sync.Mutex
	cases, done, fail int
	start             time.Time
	bar               *progressbar.ProgressBar // nil without a terminal
	verbose           bool
}

func newProgress(cases int, verbose bool) *progress {
	p := &progress{cases: cases, start: time.Now(), verbose: verbose}
	if term.IsTerminal(int(os.Stderr.Fd())) {
		p.bar = progressbar.NewOptions(cases,
			progressbar.OptionSetWriter(os.Stderr),
			progressbar.OptionFullWidth(),
			progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionSetRenderBlankState(true),
			progressbar.OptionClearOnFinish())
	}
	return p
}

// ended enters a case's result.
func (p *progress) ended(res Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if res.Status == Failed {
		p.fail++
	}
	if p.verbose || res.Status == Failed || p.bar == nil && p.done%max(p.cases/20, 1) == 0 {
		left := time.Since(p.start) / time.Duration(p.done) * time.Duration(p.cases-p.done)
		p.print("%d/%d %s: %s, about %v left\n", p.done, p.cases, res.Name, res.Status, left.Round(time.Second))
	}
	if p.bar != nil {
		p.bar.Describe(fmt.Sprintf("%d failed, %s", p.fail, res.Name))
		p.bar.Add(1)
	}
}

// say prints a line above the bar.
func (p *progress) say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.print(format, args...)
}

func (p *progress) print(format string, args ...any) {
	if p.bar != nil {
		p.bar.Clear()
	}
	fmt.Fprintf(os.Stderr, format, args...)
}
