package main_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestKept builds a program with archives that other builds have left, and with none: it is the same, byte for byte.
func TestKept(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it compiles the standard library nine times; with -short all other tests share archives")
	}
	real, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir, _ := programs(t)
	goBuild(t, dir, "dupinst", "-backend=compiler", "build", "-o", filepath.Join(t.TempDir(), "prog"), "./dynamic") // the extended compiler
	// cache is one that has the extended compilers, and no archives.
	cache := func() string {
		t.Helper()
		cache := t.TempDir()
		if err := os.Mkdir(filepath.Join(cache, "dupinst"), 0o777); err != nil {
			t.Fatal(err)
		}
		compilers, err := filepath.Glob(filepath.Join(real, "dupinst", "go*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range compilers {
			if err := os.Symlink(c, filepath.Join(cache, "dupinst", filepath.Base(c))); err != nil {
				t.Fatal(err)
			}
		}
		return cache
	}
	build := func(cache, flags string) []byte {
		t.Helper()
		file := filepath.Join(t.TempDir(), "prog")
		cmd := exec.Command("dupinst", append(strings.Fields(flags), "build", "-o", file, "./dynamic")...)
		cmd.Dir, cmd.Env = dir, append(building(), "XDG_CACHE_HOME="+cache, "GOCACHE="+t.TempDir())
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", cmd, err, out)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	for _, flags := range [][2]string{
		{"-variant=full", "-variant=no -instrument=calledge"},
		{"-trigger=window", "-trigger=window -instrument=calledge,block"},
		{"-backend=source -variant=full", "-backend=source -variant=partial"},
	} {
		shared := cache()
		build(shared, flags[0])
		if kept, err := filepath.Glob(filepath.Join(shared, "dupinst", "archives", "*", "*.a")); err != nil || len(kept) < 30 {
			t.Errorf("%s: %d archives are kept: %v", flags[0], len(kept), err)
		}
		if !bytes.Equal(build(shared, flags[1]), build(cache(), flags[1])) {
			t.Errorf("what %s makes is another thing where %s has left archives", flags[1], flags[0])
		}
	}
}
