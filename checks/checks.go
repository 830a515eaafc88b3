// Package checks owns the forms that a check can take. A check counts down; when
// its count is spent it triggers a sample and control goes to the duplicated
// code (Arnold and Ryder, PLDI 2001, §2.2). Each form is Go source that calls a
// function of the patched package runtime; rt is the name under which the file
// imports that package.
//
// The goroutine's own counter is a field of the runtime's g. Its check (Due) is
// inlined: a decrement at a fixed offset from the g register and a branch. The call
// that begins a sample (Sample) stands in the branch that the check leads to. The two
// as one function would be too dear for the compiler to inline in a large one; and
// where that branch is duplicated code, checking code, which is not reached from it,
// keeps its values in registers.
package checks

import "fmt"

// Check is a check as one expression: true means duplicated code.
func Check(rt string) string { return rt + ".DupinstCheck()" }

// Due is a check as an expression. Where it is true, Sample must follow before the
// next check.
func Due(rt string) string { return rt + ".DupinstDue()" }

// Spends is Due for n checks at once. Where it is true, they must be taken one by one.
func Spends(rt string, n int) string { return fmt.Sprintf("%s.DupinstSpends(%d)", rt, n) }

// Sample is the statement that begins a sample.
func Sample(rt string) string { return rt + ".DupinstSample()" }

// Bit is a check as statements: bit, declared by ":=" or set by "=", is whether control
// goes to the duplicated code.
func Bit(rt, bit, assign string) string {
	return fmt.Sprintf("%s %s %s; if %s { %s }", bit, assign, Due(rt), bit, Sample(rt))
}
