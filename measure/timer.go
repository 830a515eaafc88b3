package measure

import (
	"fmt"
	"os"
	"slices"

	pprof "github.com/google/pprof/profile"

	"github.com/dupinst/dupinst/overlap"
	"github.com/dupinst/dupinst/profile"
)

// timerAccuracy compares the call edges of a CPU profile with the true ones. The
// profile's are pairs of functions on its stacks, each weighed with its samples;
// of the true ones those are compared that are pairs of functions, added up over
// call sites. What the timer saw below a callee that is not instrumented is no
// part of the truth, and counts neither for nor against it.
func (e *experiment) timerAccuracy(s *Series, truth []*profile.Profile) error {
	i := slices.IndexFunc(truth, func(t *profile.Profile) bool { return t.Instrumentation == "calledge" })
	if i < 0 {
		return nil
	}
	f, err := os.Open(s.profile)
	if err != nil {
		return fmt.Errorf("cannot read the CPU profile: %w", err)
	}
	defer f.Close()
	p, err := pprof.Parse(f)
	if err != nil {
		return fmt.Errorf("cannot read the CPU profile: %w", err)
	}
	pairs := map[string]uint64{}
	callers := map[string]bool{}
	for _, x := range truth[i].Entries {
		caller, callee := x.Part("caller"), x.Part("callee")
		pairs[caller+" "+callee] += x.Count
		callers[caller] = true
	}
	stacks := map[string]uint64{}
	for _, sample := range p.Sample {
		s.Samples += uint64(sample.Value[0])
		names := frames(sample)
		for i := 1; i < len(names); i++ {
			if callers[names[i]] {
				stacks[names[i]+" "+names[i-1]] += uint64(sample.Value[0])
			}
		}
	}
	r := overlap.Compare(profileOf(pairs), profileOf(stacks))
	s.Overlaps = []Overlap{{"calledge", r.Overlap, r.Expected, r.SampledTotal}}
	return nil
}

// frames are the functions on a sample's stack, the innermost first.
func frames(s *pprof.Sample) (names []string) {
	for _, l := range s.Location {
		for _, line := range l.Line {
			names = append(names, line.Function.Name)
		}
	}
	return names
}

func profileOf(counts map[string]uint64) *profile.Profile {
	p := &profile.Profile{Instrumentation: "calledge"}
	for key, n := range counts {
		p.Entries = append(p.Entries, profile.Entry{Key: key, Count: n})
		p.Total += n
	}
	return p
}
