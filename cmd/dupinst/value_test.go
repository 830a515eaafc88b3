package main_test

import (
	"path/filepath"
	"slices"
	"testing"
)

// valuesDiffer are those of values, which are what the program sees of how it was built.
var valuesDiffer = map[string]map[string]string{
	"panics":      {"value main.crash.func1 ": "the length of a stack trace has addresses in it"},
	"transparent": {"value main.entries ": "the address of code"},
	"preempted":   {" f of call = ": "goroutines call more functions at once than are kept of a place"},
	"conditions":  {";main.main.func3": "a fault is said to be at another line of the same statement"},
}

// TestValues notes values and contexts in the test programs, beside calls, whose callees are noted in the
// same place of the goroutine's descriptor: they do the same, and at interval 1 what is noted is that of an
// exhaustive build, in all variants.
func TestValues(t *testing.T) {
	t.Parallel()
	dir, names := programs(t)
	bin := t.TempDir()
	all := names
	names = slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !groupFor(slices.Index(all, name), 2) })
	var packages []string
	for _, name := range names {
		packages = append(packages, "./"+name)
	}
	variants := []string{compiled("exhaustive"), compiled("auto"), window}
	if !testing.Short() {
		variants = append(variants, compiled("full"), compiled("partial"), compiled("no"))
	}
	for _, v := range variants {
		args := append(arranged(v), "-instrument=context,calledge,value", "build", "-o", filepath.Join(bin, v)+"/")
		goBuild(t, dir, "dupinst", append(args, packages...)...)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := execute(t, built(t, plain, false, name), "", "")
			var truth map[string]uint64
			for _, v := range variants {
				prof := filepath.Join(t.TempDir(), v)
				got := execute(t, filepath.Join(bin, v, name), prof, "1", "DUPINST_WINDOWS=1000/s", "DUPINST_WINDOW=100us")
				if got != want {
					t.Errorf("%s:\n%+v\nplain:\n%+v", v, got, want)
				}
				switch {
				case truth == nil:
					truth = counts(t, prof)
				case v != window && !nondeterministic[name]:
					want, got, _ := but(valuesDiffer[name], truth, counts(t, prof))
					diffCounts(t, want, got)
				}
			}
		})
	}
}
