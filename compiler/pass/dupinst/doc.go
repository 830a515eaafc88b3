//go:build dupinst_compiler

// Package dupinst duplicates code inside the compiler: Arnold and Ryder's framework (PLDI
// 2001) on blocks whose registers are already allocated.
//
// # How a site is found
//
// The instrumentations find their sites on syntax and types, before the compiler runs, and
// hand it a list: file, line and column, the class of node that the event is at, and the
// index of the site's counter (table.go). The list reaches the compiler by a file that
// DUPINST_PASS names. As a body is written to the export data its sites are written with
// it, and as it is read, there or where it is inlined, they are registered by position
// (noder/sites.go). Once inlining, devirtualization and escape analysis are done, Mark puts
// a mark before the statement, or in the operand of && or ||, in the condition or the case,
// whose evaluation an event is part of (mark.go). A mark is an inlining mark with a negative
// index: it is no code, no side effect, and known to every phase already. Calls whose callee
// is known only at run time need none: they are found where they are made.
//
// # What is made of a function
//
// The pass runs when registers are allocated and loops are rotated, and before blocks are
// merged (pass.go). It removes the marks, plans (package plan), copies blocks, and puts in
// checks. A block and its copy have the same registers, stack slots and flags at each
// instruction, so that going from one to the other is a jump. It is correct by projection:
// each path through copies mirrors one of the original, instruction for instruction.
//
// A check is a decrement of the goroutine's counter in memory and a branch, which need no
// register. Where it begins a sample it calls a routine of the runtime's that keeps all
// registers (dupinstFire).
//
// # Hazards
//
// Flags. A check and a probe change them. Where they are live, they are kept on the stack
// for its length; a probe is moved up, within its block and not over a call, to where they
// are not.
//
// Registers. A probe needs one: it keeps AX in the goroutine's descriptor meanwhile. A
// collector would not see a pointer there, so a probe is no safe point.
//
// What comes first. The values that receive arguments and the closure's pointer stay in
// the entry block, which is divided behind them.
//
// Jump tables. A copy needs a table of its own: the copy's targets are others.
//
// Leaves. A function without calls has no frame; the call that begins a sample needs none.
//
// Functions without a stack check (go:nosplit and what runs on a system stack) are left
// alone: their stack is counted.
package dupinst
