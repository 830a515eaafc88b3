package core

import "unsafe"

// Events in one window are not independent, so that a count's own square root says nothing of
// how far it may be off. Counts of windows that are far apart in time are: so those of a batch
// of windows each are squared and added up. With X the count of B batches and S the sum of
// the squares, S - X*X/B is B times the variance of a batch's, and so that of X (the method of
// batch means; Law and Carson, Operations Research 27(5), 1979).

// A dupinstSpread is what batches make of one counter.
type dupinstSpread struct {
	last    uint64 // what it was at the end of the last batch
	squares float64
}

// dupinstBatches is the number of batches that there have been.
var dupinstBatches uint64

var dupinstBatched uint64 // windows that there were when the last ended

var dupinstFolding uint32

// dupinstTableSpread is the address of the spreads of the table's slots, in dupinstOrder.
var dupinstTableSpread uintptr

// dupinstFold adds what groups have counted to their sites and, of windows, ends a batch, if there
// were any since the last one. A window that is open meanwhile may lose an event of a site.
func dupinstFold(windows bool) {
	if !dupinstSeize(&dupinstFolding) {
		return
	}
	dupinstFind()
	dupinstGather()
	dupinstUngroup()
	if n := dupinstLoad64(&dupinstTotal.samples); windows && n != dupinstBatched {
		dupinstBatched = n
		dupinstBatch()
	}
	dupinstStore32(&dupinstFolding, 0)
}

// dupinstSeize takes what one thread at a time may do, unless another does it that may never end.
func dupinstSeize(p *uint32) bool {
	for tries := 0; !dupinstCas32(p, 0, 1); tries++ {
		if tries == 1000 {
			return false
		}
		dupinstSleep(10)
	}
	return true
}

// dupinstBatch squares what each counter has counted since the last batch.
func dupinstBatch() {
	dupinstBatches++
	for p := dupinstLoad(&dupinstPackages); p != 0; {
		pkg := (*DupinstPackage)(dupinstPtr(p))
		if pkg.spread == 0 {
			dupinstStore(&pkg.spread, dupinstAllocate(pkg.N*unsafe.Sizeof(dupinstSpread{})))
		}
		for i := uintptr(0); i < pkg.N; i++ {
			// Most have counted nothing: what is never touched of the spreads takes no memory.
			if n := dupinstLoad64((*uint64)(dupinstPtr(pkg.counts + i*8))); n > 0 {
				dupinstSpreadAt(pkg.spread, i).dupinstEnd(n)
			}
		}
		p = pkg.next
	}
	if dupinstTableSpread == 0 {
		dupinstStore(&dupinstTableSpread, dupinstAllocate(uintptr(len(dupinstTable))*unsafe.Sizeof(dupinstSpread{})))
	}
	taken := dupinstSlotsTaken()
	for i := range taken {
		if s := dupinstSlotAt(taken, i); s != nil {
			dupinstSpreadAt(dupinstTableSpread, uintptr(i)).dupinstEnd(dupinstLoad64(&s.n))
		}
	}
	dupinstBatchValues()
	dupinstBatchContexts()
	dupinstBatchPaths()
	dupinstBatchAcross()
}

// dupinstSpreadAt is the i-th of an array, or nil if that has not been made.
func dupinstSpreadAt(spreads, i uintptr) *dupinstSpread {
	if spreads == 0 {
		return nil
	}
	return (*dupinstSpread)(dupinstPtr(spreads + i*unsafe.Sizeof(dupinstSpread{})))
}

// dupinstEnd ends a batch, at whose end the counter is n.
func (s *dupinstSpread) dupinstEnd(n uint64) {
	if x := float64(n - s.last); n > s.last {
		s.squares += x * x
	}
	s.last = n
}

// dupinstRoot is the square root of its sum of squares, rounded.
func (s *dupinstSpread) dupinstRoot() uint64 {
	if s == nil || s.squares == 0 {
		return 0
	}
	x := s.squares
	root := x
	for range 80 { // Newton's method, from above
		root = (root + x/root) / 2
	}
	return uint64(root + 0.5)
}

// dupinstExponential is an exponentially distributed number, given a random one and the mean:
// the mean times the negative natural logarithm of a number between 0 and 1.
func dupinstExponential(random, mean uint64) uint64 {
	const one = 1 << 32
	x := random>>32 | 1 // of 2^32
	n := uint64(0)      // leading zeros
	for x<<n&(one>>1) == 0 {
		n++
	}
	m := x << (n + 1) & (one - 1) // x is (1+m/2^32) * 2^(31-n)
	// log2(1+m) by squaring, to 16 bits
	frac, y := uint64(0), one+m
	for range 16 {
		y = (y >> 1) * (y >> 1) >> 30
		frac <<= 1
		if y >= 2*one {
			y >>= 1
			frac |= 1
		}
	}
	bits := (n+1)<<16 - frac                 // -log2(x/2^32), of 2^16
	return (mean * bits >> 16) * 45426 >> 16 // times ln 2
}
