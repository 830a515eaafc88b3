//go:build dupinst_runtime && unix

package core

// dupinstAbsolute makes the directory for profiles absolute: the program may
// change its own.
func dupinstAbsolute() {
	p := &dupinstStart
	if dupinstDir[0] == '/' {
		return
	}
	if p.n = dupinstGetwd(&p.b[0], uintptr(len(p.b))); p.n == 0 {
		return // it is gone; a write will say so
	}
	p.dupinstAdd("/")
	p.dupinstAdd(dupinstDir)
	dupinstDir = p.dupinstText()
}
