//go:build dupinst_runtime

package core

import (
	"internal/abi"
	"unsafe"
)

// This file is for code that was duplicated in the compiler (compiler/pass/dupinst), whose
// checks and counts are instructions of its own. What it calls, through trigger_sample_*.s, runs on
// the system stack.

// dupinstEvery is what an event counts in an exhaustive build.
//
//go:linkname dupinstEvery runtime.dupinstEvery
var dupinstEvery uint64 = 1

// dupinstUncounted stands for the counter of a call at which nothing is counted, and whose callee is looked
// for all the same.
//
//go:linkname dupinstUncounted runtime.dupinstUncounted
var dupinstUncounted uint64

// dupinstFired begins a sample.
func dupinstFired() {
	dupinstTrigger(&getg().m.curg.dupinst)
}

// dupinstSaw counts a call whose callee is known only at run time.
func dupinstSaw() {
	p := &getg().m.curg.dupinst
	if weight := p.dupinstWeight(); weight > 0 {
		if dupinstWindowed {
			dupinstXadd(&dupinstSeen, 1)
		}
		if p.site == uintptr(unsafe.Pointer(&dupinstUncounted)) {
			weight = 0
		}
		dupinstXadd((*uint64)(dupinstPtr(p.site)), weight)
		p.callee = dupinstCallee(p.site, p.callee, weight)
	}
}

// dupinstWeight is what an event of the goroutine's counts.
func (p *dupinstG) dupinstWeight() uint64 {
	if dupinstExhaustive {
		return dupinstEvery
	}
	if dupinstEventWeight != 1 {
		return min(p.weight, 1) // what calls this knows that its own lane is not empty
	}
	return p.weight
}

// dupinstNotedValue counts a value.
func dupinstNotedValue() {
	p := &getg().m.curg.dupinst
	s := (*dupinstValueSite)(dupinstPtr(p.site))
	weight := p.dupinstWeight()
	switch {
	case !dupinstWindowed:
		if weight > 0 {
			s.dupinstCount(p.callee, weight)
		}
		return
	case s.form == dupinstTrips:
		weight = 1 // the loop may have begun in a window that has closed
	case weight == 0:
		return
	default:
		weight = dupinstStandsFor()
	}
	read := [1]uintptr{uintptr(s.dupinstRead(p.callee))}
	s.dupinstNote(false, read[:], weight)
}

// dupinstPartTime is what it takes to count a path that goes on in what is called, in 1024ths of a nanosecond (docs/triggers.md).
const dupinstPartTime = 21 << 10

// dupinstNotedPath counts a path that goes on in what is called, or makes it part of its caller's.
func dupinstNotedPath() {
	p := &getg().m.curg.dupinst
	weight := p.dupinstWeight()
	if dupinstWindowed {
		if weight > 0 {
			dupinstXadd(&dupinstNoteTook, dupinstPartTime)
		}
		weight = 1
	}
	p.dupinstPathEnds((*dupinstPaths)(dupinstPtr(p.site)), p.callee, weight, p.dupinstUnbroken())
}

// dupinstUnbroken reports whether all was counted since the window, or the sample, began.
func (p *dupinstG) dupinstUnbroken() bool {
	switch {
	case dupinstExhaustive:
		return true
	case dupinstWindowed:
		// A goroutine that comes into a window out of a system call has no number before it is led: what it was at before is not known.
		return p.begins == p.window && (p.window != 0 || dupinstWindowAlways)
	}
	return p.load == 0 || p.ctr == p.load
}

// dupinstNotedStack counts the calling context of an event, which it finds by the frame pointers.
func dupinstNotedStack() {
	gp := getg().m.curg
	p := &gp.dupinst
	weight := p.dupinstWeight()
	if weight == 0 {
		return
	}
	var pcs [dupinstDeepest]uintptr
	pc, sp, lr := dupinstCaller(p)
	fp := p.kept[0]
	pcs[0] = pc
	n := 1
	if f := findfunc(pc); f.valid() && funcspdelta(f, pc) == 0 { // a leaf without a frame
		pcs[1] = lr
		if lr == 0 {
			pcs[1] = *(*uintptr)(dupinstPtr(sp))
		}
		n = 2
	}
	for n < len(pcs) && gp.stack.lo <= fp && fp < gp.stack.hi-8 {
		pcs[n] = *(*uintptr)(dupinstPtr(fp + 8))
		fp = *(*uintptr)(dupinstPtr(fp))
		n++
	}
	s := (*dupinstValueSite)(dupinstPtr(p.site))
	if dupinstWindowed {
		s.dupinstNote(true, pcs[:n], dupinstStandsFor())
	} else {
		s.dupinstCountContext(pcs[:n], weight)
	}
}

// dupinstFrames writes the functions that pc is in, one inlined into the other, the innermost first.
func (w *dupinstWriter) dupinstFrames(pc uintptr) {
	f := findfunc(pc)
	if !f.valid() {
		return
	}
	u, at := newInlineUnwinder(f, pc-1)
	for at.valid() {
		if s := u.srcFunc(at); s.funcID != abi.FuncIDWrapper {
			file, line := u.fileLine(at)
			w.dupinstFrame(s.name(), file, int32(line), s.startLine)
		}
		// What nothing stands for is said to be called at the function's beginning, which may be
		// of what was inlined itself: a caller comes before what is inlined into it.
		next := u.next(at)
		if next.valid() && next.index >= at.index {
			return
		}
		at = next
	}
}

// dupinstFrame writes one function of a node's: where it is, and its first line.
func (w *dupinstWriter) dupinstFrame(name, file string, line, first int32) {
	w.dupinstByte(1)
	w.dupinstString(name)
	w.dupinstString(file)
	w.dupinstUvarint(uint64(uint32(line)))
	w.dupinstUvarint(uint64(uint32(first)))
}

// dupinstNoted counts an event of an audit, or traces it. The frame is that of the function
// that is instrumented.
func dupinstNoted() {
	gp := getg().m.curg
	p := &gp.dupinst
	const counted, traced = 1, 2
	if p.callee&counted != 0 {
		dupinstXadd((*uint64)(dupinstPtr(p.site)), 1)
	}
	if p.callee&traced == 0 || dupinstTracing == 0 {
		return
	}
	pc, sp, lr := dupinstCaller(p)
	var u unwinder
	u.initAt(pc, sp, lr, gp, unwindSilentErrors)
	frame := uint64(gp.stack.hi - u.frame.fp)
	dupinstTrace((*uint64)(dupinstPtr(p.site)), frame)
}

// dupinstFound is the number of modules whose packages have been found.
var dupinstFound int

// dupinstFind enters the packages of all modules, of which plugins add some, in the list of
// those to be written. Their records say by two words at their beginning what they are.
func dupinstFind() {
	if !dupinstSeize(&dupinstFinding) {
		return
	}
	n := 0
	for md := &firstmoduledata; md != nil; md = md.next {
		if n++; n <= dupinstFound {
			continue
		}
		for at := (md.noptrdata + 7) &^ 7; at+unsafe.Sizeof(DupinstPackage{}) <= md.enoptrdata; at += 8 {
			p := (*DupinstPackage)(unsafe.Pointer(at))
			if p.magic0 == dupinstMagic0 && p.magic1 == dupinstMagic1 {
				dupinstLink(p)
			}
			if g := (*dupinstGroups)(unsafe.Pointer(at)); g.magic0 == dupinstMagic0 && g.magic4 == dupinstMagic4 {
				g.dupinstLink()
			}
			if t := (*dupinstTraps)(unsafe.Pointer(at)); dupinstTrapping && t.magic0 == dupinstMagic0 && t.magic6 == dupinstMagic6 {
				t.dupinstLink()
			}
			if p := (*dupinstPaths)(unsafe.Pointer(at)); p.magic0 == dupinstMagic0 && p.magic5 == dupinstMagic5 {
				p.dupinstLink()
			}
		}
	}
	dupinstFound = n
	dupinstStore32(&dupinstFinding, 0)
}

var dupinstFinding uint32

// The first words of a record that the compiler made; compiler/pass/dupinst has them too.
const (
	dupinstMagic0 = 0x9e3779b97f4a7c15
	dupinstMagic1 = 0x647570696e737401
	dupinstMagic2 = 0xd1310ba698dfb5ac // of a dupinstRecord
	dupinstMagic4 = 0x647570696e737404 // of dupinstGroups
	dupinstMagic5 = 0x647570696e737405 // of dupinstPaths
	dupinstMagic6 = 0x647570696e737406 // of dupinstTraps
)

// A dupinstRecord stands for a callee that the compiler found out and inlined, so that it
// may have no code of its own.
type dupinstRecord struct {
	magic      uint64
	name, file string
	line       uint64
}
