// Compress (the paper's _201_compress) packs and unpacks text, Go source and a
// PNG's pixels with compress/flate and with klauspost/compress's zstd and s2.
package main

import (
	"bytes"
	"compress/flate"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"

	"github.com/dupinst/dupinst/bench/source"
)

func main() {
	text := source.Read(zstd.NewReader, "../testdata/Mark.Twain-Tom.Sawyer.txt")
	for _, name := range []string{"encoder.go", "decoder.go", "blockenc.go", "enc_fast.go", "enc_better.go"} {
		text = append(text, source.Read(zstd.NewReader, name)...)
	}
	text = append(text, source.Read(zstd.NewReader, "../testdata/pngdata.bin")...)
	sum := crc32.NewIEEE()
	for range 18 {
		for _, level := range []int{1, 6, 9} {
			deflate(text, level, sum)
		}
		for _, level := range []zstd.EncoderLevel{zstd.SpeedFastest, zstd.SpeedDefault, zstd.SpeedBetterCompression} {
			standard(text, level, sum)
		}
		packed := s2.EncodeBetter(nil, text)
		plain, err := s2.Decode(nil, packed)
		source.Check(err)
		sum.Write(packed)
		sum.Write(plain)
	}
	fmt.Printf("compress %08x\n", sum.Sum32())
}

func deflate(text []byte, level int, sum io.Writer) {
	var packed bytes.Buffer
	w, err := flate.NewWriter(io.MultiWriter(&packed, sum), level)
	source.Check(err)
	_, err = w.Write(text)
	source.Check(err)
	source.Check(w.Close())
	_, err = io.Copy(sum, flate.NewReader(&packed))
	source.Check(err)
}

func standard(text []byte, level zstd.EncoderLevel, sum io.Writer) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1))
	source.Check(err)
	packed := w.EncodeAll(text, nil)
	source.Check(w.Close())
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	source.Check(err)
	plain, err := r.DecodeAll(packed, nil)
	source.Check(err)
	r.Close()
	sum.Write(packed)
	sum.Write(plain)
}
