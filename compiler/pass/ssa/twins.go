//go:build dupinst_compiler

package ssa

import "cmd/internal/obj"

// DupinstTwins says what values and blocks of a function are copies of.
type DupinstTwins interface {
	Value(copy *Value) *Value // nil if it is none
	Block(copy *Block) *Block
	Followed(copy *Value) bool // a call whose callee a probe before it has put into g
}

// A DupinstTrap is where a site is passed: in its block, behind the last call before At, or before the block's end
// where that is nil, and what counts it. Anchor is code where there is none else; where there is one, At is not.
type DupinstTrap struct {
	Block      *Block
	At, Anchor *Value
	Counter    *obj.LSym
	Offset     int64
}
