package profile

import (
	"encoding/binary"
	"hash/crc32"
	"runtime"
	"strings"
	"testing"

	"github.com/dupinst/dupinst/profile/format"
)

// TestHostile reads files that are small, have a right checksum, and would be large
// if each of their numbers were believed. No test runs beside it.
func TestHostile(t *testing.T) {
	long := strings.Repeat("x", 1<<18)
	many := func(n int, part string) *format.Process {
		meta := format.Meta{Package: "p"}
		for range n {
			meta.Sites = append(meta.Sites, format.Site{Instrumentation: 1, Parts: []string{part}})
		}
		p := process(1, 1)
		p.Packages, p.Callees = []format.Package{{Meta: meta.Encode()}}, nil
		return p
	}
	callees := process(1, 1)
	for range 1 << 16 {
		callees.Callees = append(callees.Callees, format.Callee{N: 1, Site: 2, Symbol: "f"})
	}
	meta := format.Meta{Package: "p", Sites: []format.Site{{Instrumentation: 0, Parts: []string{long, "1", "p.I.M"}}, {}, {}}}
	for i := range meta.Sites[1:] {
		meta.Sites[i+1] = meta.Sites[0]
	}
	callees.Packages = []format.Package{{Meta: meta.Encode()}}
	lengths := []byte(format.Magic)
	for range 12 {
		lengths = binary.AppendUvarint(lengths, 1<<62)
	}
	lengths = binary.LittleEndian.AppendUint32(lengths, crc32.ChecksumIEEE(lengths))
	for _, c := range []struct {
		name string
		data []byte
		err  string
	}{
		{"one long name in many keys", many(1<<16, long).Encode(), "its keys take more memory"},
		{"one long name, called from everywhere", callees.Encode(), "its keys take more memory"},
		{"many sites of one key", many(1<<16, "").Encode(), ""},
		{"lengths beyond the end", lengths, "profile is damaged"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p, err := format.Decode(c.data)
		if err == nil {
			_, err = Build([]*format.Process{p})
		}
		runtime.ReadMemStats(&after)
		if err == nil && c.err != "" || err != nil && (c.err == "" || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.err)
		}
		// A key is made in steps, each of which allocates what there is of it.
		if got, most := after.TotalAlloc-before.TotalAlloc, uint64(4*(keyRoom+keyRoomForByte*len(c.data))); got > most {
			t.Errorf("%s: %d bytes allocated for a file of %d; at most %d were to be", c.name, got, len(c.data), most)
		}
	}
}
