// Shadows measures what shadow processes cost the program that they are of. A program that computes on a heap of some sizes
// (bench/resident) runs plain and with shadows in turn: how long it stands still for each of them, and medians of the rounds'
// ratios of what it computes in as much time, of the processor time for that, the shadows' own included, and of its page faults, with 95 %
// confidence intervals. Then a service, bench/kv, is asked by fortio on eight connections as fast as it answers, plain and
// with shadows in turn: medians of the rounds' ratios of how many it answers in as much time, and of their percentiles; a request that is not answered as it has to be is an error. And both once more with shadows that may cost no more than a share of the
// processor time.
//
// usage: go run ./demo/shadows [-quick] [-n ROUNDS] [-requests N] [-rate SHADOWS/S] [-overhead P%]
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
	overhead := flag.String("overhead", "1%", "what they may `cost` where they are limited")
	flag.Parse()
	if *quick {
		*n, *requests = 3, 20_000
	}
	dir, err := os.MkdirTemp("", "shadows")
	if err == nil {
		err = errors.Join(run(dir, *n, *requests, *rate, *overhead), os.RemoveAll(dir))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "shadows:", err)
		os.Exit(1)
	}
}

func run(dir string, n, requests int, rate, overhead string) error {
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
	free, limited := program{"", []string{"DUPINST_SHADOWS=" + rate, "DUPINST_OVERHEAD=off"}}, program{overhead, []string{"DUPINST_SHADOWS=" + rate, "DUPINST_OVERHEAD=" + overhead}}
	fmt.Println("| heap | limit | shadows | stood still on average | longest | computed | processor time | page faults |\n|---|---|---|---|---|---|---|---|")
	for _, size := range []int{10, 200, 1000} {
		if err := resident(dir, size, n, free, limited); err != nil {
			return fmt.Errorf("resident, %d MB: %w", size, err)
		}
	}
	if err := command("", "env", "GOBIN="+dir, "go", "install", "fortio.org/fortio@v1.66.5"); err != nil {
		return err
	}
	fmt.Println("\n| service | limit | requests | errors | as many a second | p50 | p99 | p99.9 | shadows | ended early | told nothing |\n|---|---|---|---|---|---|---|---|---|---|---|")
	if err := services(dir, n, requests, program{}, free, limited); err != nil {
		return fmt.Errorf("kv: %w", err)
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

// A program is plain, or has shadows that may cost as much as they do, or no more than a limit.
type program struct {
	limit    string
	settings []string // none: plain
}

// file is the name of its binary.
func (p program) file(name string) string {
	if p.settings == nil {
		name += ".plain"
	}
	return name
}

// prof is where its profiles are.
func (p program) prof(dir, name string) string {
	return filepath.Join(dir, "prof-"+p.file(name)+p.limit)
}

// command runs it.
func (p program) command(dir, name, prof string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(dir, p.file(name)), args...)
	if p.settings != nil {
		cmd.Env = append(append(os.Environ(), "DUPINST_DIR="+prof), p.settings...)
	}
	return cmd
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

// resident runs the program on a heap of so many megabytes, in turn plain and with each kind of shadows.
func resident(dir string, size, n int, kinds ...program) error {
	// One run's operations, its processor time for each and its faults.
	one := func(p program, prof string) (v [3]float64, err error) {
		cmd := p.command(dir, "resident", prof, "-heap", strconv.Itoa(size), "-for", "10s")
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
	all := append([]program{{}}, kinds...)
	prof := func(i int) string { return filepath.Join(dir, fmt.Sprint("prof", size, "-", i)) }
	ratios := make([][3][]float64, len(all))
	for round := range n {
		runs := make([][3]float64, len(all))
		for i := range all {
			var err error
			which := (i + round) % len(all) // each first in turn
			if runs[which], err = one(all[which], prof(which)); err != nil {
				return err
			}
		}
		for i, v := range runs {
			for k := range v {
				ratios[i][k] = append(ratios[i][k], v[k]/runs[0][k])
			}
		}
	}
	for i, p := range all[1:] {
		s, err := had(prof(i + 1))
		if err != nil {
			return err
		}
		r := ratios[i+1]
		fmt.Printf("| %d MB | %s | %d | %.1f ms | %.1f ms | %s | %s | × %.1f |\n", size, p.limit, s.Begun, float64(s.Stood)/float64(max(s.Begun, 1))/1e6, float64(s.Longest)/1e6,
			measure.Summary(r[0]).Overhead(), measure.Summary(r[1]).Overhead(), measure.Summary(r[2]).Median)
	}
	return nil
}

// services are asked for so many requests each, some in each round.
func services(dir string, n, requests int, kinds ...program) error {
	all := make([]answers, len(kinds))
	ratios := make([][]float64, len(kinds))
	for round := range n {
		rates := make([]float64, len(kinds))
		for i := range kinds {
			which := (i + round) % len(kinds) // each first in turn
			a, err := serve(dir, kinds[which], requests/n)
			if err != nil {
				return err
			}
			rates[which] = a.ActualQPS
			all[which].add(a)
		}
		for i, rate := range rates {
			ratios[i] = append(ratios[i], rate/rates[0])
		}
	}
	for i, p := range kinds {
		a := &all[i]
		fmt.Printf("| %s | %s | %d | %d | %s |", p.file("kv"), p.limit, a.asked, a.asked-a.RetCodes["200"], measure.Summary(ratios[i]).Overhead())
		for _, v := range a.percentiles {
			fmt.Printf(" %.2f ms |", 1e3*measure.Summary(v).Median)
		}
		if p.settings == nil {
			fmt.Println(" | | |")
			continue
		}
		s, err := had(p.prof(dir, "kv"))
		if err != nil {
			return err
		}
		fmt.Printf(" %d | %d | %d |\n", s.Begun, s.Early, s.Lost)
	}
	return nil
}

// answers are what fortio says of them, and, added up, the percentiles of each round.
type answers struct {
	RetCodes          map[string]int
	ActualQPS         float64
	DurationHistogram struct {
		Percentiles []struct{ Percentile, Value float64 }
	}
	asked       int
	percentiles [3][]float64
}

func (a *answers) add(b answers) {
	if a.RetCodes == nil {
		a.RetCodes = map[string]int{}
	}
	for code, n := range b.RetCodes {
		a.RetCodes[code] += n
	}
	a.asked += b.asked
	for i := range a.percentiles {
		a.percentiles[i] = append(a.percentiles[i], b.DurationHistogram.Percentiles[i].Value)
	}
}

// serve has a service answer so many requests.
func serve(dir string, p program, requests int) (a answers, err error) {
	cmd := p.command(dir, "kv", p.prof(dir, "kv"))
	if p.settings != nil {
		cmd.Env = append(cmd.Env, "DUPINST_PERIOD=1s")
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return a, err
	}
	if err := cmd.Start(); err != nil {
		return a, err
	}
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "serving on ")
	if !ok {
		return a, fmt.Errorf("it printed %q: %w", line, err)
	}
	go io.Copy(io.Discard, lines)
	load := exec.Command(filepath.Join(dir, "fortio"), "load", "-quiet", "-qps", "0", "-c", "8", "-n", strconv.Itoa(requests), "-r", "0.00001", "-p", "50,99,99.9", "-json", "-", url+"/next")
	text, err := load.Output()
	if err != nil {
		return a, fmt.Errorf("%v: %w", load, err)
	}
	if err := json.Unmarshal(text, &a); err != nil {
		return a, fmt.Errorf("%v: %w", load, err)
	}
	if a.asked = requests; len(a.DurationHistogram.Percentiles) != len(a.percentiles) {
		return a, fmt.Errorf("%v said %d percentiles", load, len(a.DurationHistogram.Percentiles))
	}
	if p.settings != nil {
		time.Sleep(1500 * time.Millisecond) // until it has written its profile once more
	}
	return a, nil
}
