// Package dupinst_test holds the floor plan: a package imports only what stands
// on lower floors.
package dupinst_test

import (
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/dupinst/dupinst/"

// floors are the packages from the ground up. A package may import those of
// lower floors; what stands in brackets is all that it may import beside.
var floors = [][]string{
	{"profile/format", "runtime/core", "runtime", "compiler/plan", "compiler/pass"},
	{"flow", "profile", "sequitur"},
	{"overlap", "heat", "runtime/flight"},
	{"report", "layout", "profile/pprof", "profile/cover", "checks", "instrumentations", "simulate", "compiler/toolchain"},
	{"instrumentations/calledge", "instrumentations/fieldaccess", "instrumentations/value", "instrumentations/context", "instrumentations/block", "transform", "report/web", "report/web/webtest", "runtime/serve", "profile/ingest", "compiler/sites"},
	{"instrumentations/path", "instrumentations/trip", "instrumentations/reference", "instrumentations/allocation"},
	{"instrumentations/interpath"},
	{"instrumentations/all", "load", "runtime/push", "gobuild/archives", "gobuild/importcfg", "gobuild/cachekey", "gobuild/patch", "instrumentations/own", "edge"},
	{"gobuild", "explain", "measure", "rewrite"},
	{"command"},
	{"cmd/dupinst", "cmd/dupinst-layout"},
	{"demo/buildcost", "demo/governor", "demo/latency", "demo/layout", "demo/pgo", "demo/shadows", "demo/triggers", "demo/variants", "conformance/random"},
	{"conformance"},
}

// forbidden are imports that the floors alone would allow.
var forbidden = map[string][]string{
	"transform": {"instrumentations/calledge", "instrumentations/fieldaccess", "instrumentations/value", "instrumentations/block"},
	"gobuild":   {"instrumentations/all"},
	"simulate":  {"flow"},
	"profile":   {"runtime/core", "flow"},

	"compiler/sites": {"instrumentations/calledge", "instrumentations/fieldaccess", "instrumentations/value", "instrumentations/block"},
}

func TestFloorPlan(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	floor := map[string]int{}
	for i, packages := range floors {
		for _, p := range packages {
			floor[p] = i + 1
		}
	}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		fields := strings.Fields(line)
		p, ok := strings.CutPrefix(fields[0], module)
		if !ok {
			continue // this package
		}
		if floor[p] == 0 {
			t.Errorf("%s stands on no floor", p)
		}
		for _, path := range fields[1:] {
			q, ok := strings.CutPrefix(path, module)
			if !ok {
				continue
			}
			if floor[q] >= floor[p] {
				t.Errorf("%s imports %s, which does not stand below it", p, q)
			}
			for _, f := range forbidden[p] {
				if q == f {
					t.Errorf("%s must not import %s", p, q)
				}
			}
		}
	}
}
