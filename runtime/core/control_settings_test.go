package core

import "testing"

func TestShareOfTime(t *testing.T) {
	dupinstLengthGiven, dupinstLengthShared = 0, 0
	defer func() { dupinstLengthGiven, dupinstLengthShared = 0, 0 }()
	for _, c := range []struct {
		millionths, given, rate, length uint64
	}{
		{10_000, 0, 25, 400_000},
		{20_000, 0, 25, 800_000},
		{50_000, 0, 50, 1_000_000},
		{1_000_000, 0, 1000, 1_000_000},
		{1_000, 0, 2, 400_000},
		{100, 0, 1, 100_000},
		{10_000, 2_000_000, 5, 2_000_000},
		{1_000, 2_000_000, 1, 1_000_000},
	} {
		if rate, length := dupinstShare(c.millionths, c.given); rate != c.rate || length != c.length {
			t.Errorf("%+v: %d a second of %d ns", c, rate, length)
		}
	}
	// A length that was set stays; one that was made of a share is made of the next anew.
	set := func(rate int, length int64) { DupinstSetWindows(rate, length) }
	ask := func(millionths uint64) int64 {
		rate, length := DupinstShare(millionths)
		set(rate, length)
		return length
	}
	if a, b := ask(10_000), ask(50_000); a != 400_000 || b != 1_000_000 {
		t.Errorf("shares have windows of %d and %d ns", a, b)
	}
	if set(50, 200_000); ask(10_000) != 200_000 {
		t.Error("the length that was set is another")
	}
}
