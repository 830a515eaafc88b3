//go:build dupinst_compiler

// Package dupinst duplicates code inside the compiler: Arnold and Ryder's framework (PLDI
// 2001) on blocks whose registers are already allocated.
//
// # How a site is found
//
// The instrumentations find their sites on syntax and types, before the compiler runs, and
// hand it a list: file, line and column, the class of node that the event is at, and the
// index of the site's counter (table.go). The list reaches the compiler by its standard
// input, and is made while the compiler checks types. As a body is written to the export
// data its sites are written with it, and as it is read, there or where it is inlined, they
// are registered by position (noder/sites.go). Once inlining, devirtualization and escape analysis are done, Mark puts
// a mark before the statement, or in the operand of && or ||, in the condition or the case,
// whose evaluation an event is part of (mark.go). A mark is an inlining mark with a negative
// index: it is no code, no side effect, and known to every phase already. It has no line and
// no number that another value could have, takes a condition along where its block becomes
// part of another (ssa/when.go), and leaves before values are scheduled: so that what is
// marked is compiled as if it were not (TestCheckingCode). Calls whose callee is known only
// at run time need none: they are found where they are made.
//
// Paths (path.go) and rounds of loops (trip.go) are sums: words of the frame that what follows adds to, and that
// are counted or noted where they end.
//
// Values are noted where an instruction has them in a register, and need none either: the
// instruction stands where the event does, or its statement (value.go). References are
// found by what instructions load and store: the type behind whose pointer, and how far (reference.go). Allocations
// are calls of the runtime's that stand where what makes the object does (allocation.go; TestAllocations).
//
// # What is made of a function
//
// The pass runs when registers are allocated and loops are rotated, and before blocks are
// merged (pass.go). It removes the marks, plans (package plan), copies blocks (copy.go),
// puts in checks (check.go) and probes (place.go), and checks what it leaves (verify.go). A
// block and its copy have the same registers, stack slots and flags at each instruction, so
// that going from one to the other is a jump. It is correct by projection: each path through
// copies mirrors one of the original, instruction for instruction. Copies lie behind all
// originals, whose code is that of the plain build but for checks.
//
// A check is a decrement of the goroutine's counter and a branch. The counter is in memory,
// or where a nest of loops calls nothing in a register that is free there, if there is one
// (held.go). A check that begins a sample calls a routine of the runtime's that keeps all
// registers (runtime/core, trigger_sample_*.s). What instructions these are, a machine says
// (emit.go and the files beside it).
//
// # Checks that auto does without
//
// A loop that goes round at most plan.Rounds times has no checks on its backedges (package plan).
// How often it does is known before the program runs, or is compared on the way in, where a
// version of the loop with checks is for more (bounded.go).
//
// A function all calls of which are known has none on its entry: calls in copies lead to a copy of
// it (follow.go). Of which functions that is true the package's syntax says (compiler/sites,
// known.go) but for inlining, which may carry a call to other packages. The copy is a function of
// its own: the same, compiled again, with probes, under the same name, as a symbol of the package's
// alone, so that positions, traces and what is found by a program counter are the same. It has no
// backedges, so that it bounds itself, and no such functions call each other around. What it does
// belongs to the check that its caller has passed, and is sampled when that begins a sample: counts
// stay in proportion.
//
// A trace says of such an activation that it belongs to its caller's check, and package simulate
// predicts from that what is counted.
//
// # Padding
//
// The amd64 assembler pads jumps that would cross 32 bytes. What checks add to a function moves
// jumps of loops that have none, and may pad them; so in code with checks loops are put where their
// own jumps need the fewest (obj/x86, align.go; TestLoopsUnpadded). Code without is the plain
// build's.
//
// # Windows
//
// A program that is built for windows has no checks: what stands before the copies is the plain
// build's code (TestCheckingCode). At the same instruction of a block and of its copy the state
// of the machine is the same, so that control may be led to copies from outside, and is, by one
// signal to a running thread (runtime/core): the program counter and the return addresses on
// the stack are set to their twins, and the guard of the stack is poisoned. The slow path of the
// stack check, which is out of line, finds the poison, looks whether there is room by the true
// guard, counts the entry (on amd64; a window stays open longer by what entries take), builds the frame, receives the
// arguments and goes on in the copy (obj/entrance.go).
// A leaf without a stack check has such an entrance, too, to which calls in copies lead: static
// ones by a word that the runtime sets, and those at sites by what the probe has found. So a function that calls
// anything is copied, though nothing is counted in it, but for those of the package of maps, which lead to nothing of the
// program's. A copy's
// backedge leads to the original once the window has closed; what is counted until then has no
// weight, as it has in goroutines that have left the thread. It is Instant Profiling's phase and
// HPS's burst without their checks: what a window counts is exact and consecutive, and windows
// that begin at random moments count in proportion to the truth.
//
// # Traps
//
// Where it matters alone whether a block is ever entered, there are neither checks nor copies: the pass lists for each
// statement an instruction that is carried out where that is and nowhere else, and the runtime puts traps there (trap.go;
// runtime/core, trigger_trap.go). Marks keep their blocks apart, so that code is not quite the plain build's, but for loops that
// set a slice to zero. UnTracer (Nagy and Hicks, Security and Privacy 2019) does so with binaries, for fuzzing.
//
// # Copies that auto does without
//
// A function that the profile of an earlier run (-pgo) has nothing of is under No-Duplication, unless calls lead from copies of it
// to copies (cold.go): that takes less room, and whether its checks cost more does not matter.
//
// # What is counted
//
// The events between two calls, and within a block, are counted together, where control
// comes to the first of them. So where the program faults between them, those behind the
// fault are counted, too, as coverage counts a block. What the compiler works out itself
// is not carried out, and not counted: errors.New in the initialiser of a variable, say.
//
// # Hazards
//
// Each is guarded by programs in testdata/programs, in all variants (TestPrograms,
// TestBackends, TestSimulate), or by the test that is named.
//
// Flags. A check and a probe change them. Where they are live, they are kept in the
// goroutine's descriptor for its length, for the stack's depth must be the same on all ways
// to a place; a probe is put where they are not, if that is between its calls. The compiler
// lets constants be loaded by an instruction that changes flags where no operation behind
// it reads them: what keeps the flags takes them as an argument (testdata/scripts/flags.txtar).
// Where they were spoilt, the compiler makes them once more for what reads them next, and what
// reads them behind that goes on naming the value that made them first: so a value without uses
// may be one whose flags are read (program conditions; verify.go follows them).
//
// Samples that begin and end in a call. Where instrumentations are sampled apart, what a function does behind a call is of the
// sample that it was in before it: the frame keeps that one's weight, or what is sampled seldom would be counted by how long
// the samples of others are (lane.go; TestApartSwitched). In windows it is of what is open at the moment.
//
// Twins. The assembler pads code by where it lies, so that instructions are paired, never
// offsets, and only between the same value's in both; how a block ends depends on what is
// behind it, so that its first instruction alone has a twin. A call in a copy may be longer than
// the original's: what is paired are ends of instructions (ssagen/twins.go, obj/twins.go;
// TestWindow, TestTwins). Where it takes two, what is behind it alone has a twin. What pads an
// instruction is an instruction, too, at which many windows open, for one that waits for memory
// has often one behind it: it leads to the twin of what it pads, unless that is a call of what a
// probe before it finds, which would not have been found.
//
// Probes are to slow nothing down, or a window sees less of what has more of them: a probe
// keeps no register where one is free (ssa/registers.go), and sites that are counted together
// are a group with one counter, by a symbol of the function and the package (group.go). The
// compiler keeps closures apart that were inlined by a hash between number signs, which leaves
// the name where an object is written (TestTurns; runtime/core, TestUngroup).
//
// Loops that set elements to zero. The compiler makes one operation of them if there is nothing else in them, and takes its
// pattern for a loop's where there is a count. The count goes before the loop, as often as that goes round, which
// a call has in a register that is none when code is emitted: what it has the compiler keep, spill or reload is the plain build's but for
// that; one that is left cannot be linked (clear.go; program clears, TestClears). What is marked before it is counted before
// a fault in front of it.
//
// Traps. The assembler makes nothing of a jump to what is behind it, so that none is an instruction for a trap, and a block
// without another gets one that does nothing. Where the first instruction behind a call is chosen, for what is before
// the call may be carried out where that does not return (TestBlocks, TestOnce, testdata/scripts/once.txtar).
//
// Faults. What a fault is made to call has for a return address the instruction that faulted, which no call
// is before; on amd64 it has no number by which the runtime tells it, and a window's signal that comes with the fault's begins in it
// (TestWindowedFaults).
//
// What stands before the first block. Slots that the entry clears and registers that it spills
// are the entrance's, too, or the collector finds garbage: it copies the instructions themselves,
// from behind the stack check to where the body begins (TestSoak, with a collector that looks twice).
//
// Unreached copies. Nothing leads to the copies of a program for windows, and the compiler
// computes no liveness and no places of variables where nothing leads: the entry is said to
// lead there, and emits no instruction that does (TestSoak, TestDelve).
//
// Registers. A probe needs one: it takes one that holds nothing, or keeps it in the goroutine's descriptor
// meanwhile. A collector would not see a pointer there, so a probe is no safe point. Which hold something is found
// before copies are made, when some blocks of the pass's own are not listed yet, and looked at once more when all
// are (verify.go; programs crowded and held).
//
// The counter in a register. Each edge into a nest loads it, and each out of one stores it,
// checks that begin samples among them; verify.go follows it along all ways. Nothing but a
// goroutine itself changes its counter. Where the program faults in a nest, checks since the
// nest was entered are forgotten, and the next sample is so much later (program held).
//
// Conditional moves. A block may become a move, and a comparison part of another: its marks
// take the condition along (ssa/when.go; programs conditions and switches). What only a
// mark reads is computed in copies alone.
//
// Write barriers. Between the test of whether they are on and their end nothing may
// interrupt, and package liveness knows them by their shape: they are copied whole, and no
// edge within one has a check (barrier.go; programs deferred and generics).
//
// Frames that are older. What a frame keeps of a path, or of its caller's, is whatever was there where control has come into a
// copy in its midst: words that are counted by have the number of the window or sample that they began in (program recovered in
// TestInterpaths).
//
// What comes first. The values that receive arguments and the closure's pointer stay in
// the entry block, which is divided behind them (program closures).
//
// Jump tables. A copy needs a table of its own: the copy's targets are others (program
// switches).
//
// Wrappers. The call in a wrapper that was inlined has the position of the call of the
// wrapper, and is not counted again (program conditions).
//
// Plugins. Where the address of a counter stands in a table, the assembler puts an
// instruction in front of the one that uses it, which must not part a prefix from its
// instruction (testdata/scripts/backendmodes.txtar).
//
// Leaves. A function without calls has no frame, and on arm64 keeps its return address in a
// register; the routine that begins a sample needs no frame and is jumped to there (TestWindowEmulated; go run
// ./conformance -arch arm64).
//
// The compiler's own checks (-d=ssa/check/on) hold but for that of memory: where a copy is
// entered from its original two states of it meet, and no phi says so, which after the
// allocation of registers means nothing (GOROOT/test's issue32680, which package conformance runs).
//
// Functions without a stack check (go:nosplit and what runs on a system stack) are left
// alone: their stack is counted by the linker, which refuses what has grown (TestWindow and TestSoak build everything).
package dupinst
