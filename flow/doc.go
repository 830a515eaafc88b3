// Package flow owns what is known of a package's control flow on its syntax:
// its functions with their names, which expressions are evaluated at all, each
// function's control-flow graph and backedges, and its top- and bottom-nodes
// (Partition, with the proof of Property 1).
//
// A function here is whatever the compiler makes a function of: a declaration,
// a function literal, the body of a range-over-func loop (which the language
// turns into a function that the iterator calls), and the package's
// initialiser. Each has an entry of its own and so a check of its own; nothing
// in the package crosses the border between two of them.
//
// A backedge is an edge on which every cycle of a function's control-flow graph
// passes: the end of a for or range body and each continue of it, and each goto
// to a label that stands before it. In Go every jump back is one of these, so
// no dominator tree is needed to find them; on an irreducible loop the set is a
// superset of the natural loops' backedges, which keeps the bound of Property 1
// (Arnold and Ryder, PLDI 2001, §2), each check standing on a jump back.
package flow
