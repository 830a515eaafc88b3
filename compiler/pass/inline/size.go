//go:build dupinst_compiler

package inline

import "cmd/compile/internal/ir"

// DupinstStands reports whether a node stands for sites and is none of the program's.
var DupinstStands func(n ir.Node) bool

// dupinstSize is how much n adds to the size of its function.
func dupinstSize(n ir.Node) int {
	if DupinstStands != nil && DupinstStands(n) {
		return 0
	}
	return 1
}
