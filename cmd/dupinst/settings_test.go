package main_test

import (
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dupinst/dupinst/profile"
	"github.com/dupinst/dupinst/profile/format"
)

// changes are what a program may be asked for, of which not all fit each other.
var changes = [][]string{
	{"interval=0", "interval=1", "interval=2", "interval=1000", "interval=1099511627776"},
	{"overhead=0%25", "overhead=0.01%25", "overhead=1%25", "overhead=100%25"},
	{"burst=1", "burst=2", "burst=50", "burst=1000"},
	{"apart=off", "apart=block=20,fieldaccess=2000:50,calledge=off", "apart=calledge=1", "apart=block=100000:100", "apart=block=5/s:1ms"},
	{"phases=off", "phases=on", "phases=50/s", "phases=1000/s", "phases=endpoint=x"},
	{"phase=100us", "phase=20ms"},
	{"shadows=0/s", "shadows=50/s"},
	{"shadow=1ms", "shadow=5ms"},
	{"windows=1/s", "windows=1000/s", "windows=50000/s"},
	{"window=1us", "window=1ms", "window=100ms"},
}

// TestSettings has a service under load be set at random, again and again, while its profile is written, too: no request
// fails, and each profile can be read. With -soak it goes on for so long.
func TestSettings(t *testing.T) {
	t.Parallel()
	onlyWindows(t)
	for name, flags := range map[string][]string{"counter": nil, "apart": {"-apart"}, "window": {"-trigger=window", "-apart"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && name != "counter" {
				t.Skip("the counter's are the most")
			}
			dir := t.TempDir()
			bin, prof := filepath.Join(dir, "control"), filepath.Join(dir, "prof")
			goBuild(t, filepath.Join("..", ".."), "dupinst", append(flags, "-instrument=calledge,fieldaccess,block", "-pkgs=github.com/dupinst/dupinst/testdata/control", "build", "-o", bin, "./testdata/control")...)
			_, url := served(t, serving, "env", "DUPINST_DIR="+prof, "DUPINST_PERIOD=50ms", "GOGC=20", bin)
			stop := underLoad(t, url+"/work?n=8", "33 8\n")
			seed := uint64(time.Now().UnixNano())
			t.Logf("seed %d", seed)
			random := rand.New(rand.NewPCG(seed, 0))
			taken := 0
			for until := time.Now().Add(max(*soak, 2*time.Second)); time.Now().Before(until) && !t.Failed(); {
				method, path := "POST", "set?"+change(random)
				switch random.IntN(10) {
				case 0:
					path = "reset"
				case 1:
					method, path = "GET", "profile?format=dupinst"
				}
				text, code, err := request(method, url+"/debug/dupinst/"+path)
				switch {
				case err != nil || code >= http.StatusInternalServerError:
					t.Errorf("%s: %v, %d, %s", path, err, code, text)
				case code != http.StatusOK: // these do not fit each other
				case method == "GET":
					if _, err := format.Decode([]byte(text)); err != nil {
						t.Errorf("its profile: %v", err)
					}
				case path != "reset":
					taken++
				}
			}
			if n := stop(); n == 0 || taken < 10 {
				t.Errorf("%d requests, %d changes", n, taken)
			}
			if _, err := profile.ReadProfiles(prof); err != nil {
				t.Error(err)
			}
		})
	}
}

// change is one thing to be set, or some.
func change(random *rand.Rand) string {
	var list []string
	for range 1 + random.IntN(2)*random.IntN(3) {
		of := changes[random.IntN(len(changes))]
		list = append(list, of[random.IntN(len(of))])
	}
	return strings.Join(list, "&")
}
