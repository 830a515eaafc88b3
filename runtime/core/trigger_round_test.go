package core

import "testing"

// TestRounds has blocks be entered in some rounds of traps: each is counted in about as many, and one that is
// entered in all of them has traps in few.
func TestRounds(t *testing.T) {
	const rounds = 200
	for name, c := range map[string]struct {
		enters      func(round int) bool
		least, most uint64 // what is counted
		sprung      int    // traps, at most
	}{
		"never":        {func(int) bool { return false }, 0, 0, 0},
		"always":       {func(int) bool { return true }, rounds - dupinstLongestRest, rounds, 2*rounds/dupinstLongestRest + 8},
		"at first":     {func(n int) bool { return n == 0 }, 1, 1, 1},
		"then":         {func(n int) bool { return n == 100 }, 1, 1, 1},
		"at last":      {func(n int) bool { return n >= 150 }, 50 - dupinstLongestRest, 50, 2*50/dupinstLongestRest + 8},
		"half":         {func(n int) bool { return n < 100 }, 100 - dupinstLongestRest, 100 + dupinstLongestRest, 2*100/dupinstLongestRest + 8},
		"now and then": {func(n int) bool { return n%10 == 0 }, rounds/10 - 8, rounds/10 + 8, rounds / 10},
	} {
		t.Run(name, func(t *testing.T) {
			code := []byte{1, 3, 5, 7}
			counters := make([]uint64, 2)
			at := func(i int) uintptr { return address(&code[i]) }
			// The block is inlined in two places; another begins with one of them, and comes to nothing in the second half.
			record := []uintptr{0, 0, 3, 0, at(0), address(&counters[0]), at(1), address(&counters[0]), at(2), address(&counters[1])}
			dupinstTrapped, dupinstTrapsN, dupinstTrapsTable, dupinstTrapRound = 0, 0, 0, 1e9
			defer func() { dupinstTrapped, dupinstTrapsN, dupinstTrapsTable, dupinstTrapRound = 0, 0, 0, 0 }()
			(*dupinstTraps)(dupinstPtr(address(&record[0]))).dupinstLink()
			table := dupinstTrapTableOf(nil)
			dupinstStore(&dupinstTrapsTable, address(table))
			table.dupinstLay()
			sprung := 0
			for n := range rounds {
				if c.enters(n) {
					place := n % 2
					if code[place] == dupinstBreakpoint {
						sprung++
					}
					for range 3 {
						dupinstSpring(at(place))
					}
				}
				dupinstNextRound()
			}
			if counters[0] < c.least || counters[0] > c.most || sprung > c.sprung || counters[1] != 0 || code[2] != dupinstBreakpoint || code[3] != 7 {
				t.Errorf("counted %d times, by %d traps; %d, %x", counters[0], sprung, counters[1], code)
			}
			// Anew, as where a profile is written and reset.
			clear(counters)
			dupinstStore32(&dupinstAnew, 1)
			table.dupinstLay()
			dupinstNextRound()
			if dupinstSpring(at(0)); counters[0] != 1 {
				t.Errorf("anew it is counted %d times", counters[0])
			}
			dupinstNextRound()
			if counters[0] != 1 {
				t.Errorf("of one round it is counted %d times", counters[0])
			}
		})
	}
}
