// Package core is the part of dupinst that is linked into users' programs. It has five ideas, and files
// begin with the one that they are of:
//
//   - trigger: what leads to code that counts, by a counter behind every check, and what else makes one spent;
//   - window: leading there without a check, from outside, for a stretch of time;
//   - table: what is counted, and tables of what is known only at run time: callees, values, contexts, paths;
//   - write: from memory into a file, at any moment, whatever the program is at;
//   - control: what is set, by the environment or while the program runs.
//
// Beneath them is what they stand on: patched has what the Go runtime gives, portable the same where this is an
// ordinary package, system what differs between systems in both.
//
// # How it gets there
//
// These files are added to the Go runtime's own package when its compile step
// goes by (see gobuild/patch), all but control_linked.go, which goes into the public package
// (github.com/dupinst/dupinst/runtime) to call the functions of control.go, and those
// with which the same code is an ordinary package: portable_host.go stands in for the Go
// runtime, portable.go for what is patched in it. As such it is tested, and imported
// by source that dupinst rewrote (package rewrite). The names and constraints of files
// say for which system and Go release each is: patched_go125_linux.go is for releases
// up to 1.25.
// That is why every identifier here starts with dupinst: it must not meet one
// of the runtime's. Being inside the runtime, the code adds no package to the
// program's import graph, needs no archive at link time, and reaches the
// current goroutine by getg, which the compiler inlines into the program.
// How the program is built stands in a package of its own that the runtime imports, so that this one is the same in
// many builds (package gobuild, compile.go).
//
// # Counters
//
// The check is the paper's compiler-inserted counter (Arnold and Ryder, PLDI
// 2001, §2.2, Figure 3), with one counter per goroutine, so that neither
// contention nor a data race is possible. A check subtracts one; below zero
// the counter is spent and dupinstTrigger begins a sample. A goroutine's first count
// is a pseudo-random phase within the interval, so that many short goroutines
// are sampled in proportion to the checks they run. The phase depends only on
// the seed and on the goroutine's place in the tree of go statements, never
// on scheduling: a deterministic program has a deterministic profile.
//
// What is counted together has one counter: table_group.go. Where instrumentations are sampled apart, each has a byte of what a sample weighs: trigger_apart.go.
//
// # Phases
//
// Where the program names parts of its work, what is counted is those, whole: trigger_phase.go; trigger_label.go, where goroutines have
// labels already; and trigger_clock.go of all goroutines now and then.
//
// # Shadows
//
// A fork of the process may count in its place: trigger_shadow.go, and trigger_shadow_linux_amd64.go; trigger_files_linux_amd64.go has what it may read.
//
// # Windows
//
// Where code was built for windows there are no checks: window_linux.go has the thread
// that opens and closes them, and what differs by architecture stands beside it; window_probetime.go
// says how much longer one stays open, window_notes.go which values and contexts it notes, window_join_linux.go how what comes to run in one is led there, window_idle_linux.go
// what time counts stand for, window_strata.go when they begin, window_area.go where they count if there is one without an end, window_apart_linux.go which instrumentations one is of, window_spread.go what becomes of counts.
//
// # Traps
//
// Where code was built to count once there are neither: trigger_trap.go has the table of the traps that stand in it,
// trigger_trap_linux_amd64.go the handler.
//
// # What must hold
//
// Code here runs on any goroutine, on system stacks, in signal handlers and
// while the program dies. It allocates nothing, takes no lock that the program
// could hold, stores no pointer that the collector would have to know of (all
// references are uintptr, to static data), and calls nothing instrumented.
package core
