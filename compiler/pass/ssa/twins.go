//go:build dupinst_compiler

package ssa

// DupinstTwins says what values and blocks of a function are copies of.
type DupinstTwins interface {
	Value(copy *Value) *Value // nil if it is none
	Block(copy *Block) *Block
	Followed(copy *Value) bool // a call whose callee a probe before it has put into g
}
