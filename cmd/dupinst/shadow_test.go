package main_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dupinst/dupinst/profile"
)

// shadowed builds the program of shadows.
func shadowed(t *testing.T, flags ...string) (binary string) {
	binary = filepath.Join(t.TempDir(), "shadows")
	goBuild(t, filepath.Join("..", ".."), "dupinst", append(flags, "-pkgs=github.com/dupinst/dupinst/testdata/shadows", "build", "-o", binary, "./testdata/shadows")...)
	return binary
}

// shadows are what there was of them in a directory's profiles, and the share of a function in the calls.
func shadows(t *testing.T, dir, callee string) (p *profile.Profile, share float64) {
	profiles, err := profile.ReadProfiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, p = range profiles {
		if p.Instrumentation != "calledge" {
			continue
		}
		for i := range p.Entries {
			if p.Entries[i].Part("callee") == callee {
				share += float64(p.Entries[i].Count) / float64(p.Total)
			}
		}
		return p, share
	}
	t.Fatalf("no calls are in %s", dir)
	return nil, 0
}

// TestShadows has shadows count what a program does, which it must not notice in its files, its memory, its children, its connections and its
// signals.
func TestShadows(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("shadows are for linux/amd64")
	}
	binary := shadowed(t)
	dir := filepath.Join(t.TempDir(), "prof")
	out, err := exec.Command("env", "DUPINST_DIR="+dir, "DUPINST_SHADOWS=50/s", binary, "3").CombinedOutput()
	if err != nil || string(out) != "wrong: 0\n" {
		t.Fatalf("%v\n%s", err, out)
	}
	p, share := shadows(t, dir, "main.fib")
	s := p.Shadows
	if s.Begun < 5 || s.Lost > s.Begun/10 || s.Spent == 0 || s.Stood == 0 || s.Longest > s.Stood {
		t.Errorf("%+v", s)
	}
	if share < 0.9 || p.Checks <= p.Samples || p.Scale() != float64(p.Checks)/float64(p.Samples) {
		t.Errorf("%.2f of the calls are of main.fib; %d checks, %d of them in shadows, scale %g", share, p.Checks, p.Samples, p.Scale())
	}
	if began := p.Began(); !strings.Contains(began, " shadows, which had ") {
		t.Errorf("it is said %q", began)
	}
}

// TestShadowsEnded kills shadows and stops them: the program does not notice, and they tell nothing.
func TestShadowsEnded(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("shadows are for linux/amd64")
	}
	binary := shadowed(t)
	dir := filepath.Join(t.TempDir(), "prof")
	cmd := exec.Command(binary, "8")
	cmd.Env = append(os.Environ(), "DUPINST_DIR="+dir, "DUPINST_SHADOWS=20/s", "DUPINST_SHADOW=500ms")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	sent := map[int]bool{}
	for {
		select {
		case err := <-ended:
			if err != nil || out.String() != "wrong: 0\n" {
				t.Fatalf("%v\n%s", err, &out)
			}
			if p, _ := shadows(t, dir, "main.fib"); len(sent) < 2 || p.Shadows.Lost == 0 {
				t.Errorf("%d shadows were sent a signal; %+v", len(sent), p.Shadows)
			}
			return
		case <-time.After(time.Millisecond):
			for _, pid := range forks(cmd.Process.Pid) {
				if !sent[pid] {
					signal := []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP}[len(sent)%2]
					if syscall.Kill(pid, signal) == nil {
						sent[pid] = true
					}
				}
			}
		}
	}
}

// forks are the children of a process that are shadows and have not ended: a child that is about to execute another file
// has no filter of system calls.
func forks(of int) (pids []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", of)) // of a pattern that is right there is no error
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			continue // the thread has ended
		}
		for _, field := range strings.Fields(string(text)) {
			pid, err := strconv.Atoi(field)
			status, err2 := os.ReadFile(filepath.Join("/proc", field, "status"))
			if err == nil && err2 == nil && strings.Contains(string(status), "\nSeccomp:\t2\n") && !strings.Contains(string(status), "\nState:\tZ") {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// TestShadowsAlone has a program with shadows ask for samples, and for phases.
func TestShadowsAlone(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("shadows are for linux/amd64")
	}
	bin := controlled(t)
	_, url := served(t, serving, "env", "DUPINST_DIR="+t.TempDir(), "DUPINST_SHADOWS=50/s", filepath.Join(bin, "control"))
	for _, change := range []string{"interval=100", "phases=on"} {
		if text, code, err := request("POST", url+"/debug/dupinst/set?"+change); err != nil || code == http.StatusOK || !strings.Contains(text, "shadows count") {
			t.Errorf("%s: %v, %d, %s", change, err, code, text)
		}
	}
	stop := underLoad(t, url+"/work?n=20", "10945 20\n")
	time.Sleep(3 * time.Second)
	if n := stop(); n < 100 {
		t.Errorf("%d requests were served", n)
	}
	if p := decoded(t, url+"/debug/dupinst/profile?format=dupinst"); p.Shadows.Begun < 10 || p.Shadows.Lost > p.Shadows.Begun/10 || p.Samples == 0 {
		t.Errorf("%+v, %d samples", p.Shadows, p.Samples)
	}
}

// TestShadowsRefused asks programs for shadows that have none.
func TestShadowsRefused(t *testing.T) {
	t.Parallel()
	binary := shadowed(t, "-trigger=window")
	for _, setting := range []string{"DUPINST_SHADOWS=10/s", "DUPINST_SHADOWS=0/s", "DUPINST_SHADOWS=often"} {
		out, err := exec.Command("env", "DUPINST_DIR="+t.TempDir(), setting, binary, "0").CombinedOutput()
		if err != nil || !strings.Contains(string(out), "cannot read "+setting+"; nothing is profiled") {
			t.Errorf("%s: %v\n%s", setting, err, out)
		}
	}
}
