// Latency measures how long a service takes to answer when it profiles itself: bench/kv,
// plain, with dupinst's checks but no samples, and at interval 1000, the main module
// instrumented or everything. All run at once and are asked in turn, at a constant
// rate, by fortio. The table has the median over all rounds of the 50th and the 99th
// percentile, and of their ratios to the plain service's in the same round, with 95 %
// confidence intervals.
//
// usage: go run ./demo/latency [-n ROUNDS] [-d DURATION] [-rate REQUESTS/S]
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/dupinst/dupinst/measure"
)

func main() {
	n := flag.Int("n", 11, "`rounds`")
	d := flag.Duration("d", 4*time.Second, "`duration` of a service's turn")
	rate := flag.Int("rate", 500, "`requests` a second")
	flag.Parse()
	if err := run(*n, *d, *rate); err != nil {
		fmt.Fprintln(os.Stderr, "latency:", err)
		os.Exit(1)
	}
}

// A service is one build under one setting.
type service struct {
	name     string
	build    []string // the command but for -o and the package
	interval string
	url      string
	p50, p99 []float64 // seconds, by round
}

func run(n int, d time.Duration, rate int) error {
	dir, err := os.MkdirTemp("", "latency")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	dupinst := filepath.Join(dir, "dupinst")
	if out, err := exec.Command("go", "build", "-o", dupinst, "./cmd/dupinst").CombinedOutput(); err != nil {
		return fmt.Errorf("go build ./cmd/dupinst: %w\n%s", err, out)
	}
	install := exec.Command("go", "install", "fortio.org/fortio@v1.66.5")
	install.Env = append(os.Environ(), "GOBIN="+dir)
	if out, err := install.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", install, err, out)
	}
	services := []*service{
		{name: "plain", build: []string{"go", "build"}},
		{name: "plain, again", build: []string{"go", "build"}},
		{name: "main module, no samples", build: []string{dupinst, "build"}, interval: "off"},
		{name: "main module, interval 1000", build: []string{dupinst, "build"}, interval: "1000"},
		{name: "everything, no samples", build: []string{dupinst, "-pkgs=all", "build"}, interval: "off"},
		{name: "everything, interval 1000", build: []string{dupinst, "-pkgs=all", "build"}, interval: "1000"},
	}
	for i, s := range services {
		stop, err := s.start(filepath.Join(dir, fmt.Sprint(i)))
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		defer stop()
	}
	for round := range n + 1 {
		for i := range services {
			// Each in another place from round to round.
			s := services[(i+round)%len(services)]
			if err := s.attack(filepath.Join(dir, "fortio"), d, rate, round > 0); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
		}
	}
	fmt.Println("| service | p50 | to plain | p99 | to plain |\n|---|---|---|---|---|")
	for _, s := range services {
		fmt.Printf("| %s |%s|%s|\n", s.name, cell(s.p50, services[0].p50), cell(s.p99, services[0].p99))
	}
	return nil
}

// cell is a percentile's median, and that of the ratios to the plain one.
func cell(x, plain []float64) string {
	var ratios []float64
	for i := range x {
		ratios = append(ratios, x[i]/plain[i])
	}
	return fmt.Sprintf(" %.0f µs | %s ", 1e6*measure.Summary(x).Median, measure.Summary(ratios).Overhead())
}

// start builds and starts a service.
func (s *service) start(dir string) (stop func(), err error) {
	file := filepath.Join(dir, "kv")
	build := exec.Command(s.build[0], append(s.build[1:], "-o", file, "./kv")...)
	build.Dir = "bench"
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%v: %w\n%s", build, err, out)
	}
	cmd := exec.Command(file)
	cmd.Env = append(os.Environ(), "DUPINST_INTERVAL="+s.interval, "DUPINST_DIR="+filepath.Join(dir, "prof"))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stop = func() { cmd.Process.Kill(); cmd.Wait() }
	line, err := bufio.NewReader(out).ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "serving on ")
	if !ok {
		stop()
		return nil, fmt.Errorf("it printed %q: %w", line, err)
	}
	s.url = url
	return stop, nil
}

// attack has fortio ask the service for a while, on eight connections.
func (s *service) attack(fortio string, d time.Duration, rate int, counted bool) error {
	cmd := exec.Command(fortio, "load", "-quiet", "-qps", strconv.Itoa(rate), "-c", "8", "-t", d.String(), "-r", "0.000005", "-p", "50,99", "-json", "-", s.url+"/next")
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%v: %w", cmd, err)
	}
	var result struct {
		RetCodes          map[string]int
		DurationHistogram struct {
			Count       int
			Percentiles []struct{ Percentile, Value float64 }
		}
	}
	if err := json.Unmarshal(out, &result); err != nil {
		return fmt.Errorf("%v: %w", cmd, err)
	}
	h := result.DurationHistogram
	if result.RetCodes["200"] != h.Count || h.Count == 0 || len(h.Percentiles) != 2 {
		return fmt.Errorf("%d requests, answers %v", h.Count, result.RetCodes)
	}
	if counted {
		s.p50 = append(s.p50, h.Percentiles[0].Value)
		s.p99 = append(s.p99, h.Percentiles[1].Value)
	}
	return nil
}
