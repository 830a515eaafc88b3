package main_test

import (
	"net/http"
	"time"

	"github.com/dupinst/dupinst/profile/format"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dupinst/dupinst/profile"
)

// TestApart has instrumentations sampled apart: programs do what they do, at interval 1 each instrumentation counts what
// the exhaustive build does, and one that is off nothing; in windows neither that, nor anything that was not.
func TestApart(t *testing.T) {
	t.Parallel()
	onlyWindows(t)
	dir, _ := programs(t)
	bin := t.TempDir()
	names := []string{"conditions", "dynamic", "references", "trips"} // whose values are the same in each build
	if !testing.Short() {
		names = append(names, "channels", "generics", "loops", "methods", "ranges", "recursive", "switches")
	}
	var packages []string
	for _, name := range names {
		packages = append(packages, "./"+name)
	}
	exhaustive, full := compiled("exhaustive"), compiled("full")
	sampledBy := map[string]string{full: "path,block,calledge,value,context", window: "path,block,calledge,value,context,trip,reference"}
	for v, instrument := range sampledBy {
		args := append(arranged(v), "-apart", "-instrument="+instrument, "build", "-o", filepath.Join(bin, v)+"/")
		goBuild(t, dir, "dupinst", append(args, packages...)...)
	}
	args := append(arranged(exhaustive), "-instrument="+sampledBy[window], "build", "-o", filepath.Join(bin, exhaustive)+"/")
	goBuild(t, dir, "dupinst", append(args, packages...)...)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := execute(t, built(t, plain, false, name), "", "")
			run := func(variant, apart string, env ...string) map[string]uint64 {
				prof := filepath.Join(t.TempDir(), variant)
				env = append(env, "DUPINST_APART="+apart)
				if got := execute(t, filepath.Join(bin, variant, name), prof, "1", env...); got != want {
					t.Errorf("%s %s:\n%+v\nplain:\n%+v", variant, apart, got, want)
				}
				return counts(t, prof)
			}
			truth := run(exhaustive, "")
			faults := func(key string, n uint64) bool { return strings.Contains(key, ";runtime.sigpanic:") } // at whose line depends on probes
			for _, off := range strings.Split(sampledBy[full], ",") {
				if nondeterministic[name] {
					break
				}
				counted := maps.Clone(truth)
				maps.DeleteFunc(counted, func(key string, n uint64) bool {
					return strings.HasPrefix(key, off+" ") || strings.HasPrefix(key, "trip ") || strings.HasPrefix(key, "reference ")
				})
				want, got, _ := but(differs[name], counted, run(full, off+"=off"))
				want, got, _ = but(blocksDiffer[name], want, got)
				maps.DeleteFunc(want, faults)
				maps.DeleteFunc(got, faults)
				diffCounts(t, want, got)
			}
			all := strings.Split(sampledBy[window], ",")
			for i := range all {
				off := []string{all[i], all[(i+1)%len(all)]}
				seen := run(window, off[0]+"=off,"+off[1]+"=off,"+all[(i+2)%len(all)]+"=20000/s:10us", "DUPINST_WINDOWS=80000/s", "DUPINST_WINDOW=5us")
				for k, n := range seen {
					instrumentation, _, _ := strings.Cut(k, " ")
					place, _, _ := strings.Cut(k, " = ")
					others := truth[place+" = "+profile.Others] > 0
					if slices.Contains(off, instrumentation) || n > truth[k] && !(standsForMany(k) && truth[k] > 0) && !faults(k, n) && !nondeterministic[name] && !strings.HasSuffix(k, orMore) && !others {
						t.Errorf("%v off: %s: %d of %d", off, k, n, truth[k])
					}
				}
			}
		})
	}
}

// standsForMany reports whether windows note a key's events for others, too: they may have counted more of them than there were.
func standsForMany(key string) bool {
	return strings.HasPrefix(key, "value ") || strings.HasPrefix(key, "context ")
}

// TestApartSwitched has a service under load sample one instrumentation often, one rarely and in bursts or long windows, and
// one not at all, from one moment to the next: profiles say how often each was, and estimates are of the same truth.
func TestApartSwitched(t *testing.T) {
	t.Parallel()
	onlyWindows(t)
	for trigger, c := range map[string]struct{ some, settings, wrong string }{
		"counter": {"block=20,fieldaccess=2000:50,calledge=off", "interval=1000", "block=20:20"},
		"window":  {"block=200/s:1ms,fieldaccess=20/s:5ms,calledge=off", "windows=25/s&interval=1000", "block=20"},
	} {
		t.Run(trigger, func(t *testing.T) {
			t.Parallel()
			bin := filepath.Join(t.TempDir(), "control")
			// With checks in the loop that comes to the fields, for else all of a request are in a sample or none are.
			goBuild(t, filepath.Join("..", ".."), "dupinst", "-trigger="+trigger, "-elide=entries", "-apart", "-instrument=calledge,fieldaccess,block", "-pkgs=github.com/dupinst/dupinst/testdata/control", "build", "-o", bin, "./testdata/control")
			_, url := served(t, serving, "env", "DUPINST_INTERVAL=off", bin)
			ask := controller{t, url + "/debug/dupinst/"}
			stop := underLoad(t, url+"/work?n=20", "10945 20\n")
			defer stop()
			ask.do("POST", "set?apart="+c.some, `"apart":"`+c.some+`"`)
			ask.do("POST", "set?"+c.settings, `"interval":1000`)
			for _, wrong := range []string{c.wrong, "blocks=off", "block", "block=off,calledge=off,fieldaccess=off"} {
				ask.refused("POST", "set?apart="+wrong, http.StatusBadRequest)
			}
			if trigger == "counter" {
				ask.refused("POST", "set?overhead=1%25", http.StatusConflict)
				ask.refused("POST", "set?phases=on", http.StatusBadRequest)
			}
			time.Sleep(time.Second) // goroutines notice, beside other load, too
			text, code, err := request("GET", ask.url+"profile?format=dupinst&seconds=2")
			if err != nil || code != http.StatusOK {
				t.Fatalf("profile: %v, %d, %s", err, code, text)
			}
			p, err := format.Decode([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			profiles, err := profile.Build([]*format.Process{p})
			if err != nil {
				t.Fatal(err)
			}
			events := map[string]float64{}
			for _, p := range profiles {
				events[p.Instrumentation] = p.Events()
				if samples := p.Samples > 10; samples != (p.Instrumentation != "calledge") {
					t.Errorf("%s: %d samples", p.Instrumentation, p.Samples)
				}
			}
			// A request enters 70,800 blocks and comes 82 times to a field.
			if ratio := events["block"] / events["fieldaccess"]; trigger == "counter" && (ratio < 700 || ratio > 1050) || !(ratio > 400 && ratio < 1800) || events["calledge"] != 0 {
				t.Errorf("%g blocks for an access to a field, want 864; events: %v", ratio, events)
			}
			ask.do("POST", "set?apart=off", `"interval":1000`)
			time.Sleep(200 * time.Millisecond)
			if p := decoded(t, ask.url+"profile?format=dupinst"); len(p.Apart) > 0 || p.Samples == 0 {
				t.Errorf("sampled alike, %d instrumentations are sampled apart, of %d samples", len(p.Apart), p.Samples)
			}
		})
	}
}
