//go:build dupinst_compiler && !go1.27

package obj

func (s *LSym) dupinstAligned() *LSym { return s }
