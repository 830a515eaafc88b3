//go:build dupinst_compiler

package obj

// A DupinstLoop is a loop from its first instruction to the last that jumps back to that.
type DupinstLoop struct {
	First, Last *Prog
	Falls       bool             // control falls into it
	Pad         int32            // bytes in front of it
	Past        []*Prog          // to where jumps in it lead that come before what is measured
	Parts       []DupinstPart    // in it, but not in a loop in it
	Rest        int32            // bytes from where the last part begins, or the loop, to its end
	Places      [32]DupinstPlace // for where it would begin
}

// A DupinstPart is a jump that is padded where it crosses 32 bytes, or a loop. Its own bytes
// are part of what is before the next, where it is a jump.
type DupinstPart struct {
	Before int32 // bytes since the last part began, or ended where that is a loop
	Size   int32
	Loop   *DupinstLoop
	Seldom int // so many jumps in the loop around it lead past it
}

// A DupinstPlace is where a loop is put.
type DupinstPlace struct {
	Pad  int32
	Len  int32 // with what is in front
	Cost int32 // instructions that do nothing, each time control comes
}
