package core

import (
	"math"
	"testing"
)

// TestStrata has each moment be as likely as any other, one in each stretch, and those left out at which nothing could be opened.
func TestStrata(t *testing.T) {
	t.Parallel()
	const period, runs, length = 1000, 40_000, 5500
	var at [length / 100]int
	random := uint64(1)
	for range runs {
		s := dupinstStrata{}
		asleep := int64(2200) // until 3100
		seen := map[int64]int{}
		for now := int64(0); ; {
			random = dupinstMix(random + 0x9e3779b97f4a7c15)
			next := s.dupinstDue(now, period, random)
			if again := s.dupinstDue(now, period, ^random); again != next {
				t.Fatalf("what was due at %d is at %d", next, again)
			}
			if next >= length {
				break
			}
			if seen[next/period]++; seen[next/period] > 1 {
				t.Fatalf("there are two in a stretch, at %d the second", next)
			}
			at[next/100]++
			if now = next; next >= asleep && next < 3100 {
				now = 3100
			}
		}
		if seen[1] != 1 {
			t.Fatalf("there are %d in a stretch", seen[1])
		}
	}
	const mean = runs / 10
	for i, n := range at {
		if i >= 22 && i < 31 {
			continue // which of these is the first after it fell asleep
		}
		if math.Abs(float64(n-mean)) > 5*math.Sqrt(mean) {
			t.Errorf("from %d on: %d of %d", i*100, n, mean)
		}
	}
	s := dupinstStrata{}
	s.dupinstDue(0, 1_000_000, 999_999)
	if next := s.dupinstDue(5, 10, 3); next < 5 || next >= 15 {
		t.Errorf("at another rate: %d", next)
	}
}
