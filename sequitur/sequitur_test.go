package sequitur

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// grammar is that of the bytes of a text, after whatever must hold has been held.
func grammar(t *testing.T, text string) [][]Symbol {
	t.Helper()
	g := New()
	for _, b := range []byte(text) {
		g.Append(int(b))
	}
	rules := g.Rules()
	var expand func(r int) string
	expand = func(r int) string {
		var b strings.Builder
		for _, s := range rules[r] {
			if s.Rule {
				if s.Value <= r {
					t.Fatalf("%q: rule %d stands before %d, which uses it", text, s.Value, r)
				}
				b.WriteString(expand(s.Value))
			} else {
				b.WriteByte(byte(s.Value))
			}
		}
		return b.String()
	}
	if got := expand(0); got != text {
		t.Fatalf("%q makes %q", text, got)
	}
	uses := map[int]int{}
	at := map[[2]Symbol][2]int{}
	for r, symbols := range rules {
		if r > 0 && len(symbols) < 2 {
			t.Errorf("%q: rule %d is %v", text, r, symbols)
		}
		for i, s := range symbols {
			if s.Rule {
				uses[s.Value]++
			}
			if i == 0 {
				continue
			}
			p := [2]Symbol{symbols[i-1], s}
			if before, twice := at[p]; twice && before != [2]int{r, i - 1} {
				t.Errorf("%q: %v stands twice in %v", text, p, rules)
			}
			if at[p] != [2]int{r, i - 1} { // of aaa the second pair overlaps the first
				at[p] = [2]int{r, i}
			}
		}
	}
	for r := 1; r < len(rules); r++ {
		if uses[r] < 2 {
			t.Errorf("%q: rule %d is used %d times: %v", text, r, uses[r], rules)
		}
	}
	return rules
}

func TestGrammar(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":              "",
		"abc":           "abc",
		"abab":          "1 1, ab",
		"abcdbc":        "a1d1, bc",
		"abcdbcabcdbc":  "1 1, a2d2, bc",
		"abcabcabcabc":  "1 1, 2 2, abc",
		"aaaa":          "1 1, aa",
		"abcdbcabcdbce": "1 1e, a2d2, bc",
	} {
		var rules []string
		for _, symbols := range grammar(t, text) {
			var b strings.Builder
			for i, s := range symbols {
				switch {
				case !s.Rule:
					b.WriteByte(byte(s.Value))
				case i > 0 && symbols[i-1].Rule:
					fmt.Fprintf(&b, " %d", s.Value)
				default:
					fmt.Fprint(&b, s.Value)
				}
			}
			rules = append(rules, b.String())
		}
		if got := strings.Join(rules, ", "); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestRandom(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		text := make([]byte, r.IntN(60))
		letters := 1 + r.IntN(4)
		for i := range text {
			text[i] = byte('a' + r.IntN(letters))
		}
		if grammar(t, string(slices.Concat(text, text[:len(text)/2], text))); t.Failed() {
			return
		}
	}
}

func FuzzGrammar(f *testing.F) {
	f.Add("abcdbcabcdbc")
	f.Add("aaabaaab")
	f.Fuzz(func(t *testing.T, text string) { grammar(t, text) })
}

func BenchmarkAppend(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	g := New()
	for i := 0; b.Loop(); i++ {
		g.Append(r.IntN(3) * (i % 16))
	}
}
