//go:build dupinst_compiler

package x86

import (
	"slices"

	"cmd/internal/obj"
)

// The assembler puts instructions that do nothing in front of jumps that would cross 32 bytes or
// end there. Checks make code longer and move such jumps, so that a loop without any check may
// get one. In code that has checks dupinstAlign puts them in front of loops instead, where that is
// less: control may not even fall into one.

const (
	// dupinstSettles is how often a function is assembled until loops stay where they are: by then
	// jumps are as long as they will be, and a place that changed their length would have it
	// assembled without end.
	dupinstSettles = 5
	// dupinstUsual is how often a loop is taken to go round, as in plans' weights.
	dupinstUsual = 8
	// dupinstNever is more jumps than it takes for what they lead past to cost nothing.
	dupinstNever = 31
)

// dupinstPad is where p goes that would go to c. Copies are seldom executed: what they have too much are jumps that are padded.
func dupinstPad(ctxt *obj.Link, s *obj.LSym, pjc padJumpsCtx, p *obj.Prog, c int32) int32 {
	f := &s.Func().Dupinst
	f.InCopies = f.Cold != nil && (p == f.Cold || f.InCopies && p != s.Func().Text)
	if f.InCopies {
		return c
	}
	return pjc.padJump(ctxt, s, p, dupinstAlign(ctxt, s, pjc, p, c))
}

// dupinstAlign is where p goes that would go to c if its jumps needed no padding.
func dupinstAlign(ctxt *obj.Link, s *obj.LSym, pjc padJumpsCtx, p *obj.Prog, c int32) int32 {
	f := &s.Func().Dupinst
	if p == s.Func().Text {
		if f.Assembled++; f.Assembled == 1 {
			f.Loops = dupinstLoops(p, f.Cold)
		} else if f.Assembled <= dupinstSettles && len(f.Loops) > 0 { // sizes are known
			dupinstMeasure(f.Loops, p, f.Cold)
		}
	}
	l := f.Loops[p]
	if l == nil {
		return c
	}
	if f.Assembled > 1 && f.Assembled <= dupinstSettles {
		l.Pad = dupinstPlace(l, c, int32(pjc)).Pad
	}
	if l.Pad == 0 {
		return c
	}
	return noppad(ctxt, s, c, l.Pad)
}

// dupinstLoops are the loops in code before that of copies, by their first
// instructions: each stands in another as a whole, or beside it.
func dupinstLoops(text, end *obj.Prog) map[*obj.Prog]*obj.DupinstLoop {
	if end == nil {
		return nil
	}
	out := map[*obj.Prog]*obj.DupinstLoop{}
	for p := text; p != end; p = p.Link {
		if p.Back&branchBackwards == 0 {
			continue
		}
		if l := out[p.To.Target()]; l != nil {
			l.Last = p
		} else {
			out[p.To.Target()] = &obj.DupinstLoop{First: p.To.Target(), Last: p}
		}
	}
	for first, l := range out {
		if !dupinstGoesRound(l) {
			delete(out, first)
		}
	}
	falls := true
	var in []*obj.DupinstLoop
	for p := text; p != end && len(out) > 0; p = p.Link {
		if l := out[p]; l != nil {
			l.Falls = falls
			in = append(in, l)
		}
		for i := len(in) - 1; i >= 0; i-- {
			if in[i].Last != p {
				continue
			}
			for _, l := range in[i+1:] { // which end behind it
				delete(out, l.First)
			}
			in = in[:i]
			break
		}
		falls = dupinstFalls(p, falls)
	}
	return out
}

// dupinstFalls reports whether control goes on behind p, given whether it comes to p.
func dupinstFalls(p *obj.Prog, comes bool) bool {
	switch p.As {
	case obj.APCDATA, obj.AFUNCDATA, obj.ANOP:
		return comes
	}
	return p.As != obj.AJMP && p.As != obj.ARET && p.As != obj.AUNDEF
}

// dupinstGoesRound reports whether l's last instruction is reached from its first within it, which it
// is not where a block alone stands before what leads to it.
func dupinstGoesRound(l *obj.DupinstLoop) bool {
	reached := map[*obj.Prog]bool{l.First: true}
	for more := true; more && !reached[l.Last]; {
		more = false
		comes := false
		for p := l.First; p != l.Last.Link; p = p.Link {
			if comes = comes || reached[p]; !comes {
				continue
			}
			reached[p] = true
			if t := p.To.Target(); t != nil && !reached[t] {
				reached[t] = true
				more = more || p.Back&branchBackwards != 0
			}
			comes = dupinstFalls(p, true)
		}
	}
	return reached[l.Last]
}

// dupinstBegins reports whether p begins a sample.
func dupinstBegins(p *obj.Prog) bool {
	return p.As == obj.ACALL && p.To.Sym != nil && p.To.Sym.Name == "runtime.dupinstFire"
}

// dupinstMeasure notes what is in loops: how much, and what must not cross 32 bytes.
func dupinstMeasure(loops map[*obj.Prog]*obj.DupinstLoop, text, end *obj.Prog) {
	var in []*obj.DupinstLoop
	begins := false // a sample, before p, which is executed as seldom
	for p := text; p != end; p = p.Link {
		if l := loops[p]; l != nil {
			l.Parts, l.Rest, l.Places, l.Past = l.Parts[:0], 0, [32]obj.DupinstPlace{}, nil
			if len(in) > 0 {
				o := in[len(in)-1]
				o.Parts = append(o.Parts, obj.DupinstPart{Before: o.Rest, Loop: l, Seldom: dupinstSeldom(o, p)})
				o.Rest = 0
			}
			in = append(in, l)
		}
		if len(in) == 0 {
			continue
		}
		l := in[len(in)-1]
		size := int32(0)
		if fused, n := fusedJump(p); fused {
			size = int32(n)
		} else if isJump(p) {
			size = int32(p.Isize)
		}
		if size > 0 {
			part := obj.DupinstPart{Before: l.Rest, Size: size, Seldom: dupinstSeldom(l, p)}
			if begins {
				part.Seldom = dupinstNever
			}
			l.Parts = append(l.Parts, part)
			l.Rest = 0
		}
		begins = dupinstBegins(p)
		if t := p.To.Target(); t != nil && p.Pc < t.Pc && t.Pc <= l.Last.Pc {
			l.Past = append(l.Past, t)
		}
		l.Rest += int32(p.Isize)
		if l.Last == p {
			in = in[:len(in)-1]
		}
	}
}

// dupinstSeldom is how many jumps within l, the innermost loop around p, lead past p.
func dupinstSeldom(l *obj.DupinstLoop, p *obj.Prog) int {
	l.Past = slices.DeleteFunc(l.Past, func(t *obj.Prog) bool { return t.Pc <= p.Pc })
	return len(l.Past)
}

// dupinstPlace is what becomes of a loop that would begin at c.
func dupinstPlace(l *obj.DupinstLoop, c, align int32) obj.DupinstPlace {
	known := &l.Places[c&(align-1)]
	if known.Len > 0 {
		return *known
	}
	for pad := range align {
		at, cost := c+pad, int32(0)
		for _, part := range l.Parts {
			at += part.Before
			if part.Loop != nil {
				in := dupinstPlace(part.Loop, at, align)
				at += in.Len
				cost += dupinstUsual * in.Cost >> part.Seldom
			} else if over := at & (align - 1); over+part.Size >= align {
				at += align - over
				cost += dupinstUsual >> part.Seldom
			}
		}
		at += l.Rest
		if l.Falls {
			cost += (pad + int32(len(nop)) - 1) / int32(len(nop))
		}
		if known.Len == 0 || cost < known.Cost {
			*known = obj.DupinstPlace{Pad: pad, Len: at - c, Cost: cost}
		}
		if cost == 0 {
			break
		}
	}
	return *known
}
