package main

import "fmt"

type word string

// A scanner ranges over strings: ASCII, others, and what is no UTF-8.
type scanner struct {
	runes, bytes, sum int
	kept              []func() int
}

var texts = []string{
	"", "x", "a line of ASCII", "é", "\U0001F600",
	"naïve, до свидания, 世界 and \U0001F600", "\x80\xff broken \xe4\xb8 \ufffd \xed\xa0\x80",
}

func (s *scanner) count(text string) {
	for range text {
		s.runes++
	}
	for i := range text {
		s.bytes = s.bytes*3 + i
	}
	for i, r := range text {
		s.sum = s.sum*7 + i ^ int(r)
	}
}

// leave leaves loops early, goes on early, and changes their variables.
func (s *scanner) leave(text string) (at int) {
	for i, r := range text {
		if r == 'a' {
			s.runes--
			continue
		}
		if r == ',' {
			at = i
			break
		}
		r++
		s.sum += int(r)
	}
	for i, r := range text {
		i += 2
		s.sum ^= i * int(r)
	}
outer:
	for i := range 3 {
		for j, r := range text {
			s.bytes++
			switch {
			case r == 'o' && i == 0:
				continue outer
			case r == 0xFFFD:
				break outer
			case r > 0x4000:
				return s.sum + j
			}
		}
	}
	return at
}

// others are of a type of the program's own, a constant, and no strips.
func (s *scanner) others(text string) {
	for i, r := range word(text) {
		s.sum += i * int(r)
	}
	for i, r := range text {
		s.kept = append(s.kept, func() int { return i + int(r) + s.runes })
	}
	var i int
	var r rune
	for i, r = range text {
		s.sum -= i
	}
	s.sum += int(r)
	for _, r := range "const, \xe9" {
		s.sum += s.bytes * int(r)
	}
}

// shadowed gives the predeclared names another meaning.
func (s *scanner) shadowed(text string) {
	type rune string
	const true, int32, byte, string = false, 3, 4, 5
	for i, r := range text {
		s.bytes += i * int(r)
		s.runes += int32 + byte + string
	}
	len := func(scanner) int { return 9 }
	for range text {
		s.sum += len(*s)
	}
	s.sum += int(rune("é")[0])
}

// changed sets the bytes whose conversion it ranges over, which is of what they were.
func (s *scanner) changed(text []byte) {
	for i, r := range string(text) {
		text[i] = 'z'
		s.sum += int(r) + len(text)
	}
	s.sum += int(text[0])
}

func scan() {
	s := new(scanner)
	for _, text := range texts {
		s.count(text)
		fmt.Println(s.leave(text), s.runes, s.bytes, s.sum)
		s.others(text)
		s.shadowed(text)
		s.changed([]byte(text + "é"))
	}
	for _, f := range s.kept {
		s.sum += f()
	}
	fmt.Println(s.runes, s.bytes, s.sum)
}
