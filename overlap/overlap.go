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
package overlap

import (
	"math"

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
	// TrueSampled is true where what is taken for the truth was sampled itself, so that the overlap
	// is no accuracy (see Differ).
	TrueSampled bool `json:"trueSampled,omitempty"`
}

// Compare returns the comparison of two profiles of one instrumentation.
func Compare(truth, sampled *profile.Profile) Result {
	return Result{
		Instrumentation: truth.Instrumentation,
		Overlap:         Percentage(truth, sampled),
		Expected:        Expected(truth, uint64(float64(sampled.Total)/sampled.Weight())),
		TrueTotal:       truth.Total,
		SampledTotal:    sampled.Total,
		TrueKeys:        len(truth.Entries),
		SampledKeys:     len(sampled.Entries),
		TrueSampled:     !math.IsInf(truth.Independent(), 1),
	}
}

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
