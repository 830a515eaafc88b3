package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/dupinst/dupinst/profile"
)

// TestReferences holds what program references says of itself against its exhaustive profile, and in windows where its
// objects are against the addresses that were noted.
func TestReferences(t *testing.T) {
	t.Parallel()
	onlyWindows(t)
	dir, _ := programs(t)
	bin := t.TempDir()
	run := func(variant string, env ...string) (*profile.Profile, string) {
		file, prof := filepath.Join(bin, variant), filepath.Join(bin, variant+".prof")
		goBuild(t, dir, "dupinst", append(arranged(variant), "-instrument=reference", "build", "-o", file, "./references")...)
		got := execute(t, file, prof, "", append(env, "REFERENCES_OBJECTS=1", "REFERENCES_ROUNDS=200", "REFERENCES_TIMES=1000")...)
		if got.status != 0 {
			t.Fatalf("%+v", got)
		}
		profiles, err := profile.ReadProfiles(prof)
		if err != nil {
			t.Fatal(err)
		}
		return profiles[0], got.stdout
	}
	truth, _ := run(compiled("exhaustive"))
	want := map[string]uint64{}
	source, err := os.ReadFile(filepath.Join(dir, "references", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	const calls = 200 * 1000 * 10
	for _, m := range regexp.MustCompile(`(?m)^//\t(main\.\S+ (?:read|write)) (\d+)$`).FindAllStringSubmatch(string(source), -1) {
		n, err := strconv.ParseUint(m[2], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		want[m[1]] += n * calls
	}
	for _, e := range truth.Entries {
		// What main itself does is little.
		if n := want[e.Key]; e.Count < n || e.Count > n+100 {
			t.Errorf("%s: %d, want %d", e.Key, e.Count, n)
		}
		delete(want, e.Key)
	}
	if len(want) > 0 {
		t.Errorf("not counted: %v", want)
	}

	windows, stdout := run(window, "DUPINST_WINDOWS=1000/s", "DUPINST_WINDOW=100us")
	if len(windows.Bursts) == 0 {
		t.Fatal("no references were noted with their addresses")
	}
	objects := map[string][]uint64{}
	for line := range strings.Lines(stdout) {
		var name string
		var at, size uint64
		if n, _ := fmt.Sscanf(line, "object %s %d %d", &name, &at, &size); n == 3 {
			objects[name] = append(objects[name], at)
		}
	}
	seen := map[string]map[uint64]bool{} // goroutines
	for _, b := range windows.Bursts {
		for _, r := range b.References {
			key := r.Entry.Part("type") + "." + r.Entry.Part("field")
			if seen[key] == nil {
				seen[key] = map[uint64]bool{}
			}
			seen[key][r.Goroutine] = true
			if known := objects[r.Entry.Part("type")]; known != nil && !lies(t, r, known) {
				t.Errorf("%s at %#x, which is in none of the objects at %#x", r.Entry.Key, r.Address, known)
			}
		}
	}
	for _, key := range []string{"main.object.a", "main.inner.y", "main.pair.left", "main.pair.right"} {
		const main = 1 // which may be seen to print
		if n := len(seen[key]); n != 1 && !(n == 2 && seen[key][main]) {
			t.Errorf("goroutines %v refer to %s, and one does, beside the first", seen[key], key)
		}
	}
	// Most is in leaves without a stack check, called by what counts nothing. Were they not followed it would be a thousandth; other
	// load leaves a tenth at times.
	if got, all := windows.Events(), truth.Events(); got < all/50 {
		t.Errorf("windows estimate %.0f of %.0f references", got, all)
	}
}

// lies reports whether a reference is of its field in one of the objects at some addresses.
func lies(t *testing.T, r profile.Reference, objects []uint64) bool {
	offset, err := strconv.ParseUint(r.Entry.Part("offset"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	size, err := strconv.ParseUint(r.Entry.Part("size"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range objects {
		if at+offset <= r.Address && r.Address < at+offset+size {
			return true
		}
	}
	return false
}
