package gobuild

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestPlans keeps plans that are asked for, removes those that are not, and tells plans that
// are not there from others.
func TestPlans(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	if cache, err := os.UserCacheDir(); err != nil || cache != os.Getenv("XDG_CACHE_HOME") {
		t.Skip("the user's cache directory is set in another way here")
	}
	now := time.Now()
	for id, file := range map[string]struct {
		text string
		age  time.Duration
	}{
		"asked":  {`[{"Name": "p.f"}]`, 24 * time.Hour},
		"old":    {`[]`, 31 * 24 * time.Hour},
		"broken": {`[{"Name`, 0},
	} {
		name, err := plansFile(id + "/content")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(file.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, now, now.Add(-file.age)); err != nil {
			t.Fatal(err)
		}
	}
	if err := forgetPlans(now.Add(-plansKept)); err != nil {
		t.Fatal(err)
	}
	plans, err := readPlans("asked/other")
	if err != nil || len(plans) != 1 || plans[0].Name != "p.f" {
		t.Errorf("read %v, %v", plans, err)
	}
	for _, id := range []string{"old", "broken"} {
		if plans, err := readPlans(id); !errors.Is(err, errNoPlans) {
			t.Errorf("%s: read %v, %v", id, plans, err)
		}
	}
	if err := forgetPlans(now.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "dupinst", "plans", "*")); err != nil || len(left) != 2 {
		t.Errorf("left are %v, %v: what was asked for a moment ago, and what is new, stay", left, err)
	}
}
