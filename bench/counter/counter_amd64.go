// Package counter is an experiment: what a check costs in a loop without calls where the
// counter is in memory, and where it is in a register. It settles whether the compiler's pass
// should look for a register (docs/compiler.md).
package counter

func short(x *int64, n int, counter *int64) int64
func shortMemory(x *int64, n int, counter *int64) int64
func shortRegister(x *int64, n int, counter *int64) int64
func long(x *int64, n int, counter *int64) int64
func longMemory(x *int64, n int, counter *int64) int64
func longRegister(x *int64, n int, counter *int64) int64
