package main_test

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/dupinst/dupinst/profile"
)

// TestSignal switches sampling by a signal: on, off, and on again, each time into a
// file of its own.
func TestSignal(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	goBuild(t, filepath.Join("..", ".."), "dupinst", "-pkgs=github.com/dupinst/dupinst/testdata/control", "build", "-o", filepath.Join(bin, "control"), "./testdata/control")
	prof := filepath.Join(bin, "prof")
	cmd, url := served(t, serving, "env", "DUPINST_DIR="+prof, "DUPINST_SIGNAL=SIGUSR1", "DUPINST_INTERVAL=50", "DUPINST_PERIOD=off", filepath.Join(bin, "control"))
	work := func() {
		t.Helper()
		for range 200 {
			if _, code, err := request("GET", url+"/work?n=20"); err != nil || code != 200 {
				t.Fatal(code, err)
			}
		}
	}
	files := func() int {
		names, err := filepath.Glob(filepath.Join(prof, "*"+profile.Extension))
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	signal := func() {
		t.Helper()
		if err := cmd.Process.Signal(syscall.SIGUSR1); err != nil {
			t.Fatal(err)
		}
		time.Sleep(300 * time.Millisecond) // it is seen within 50 ms
	}
	work()
	signal() // on
	work()
	signal() // off
	if n := files(); n != 1 {
		t.Fatalf("%d profiles after one was ended", n)
	}
	first, err := profile.ReadProfiles(prof)
	if err != nil || first[0].Interval != 50 || first[0].Samples == 0 || first[0].Total == 0 {
		t.Fatalf("%+v, %v", first, err)
	}
	work()
	signal() // on
	work()
	signal() // off
	if n := files(); n != 2 {
		t.Fatalf("%d profiles after two were ended", n)
	}
	// 28,656 calls of fib in a request are checks, in either part as many.
	both, err := profile.ReadProfiles(prof)
	if err != nil || len(both) != len(first) {
		t.Fatal(both, err)
	}
	if a, b := first[0].Checks, both[0].Checks; b < a*19/10 || b > a*21/10 {
		t.Errorf("%d checks in the first, %d in both: as many requests were served in each", a, b)
	}
}
