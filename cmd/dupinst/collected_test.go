package main_test

import (
	"debug/elf"
	"testing"
)

// The collector paces itself by how much of a program's variables it may have to scan (runtime,
// mgcpacer.go): what is linked into a program adds next to nothing to that.
func TestCollected(t *testing.T) {
	t.Parallel()
	onlyWindows(t)
	const most = 2 << 10 // bytes
	const name = "clears"
	of := func(variant string) uint64 {
		file, err := elf.Open(built(t, variant, false, name))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		return file.Section(".data").Size + file.Section(".bss").Size
	}
	without := of(plain)
	for _, variant := range []string{compiled("auto"), window} {
		if with := of(variant); with > without+most {
			t.Errorf("%s: %d bytes of variables have pointers, of the plain build %d", variant, with, without)
		}
	}
}
