package measure

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/dupinst/dupinst/overlap"
	"github.com/dupinst/dupinst/profile"
)

// rounds runs all series in turn, as often as planned. The first round, which is
// not measured, also finds builds that do not behave alike.
func (e *experiment) rounds() error {
	var want []byte
	if e.before > 0 {
		e.done += e.before * len(e.result.Series)
		e.step("going on behind round %d of %d", e.before, e.Runs)
		e.done--
	}
	for round := range e.Runs + 1 {
		if 0 < round && round <= e.before {
			continue
		}
		for _, s := range e.result.Series {
			name := s.name()
			e.step("round %d of %d: %s", round, e.Runs, name)
			out, seconds, err := e.run(s)
			if err != nil {
				return err
			}
			switch {
			case round > 0:
				s.Times = append(s.Times, seconds)
			case want == nil:
				want = out
			case !bytes.Equal(out, want) && !e.Test:
				return fmt.Errorf("cannot compare %s with the plain build: it prints something else (is the program deterministic?)\n%s\ninstead of\n%s", name, tail(out), tail(want))
			}
		}
		if err := e.measured(round); err != nil {
			return err
		}
	}
	return nil
}

// tail is the end of what a program printed.
func tail(out []byte) []byte { return out[max(0, len(out)-500):] }

// run runs a series' program once.
func (e *experiment) run(s *Series) (out []byte, seconds float64, err error) {
	args := e.Args
	if e.Test {
		args = append([]string{"-test.run=^$", "-test.bench=.", "-test.benchtime=100x"}, args...)
	}
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return len(v) > 8 && v[:8] == "DUPINST_" })
	if s.profile != "" {
		if err := os.RemoveAll(s.profile); err != nil {
			return nil, 0, fmt.Errorf("cannot remove the last run's profile: %w", err)
		}
		env = append(env, s.env...)
	}
	switch s.Build {
	case timer:
		s.profile = filepath.Join(e.dir, "cpu.pprof")
		env = append(env, "DUPINST_CPUPROFILE="+s.profile)
		if e.Test {
			args = append(args, "-test.cpuprofile="+s.profile)
		}
	case "cover-count", "cover-atomic":
		dir := filepath.Join(e.dir, "cover")
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, 0, err
		}
		env = append(env, "GOCOVERDIR="+dir)
	}
	cmd := exec.CommandContext(e.ctx, s.build.file, args...)
	cmd.Env, cmd.Dir = env, e.packageDir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err = cmd.Output()
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w\n%s", s.Build, err, tail(stderr.Bytes()))
	}
	return out, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), nil
}

// accuracy compares the profiles of the last round.
func (e *experiment) accuracy() error {
	var truth []*profile.Profile
	for _, s := range e.result.Series {
		if s.Build != exhaustive+"-"+Both {
			continue
		}
		var err error
		if truth, err = profile.ReadProfiles(s.profile); err != nil {
			return err
		}
	}
	for _, s := range e.result.Series {
		switch {
		case s.Build == timer && e.Accuracy:
			if err := e.timerAccuracy(s, truth); err != nil {
				return err
			}
		case s.sampled() && s.build.Variant != exhaustive:
			sampled, err := profile.ReadProfiles(s.profile)
			if err != nil {
				return err
			}
			e.compare(s, truth, sampled)
		}
	}
	return nil
}

// compare enters what the profile of s says.
func (e *experiment) compare(s *Series, truth, sampled []*profile.Profile) {
	for _, p := range sampled {
		s.Checks, s.Samples = p.Checks, p.Samples
		i := slices.IndexFunc(truth, func(t *profile.Profile) bool { return t.Instrumentation == p.Instrumentation })
		if i < 0 {
			continue
		}
		r := overlap.Compare(truth[i], p)
		s.Overlaps = append(s.Overlaps, Overlap{p.Instrumentation, r.Overlap, r.Expected, r.SampledTotal})
		if p.Instrumentation == "calledge" && e.result.Hottest == nil {
			e.result.Hottest = hottest(truth[i], p)
		}
	}
}

// figureEdges is how many call edges a figure shows.
const figureEdges = 40

func hottest(truth, sampled *profile.Profile) (edges []Edge) {
	counts := map[string]uint64{}
	for _, x := range sampled.Entries {
		counts[x.Key] = x.Count
	}
	for _, x := range truth.Entries[:min(figureEdges, len(truth.Entries))] {
		edges = append(edges, Edge{
			x.Key, 100 * float64(x.Count) / float64(truth.Total),
			100 * float64(counts[x.Key]) / float64(max(sampled.Total, 1)),
		})
	}
	return edges
}
