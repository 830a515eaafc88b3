//go:build dupinst_runtime

package core

import "unsafe"

// This file is for code that was duplicated in the compiler (compiler/pass/dupinst), whose
// checks and counts are instructions of its own. What it calls, through sample_*.s, runs on
// the system stack.

// dupinstEvery is what an event counts in an exhaustive build.
//
//go:linkname dupinstEvery runtime.dupinstEvery
var dupinstEvery uint64 = 1

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
		dupinstXadd((*uint64)(dupinstPtr(p.site)), weight)
		p.callee = dupinstCallee(p.site, p.callee, weight)
	}
}

// dupinstWeight is what an event of the goroutine's counts.
func (p *dupinstG) dupinstWeight() uint64 {
	if dupinstExhaustive {
		return dupinstEvery
	}
	return p.weight
}

// dupinstNotedValue counts a value.
func dupinstNotedValue() {
	p := &getg().m.curg.dupinst
	if weight := p.dupinstWeight(); weight > 0 {
		if dupinstWindowed {
			dupinstXadd(&dupinstSeen, 1)
		}
		(*dupinstValueSite)(dupinstPtr(p.site)).dupinstCount(p.callee, weight)
	}
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
			if g := (*dupinstGroups)(unsafe.Pointer(at)); dupinstWindowed && g.magic0 == dupinstMagic0 && g.magic4 == dupinstMagic4 {
				g.dupinstLink()
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
)

// A dupinstRecord stands for a callee that the compiler found out and inlined, so that it
// may have no code of its own.
type dupinstRecord struct {
	magic      uint64
	name, file string
	line       uint64
}
