package measure

import (
	"fmt"
	"os"
	"slices"

	pprof "github.com/google/pprof/profile"

	"github.com/dupinst/dupinst/overlap"
	"github.com/dupinst/dupinst/profile"
)

// timerAccuracy compares the call edges of a CPU profile with the true ones.
func (e *experiment) timerAccuracy(s *Series, truth []*profile.Profile) error {
	i := slices.IndexFunc(truth, func(t *profile.Profile) bool { return t.Instrumentation == "calledge" })
	if i < 0 {
		return nil
	}
	r, samples, err := CompareCPU(truth[i], []string{s.profile})
	if err != nil {
		return err
	}
	s.Samples = samples
	s.Overlaps = []Overlap{{"calledge", r.Overlap, r.Expected, r.SampledTotal}}
	return nil
}

// CompareCPU compares the call edges of CPU profiles with the true ones, and counts their
// samples. The profiles' are pairs of functions on their stacks, each weighed with its samples;
// of the true ones those are compared that are pairs of functions, added up over
// call sites. What the timer saw below a callee that is not instrumented is no
// part of the truth, and counts neither for nor against it.
func CompareCPU(truth *profile.Profile, files []string) (r overlap.Result, samples uint64, err error) {
	pairs := map[string]uint64{}
	callers := map[string]bool{}
	for _, x := range truth.Entries {
		caller, callee := x.Part("caller"), x.Part("callee")
		pairs[caller+" "+callee] += x.Count
		callers[caller] = true
	}
	stacks := map[string]uint64{}
	for _, name := range files {
		p, err := readCPU(name)
		if err != nil {
			return r, 0, fmt.Errorf("cannot read the CPU profile: %w", err)
		}
		for _, sample := range p.Sample {
			samples += uint64(sample.Value[0])
			names := frames(sample)
			for i := 1; i < len(names); i++ {
				if callers[names[i]] {
					stacks[names[i]+" "+names[i-1]] += uint64(sample.Value[0])
				}
			}
		}
	}
	return overlap.Compare(profileOf(pairs), profileOf(stacks)), samples, nil
}

func readCPU(name string) (*pprof.Profile, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return pprof.Parse(f)
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
