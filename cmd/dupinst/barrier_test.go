package main_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// threads are the files of runtime/core whose functions run in threads of its own, too, which have no room for what a write barrier notes: to
// count, to write profiles, to open and close windows. What is set, or read at the beginning, and the goroutines that stop the world
// are not among them.
var threads = regexp.MustCompile(`(?m)^.*dupinst_(table|write|window)\w*\.go.*write barrier.*$`)

// TestWriteBarriers asks the compiler where the runtime's part has write barriers, which it has, and finds none where a thread may be.
func TestWriteBarriers(t *testing.T) {
	t.Parallel()
	onlyWindows(t)
	dir, _ := programs(t)
	for _, trigger := range []string{"window", "counter"} {
		cmd := exec.Command("dupinst", "-backend=compiler", "-trigger="+trigger, "build", "-gcflags=runtime=-d=wb=1", "-o", filepath.Join(t.TempDir(), "prog"), "./goroutines")
		cmd.Dir, cmd.Env = dir, building()
		out, err := cmd.CombinedOutput()
		if err != nil || !regexp.MustCompile(`dupinst_control\w*\.go.*write barrier`).Match(out) {
			t.Fatalf("%v\n%s", err, out)
		}
		for _, line := range threads.FindAll(out, -1) {
			t.Errorf("-trigger=%s: %s", trigger, line)
		}
	}
}
