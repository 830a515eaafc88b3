// Package transform rewrites a type-checked package so that it profiles itself:
// the framework of Arnold and Ryder (PLDI 2001, §2–3) as a source-to-source
// transformation. It takes syntax and types, decides (Plan), and emits text.
//
// # Why text
//
// Output is the user's own source with insertions, and with segments of it
// written twice, as cmd/cover does it, not a printed syntax tree: every line,
// comment and directive stays where it was without anything being
// re-established, and the emitter is a list of edits. Only a segment's second
// copy needs a /*line*/ directive.
//
// # The shape
//
// Go cannot jump into a block, so where control may be in either copy the
// program counter's half is a local variable, the mode bit d. A function with
// no loop is copied whole and needs none:
//
//	func f() { if check() { duplicated; return }; original }
//
// Otherwise loops are shared, and what is duplicated is the acyclic code
// between them:
//
//	d := check()
//	if !d { S1 } else { S1 with probes }
//	for init; cond; post {
//		if !d { body } else { body with probes }
//		d = check() // also before each continue: the backedge
//	}
//
// The check of a backedge stands before post and cond, which then run in the
// mode it chose, as does the code after the loop, whose only chance to be
// sampled that is. The first iteration runs in the mode in which the loop was
// reached.
//
// # The variants
//
// All three are decided on the control-flow graph (flow.Graph) and differ in
// where checks stand (Plan.Checks), and in what is written twice.
//
// Full-Duplication is the shape above: a check on the entry and each backedge.
// A run of statements is one segment from its first probe to its last; what has
// no probe is written once.
//
// Partial-Duplication (§3.1) leaves out top- and bottom-nodes, and has a check on
// each edge from a top-node into what is left: flow.Partition has the
// definitions and the proof of Property 1. At statement level that is
//
//	var d bool
//	T                                     // top: no check on the entry
//	for cond {                            // nor on the backedge
//		T
//		d = check()
//		if !d { S } else { S with probes }
//		B                                 // bottom: shared
//	}
//
// A loop without probes is idle (flow.Partition): it has no check, and a sample
// goes on behind it. Where a clause is reached by fallthrough, from one with
// probes, and otherwise, whether a check has been passed is known only at run
// time: such a check is open (flow.Check), and a second bit k says whether one
// has been passed since the entry or the last backedge:
//
//	switch {
//	case a:
//		d, k = check(), true
//		if !d { S1 } else { S1 with probes }
//		fallthrough
//	case b:
//		if !k { d, k = check(), true }
//		if !d { S2 } else { S2 with probes }
//	}
//
// A jump or return that ends a path stays with the copy that it ends, though it
// is a bottom-node: the copy has no way to the shared one.
//
// No-Duplication (§3.2) puts each probe behind a check of its own, and writes
// nothing twice. Two adjacent probes have two checks, which share nothing but
// that the counter is decremented by two at once. A sample is one event, and
// Property 1 does not hold.
//
// Auto, which takes what is cheapest for each function in the compiler, is Partial here.
//
// # What checks cost
//
// Many times as much as in the compiler, where a program's blocks can be
// copied as they are: that back end is for speed, and this one is simple. It had loops without
// checks between samples, counters in local variables, copies of functions that stay
// inlined and a cost model, which took most of the cost away and were half of the code
// (docs/bench.md).
//
// A check is inlined everywhere, also in functions so large that the compiler inlines
// only what is very small: its call of the runtime stands in the branch of the sample.
//
// Where calls are deferred, return statements are not copied if the compiler would
// then keep a list of the calls (Plan.countReturns).
//
// An audit's checks are calls, in the same places.
//
// A function without probes is left as it is, byte for byte, in every variant.
//
// # Audits
//
// In an audit build (Audit) each function counts its entries, backedges, checks
// and samples, exactly. Each way through the code has the same probes and the
// same checks as in a plain build, behind calls that count.
//
// # Probes
//
// A probe adds one to a counter and touches nothing that the program can see.
// It stands before the statement whose evaluation it counts, or, for what is
// evaluated only under a condition, in the condition: b in a && b becomes
// (probe && (b)). So no operand is evaluated earlier or later than before. Within
// a condition a probe is a comparison of a call whose result the compiler knows,
// so that nothing is left of it but the call.
//
// # Hazards
//
// Each is a test in testdata/programs, named in brackets.
//
// Scope [scope]. A copy is a block of its own. A variable declared in a segment
// and used behind it, or one of the enclosing scope that := assigns to (a named
// result, say), would become another variable: such a statement stays shared, with its
// probes guarded by "if d".
//
// Function literals [closures]. Copies of nested literals would grow without
// bound, and a literal's identity can be seen. A statement that holds one is
// shared.
//
// Types [types]. A declaration in both copies would be two types. It is shared.
//
// Labels and goto [jumps]. A label that a goto reaches from outside its
// statement is shared; a copy's own labels are renamed. A goto that jumps back
// has the check of its backedge before it.
//
// Fallthrough [switches] must end its clause: it is never moved into a copy
// without the switch.
//
// Range over functions [rangefunc]. The compiler makes a function of the loop's
// body. It is treated as one, with a check on its entry and a mode bit of its
// own, so that no variable of the enclosing function is captured that was not.
//
// Callees known at run time [dynamic]. The probe must see the function value or
// the interface that is really called. Where it is an operand of a call whose
// arguments call something too, the compiler reads it after they are computed;
// so does the probe, which then rides on the last such argument.
//
// Package variables [initialisers]. The package's initialiser is a function
// without a body to write in. What it evaluates once and unconditionally is
// counted by a generated function; the rest is guarded by that function's
// check. A package gets no initialiser that it did not have.
//
// Directives [dragons]. Those that forbid calls, stack growth or what tools add exclude a function
// (flow.Func.Excluded and Kept).
package transform
