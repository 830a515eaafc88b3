package main

// Flags that were spoilt are made once more where they are read next, which may be where the
// count of a condition reads them, and again behind that.

type op struct{ mode, x int }

type at interface{ pos() int }

func (o *op) pos() int { return o.x }

type stmt interface {
	at
	stmt()
}

func (o *op) stmt() {}

//go:noinline
func use(c string, a at, b int) int { return a.pos()*10 + b + len(c) }

//go:noinline
func get(s []*op, ok bool) ([]*op, bool) { return s, ok }

func mismatch(p at, lhs []int, s []*op) int {
	q := "less"
	if len(s) > len(lhs) {
		p, q = s[len(lhs)], "more than"
	} else if len(s) > 0 {
		p = s[len(s)-1]
	}
	return use(q, p, 1)
}

//go:noinline
func remade(lhs []int, s []*op, r stmt) int {
	c := "assign"
	if r != nil {
		c = "return statement"
	}
	n := len(lhs)
	if n == 7 {
		for range lhs {
			use(c, s[0], n)
		}
		return 0
	}
	s, ok := get(s, n == 2 && r == nil)
	if len(s) == n {
		for i := range lhs {
			use(c, s[i], lhs[i])
		}
		if ok && s[0].mode != 0 && s[1].mode != 0 {
			return 7
		}
		return 1
	}
	if s[0].mode != 0 {
		if r != nil {
			return mismatch(r, lhs, s)
		}
		return use(c, s[0], n)
	}
	return 5
}
