package core

// Windows begin at random, so that each moment is as likely as any other to be in one. Were they the events of a Poisson process,
// a part of the program that lasts would have more or fewer of them than its share by chance. So there is one in each stretch of time
// of the length that there is one in on average, anywhere in it: a stratified sample (Cochran, Sampling
// Techniques, 1977), in which what takes longer than a stretch has its share.

// A dupinstStrata has the moments at which windows begin, in nanoseconds.
type dupinstStrata struct {
	period int64 // the length of a stretch
	end    int64 // of the one that the next moment is in
	next   int64
}

// dupinstDue is the next moment. One that has been while no window could be opened is left out.
func (s *dupinstStrata) dupinstDue(now, period int64, random uint64) int64 {
	if s.period != period {
		*s = dupinstStrata{period, now, now}
	}
	for s.next <= now {
		s.end += max(now-s.end, 0) / period * period
		s.next = s.end + int64(random%uint64(period))
		s.end += period
		random = dupinstMix(random)
	}
	return s.next
}
