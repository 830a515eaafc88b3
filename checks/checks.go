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
//
// A loop that calls nothing that checks has the counter in a local variable
// (Load, Store, Local): a register, if all goes well.
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

// Load is the goroutine's counter, of type Int64.
func Load(rt string) string { return rt + ".DupinstLoad()" }

// Int64 is the conversion of an expression to the type of counters.
func Int64(rt, x string) string { return fmt.Sprintf("%s.DupinstInt64(%s)", rt, x) }

// Store is the statement that sets the goroutine's counter from a variable.
func Store(rt, counter string) string { return fmt.Sprintf("%s.DupinstStore(%s)", rt, counter) }

// Local is a check of a counter in a variable, as an if statement that sets the
// mode bit, without its closing braces: the first result is the branch of the
// checking code, the second that of the duplicated code.
func Local(rt, counter, bit string) (checking, duplicated string) {
	return fmt.Sprintf("if %s--; %s >= 0 { %s = !%s.DupinstTrue", counter, counter, bit, rt), LocalSample(rt, counter, bit)
}

// LocalDue is the same check as what stands between if and the brace. Where it is
// true, LocalSample must follow before the next check.
func LocalDue(counter string) string { return fmt.Sprintf("%s--; %s < 0", counter, counter) }

// LocalSample is the statement that begins a sample and sets the mode bit.
func LocalSample(rt, counter, bit string) string {
	return fmt.Sprintf("%s, %s = %s.DupinstTrue, %s.DupinstSpent(%s)", bit, counter, rt, rt, counter)
}

// Far is a number, an int, to which a strip's length can be added.
func Far(rt string) string { return rt + ".DupinstFar" }

// Strip is how many iterations run before the next sample, as an int.
func Strip(rt, counter string) string { return fmt.Sprintf("%s.DupinstStrip(%s)", rt, counter) }

// Rune is the conversion of a byte that is ASCII to a rune, whatever the program calls
// rune.
func Rune(rt, x string) string { return fmt.Sprintf("%s.DupinstRune(%s)", rt, x) }

// String is the type of strings, whatever the program calls string.
func String(rt string) string { return rt + ".DupinstString" }

// Decode is the rune of more than one byte, or none that is valid, that begins at index
// i of text, and the index behind it.
func Decode(rt, text, i string) string { return fmt.Sprintf("%s.DupinstDecode(%s, %s)", rt, text, i) }

// Uint is the conversion of an index, whatever the program calls uint.
func Uint(rt, x string) string { return fmt.Sprintf("%s.DupinstUint(%s)", rt, x) }
