//go:build dupinst_compiler && !go1.27

package ssa

// dupinstGeneral is what of m is among the first 64 registers.
func dupinstGeneral(m regMask) dupinstMask { return dupinstMask(m) }
