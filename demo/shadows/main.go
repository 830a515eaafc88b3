// Shadows measures what shadow processes cost the program that they are of. A program that computes on a heap of some sizes
// (bench/resident) runs plain and with shadows in turn: how long it stands still for each of them, and medians of the rounds'
// ratios of what it computes in as much time, of the processor time for that, the shadows' own included, and of its page faults, with 95 %
// confidence intervals. Then a service, bench/kv, is asked by fortio on eight connections as fast as it answers, plain and
// with shadows; a request that is not answered as it has to be is an error.
//
// usage: go run ./demo/shadows [-quick] [-n ROUNDS] [-requests N] [-rate SHADOWS/S]
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/dupinst/dupinst/measure"
	"github.com/dupinst/dupinst/profile"
	"github.com/dupinst/dupinst/profile/format"
)

func main() {
	quick := flag.Bool("quick", false, "three rounds, and 20,000 requests")
	n := flag.Int("n", 9, "`rounds`")
	requests := flag.Int("requests", 1_000_000, "`requests` that each service answers")
	rate := flag.String("rate", "10/s", "`shadows` a second")
	flag.Parse()
	if *quick {
		*n, *requests = 3, 20_000
	}
	dir, err := os.MkdirTemp("", "shadows")
	if err == nil {
		err = errors.Join(run(dir, *n, *requests, *rate), os.RemoveAll(dir))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "shadows:", err)
		os.Exit(1)
	}
}

func run(dir string, n, requests int, rate string) error {
	dupinst := filepath.Join(dir, "dupinst")
	if err := command("", "go", "build", "-o", dupinst, "./cmd/dupinst"); err != nil {
		return err
	}
	for _, program := range []string{"resident", "kv"} {
		if err := errors.Join(
			command("bench", "go", "build", "-o", filepath.Join(dir, program+".plain"), "./"+program),
			command("bench", dupinst, "build", "-o", filepath.Join(dir, program), "./"+program),
		); err != nil {
			return err
		}
	}
	fmt.Println("| heap | shadows | stood still on average | longest | computed | processor time | page faults |\n|---|---|---|---|---|---|---|")
	for _, size := range []int{10, 200, 1000} {
		if err := resident(dir, size, n, rate); err != nil {
			return fmt.Errorf("resident, %d MB: %w", size, err)
		}
	}
	if err := command("", "env", "GOBIN="+dir, "go", "install", "fortio.org/fortio@v1.66.5"); err != nil {
		return err
	}
	fmt.Println("\n| service | requests | errors | a second | p50 | p99 | p99.9 | shadows | ended early | told nothing |\n|---|---|---|---|---|---|---|---|---|---|")
	for _, file := range []string{"kv.plain", "kv"} {
		if err := serve(dir, file, requests, rate); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

func command(dir, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", cmd, err, out)
	}
	return nil
}

// shadowed sets the environment of a program that is to have shadows, and a profile in prof.
func shadowed(cmd *exec.Cmd, prof, rate string) {
	cmd.Env = append(os.Environ(), "DUPINST_DIR="+prof, "DUPINST_SHADOWS="+rate)
}

// had is what a directory's profile says of shadows.
func had(prof string) (s format.Shadows, err error) {
	profiles, err := profile.ReadProfiles(prof)
	if err != nil {
		return s, err
	}
	if len(profiles) == 0 {
		return s, fmt.Errorf("no profile is in %s", prof)
	}
	return profiles[0].Shadows, nil
}

// resident runs the program on a heap of so many megabytes.
func resident(dir string, size, n int, rate string) error {
	var computed, processor, faults []float64
	prof := filepath.Join(dir, fmt.Sprint("prof", size))
	// One run's operations, its processor time for each and its faults.
	one := func(file string) (v [3]float64, err error) {
		cmd := exec.Command(filepath.Join(dir, file), "-heap", strconv.Itoa(size), "-for", "10s")
		if file == "resident" {
			shadowed(cmd, prof, rate)
		}
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return v, fmt.Errorf("%v: %w", cmd, err)
		}
		if _, err := fmt.Sscan(string(out), &v[0], &v[2]); err != nil {
			return v, fmt.Errorf("%v printed %q: %w", cmd, out, err)
		}
		v[1] = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds() / v[0]
		return v, nil
	}
	for round := range n {
		var v [2][3]float64
		for i := range v {
			var err error
			which := (i + round) % 2 // each first in every other round
			if v[which], err = one([]string{"resident.plain", "resident"}[which]); err != nil {
				return err
			}
		}
		computed = append(computed, v[1][0]/v[0][0])
		processor = append(processor, v[1][1]/v[0][1])
		faults = append(faults, v[1][2]/v[0][2])
	}
	s, err := had(prof)
	if err != nil {
		return err
	}
	fmt.Printf("| %d MB | %d | %.1f ms | %.1f ms | %s | %s | × %.1f |\n", size, s.Begun, float64(s.Stood)/float64(max(s.Begun, 1))/1e6, float64(s.Longest)/1e6,
		measure.Summary(computed).Overhead(), measure.Summary(processor).Overhead(), measure.Summary(faults).Median)
	return nil
}

// serve has a service answer so many requests.
func serve(dir, file string, requests int, rate string) error {
	cmd := exec.Command(filepath.Join(dir, file))
	prof := filepath.Join(dir, "prof-"+file)
	if file == "kv" {
		shadowed(cmd, prof, rate)
		cmd.Env = append(cmd.Env, "DUPINST_PERIOD=1s")
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "serving on ")
	if !ok {
		return fmt.Errorf("it printed %q: %w", line, err)
	}
	go io.Copy(io.Discard, lines)
	load := exec.Command(filepath.Join(dir, "fortio"), "load", "-quiet", "-qps", "0", "-c", "8", "-n", strconv.Itoa(requests), "-r", "0.00001", "-p", "50,99,99.9", "-json", "-", url+"/next")
	answers, err := load.Output()
	if err != nil {
		return fmt.Errorf("%v: %w", load, err)
	}
	var result struct {
		RetCodes          map[string]int
		ActualQPS         float64
		DurationHistogram struct {
			Percentiles []struct{ Percentile, Value float64 }
		}
	}
	if err := json.Unmarshal(answers, &result); err != nil {
		return fmt.Errorf("%v: %w", load, err)
	}
	fmt.Printf("| %s | %d | %d | %.0f |", file, requests, requests-result.RetCodes["200"], result.ActualQPS)
	for _, p := range result.DurationHistogram.Percentiles {
		fmt.Printf(" %.2f ms |", 1e3*p.Value)
	}
	if file != "kv" {
		fmt.Println(" | | |")
		return nil
	}
	time.Sleep(1500 * time.Millisecond) // until it has written its profile once more
	s, err := had(prof)
	if err != nil {
		return err
	}
	fmt.Printf(" %d | %d | %d |\n", s.Begun, s.Early, s.Lost)
	return nil
}
