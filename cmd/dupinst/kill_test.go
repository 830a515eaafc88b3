package main_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// victim works for about a third of a second, in goroutines, the same each time.
const victim = `package main

import "sync"

type cell struct{ n int }

//go:noinline
func (c *cell) add(n int) { c.n += n % 7 }

func main() {
	var all sync.WaitGroup
	for i := range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			c := &cell{i}
			for n := range 12_000_000 {
				c.add(n)
			}
		}()
	}
	all.Wait()
}
`

// TestKills kills a process at random moments: what it leaves behind can be read,
// and counts nothing that never was.
func TestKills(t *testing.T) {
	t.Parallel()
	kills := 1000
	if testing.Short() {
		kills = 50
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": victim, "go.mod": "module programs\n\ngo 1.24\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	goBuild(t, dir, "dupinst", "build", "-o", "auto", ".")
	goBuild(t, dir, "dupinst", "-variant=exhaustive", "build", "-o", "exhaustive", ".")
	execute(t, filepath.Join(dir, "exhaustive"), filepath.Join(dir, "truth"), "1")
	truth := counts(t, filepath.Join(dir, "truth"))
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	left := 0
	for i := range kills {
		prof := filepath.Join(dir, "prof")
		if err := os.RemoveAll(prof); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(filepath.Join(dir, "auto"))
		cmd.Env = append(os.Environ(), "DUPINST_DIR="+prof, "DUPINST_INTERVAL=2", "DUPINST_PERIOD=2ms")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		sig := []os.Signal{syscall.SIGKILL, syscall.SIGTERM}[i%2]
		time.Sleep(time.Duration(random.IntN(60_000)) * time.Microsecond)
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "signal: "+sig.(syscall.Signal).String()) {
			t.Fatalf("%v: ended with %v", sig, err)
		}
		files, err := filepath.Glob(filepath.Join(prof, "*.dupinst"))
		if err != nil {
			t.Fatal(err)
		}
		if len(files) == 0 {
			continue // it had not come to its first period yet
		}
		left++
		for k, n := range counts(t, prof) {
			if n > truth[k] {
				t.Errorf("%v: %s: counted %d times of %d", sig, k, n, truth[k])
			}
		}
	}
	if left < kills/4 {
		t.Errorf("only %d of %d left a profile", left, kills)
	}
}
