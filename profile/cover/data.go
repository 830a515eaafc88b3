package cover

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dupinst/dupinst/profile"
)

// What programs built with -cover write is two files: covmeta.HASH says which functions and
// blocks there are, and covcounters.HASH.PROCESS.TIME how often each was executed (Go's
// internal/coverage/defs.go has the format). Numbers are little-endian, those in tables ULEB128.

const (
	setMode       = 1
	countMode     = 2
	blockCounters = 1 // a counter for each block, not for each function
	ulebCounters  = 2
	formatVersion = 1
)

var (
	metaMagic     = [4]byte{0, 'c', 'v', 'm'}
	countersMagic = [4]byte{0, 'c', 'w', 'm'}
)

type metaHeader struct {
	Magic                      [4]byte
	Version                    uint32
	Length, Packages           uint64
	Hash                       [16]byte
	StringsOffset, StringsSize uint32
	Mode, Granularity          uint8
	_                          [6]byte
}

type packageHeader struct {
	Length, Name, Path, Module uint32 // the last three are numbers of strings
	Hash                       [16]byte
	_                          [4]byte
	Strings, Functions         uint32
}

type countersHeader struct {
	Magic     [4]byte
	Version   uint32
	MetaHash  [16]byte
	Flavor    uint8
	BigEndian bool
	_         [6]byte
}

type segmentHeader struct {
	Functions               uint64
	StringsSize, Properties uint32 // both in bytes
}

type countersFooter struct {
	Magic    [4]byte
	_        [4]byte
	Segments uint32
	_        [4]byte
}

// WriteData writes p, of the block instrumentation, into dir, which is made if there is none. A profile
// that is written twice is in it once. Where a package's path is known its files are named by that, as
// with -cover. Counts that 32 bits do not hold are the largest that they do.
func WriteData(dir string, p *profile.Profile) error {
	packages, err := packagesOf(p)
	if err != nil {
		return err
	}
	mode := uint8(countMode)
	if p.Once() {
		mode = setMode
	}
	meta, hash := encodeMeta(packages, mode)
	counters := encodeCounters(packages, hash)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("cannot write coverage data: %w", err)
	}
	run := fnv.New64a()
	run.Write(counters)
	for _, f := range []struct {
		name string
		data []byte
	}{
		{fmt.Sprintf("covmeta.%x", hash), meta},
		{fmt.Sprintf("covcounters.%x.0.%d", hash, run.Sum64()>>1), counters}, // signed where it is read
	} {
		err := profile.WriteFile(filepath.Join(dir, f.name), func(w io.Writer) error {
			_, err := w.Write(f.data)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// A function is one with its blocks.
type function struct {
	name, file string
	blocks     []block
}

// A pkg is a package with its functions, in the source's order.
type pkg struct {
	path      string
	main      bool
	functions []*function
}

func packagesOf(p *profile.Profile) ([]*pkg, error) {
	blocks, err := blocks(p)
	if err != nil {
		return nil, err
	}
	main := "main"
	for i := range p.Origins {
		if path := p.Origins[i].Main(); path != "" {
			main = path
			break
		}
	}
	packages := map[string]*pkg{}
	functions := map[[2]string]*function{}
	for _, b := range blocks {
		in, name := profile.CutPackage(b.function)
		file, program := b.file, in == "main"
		if program {
			in = main
		}
		if in != "main" {
			file = in + "/" + path.Base(filepath.ToSlash(file))
		}
		f := functions[[2]string{b.function, file}]
		if f == nil {
			f = &function{name: name, file: file}
			functions[[2]string{b.function, file}] = f
			if packages[in] == nil {
				packages[in] = &pkg{path: in, main: program}
			}
			packages[in].functions = append(packages[in].functions, f)
		}
		f.blocks = append(f.blocks, b)
	}
	return slices.SortedFunc(maps.Values(packages), func(a, b *pkg) int { return strings.Compare(a.path, b.path) }), nil
}

// encodeMeta returns what the covmeta file holds, and its hash.
func encodeMeta(packages []*pkg, mode uint8) (file []byte, hash [16]byte) {
	strings := newStrings()
	at := binary.Size(metaHeader{}) + 16*len(packages) + len(strings.encoded())
	var offsets, lengths, bodies []byte
	for _, p := range packages {
		body := p.encode()
		offsets = binary.LittleEndian.AppendUint64(offsets, uint64(at+len(bodies)))
		lengths = binary.LittleEndian.AppendUint64(lengths, uint64(len(body)))
		bodies = append(bodies, body...)
	}
	hash = hashOf(append(bodies, mode))
	file = encode(metaHeader{
		Magic: metaMagic, Version: formatVersion, Length: uint64(at + len(bodies)), Packages: uint64(len(packages)), Hash: hash,
		StringsOffset: uint32(at - len(strings.encoded())), StringsSize: uint32(len(strings.encoded())), Mode: mode, Granularity: blockCounters,
	})
	return slices.Concat(file, offsets, lengths, strings.encoded(), bodies), hash
}

func (p *pkg) encode() []byte {
	strings := newStrings()
	name := ""
	if p.main {
		name = "main"
	}
	header := packageHeader{Name: strings.index(name), Path: strings.index(p.path), Functions: uint32(len(p.functions))}
	var functions []byte
	var starts []int
	for _, f := range p.functions {
		starts = append(starts, len(functions))
		functions = appendAll(functions, uint32(len(f.blocks)), strings.index(f.name), strings.index(f.file))
		for _, b := range f.blocks {
			functions = appendAll(functions, b.at[:]...)
		}
		functions = appendAll(functions, 0) // no literal: symbols name those
	}
	header.Strings = uint32(len(strings.list))
	at := binary.Size(header) + 4*len(starts) + len(strings.encoded())
	var body []byte
	for _, start := range starts {
		body = binary.LittleEndian.AppendUint32(body, uint32(at+start))
	}
	body = slices.Concat(body, strings.encoded(), functions)
	header.Length, header.Hash = uint32(at+len(functions)), hashOf(body)
	return append(encode(header), body...)
}

// encodeCounters returns what the covcounters file of the meta file with the hash holds: one segment, without
// properties.
func encodeCounters(packages []*pkg, meta [16]byte) []byte {
	var counters []byte
	functions := uint64(0)
	for i, p := range packages {
		for j, f := range p.functions {
			if !slices.ContainsFunc(f.blocks, func(b block) bool { return b.n > 0 }) {
				continue // of one that is not there nothing was executed
			}
			functions++
			counters = appendAll(counters, uint32(len(f.blocks)), uint32(i), uint32(j))
			for _, b := range f.blocks {
				counters = appendAll(counters, uint32(min(b.n, math.MaxUint32)))
			}
		}
	}
	strings := newStrings().encoded()
	properties := appendAll(nil, 0)
	for (len(strings)+len(properties))%4 != 0 {
		properties = append(properties, 0)
	}
	return slices.Concat(
		encode(countersHeader{Magic: countersMagic, Version: formatVersion, MetaHash: meta, Flavor: ulebCounters}),
		encode(segmentHeader{functions, uint32(len(strings)), uint32(len(properties))}), strings, properties, counters,
		encode(countersFooter{Magic: countersMagic, Segments: 1}),
	)
}

// encode returns a header.
func encode(header any) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, header)
	if err != nil {
		panic(err) // its type has no fixed size
	}
	return b
}

func appendAll(b []byte, numbers ...uint32) []byte {
	for _, n := range numbers {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return b
}

func hashOf(b []byte) [16]byte {
	h := fnv.New128a()
	h.Write(b)
	return [16]byte(h.Sum(nil))
}

// A stringTable numbers strings; the first is empty.
type stringTable struct {
	list    []string
	numbers map[string]uint32
}

func newStrings() *stringTable {
	t := &stringTable{numbers: map[string]uint32{}}
	t.index("")
	return t
}

func (t *stringTable) index(s string) uint32 {
	n, known := t.numbers[s]
	if !known {
		n = uint32(len(t.list))
		t.numbers[s] = n
		t.list = append(t.list, s)
	}
	return n
}

func (t *stringTable) encoded() []byte {
	b := appendAll(nil, uint32(len(t.list)))
	for _, s := range t.list {
		b = append(appendAll(b, uint32(len(s))), s...)
	}
	return b
}
