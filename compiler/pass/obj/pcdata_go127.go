//go:build dupinst_compiler && go1.27

package obj

// dupinstAligned says that s may lie anywhere: 1.27 wants it said.
func (s *LSym) dupinstAligned() *LSym {
	s.Align = 1
	return s
}
