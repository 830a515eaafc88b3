package main_test

import (
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// An instruction is one as go tool objdump prints it.
type instruction struct {
	line, text string
	addr       uint64
}

// code is the machine code of a program's main package by function, without what pads it.
func code(t *testing.T, program string) map[string][]instruction {
	t.Helper()
	functions := disassembly(t, program)
	for name, f := range functions {
		functions[name] = slices.DeleteFunc(f, func(in instruction) bool { return padding.MatchString(in.text) })
	}
	return functions
}

func disassembly(t *testing.T, program string) map[string][]instruction {
	t.Helper()
	out, err := exec.Command("go", "tool", "objdump", "-s", `^main\.`, program).Output()
	if err != nil {
		t.Fatal(err)
	}
	functions := map[string][]instruction{}
	name := ""
	for line := range strings.Lines(string(out)) {
		if rest, ok := strings.CutPrefix(line, "TEXT "); ok {
			name, _, _ = strings.Cut(rest, "(SB)")
			continue
		}
		f := strings.FieldsFunc(line, func(r rune) bool { return r == '\t' || r == '\n' })
		if len(f) < 4 {
			continue
		}
		addr, err := strconv.ParseUint(strings.TrimPrefix(strings.TrimSpace(f[1]), "0x"), 16, 64)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		functions[name] = append(functions[name], instruction{strings.TrimSpace(f[0]), strings.TrimSpace(f[3]), addr})
	}
	return functions
}

var (
	padding = regexp.MustCompile(`^(NOP|INT \$0x3|XCHGL AX, AX|DATA16)`)
	// address is what depends on where code and data lie.
	address  = regexp.MustCompile(`(^(J\w+|LOOP) )0x[0-9a-f]+$|[-\w./*()[\]·]+[+-]\d+\(SB\)|0x[0-9a-f]+\(IP\)|\$\S+\(SB\)|\$0x[0-9a-f]{6,}`)
	variable = regexp.MustCompile(`[-\w./*()[\]·]+\(SB\)`)
	branch   = regexp.MustCompile(`^J\w+ `)
	back     = regexp.MustCompile(`^J\w+ 0x([0-9a-f]+)$`)
	overflow = regexp.MustCompile(`^JBE 0x([0-9a-f]+)$`)
)

// placeless is an instruction but for where code and data lie. Whether a variable is printed by
// its name depends on that, too; what is called or jumped to always is.
func placeless(text string) string {
	text = address.ReplaceAllString(text, "$1")
	if strings.HasPrefix(text, "CALL ") || strings.HasPrefix(text, "JMP ") {
		return text
	}
	return variable.ReplaceAllString(text, "")
}

// body is a function's code but for what it does where the stack has to grow, and where a
// deferred function has recovered.
func body(function []instruction) []instruction {
	for i, in := range function[:min(6, len(function))] {
		if m := overflow.FindStringSubmatch(in.text); m != nil && strings.HasSuffix(function[max(i-1, 0)].text, ", 0x10(R14)") {
			grow, _ := strconv.ParseUint(m[1], 16, 64)
			end := slices.IndexFunc(function, func(in instruction) bool { return in.addr >= grow })
			function = function[:end]
			break
		}
	}
	for i := len(function) - 1; i >= 0 && !branch.MatchString(function[i].text); i-- {
		if function[i].text == "CALL runtime.deferreturn(SB)" {
			return function[:i]
		}
	}
	return function
}

// unlike are functions whose code is not the plain build's, with the reason.
var unlike = map[string]string{
	"transparent main.loops":     "a mark keeps a condition that is known to be false until after values were numbered",
	"conditions main.main":       "marks keep conditions, and what those are made of",
	"conditions main.(*t).until": "likewise",
	"conditions main.(*t).none":  "likewise",
	"clears main.main":           "the frame has room for what stands for how often a loop goes round",
	"types main.local":           "a spill has the line of what is before it",
}

// Where nothing leads to copies, or windows do, what stands before them is the plain build's
// code, instruction for instruction, line for line.
func TestCheckingCode(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH != "amd64" {
		t.Skip("the disassembly is amd64's")
	}
	variants := []string{compiled("copies")}
	if runtime.GOOS == "linux" {
		variants = append(variants, window)
	}
	_, names := programs(t)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			functions := code(t, built(t, plain, false, name))
			if functions["main.main"] == nil {
				t.Fatal("there is no main.main")
			}
			for _, variant := range variants {
				copies := code(t, built(t, variant, false, name))
				for fn, want := range functions {
					why := ""
					if i, got := differing(body(want), copies[fn]); i >= 0 {
						why = unlike[name+" "+fn]
						if why == "" {
							t.Errorf("%s: %s: instruction %d is %s %s, but plain %s %s", variant, fn, i, at(got, i).line, at(got, i).text, body(want)[i].line, body(want)[i].text)
						}
					}
					if why == "" && unlike[name+" "+fn] != "" {
						t.Errorf("%s: %s is listed as unlike the plain build's, but is not", variant, fn)
					}
				}
			}
		})
	}
}

// differing is the first instruction in which code differs from what is wanted, or -1.
func differing(want, got []instruction) (int, []instruction) {
	for i := range want {
		if i >= len(got) || want[i].line != got[i].line || placeless(want[i].text) != placeless(got[i].text) {
			return i, got
		}
	}
	return -1, nil
}

// at is the i-th instruction, or none.
func at(code []instruction, i int) instruction {
	if i < len(code) {
		return code[i]
	}
	return instruction{}
}

// The compiler's own checks hold, before the pass and behind it.
func TestCompilersChecks(t *testing.T) {
	t.Parallel()
	dir, _ := programs(t)
	for _, variant := range []string{"full", "no"} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			goBuild(t, dir, "dupinst", "-backend=compiler", "-variant="+variant, "build", "-gcflags=programs/...=-d=ssa/check/on", "-o", t.TempDir(), "./...")
		})
	}
}

// In code with checks no loop that fits into 32 bytes has an instruction in it that pads a jump.
func TestLoopsUnpadded(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH != "amd64" {
		t.Skip("the disassembly is amd64's")
	}
	_, names := programs(t)
	variants := []string{"full", "auto"}
	var found, ran atomic.Int64
	t.Run("programs", func(t *testing.T) {
		for _, name := range names {
			for _, variant := range variants {
				t.Run(name+"/"+variant, func(t *testing.T) {
					t.Parallel()
					ran.Add(1)
					found.Add(unpadded(t, built(t, compiled(variant), false, name)))
				})
			}
		}
	})
	if all := len(names) * len(variants); ran.Load() == int64(all) && found.Load() < 10 {
		t.Errorf("there are %d such loops; what is tested?", found.Load())
	}
}

// unpadded says which loops of a program are padded, and counts those that fit into 32 bytes.
func unpadded(t *testing.T, program string) (found int64) {
	for fn, code := range disassembly(t, program) {
		copies := 0 // where their code begins, or before: behind this sample a probe comes, and no other sample
		for i, in := range code {
			if in.text == "CALL runtime.dupinstFire(SB)" {
				copies = i
			}
			if strings.Contains(in.text, "dupinst.counters") {
				break
			}
		}
		last := map[uint64]int{} // of the jumps back to an address, by that
		for i, in := range code[:copies] {
			if m := back.FindStringSubmatch(in.text); m != nil {
				if head, _ := strconv.ParseUint(m[1], 16, 64); head <= in.addr {
					last[head] = i
				}
			}
		}
		for head, end := range last {
			if code[end+1].addr-head >= 32 {
				continue
			}
			found++
			for i, in := range code[:end] {
				if in.addr >= head && padding.MatchString(in.text) && code[i+1].addr%32 == 0 {
					t.Errorf("%s: %s at %#x pads a jump in the loop at %#x", fn, in.text, in.addr, head)
				}
			}
		}
	}
	return found
}
