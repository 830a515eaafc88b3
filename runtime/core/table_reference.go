package core

import "unsafe"

// The addresses of references are kept as they come, one after the other, from the beginning of a window on: a
// burst. Of all windows' there are so many kept, each as likely as any other (Vitter, Random Sampling with a
// Reservoir, TOMS 1985, algorithm R), so that they stand for all of the run in bounded memory. What
// they say is for others to find out.

// How many bursts are kept, and how many references of each.
const (
	dupinstBursts      = 512
	dupinstBurstLength = 512
)

// A dupinstReference is one; the assembly has it, too.
type dupinstReference struct {
	site      uintptr // of dupinstValueSite
	address   uintptr
	goroutine uintptr // twice its number, and one more where the address is on its stack
}

// A dupinstBurst is of one window.
type dupinstBurst struct {
	n          uintptr
	busy       uint32 // while a window fills it, or a profile is written of it
	begun      uint64 // nanoseconds, as the machine's clock has them
	references [dupinstBurstLength]dupinstReference
}

type dupinstReservoir struct {
	seen   uint64 // windows that had references
	bursts [dupinstBursts]dupinstBurst
}

var (
	dupinstRefers  bool    // there are references, and no burst for them
	dupinstKeeps   uintptr // the reservoir, once there are
	dupinstBurstIn uintptr // the burst of the window that is open, or 0
)

// dupinstBurstMake makes the reservoir when it is first wanted.
func dupinstBurstMake() {
	if dupinstRefers && dupinstKeeps == 0 {
		dupinstStore(&dupinstKeeps, dupinstAllocate(unsafe.Sizeof(dupinstReservoir{})))
	}
}

// dupinstBurstBegin finds a burst for the window that is about to open, or none. Random is fresh.
func dupinstBurstBegin(random uint64) {
	dupinstBurstEnd() // of one that was switched off before it was closed
	r := (*dupinstReservoir)(dupinstPtr(dupinstKeeps))
	if r == nil {
		return
	}
	at := r.seen
	if at >= dupinstBursts {
		if at = dupinstMix(random) % (r.seen + 1); at >= dupinstBursts {
			r.seen++
			return
		}
	}
	b := &r.bursts[at]
	if !dupinstCas32(&b.busy, 0, 1) {
		return
	}
	b.n, b.begun = 0, uint64(dupinstClock())
	dupinstStore(&dupinstBurstIn, uintptr(unsafe.Pointer(b)))
}

// dupinstBurstEnd ends that of a window that has closed. One without references is the next window's.
func dupinstBurstEnd() {
	in := dupinstLoad(&dupinstBurstIn)
	if in == 0 {
		return
	}
	dupinstStore(&dupinstBurstIn, 0)
	b := (*dupinstBurst)(dupinstPtr(in))
	if b.n > 0 {
		(*dupinstReservoir)(dupinstPtr(dupinstKeeps)).seen++
	}
	dupinstStore32(&b.busy, 0)
}

// dupinstWriteBursts writes them, as profile/format has them.
func (w *dupinstWriter) dupinstWriteBursts(head uintptr) {
	r := (*dupinstReservoir)(dupinstPtr(dupinstLoad(&dupinstKeeps)))
	listed := dupinstListed{head: head}
	for i := 0; r != nil && i < len(r.bursts); i++ {
		b := &r.bursts[i]
		if b.n > 0 && dupinstCas32(&b.busy, 0, 1) {
			w.dupinstWriteBurst(&listed, b)
			if w.reset {
				b.n = 0
			}
			dupinstStore32(&b.busy, 0)
		}
	}
	if r != nil && w.reset {
		r.seen = 0
	}
	w.dupinstUvarint(0)
}

func (w *dupinstWriter) dupinstWriteBurst(listed *dupinstListed, b *dupinstBurst) {
	n := uint64(0)
	references := b.references[:min(b.n, dupinstBurstLength)]
	for i := range references {
		if listed.dupinstHas(references[i].dupinstCounter()) {
			n++
		}
	}
	if n == 0 {
		return
	}
	w.dupinstUvarint(n)
	w.dupinstUvarint(0)
	w.dupinstUvarint(b.begun)
	last := uintptr(0)
	for i := range references {
		at := &references[i]
		counter := at.dupinstCounter()
		if !listed.dupinstHas(counter) {
			continue
		}
		w.dupinstUvarint(listed.ordinal)
		w.dupinstUvarint(listed.dupinstNumbered(counter))
		w.dupinstUvarint(uint64(at.goroutine))
		step := int64(at.address - last)
		w.dupinstUvarint(uint64(step<<1 ^ step>>63))
		last = at.address
	}
}

// dupinstCounter is that of the reference's site.
func (r *dupinstReference) dupinstCounter() uintptr {
	return (*dupinstValueSite)(dupinstPtr(r.site)).counter
}
