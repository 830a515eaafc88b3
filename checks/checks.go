// Package checks owns the forms that a check can take. A check counts down; when
// its count is spent it triggers a sample and control goes to the duplicated
// code (Arnold and Ryder, PLDI 2001, §2.2).
//
// There is one form so far. A form is an expression of type bool, to be written
// where the check stands: true means duplicated code.
package checks

// A Form is a way to write a check.
type Form struct {
	Name string
	// Func is the function of the patched package runtime that the check calls.
	Func string
}

// Goroutine is the check on the running goroutine's own counter, a field of the
// runtime's g. The call is inlined: a decrement at a fixed offset from the g
// register and a branch.
var Goroutine = Form{Name: "goroutine", Func: "DupinstCheck"}

// Expr returns the check, where runtime is the name under which the file
// imports package runtime.
func (f Form) Expr(runtime string) string { return runtime + "." + f.Func + "()" }
