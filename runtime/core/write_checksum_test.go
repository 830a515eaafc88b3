package core

import (
	"hash/crc32"
	"math/rand/v2"
	"testing"
)

// A checksum is the standard library's, in whatever pieces it is made.
func TestChecksum(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, 1000)
	for i := range text {
		text[i] = byte(random.Uint32())
	}
	dupinstChecksumBegin()
	for range 1000 {
		b := text[random.IntN(len(text)):]
		crc := ^uint32(0)
		for rest := b; len(rest) > 0; {
			n := 1 + random.IntN(len(rest))
			crc = dupinstChecksum(crc, rest[:n])
			rest = rest[n:]
		}
		if want := crc32.ChecksumIEEE(b); ^crc != want {
			t.Fatalf("of %d bytes: %#x, want %#x", len(b), ^crc, want)
		}
	}
}

// What is longer than the buffer is written as it is, with the checksum of all of it.
func TestWriteLong(t *testing.T) {
	t.Parallel()
	var got []byte
	w := dupinstSinks(func(b []byte) { got = append(got, b...) })
	text := make([]byte, 3*len(w.buf)+5)
	for i := range text {
		text[i] = byte(i * i >> 7)
	}
	w.dupinstBegin("head")
	w.dupinstByte(1)
	w.dupinstString(string(text))
	w.dupinstFinish()
	body, sum := got[:len(got)-4], got[len(got)-4:]
	if string(body[len(body)-len(text):]) != string(text) || string(body[:5]) != "head\x01" {
		t.Error("not what was written")
	}
	if want := crc32.ChecksumIEEE(body); string(sum) != string([]byte{byte(want), byte(want >> 8), byte(want >> 16), byte(want >> 24)}) {
		t.Errorf("its checksum is %x, want %x", sum, want)
	}
}

func BenchmarkWrite(b *testing.B) {
	w := dupinstSinks(func([]byte) {})
	text := string(make([]byte, 1<<20))
	b.SetBytes(1 << 20)
	for b.Loop() {
		w.dupinstBegin("")
		w.dupinstString(text)
		w.dupinstFinish()
	}
}
