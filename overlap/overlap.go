// Package overlap says how accurate a sampled profile is: profiles in, accuracy
// out.
//
// Its measure is the overlap percentage of Arnold and Ryder (PLDI 2001, §4.4):
// for each key the smaller of its shares in the two profiles, summed over all
// keys. Profiles of equal shares overlap by 100 %, profiles without a common
// key by 0 %; how many events each counted does not matter.
//
// What a sampled profile can reach depends on its size alone if samples are
// independent. Expected gives that yardstick: the mean overlap of the true
// profile with as many events drawn from it at random.
//
// Values, and calling contexts, are kept in tables that lose some (profile.Others). What one of two profiles no
// longer tells apart, the other is not held against it: both are added up as far (profile.Profile's Beside).
//
// Instant Profiling's accuracy of edges (2013, §5.4), one less half the sum of all shares'
// differences, is the overlap percentage by another name.
package overlap

import (
	"cmp"
	"math"
	"slices"

	"github.com/dupinst/dupinst/profile"
)

// A Result compares a sampled profile with the true one.
type Result struct {
	Instrumentation string  `json:"instrumentation"`
	Overlap         float64 `json:"overlap"`  // per cent
	Expected        float64 `json:"expected"` // per cent, of independent random sampling with as many events
	TrueTotal       uint64  `json:"trueTotal"`
	SampledTotal    uint64  `json:"sampledTotal"`
	TrueKeys        int     `json:"trueKeys"`
	SampledKeys     int     `json:"sampledKeys"`
	Relative        float64 `json:"relative"` // per cent: see Relative
	Matched         float64 `json:"matched"`  // per cent: see Matched
	// Invariance is how far the share of a site's most frequent callee or value is off, per cent, where
	// they were found at run time: see Invariance.
	Invariance *float64 `json:"differenceInInvariance,omitempty"`
	// TrueSampled is true where what is taken for the truth was sampled itself, so that the overlap
	// is no accuracy (see Differ).
	TrueSampled bool `json:"trueSampled,omitempty"`
}

// Compare returns the comparison of two profiles of one instrumentation.
func Compare(truth, sampled *profile.Profile) Result {
	var invariance *float64
	if off, ok := Invariance(truth, sampled); ok {
		invariance = &off
	}
	a, b := beside(truth, sampled)
	return Result{
		Invariance:      invariance,
		Instrumentation: truth.Instrumentation,
		Overlap:         Percentage(a, b),
		Expected:        Expected(a, uint64(float64(sampled.Total)/sampled.Weight())),
		TrueTotal:       truth.Total,
		SampledTotal:    sampled.Total,
		TrueKeys:        len(truth.Entries),
		SampledKeys:     len(sampled.Entries),
		Relative:        Relative(a, b),
		Matched:         Matched(a, b),
		TrueSampled:     !math.IsInf(truth.Independent(), 1),
	}
}

// beside are two profiles, added up as far as both tell apart.
func beside(a, b *profile.Profile) (x, y *profile.Profile) { return a.Beside(b), b.Beside(a) }

// Percentage returns the overlap of two profiles, 0 to 100. Two empty profiles
// overlap fully.
func Percentage(a, b *profile.Profile) float64 {
	if a.Total == 0 && b.Total == 0 {
		return 100
	}
	other := map[string]float64{}
	for i, s := range shares(a) {
		other[a.Entries[i].Key] = s
	}
	sum := 0.0
	for i, s := range shares(b) {
		sum += min(other[b.Entries[i].Key], s)
	}
	return 100 * min(sum, 1)
}

// Relative is the overlap, 0 to 100, of what is hot in two profiles: of the keys that together make nine
// tenths of each, as shares of their sum: the relative contribution at 90 % by which HPS is measured
// (2005, §5).
func Relative(a, b *profile.Profile) float64 {
	if a.Total == 0 && b.Total == 0 {
		return 100
	}
	hotA, hotB := hot(a), hot(b)
	sum := 0.0
	for key, s := range hotA {
		sum += min(s, hotB[key])
	}
	return 100 * min(sum, 1)
}

// hot are the keys that together make nine tenths of p, with their shares in those.
func hot(p *profile.Profile) map[string]float64 {
	all := shares(p)
	out := map[string]float64{}
	sum := 0.0
	for _, i := range hottest(all) {
		if sum >= 0.9-1e-9 { // but for rounding
			break
		}
		sum += all[i]
		out[p.Entries[i].Key] = all[i]
	}
	for key := range out {
		out[key] /= sum
	}
	return out
}

// hottest are the indices of shares, the largest first.
func hottest(shares []float64) []int {
	order := make([]int, len(shares))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(shares[j], shares[i]) })
	return order
}

// matchedOf is the part of the keys that Matched looks at.
const matchedOf = 0.05

// Matched is how much of what the hottest twentieth of the true keys does, by count, the sampled
// profile's hottest keys, as many, do: Wall's weight matching (PLDI 1991), as Shadow Profiling takes it
// for paths (CGO 2007, §4.2). It is 0 to 100.
func Matched(truth, sampled *profile.Profile) float64 {
	n := int(math.Ceil(matchedOf * float64(len(truth.Entries))))
	if n == 0 {
		return 100
	}
	found := map[string]bool{}
	for i, at := range hottest(shares(sampled)) {
		if i < n {
			found[sampled.Entries[at].Key] = true
		}
	}
	all := shares(truth)
	sum, matched := 0.0, 0.0
	for _, at := range hottest(all)[:n] {
		sum += all[at]
		if found[truth.Entries[at].Key] {
			matched += all[at]
		}
	}
	return 100 * matched / sum
}

// Invariance is by how much the invariance of sites differs, per cent: the share that a site's most
// frequent value has in its events, or its most frequent callee, by that of the same value in the sampled profile;
// the mean over the sites that both profiles have, by their true events (Calder, Feller and Eustace,
// MICRO 1997; the difference in invariance of Shadow Profiling, CGO 2007, §4.3). It reports false where
// no site is in both.
func Invariance(truth, sampled *profile.Profile) (off float64, ok bool) {
	type place = [8]string
	at := func(s *profile.ValueSite) (p place) {
		for i, part := range s.Parts {
			p[min(i, len(p)-1)] += part.Value
		}
		return p
	}
	found := map[place]*profile.ValueSite{}
	sites := sampled.ValueSites()
	for i := range sites {
		found[at(&sites[i])] = &sites[i]
	}
	events := 0.0
	for _, s := range truth.ValueSites() {
		other := found[at(&s)]
		if other == nil || s.Values[0].Value == profile.Others {
			continue
		}
		top, share := s.Values[0], 0.0
		for _, v := range other.Values {
			if v.Value == top.Value {
				share = v.N
			}
		}
		events += s.Events
		off += s.Events * math.Abs(top.N-share)
	}
	return 100 * off / max(events, 1), events > 0
}

// shares are the shares of p's entries in its events.
func shares(p *profile.Profile) []float64 {
	all := p.Events()
	out := make([]float64, len(p.Entries))
	for i := range p.Entries {
		out[i] = p.Estimate(&p.Entries[i]).N / all
	}
	return out
}

// Expected returns the mean overlap, in per cent, of p with n events drawn from
// it independently. The mean of min(s, X/n), where X is binomial (n, s), is s
// less half the mean absolute deviation of X/n, which de Moivre's formula gives
// in closed form: 2 v C(n,v) s^v (1-s)^(n-v+1) with v = floor(n s)+1, over n
// (Diaconis and Zabell, Statistical Science 6(3), 1991).
func Expected(p *profile.Profile, n uint64) float64 {
	if n == 0 || p.Total == 0 {
		return 0
	}
	sum := 0.0
	for _, s := range shares(p) {
		sum += s - deviation(float64(n), s)/2
	}
	return 100 * max(0, min(sum, 1))
}

// deviation is the mean absolute deviation of a binomial (n, s) share from s.
func deviation(n, s float64) float64 {
	if s <= 0 || s >= 1 {
		return 0
	}
	v := math.Floor(n*s) + 1
	if v > n {
		v = n
	}
	lg := func(x float64) float64 { l, _ := math.Lgamma(x); return l }
	log := math.Log(v) + lg(n+1) - lg(v+1) - lg(n-v+1) + v*math.Log(s) + (n-v+1)*math.Log1p(-s)
	return 2 * math.Exp(log) / n
}
