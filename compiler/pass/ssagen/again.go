//go:build dupinst_compiler

package ssagen

import (
	"cmd/compile/internal/ir"
	"cmd/internal/obj"
)

// DupinstAgain has a function compiled once more if that is to be, as another symbol, and
// DupinstRename gives that the function's name, once what is named after it has been.
var (
	DupinstAgain  func(fn *ir.Func, compile func())
	DupinstRename func(fn *obj.LSym)
)

func dupinstAgain(fn *ir.Func, compile func()) {
	if DupinstAgain != nil {
		DupinstAgain(fn, compile)
	}
}

func dupinstRename(fn *obj.LSym) {
	if DupinstRename != nil {
		DupinstRename(fn)
	}
}
