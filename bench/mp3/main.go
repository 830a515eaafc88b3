// Mp3 (for the paper's _222_mpegaudio) decodes the samples of hajimehoshi/go-mp3.
package main

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/hajimehoshi/go-mp3"

	"github.com/dupinst/dupinst/bench/source"
)

func main() {
	sum := crc32.NewIEEE()
	for _, name := range []string{"mpeg2.mp3", "classic.mp3"} {
		data := source.Read(mp3.NewDecoder, "example/"+name)
		d, err := mp3.NewDecoder(bytes.NewReader(data))
		source.Check(err)
		n, err := io.Copy(sum, io.LimitReader(d, 25<<20))
		source.Check(err)
		fmt.Fprintln(sum, n)
	}
	fmt.Printf("mp3 %08x\n", sum.Sum32())
}
