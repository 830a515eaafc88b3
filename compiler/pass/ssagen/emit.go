//go:build dupinst_compiler

package ssagen

import (
	"cmd/compile/internal/ssa"
)

// DupinstEmit emits the operations of package dupinst.
var DupinstEmit func(s *State, v *ssa.Value)

func dupinstEmit(s *State, v *ssa.Value) { DupinstEmit(s, v) }

// DupinstUnsafe makes the instructions up to the next operation no safe points.
func (s *State) DupinstUnsafe() { s.pp.NextUnsafe = true }

// dupinstMem is the memory that an inlining mark takes: for a mark of ours, what the last
// call in the block left, or what the block began with. So no mark stands before a call
// that comes before it in the program, which might not return, and none between two
// stores, which would keep them from being made one.
func (s *state) dupinstMem(index int64) *ssa.Value {
	m := s.mem()
	if index >= 0 {
		return m
	}
	for m.Block == s.curBlock {
		before := m.MemoryArg()
		if before == nil || m.Op.IsCall() || m.Op == ssa.OpSelectN {
			break
		}
		m = before
	}
	return m
}
