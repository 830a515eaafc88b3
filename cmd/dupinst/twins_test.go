package main_test

import (
	"debug/elf"
	"encoding/binary"
	"strings"
	"testing"
)

// twinTable is the table that leads from instructions to those of copies, and what its lowest
// three bits may say (compiler/pass/obj).
const (
	twinTable = 7
	twinPad   = 6
	behind    = 7
)

// A span is where one value of a table holds.
type span struct {
	from, to uint64
	value    int32
}

// twinTables are those of a program's functions, by their address.
func twinTables(t *testing.T, program string) map[uint64][]span {
	t.Helper()
	file, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	symbols, err := file.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	var text uint64
	for _, s := range symbols {
		if s.Name == "runtime.text" {
			text = s.Value
		}
	}
	section := file.Section(".gopclntab")
	if text == 0 || section == nil {
		t.Fatalf("%s: no function table", program)
	}
	data, err := section.Data()
	if err != nil {
		t.Fatal(err)
	}
	word := func(at uint64) uint64 { return binary.LittleEndian.Uint64(data[at:]) }
	half := func(at uint64) uint64 { return uint64(binary.LittleEndian.Uint32(data[at:])) }
	n, pctab, functab := word(8), word(8+6*8), word(8+7*8)
	out := map[uint64][]span{}
	for i := range n {
		entry, at := text+half(functab+8*i), functab+half(functab+8*i+4)
		if half(at+28) <= twinTable {
			continue
		}
		if offset := half(at + 44 + 4*twinTable); offset != 0 {
			out[entry] = spans(data[pctab+offset:], entry)
		}
	}
	return out
}

// spans decodes a table, as the runtime does (pcvalue).
func spans(table []byte, pc uint64) (out []span) {
	for value := int32(-1); ; {
		d, n := binary.Varint(table)
		if n <= 0 || d == 0 && len(out) > 0 {
			return out
		}
		value += int32(d)
		length, m := binary.Uvarint(table[n:])
		out = append(out, span{pc, pc + length, value})
		table, pc = table[n+m:], pc+length
	}
}

// twin is the address of an instruction's twin, or 0.
func twin(table []span, pc uint64) uint64 {
	for _, s := range table {
		switch d, longer := uint64(s.value>>3), uint64(s.value&7); {
		case pc < s.from || pc >= s.to:
		case s.value <= 0 || longer == behind:
			return 0
		case longer == twinPad:
			return s.from + d
		default:
			return pc + d - longer
		}
	}
	return 0
}

// TestTwins looks at each instruction of programs for windows: where it has a twin, that is the
// same, and what pads it leads there, too, but not to a call of what a probe before it finds. How a block ends depends on what stands behind it.
func TestTwins(t *testing.T) {
	t.Parallel()
	onlyWindows(t)
	_, names := programs(t)
	twins, pads := 0, 0
	for _, name := range names {
		program := built(t, window, false, name)
		tables := twinTables(t, program)
		for fn, f := range disassembly(t, program) {
			table := tables[f[0].addr]
			at := map[uint64]instruction{}
			for _, in := range f {
				at[in.addr] = in
			}
			// What is of the copies, or of the slow path of the stack check, has none.
			next := uint64(0) // the twin of the next instruction that is no padding
			for i := len(f) - 1; i > 0; i-- {
				in := f[i]
				to := twin(table, in.addr)
				if padding.MatchString(in.text) {
					if to != next {
						t.Errorf("%s: %s: %#x %s leads to %#x, not %#x", name, fn, in.addr, in.text, to, next)
					}
					pads++
					continue
				}
				next = to
				if to == 0 {
					continue
				}
				twins++
				is, ok := at[to]
				if !ok || placeless(is.text) != placeless(in.text) && !calls(is.text, in.text) && !strings.HasPrefix(in.text, "J") {
					t.Errorf("%s: %s: the twin of %#x %s is %#x %s", name, fn, in.addr, in.text, to, is.text)
				}
			}
		}
	}
	if twins < 10_000 || pads < 100 {
		t.Errorf("%d instructions have twins, %d pad some", twins, pads)
	}
}

// calls reports whether two instructions call, though not by the same operand: a copy calls
// what a word leads to.
func calls(a, b string) bool { return strings.HasPrefix(a, "CALL ") && strings.HasPrefix(b, "CALL ") }
