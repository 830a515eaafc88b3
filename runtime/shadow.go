package runtime

import (
	"fmt"
	"time"
)

// SetShadows forks the process, on average so many times a second, and has what the forks do, each for that long, counted as the program's own,
// which takes no samples and stands still for as long as a fork takes; or ends that, if n is 0. If it is a change, the profile begins anew, as for
// SetInterval, which ends it, as SetPhases does. There are fewer where they would cost more than a hundredth of the processor time, or what SetOverhead
// has set, of which 0 lifts the limit. The program has to be built for linux/amd64, for counters, and by the compiler's back end.
func SetShadows(n int, length time.Duration) error {
	return alter(func(s *settings) error {
		switch {
		case n == 0 && s.shadows == 0:
			return nil
		case !linked.shadowable():
			return fmt.Errorf("%w: shadows need linux/amd64, counters, and the compiler's back end (dupinst -backend=compiler -trigger=counter)", ErrTrigger)
		case n != 0 && (n < 1 || n > MaxShadows || length < MinShadow || length > MaxShadow):
			return fmt.Errorf("dupinst: cannot make %d shadows of %v a second: it must be from 1 to %d, of %v to %v", n, length, MaxShadows, MinShadow, MaxShadow)
		}
		if s.shadows = n; n > 0 {
			s.shadow = length
		}
		s.interval, s.phases, s.label, s.period = 0, false, "", 0
		return nil
	})
}
